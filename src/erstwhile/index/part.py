"""A part of a stored index: the rows of one segment in plain arrays, as they are in a file.

The first part of an index is used as it is. Further ones are what came later; they are added to it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from itertools import zip_longest
from typing import Any

import numpy as np
from numpy.typing import NDArray

from erstwhile.base.records import dataclass
from erstwhile.index.columns import signs
from erstwhile.index.links import QUIET, Order
from erstwhile.index.postings import Block, merge
from erstwhile.index.spelling import Spelling, Vocabulary

Array = NDArray[Any]
Late = tuple[
    NDArray[np.int64], NDArray[np.int8]
]  # documents of earlier parts, and vectors that came for them

_BLOCK = 65_536  # documents in a block of postings, more or less; merging larger ones takes seconds
_CHUNK = 16_384  # vectors copied at a time
_NONE = -1
NOTHING: NDArray[np.int64] = np.empty(0, np.int64)
NO_ORDER = Order.of(np.empty(0, np.int32), np.empty(0, np.int32))


@dataclass(frozen=True, slots=True)
class PiecewiseArray:
    """An array that is made a piece at a time."""

    dtype: str
    shape: tuple[int, ...]
    pieces: Callable[[], Iterator[Array]]

    def whole(self) -> Array:
        return np.concatenate(list(self.pieces()))


@dataclass(frozen=True, slots=True)
class IndexWords:
    """The words worth guessing at, with their bits and their keys in the postings."""

    spelling: Spelling
    keys: NDArray[np.uint64]


@dataclass(frozen=True, slots=True)
class IndexPart:
    """`talk`: they are messages, which have neighbours. `names`: the values of coded columns, by their
    codes. `vectors`: arrays (or `PiecewiseArray`) `bytes`, `scale` and `signs` of the first `rows`
    documents, `filled` of which have one; empty if none has. `size`: the sum of the documents' sizes."""

    talk: bool
    columns: Mapping[str, Array]
    length: int
    size: int
    names: Mapping[str, list[str | None]]
    blocks: Sequence[Block]
    order: Order
    words: IndexWords
    vectors: Mapping[str, Any] = field(default_factory=dict)
    rows: int = 0
    filled: int = 0


def joined(
    parts: Sequence[IndexPart], gone: NDArray[np.int64] = NOTHING, late: Sequence[Late | None] = ()
) -> IndexPart:
    """Make one part of several, without the documents that are gone, in the order of their numbers. `late`: what came
    with each part for earlier ones."""
    kept = _kept(parts, gone)
    names, codes = _names(parts)
    columns: dict[str, Array] = {}
    for name, first in parts[0].columns.items():
        values = [part.columns[name][: part.length] for part in parts]
        if name in names:
            values = [codes[name][at][value] for at, value in enumerate(values)]
        columns[name] = np.concatenate(values)[kept].astype(first.dtype)
        if name in names:  # without those that nobody has any more
            used, again = np.unique(columns[name], return_inverse=True)
            columns[name], names[name] = (
                again.astype(first.dtype),
                [names[name][code] for code in used.tolist()],
            )
    talk = parts[0].talk
    order = _linked(columns) if talk else NO_ORDER
    moved = np.full(sum(part.length for part in parts), _NONE, np.int32)
    moved[kept] = np.arange(len(kept), dtype=np.int32)
    blocks = _blocks(parts, moved)
    here = IndexPart(
        talk,
        columns,
        len(kept),
        int(columns["size"].sum()),
        names,
        blocks,
        order,
        _words(parts, blocks),
    )
    return _with_vectors(here, _sources(parts, late))


