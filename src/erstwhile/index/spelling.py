"""Words like a word that nobody used: by the letters they share, three at a time."""

from __future__ import annotations

import zlib
from collections.abc import Iterable

import numpy as np

LEAST = 4  # letters of a word worth guessing at
ALIKE = 0.3  # of their threes, how many two words must share: as much as Postgres asks for
_GUESSES = 3
_BITS = 256
_LOOKED_AT = 40


class Spelling:
    """A vocabulary in which each word's threes are kept as bits, all compared at once; the best are then compared exactly."""

    def __init__(self, words: Iterable[str]) -> None:
        self._words = [word for word in words if len(word) >= LEAST - 1 and word.isalpha() and not _dense(word)]
        bits = np.array([_signature(word) for word in self._words], np.uint64).reshape(-1, _BITS // 64)
        self._bits = np.ascontiguousarray(bits.T)  # each row is scanned straight on
        self._sizes = np.bitwise_count(bits).sum(axis=1, dtype=np.uint16)

    def like(self, word: str) -> dict[str, float]:
        """The words most like it, and how much."""
        if len(word) < LEAST or _dense(word) or not self._words:
            return {}
        shared, signature = np.zeros(len(self._words), np.uint16), _signature(word)
        for row, bits in zip(self._bits, signature, strict=True):
            shared += np.bitwise_count(row & bits)
        every = self._sizes + np.uint16(sum(int(bits).bit_count() for bits in signature)) - shared
        share = shared.astype(np.float32) / every
        enough = np.flatnonzero(
            share >= ALIKE / 2
        )  # bits of different threes may fall together, so nearly enough is looked at too
        nearest = enough[np.argsort(-share[enough], kind="stable")[:_LOOKED_AT]]
        ours, near = _threes(word), [self._words[index] for index in nearest.tolist()]
        found = {other: _shared(ours, _threes(other)) for other in near}
        best = sorted(
            ((much, other) for other, much in found.items() if much >= ALIKE), key=lambda each: (-each[0], each[1])
        )
        return {other: round(much, 3) for much, other in best[:_GUESSES]}


def alike(one: str, other: str) -> float:
    """The share of their threes that two words have in common; with a word's beginning and end marked, as people seldom get those wrong."""
    return _shared(_threes(one), _threes(other))


def _shared(ours: set[str], theirs: set[str]) -> float:
    both = len(ours & theirs)
    return both / (len(ours) + len(theirs) - both)


def _threes(word: str) -> set[str]:
    marked = f"  {word} "
    return {marked[index : index + 3] for index in range(len(marked) - 2)}


def _signature(word: str) -> list[np.uint64]:
    bits = 0
    for three in _threes(word):
        bits |= 1 << zlib.crc32(three.encode()) % _BITS
    return [np.uint64(bits >> shift & 0xFFFF_FFFF_FFFF_FFFF) for shift in range(0, _BITS, 64)]


def _dense(word: str) -> bool:
    """Scripts whose terms are pairs of signs: there is nothing to guess at."""
    return word[0] >= "\u0e00"
