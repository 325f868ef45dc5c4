"""Which documents hold a term, and how often: sealed blocks in plain arrays, and an open end that grows."""

from __future__ import annotations

import hashlib
from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from erstwhile.base.records import dataclass
from erstwhile.index.columns import held_bytes

Ints = NDArray[np.int32]
Counts = NDArray[np.uint8]

_SEAL = 4096  # documents after which the open end becomes a block
_MERGE = 16  # sealed blocks that become one large one; merging large ones would take seconds


@lru_cache(maxsize=65_536)
def key(term: str) -> int:
    """Terms are looked up by a 64-bit digest: two of a vocabulary of a million share one with a chance of one in forty million."""
    return int.from_bytes(hashlib.blake2b(term.encode(), digest_size=8).digest(), "little")


@dataclass(frozen=True, slots=True)
class Block:
    """`keys` in order; the documents of the n-th key are `places[starts[n]:starts[n + 1]]`, in order, each
    with its count. Places are counted from `first`."""

    keys: NDArray[np.uint64]
    starts: NDArray[np.int64]
    places: Ints
    counts: Counts
    size: int = 1  # how many blocks of the smallest size are in it
    first: int = 0

    def find(self, wanted: NDArray[np.uint64]) -> list[tuple[int, Ints, Counts]]:
        """Return the documents of those keys that are here, each with the number of its key in `wanted`."""
        if not len(self.keys):
            return []
        at = self.keys.searchsorted(wanted)
        numbers = (self.keys.take(at, mode="clip") == wanted).nonzero()[0]
        at, found = at.take(numbers), []
        for number, start, end in zip(
            numbers.tolist(),
            self.starts.take(at).tolist(),
            self.starts.take(at + 1).tolist(),
            strict=True,
        ):
            places = self.places[start:end]
            places = places + np.int32(self.first) if self.first else places
            found.append((number, places, self.counts[start:end]))
        return found


class Postings:
    def __init__(self) -> None:
        self._blocks: list[Block] = []
        self._open: dict[str, tuple[array[int], array[int]]] = {}
        self._words: set[str] = set()  # of those that are no longer open
        self._waiting = 0

    @property
    def blocks(self) -> Sequence[Block]:
        """Every posting, in sealed blocks."""
        if self._waiting:
            self._seal()
        return self._blocks

    def use(self, blocks: Sequence[Block], first: int) -> None:
        """Add stored blocks, whose documents are at the places from `first` on."""
        if self._waiting:
            self._seal()
        self._blocks += [replace(block, first=block.first + first) for block in blocks]

    def add(self, first: int, documents: Sequence[Sequence[str]]) -> None:
        """Add the terms of documents at the places from `first` on. Many at once become blocks straight away."""
        whole = len(documents) - len(documents) % _SEAL
        if whole and self._waiting:
            self._seal()
        for start in range(0, whole, _SEAL):
            block, words = _block_of(first + start, documents[start : start + _SEAL])
            self._blocks.append(block)
            self._words |= words
            self._merge()
        for place, terms in enumerate(documents[whole:], start=first + whole):
            self._add(place, terms)

    def _add(self, place: int, terms: Iterable[str]) -> None:
        for term, count in Counter(terms).items():
            held = self._open.get(term)
            if held is None:
                held = self._open[term] = (array("i"), array("B"))
            held[0].append(place)
            held[1].append(min(count, 255))
        self._waiting += 1
        if self._waiting >= _SEAL:
            self._seal()

    def find(self, terms: Sequence[str]) -> list[tuple[Ints, Counts]]:
        """Return where each term is, in order, and how often."""
        wanted = np.array([key(term) for term in terms], np.uint64)
        found: list[list[tuple[Ints, Counts]]] = [[] for _ in terms]
        for block in self._blocks:
            for number, places, counts in block.find(wanted):
                found[number].append((places, counts))
        for term, parts in zip(terms, found, strict=True):
            if held := self._open.get(term):
                parts.append((np.array(held[0], np.int32), np.array(held[1], np.uint8)))
        return [_joined(parts) for parts in found]

    @property
    def sealed(self) -> Sequence[Block]:
        return self._blocks

    def open_runs(self, terms: Sequence[str]) -> list[tuple[int, int, int, int, int]]:
        """Return where the postings of terms that are in no block are in memory, until the next change: places, counts, how
        many, the first place and the number of the term."""
        found = []
        for number, term in enumerate(terms):
            if held := self._open.get(term):
                (places, count), (counts, _) = held[0].buffer_info(), held[1].buffer_info()
                found.append((places, counts, count, 0, number))
        return found

    def words(self) -> set[str]:
        """Return the vocabulary, without that of stored blocks."""
        return self._words.union(self._open)

    @property
    def bytes(self) -> int:
        arrays = [
            array
            for each in self._blocks
            for array in (each.keys, each.starts, each.places, each.counts)
        ]
        return (
            sum(held_bytes(array) for array in arrays)
            + 80 * len(self._words)
            + 300 * len(self._open)
        )

    def _seal(self) -> None:
        self._blocks.append(_block(self._open))
        self._words.update(self._open)
        self._open, self._waiting = {}, 0
        self._merge()

    def _merge(self) -> None:
        if len(self._blocks) >= _MERGE and all(each.size == 1 for each in self._blocks[-_MERGE:]):
            self._blocks[-_MERGE:] = [merge(self._blocks[-_MERGE:])]


