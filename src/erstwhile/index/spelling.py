"""Words like a word that nobody used: by the letters they share, three at a time."""

from __future__ import annotations

import zlib
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

LEAST = 4  # letters of a word worth guessing at
ALIKE = 0.4  # of their threes, how many two words must share
_GUESSES = 3
_BITS = 256
_LOOKED_AT = 40


class Spelling:
    """A vocabulary in which each word's threes are kept as bits, all compared at once; the best are then compared exactly."""

    def __init__(self, words: Iterable[str]) -> None:
        self._words = [word for word in words if len(word) >= LEAST - 1 and word.isalpha() and not _dense(word)]
        self._bits = np.array([_signature(word) for word in self._words], np.uint64).reshape(-1, _BITS // 64)

    def like(self, word: str) -> dict[str, float]:
        """The words most like it, and how much."""
        if len(word) < LEAST or _dense(word) or not self._words:
            return {}
        wanted = np.array(_signature(word), np.uint64)
        shared = np.bitwise_count(self._bits & wanted).sum(axis=1)
        every = np.bitwise_count(self._bits | wanted).sum(axis=1)
        nearest = np.argsort(-(shared / np.maximum(1, every)), kind="stable")[:_LOOKED_AT]
        found = {self._words[index]: alike(word, self._words[index]) for index in nearest}
        best = sorted(
            ((much, other) for other, much in found.items() if much >= ALIKE), key=lambda each: (-each[0], each[1])
        )
        return {other: round(much, 3) for much, other in best[:_GUESSES]}


def alike(one: str, other: str) -> float:
    """The share of their threes that two words have in common; with a word's beginning and end marked, as people seldom get those wrong."""
    ours, theirs = _threes(one), _threes(other)
    return len(ours & theirs) / len(ours | theirs)


def _threes(word: str) -> set[str]:
    marked = f"  {word} "
    return {marked[index : index + 3] for index in range(len(marked) - 2)}


def _signature(word: str) -> NDArray[np.uint64]:
    bits = np.zeros(_BITS // 64, np.uint64)
    for three in _threes(word):
        place = zlib.crc32(three.encode()) % _BITS
        bits[place // 64] |= np.uint64(1 << (place % 64))
    return bits


def _dense(word: str) -> bool:
    """Scripts whose terms are pairs of signs: there is nothing to guess at."""
    return word[0] >= "\u0e00"
