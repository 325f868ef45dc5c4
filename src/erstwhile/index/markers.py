"""What a message tells besides its words: when that happened, and the names in it. It is spelt ahead of its terms, so that
it is stored, found again in the text and removed together with them."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from typing import Final

_WHEN, _NAME = "@", "="  # no term begins with one of these
NAMES: Final = 3
_DAY: Final = 86_400_000_000  # microseconds


def spell(happened: tuple[int, int] | None, names: Sequence[str]) -> list[str]:
    """`happened`: the first day, counted from the day it was said, and how many days."""
    day = [] if happened is None else [f"{_WHEN}{happened[0]}:{happened[1]}"]
    return day + [_NAME + name for name in names[:NAMES]]


class Markers:
    """Columns of what messages tell besides their words. No day lasts 0 days; no name is 0."""

    def __init__(self) -> None:
        self.first: list[int] = []
        self.days: list[int] = []
        self.names: list[list[int]] = []

    def take(self, terms: list[str], at: int) -> list[str]:
        """Note the markers of a document and return its terms without them."""
        first = days = count = 0
        names = [0] * NAMES
        while count < len(terms) and terms[count][0] in (_WHEN, _NAME):
            marker = terms[count]
            if marker[0] == _WHEN:
                offset, _, lasts = marker[1:].partition(":")
                first, days = at // _DAY + int(offset), int(lasts)
            else:
                names[names.index(0)] = name_key(marker[1:])
            count += 1
        self.first.append(first)
        self.days.append(days)
        self.names.append(names)
        return terms[count:] if count else terms

    def columns(self) -> dict[str, Sequence[int]]:
        named = {f"name{number}": [each[number] for each in self.names] for number in range(NAMES)}
        return {"first_day": self.first, "days": self.days, **named}


def name_key(term: str) -> int:
    return zlib.crc32(term.encode()) or 1
