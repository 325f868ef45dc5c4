"""Words like a word that nobody used: by the letters they share, three at a time."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Sequence
from typing import overload

import numpy as np
from numpy.typing import NDArray

LEAST = 4  # letters of a word worth guessing at
ALIKE = 0.3  # of their threes, how many two words must share: as much as Postgres asks for
_GUESSES = 3
_BITS = 256
_LOOKED_AT = 12  # words that share most bits; of these, the few that share most threes are taken


class Vocabulary(Sequence[str]):
    """Words in one array of bytes; the n-th ends where the next begins."""

    def __init__(self, letters: NDArray[np.uint8], starts: NDArray[np.uint32]) -> None:
        self.letters, self.starts = letters, starts

    @classmethod
    def of(cls, words: Iterable[str]) -> Vocabulary:
        spelt = [word.encode() for word in words]
        starts = np.concatenate([[0], np.cumsum([len(word) for word in spelt])]).astype(np.uint32)
        return cls(np.frombuffer(b"".join(spelt), np.uint8), starts)

    def __len__(self) -> int:
        return len(self.starts) - 1

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> list[str]: ...
    def __getitem__(self, index: int | slice) -> str | list[str]:
        if isinstance(index, slice):
            return [self[each] for each in range(*index.indices(len(self)))]
        if not 0 <= index < len(self):
            raise IndexError(index)
        return self.letters[self.starts[index] : self.starts[index + 1]].tobytes().decode()


class Spelling:
    """A vocabulary in which each word's threes are kept as bits, all compared at once; the best are then
    compared exactly."""

    def __init__(self, words: Sequence[str], bits: NDArray[np.uint64] | None = None) -> None:
        """`bits`, if they were made before, are of just these words."""
        if bits is None:
            words = [word for word in words if guessable(word)]
            made = np.array([_signature(word) for word in words], np.uint64).reshape(
                -1, _BITS // 64
            )
            bits = np.ascontiguousarray(made.T)  # each row is scanned straight on
        self.words, self.bits = words, bits
        self._sizes: NDArray[np.uint16] | None = None  # how many bits each word has

    def like(self, word: str) -> dict[str, float]:
        """Return the words most like it, and how much."""
        return most_like(word, [self])

    def nearest(self, word: str) -> list[tuple[float, str]]:
        """Return the words whose bits are most like those of a word."""
        if self._sizes is None:
            self._sizes = np.bitwise_count(self.bits).sum(axis=0, dtype=np.uint16)
        shared, signature = np.zeros(len(self.words), np.uint16), _signature(word)
        for row, bits in zip(self.bits, signature, strict=True):
            shared += np.bitwise_count(row & bits)
        every = self._sizes + np.uint16(sum(int(bits).bit_count() for bits in signature)) - shared
        share = shared.astype(np.float32) / every
        # Bits of different threes may fall together, so nearly enough is looked at too.
        enough = np.flatnonzero(share >= ALIKE / 2)
        best = enough[np.argsort(-share[enough], kind="stable")[:_LOOKED_AT]]
        return [(float(share[index]), self.words[index]) for index in best.tolist()]


def most_like(word: str, vocabularies: Sequence[Spelling]) -> dict[str, float]:
    """Return the words of some vocabularies that are most like a word, and how much."""
    if len(word) < LEAST or _dense(word):
        return {}
    near = {
        other: share
        for each in vocabularies
        if len(each.words)
        for share, other in each.nearest(word)
    }
    nearest = sorted(near, key=lambda other: (-near[other], other))[:_LOOKED_AT]
    ours = _threes(word)
    found = {other: _shared(ours, _threes(other)) for other in nearest}
    best = sorted(
        ((much, other) for other, much in found.items() if much >= ALIKE),
        key=lambda each: (-each[0], each[1]),
    )
    return {other: round(much, 3) for much, other in best[:_GUESSES]}


def guessable(word: str) -> bool:
    """Return whether a word of the vocabulary may be what someone meant to write."""
    return len(word) >= LEAST - 1 and word.isalpha() and not _dense(word)


def alike(one: str, other: str) -> float:
    """Return the share of their threes that two words have in common; with a word's beginning and
    end marked, as people seldom get those wrong."""
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
