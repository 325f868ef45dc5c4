"""The differences of two texts, word by word."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from itertools import takewhile
from typing import Literal

from erstwhile.base.records import dataclass

Kind = Literal["same", "gone", "new"]

_FEWEST = 3  # words in a row that count as left alone between two changes
_WORDS = re.compile(r"\S+|\n|[^\S\n]+")
# Pairs of equal words that are compared; a text that repeats one word thousands of times is shown as
# a replacement of what is between its equal ends.
_MOST_PAIRS = 20_000


@dataclass(frozen=True, slots=True)
class DiffPart:
    kind: Kind
    text: str


def pieces(old: str, new: str) -> list[DiffPart]:
    """Return the pieces in reading order; of a replacement, the old text first."""
    return [piece for piece in _pieces(_WORDS.findall(old), _WORDS.findall(new)) if piece.text]


def _pieces(old: list[str], new: list[str]) -> Iterator[DiffPart]:
    gone, came = "", ""
    for what, a, b, c, d in _changes(old, new):
        words = "".join(old[a:b])
        if what == "equal" and (not (gone or came) or _telling(words)):
            yield DiffPart("gone", gone)
            yield DiffPart("new", came)
            yield DiffPart("same", words)
            gone, came = "", ""
        else:  # a few words in both are no match between two changes
            gone, came = gone + words, came + "".join(new[c:d])
    yield DiffPart("gone", gone)
    yield DiffPart("new", came)


def _changes(old: list[str], new: list[str]) -> Sequence[tuple[str, int, int, int, int]]:
    """Return what is equal and what is not, as difflib does, in time that a page can wait."""
    counts = Counter(word for word in new if not word.isspace())
    if sum(counts[word] for word in old) <= _MOST_PAIRS:
        return SequenceMatcher(str.isspace, old, new, autojunk=False).get_opcodes()
    first = _common(old, new)
    last = _common(old[first:][::-1], new[first:][::-1])
    ends = len(old) - last, len(new) - last
    return [
        ("equal", 0, first, 0, first),
        ("replace", first, ends[0], first, ends[1]),
        ("equal", ends[0], len(old), ends[1], len(new)),
    ]


def _common(one: list[str], other: list[str]) -> int:
    """Return how many words both begin with."""
    pairs = zip(one, other, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def _telling(words: str) -> bool:
    return len(words.split()) >= _FEWEST or "\n\n" in words
