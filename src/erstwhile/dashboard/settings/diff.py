"""The differences of two texts, word by word: prompts are long lines in which few words change."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal

Kind = Literal["same", "gone", "new"]

_FEWEST = 3  # words in a row that count as left alone between two changes
_WORDS = re.compile(r"\S+|\n|[^\S\n]+")


@dataclass(frozen=True, slots=True)
class DiffPart:
    kind: Kind
    text: str


def pieces(old: str, new: str) -> list[DiffPart]:
    """In reading order; of a replacement, the old text first."""
    return [piece for piece in _pieces(_WORDS.findall(old), _WORDS.findall(new)) if piece.text]


def _pieces(old: list[str], new: list[str]) -> Iterator[DiffPart]:
    gone, came = "", ""
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    for what, a, b, c, d in matcher.get_opcodes():
        words = "".join(old[a:b])
        if what == "equal" and (not (gone or came) or _telling(words)):
            yield DiffPart("gone", gone)
            yield DiffPart("new", came)
            yield DiffPart("same", words)
            gone, came = "", ""
        else:  # a word or two that happen to stand in both would only tear apart what was replaced as a whole
            gone, came = gone + words, came + "".join(new[c:d])
    yield DiffPart("gone", gone)
    yield DiffPart("new", came)


def _telling(words: str) -> bool:
    return len(words.split()) >= _FEWEST or "\n\n" in words
