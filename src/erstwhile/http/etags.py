"""Entity tags, so that nobody overwrites a change they have not seen."""

from __future__ import annotations

import hashlib
import re

_ONE = re.compile(r'(W/)?("[^"]*")')


def etag(text: str, version: int) -> str:
    """Return the entity tag of a memory's text and version."""
    digest = hashlib.sha256(f"{version}\n{text}".encode()).hexdigest()
    return f'"{digest[:32]}"'


def allows_change(if_match: str, tag: str) -> bool:
    """Return whether If-Match allows the change. Weak tags never match."""
    return if_match.strip() == "*" or any(each == tag for weak, each in _ONE.findall(if_match) if not weak)


def matches_any(if_none_match: str, tag: str) -> bool:
    """Return whether If-None-Match contains the tag."""
    return if_none_match.strip() == "*" or any(each == tag for _, each in _ONE.findall(if_none_match))
