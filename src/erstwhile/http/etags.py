"""Entity tags, so that nobody overwrites what they have not seen."""

from __future__ import annotations

import hashlib
import re

_ONE = re.compile(r'(W/)?("[^"]*")')


def etag(text: str, version: int) -> str:
    """Of what a memory says, and how often it has changed."""
    digest = hashlib.sha256(f"{version}\n{text}".encode()).hexdigest()
    return f'"{digest[:32]}"'


def allows_change(if_match: str, tag: str) -> bool:
    """Whether an edit may go on. A weak tag never lets it."""
    return if_match.strip() == "*" or any(each == tag for weak, each in _ONE.findall(if_match) if not weak)


def matches_any(if_none_match: str, tag: str) -> bool:
    """Whether the reader has it already."""
    return if_none_match.strip() == "*" or any(each == tag for _, each in _ONE.findall(if_none_match))
