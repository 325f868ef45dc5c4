"""What someone said of themselves, in the third person: how a language turns a sentence."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ThirdPerson:
    turn: Callable[[str, str, Sequence[str], str], str]
    """A sentence about the person called by a name, all their names, and the name of somebody else who says it, or ""."""
    by_name: Callable[[str, str], str]
    """A sentence of the one called by a name, with the name where they speak of themselves."""
    stop: str = "."


def named(said: str, name: str, names: Sequence[str]) -> str:
    """With the name in front, if none of the names is in it."""
    return said if any(_names(said, each) for each in names) else f"{name}: {said}"


def _names(said: str, name: str) -> bool:
    return bool(name) and re.search(rf"(?<!\w){re.escape(name)}(?![^\W_가-힣])", said, re.IGNORECASE) is not None