def _kept(parts: Sequence[IndexPart], gone: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the rows that stay, counted over all parts. A document may be in two, and the first counts."""
    docs = np.concatenate([part.columns["doc"][: part.length] for part in parts])
    alive = np.concatenate([part.columns["alive"][: part.length] for part in parts]).astype(bool)
    rows = np.flatnonzero(alive & ~np.isin(docs, gone))
    _, first = np.unique(docs[rows], return_index=True)
    return rows[first]


def _names(
    parts: Sequence[IndexPart],
) -> tuple[dict[str, list[str | None]], dict[str, list[Array]]]:
    """Return the names of all, and for each part the new codes of its codes."""
    names: dict[str, list[str | None]] = {}
    codes: dict[str, list[Array]] = {}
    for column in parts[0].names:
        known: dict[str | None, int] = {}
        codes[column] = [
            np.array([known.setdefault(name, len(known)) for name in part.names[column]], np.int32)
            for part in parts
        ]
        names[column] = list(known)
    return names, codes


def _linked(columns: dict[str, Array]) -> Order:
    """Set the neighbours and sessions of messages that are all there."""
    channels, seqs, ats = columns["channel"], columns["seq"], columns["at"]
    order = np.lexsort((seqs, channels))
    if not len(order):
        return NO_ORDER
    same = channels[order][1:] == channels[order][:-1]
    before, after = np.full(len(order), _NONE, np.int32), np.full(len(order), _NONE, np.int32)
    before[order[1:]] = np.where(same, order[:-1], _NONE)
    after[order[:-1]] = np.where(same, order[1:], _NONE)
    breaks = np.concatenate([[True], ~same | (np.diff(ats[order]) > QUIET)])
    session = np.empty(len(order), np.int32)
    session[order] = np.cumsum(breaks)
    columns |= {"before": before, "after": after, "session": session}
    return Order.of(order, channels[order], int(breaks.sum()))


def _blocks(parts: Sequence[IndexPart], moved: NDArray[np.int32]) -> list[Block]:
    """Join the blocks of postings, small ones to larger ones."""
    offsets = np.cumsum([0, *(part.length for part in parts)]).tolist()
    waiting: list[Block] = []
    held = 0
    made: list[Block] = []
    for part, first in zip(parts, offsets, strict=False):
        for block in part.blocks:
            waiting.append(
                Block(
                    block.keys,
                    block.starts,
                    block.places,
                    block.counts,
                    block.size,
                    first + block.first,
                )
            )
            held += int(block.places.max(initial=0)) - int(block.places.min(initial=0)) + 1
            if held >= _BLOCK:
                made.append(merge(waiting, moved))
                waiting, held = [], 0
    return [*made, merge(waiting, moved)] if waiting else made


def _words(parts: Sequence[IndexPart], blocks: Sequence[Block]) -> IndexWords:
    """Join the vocabularies, without words that nobody uses any more."""
    keys = np.concatenate([part.words.keys for part in parts])
    bits = np.concatenate([part.words.spelling.bits for part in parts], axis=1)
    used = (
        np.unique(np.concatenate([block.keys for block in blocks]))
        if blocks
        else np.empty(0, np.uint64)
    )
    known = np.isin(keys, used)
    _, first = np.unique(keys[known], return_index=True)
    rows = np.flatnonzero(known)[first]
    spelt = [word for part in parts for word in part.words.spelling.words]
    rows = np.array(sorted(rows.tolist(), key=lambda row: spelt[row]), np.int64)
    words = Vocabulary.of([spelt[row] for row in rows])
    return IndexWords(Spelling(words, np.ascontiguousarray(bits[:, rows])), keys[rows])


# Vectors


@dataclass(frozen=True, slots=True)
class _Source:
    """Vectors of documents: the vector of `docs[n]` is `values[rows[n]]`."""

    docs: NDArray[np.int64]
    rows: NDArray[np.int64]
    values: Array


def _sources(parts: Sequence[IndexPart], late: Sequence[Late | None]) -> list[_Source]:
    found = []
    for part, more in zip_longest(parts, late):
        if part.filled:
            rows = np.flatnonzero(part.vectors["scale"][: part.rows])
            values = part.vectors["bytes"]
            values = values.whole() if isinstance(values, PiecewiseArray) else values
            found.append(_Source(part.columns["doc"][rows], rows, values))
        if more is not None and len(more[0]):
            found.append(_Source(more[0], np.arange(len(more[0])), more[1]))
    return found


def _with_vectors(here: IndexPart, sources: Sequence[_Source]) -> IndexPart:
    """Add the vectors, of each document the latest. Where their dimensions differ, as after a server has replaced its
    model, those of the latest count."""
    docs = here.columns["doc"]
    if not sources or not len(docs):
        return here
    dimensions = sources[-1].values.shape[1]
    which = np.full(len(docs), _NONE, np.int64)  # the source of each document's vector
    row = np.zeros(len(docs), np.int64)
    for number, source in enumerate(sources):
        if source.values.shape[1] == dimensions:
            place = np.minimum(np.searchsorted(docs, source.docs), len(docs) - 1)
            found = np.flatnonzero(docs[place] == source.docs)
            which[place[found]], row[place[found]] = number, source.rows[found]
    filled = int((which != _NONE).sum())
    if not filled:
        return here
    gather = _Gather([each.values for each in sources], which, row)
    return replace(here, vectors=gather.arrays(dimensions), rows=len(docs), filled=filled)


@dataclass(frozen=True, slots=True)
class _Gather:
    """Vectors from several sources, some at a time."""

    sources: Sequence[Array]
    which: NDArray[np.int64]
    row: NDArray[np.int64]

    def arrays(self, dimensions: int) -> dict[str, Array | PiecewiseArray]:
        length = len(self.which)
        sign_rows = np.zeros((-(-dimensions // 64), length), np.uint64)
        scale = np.zeros(length, np.float32)
        for first, values in self._chunks(dimensions):
            part = slice(first, first + len(values))
            sign_rows[:, part] = signs(values).T
            there = self.which[part] != _NONE
            lengths = np.linalg.norm(values.astype(np.float32), axis=1)
            scale[part] = np.where(there, 1 / np.maximum(lengths, 1e-9), 0)

        def pieces() -> Iterator[Array]:
            return (values for _, values in self._chunks(dimensions))

        return {
            "bytes": PiecewiseArray("i1", (length, dimensions), pieces),
            "scale": scale,
            "signs": sign_rows,
        }

    def _chunks(self, dimensions: int) -> Iterator[tuple[int, NDArray[np.int8]]]:
        for first in range(0, len(self.which), _CHUNK):
            which, row = self.which[first : first + _CHUNK], self.row[first : first + _CHUNK]
            values = np.zeros((len(which), dimensions), np.int8)
            for number in np.unique(which[which != _NONE]).tolist():
                mine = which == number
                values[mine] = self.sources[number][row[mine]]
            yield first, values