def _joined(parts: Sequence[tuple[Ints, Counts]]) -> tuple[Ints, Counts]:
    if len(parts) == 1:
        return parts[0]
    if not parts:
        return np.empty(0, np.int32), np.empty(0, np.uint8)
    return np.concatenate([each[0] for each in parts]), np.concatenate([each[1] for each in parts])


def _block(held: Mapping[str, tuple[Sequence[int], Sequence[int]]]) -> Block:
    words = sorted(held, key=key)
    sizes = [len(held[word][0]) for word in words]
    return Block(
        keys=np.array([key(word) for word in words], np.uint64),
        starts=np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
        places=np.array([place for word in words for place in held[word][0]], np.int32),
        counts=np.array([count for word in words for count in held[word][1]], np.uint8),
    )


def _block_of(first: int, documents: Sequence[Sequence[str]]) -> tuple[Block, set[str]]:
    """Make a block straight from the terms of many documents. Return it with the terms."""
    numbers: defaultdict[str, int] = defaultdict(lambda: len(numbers))
    terms = np.fromiter((numbers[term] for each in documents for term in each), np.int64)
    words = sorted(numbers, key=key)
    rank = np.empty(len(words), np.int64)
    rank[[numbers[word] for word in words]] = np.arange(len(words))
    places = np.repeat(np.arange(len(documents)), [len(each) for each in documents])
    held, counts = np.unique(rank[terms] * len(documents) + places, return_counts=True)
    sizes = np.bincount(held // len(documents), minlength=len(words))
    block = Block(
        keys=np.array([key(word) for word in words], np.uint64),
        starts=np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
        places=(held % len(documents) + first).astype(np.int32),
        counts=np.minimum(counts, 255).astype(np.uint8),
    )
    return block, set(words)


def merge(blocks: Sequence[Block], moved: Ints | None = None) -> Block:
    """Make one block of many. `moved` says where each document is now, -1 for one that is gone."""
    keys = np.concatenate([np.repeat(each.keys, np.diff(each.starts)) for each in blocks])
    places = np.concatenate([each.places + np.int32(each.first) for each in blocks])
    counts = np.concatenate([each.counts for each in blocks])
    if moved is not None:
        places = moved[places]
        there = places >= 0
        keys, places, counts = keys[there], places[there], counts[there]
    in_order = moved is None or bool((np.diff(moved[moved >= 0]) > 0).all())
    order = np.argsort(keys, kind="stable") if in_order else np.lexsort((places, keys))
    found, sizes = np.unique(keys, return_counts=True)
    return Block(
        keys=found,
        starts=np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
        places=places[order],
        counts=counts[order],
        size=sum(each.size for each in blocks),
    )
