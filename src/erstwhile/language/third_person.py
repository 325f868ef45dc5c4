"""Turn what someone said about themselves into the third person."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from erstwhile.base.records import dataclass


@dataclass(frozen=True, slots=True)
class ThirdPerson:
    turn: Callable[[str, str, Sequence[str], str], str]
    """Takes a sentence, the person's name, all their names, and another speaker's name or ""."""
    by_name: Callable[[str, str], str]
    """Takes a sentence and the speaker's name, which replaces words for oneself."""


def named(said: str, name: str, names: Sequence[str]) -> str:
    """Put the name in front, if none of the names is in the text."""
    return said if any(_names(said, each) for each in names) else f"{name}: {said}"


def _names(said: str, name: str) -> bool:
    if not name:
        return False
    pattern = rf"(?<!\w){re.escape(name)}(?![^\W_가-힣])"
    return re.search(pattern, said, re.IGNORECASE) is not None
