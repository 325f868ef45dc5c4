"""Estimate how likely readers find a fact useful: a small transformer reads its words.

`training/usefulness` makes the weights from what readers said about facts (decision 18).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from erstwhile.writers.extractive.network import Network

LONGEST: Final = 60  # pieces: what follows is not read
FLAGS: Final = 4
"""A capital inside, one at the start, digits, and the rest of a word or how many digits."""

_PIECE: Final = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?|\d+|[^\w\s]")
_KEPT: Final = 8192  # pieces that come again
_DIGITS: Final = 4
_SYMBOLS: Final = 0x2000  # in Unicode: emoji and other symbols come later
_MARKS: Final = ",.!?:;()…\"'-/、。·€$%"
ASIDE, UNKNOWN, SYMBOL, OTHER, STRENGTH = range(len(_MARKS), len(_MARKS) + 5)
STRONGEST: Final = 6

Pieces = list[tuple[int, tuple[float, ...]]]
"""Each piece as the number of a word, or -1 - the number of a mark; and its flags."""


def scores(facts: Sequence[tuple[str, str, int]]) -> list[float]:
    """Score facts: text, what it was said to (the question it answers, or who agreed to it), and
    the weight of the strongest pattern that asks to keep it."""
    return _network().scores([read(*fact) for fact in facts]) if facts else []


def read(text: str, aside: str, strength: int) -> Pieces:
    found = [_mark(STRENGTH + min(strength, STRONGEST)), *_pieces(text)]
    if aside:
        found += [_mark(ASIDE), *_pieces(aside.partition(": ")[2])]
    return found[:LONGEST]


def _pieces(text: str) -> Pieces:
    found: Pieces = []
    for match in _PIECE.finditer(text):
        found += _piece(match[0], match.start() == 0)
    return found


@lru_cache(maxsize=_KEPT)
def _piece(piece: str, starts: bool) -> Pieces:
    from erstwhile_vectors import numbers

    if piece[0].isalpha():
        capital = piece[0].isupper()
        flags = float(capital and not starts), float(capital and starts), 0.0
        words = numbers(piece)
        found: Pieces = [(word, (*flags, float(place > 0))) for place, word in enumerate(words)]
        return found or [(-1 - UNKNOWN, (*flags, 0.0))]
    if piece[0].isdigit():
        digits = numbers(piece[0]) or [-1 - UNKNOWN]
        return [(digits[0], (0.0, 0.0, 1.0, min(len(piece), _DIGITS) / _DIGITS))]
    place = _MARKS.find(piece)
    return [_mark(place if place >= 0 else SYMBOL if ord(piece) > _SYMBOLS else OTHER)]


def _mark(place: int) -> tuple[int, tuple[float, ...]]:
    return -1 - place, (0.0,) * FLAGS


@cache
def _network() -> Network:
    from erstwhile.writers.extractive.network import Network

    return Network(Path(__file__).with_name("usefulness.npz"))
