"""Tell whether a reply takes up what another speaker said: a question answered, a statement confirmed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import Final

from erstwhile.language import languages
from erstwhile.writers.port import TranscriptLine

_QUESTION: Final = ("?", "？")
_UNSPACED: Final = (
    "\u1100"  # the first letter of the scripts in which a word may go on without a space
)


def replies_to(lines: Sequence[TranscriptLine]) -> list[TranscriptLine | None]:
    """Return, for each line, the next one of another speaker."""
    rest = [lines[place + 1 :] for place in range(len(lines))]
    return [
        next((each for each in later if each.speaker != line.speaker), None)
        for line, later in zip(lines, rest, strict=True)
    ]


def takes_up(reply: TranscriptLine, line: TranscriptLine, denied: bool) -> bool:
    """Return whether the words of a line are also those of who replied. `denied`: a memory denies
    something; what is answered with no bears out no other."""
    if any(mark in line.text for mark in _QUESTION):
        return denied or not _no().match(reply.text)
    return _yes().match(reply.text) is not None


@cache
def _yes() -> re.Pattern[str]:
    words = _either(" ".join(each.claims.yes for each in languages() if each.claims))
    return re.compile(rf"\W{{0,4}}(?:{words})(?!\w|\s*[?？])", re.IGNORECASE)


@cache
def _no() -> re.Pattern[str]:
    words = " ".join(each.claims.no for each in languages() if each.claims)
    spaced = _either(" ".join(each for each in words.split() if each < _UNSPACED))
    unspaced = _either(" ".join(each for each in words.split() if each >= _UNSPACED))
    return re.compile(rf"\W{{0,4}}(?:(?:{spaced})(?!\w)|(?:{unspaced}))", re.IGNORECASE)


def _either(words: str) -> str:
    return "|".join(map(re.escape, sorted(set(words.split()), key=len, reverse=True)))
