"""The neighbours of candidates: an answer often stands beside the words of its question."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from erstwhile.base.records import dataclass
from erstwhile.index.segment import Places, Segment

_AROUND = (0.5, 0.25, 0.125)  # what a neighbour's words count, at each step away: half as much as one step nearer


@dataclass(frozen=True, slots=True)
class Neighbours:
    """The candidates with their neighbours, in order of place. `beside`: for each its rows one, two and three steps
    before, then after, in the same session; one past the end stands for none."""

    places: Places
    beside: NDArray[np.int64]
    lean: NDArray[np.float64]  # how much each takes from its neighbours and gives to them: less for long messages

    @classmethod
    def of(cls, segment: Segment, inside: Places) -> Neighbours:
        found = [inside]
        for column in ("before", "after"):
            here = inside
            for _ in _AROUND:
                here = _next(segment, here, column)[1].astype(np.int64)
                found.append(here)
        every = unique(np.concatenate(found))
        sizes = np.maximum(1, segment.columns["size"][every])
        return cls(every, _beside(segment, every), np.minimum(1.0, median(sizes) / sizes))

    def spread(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Add to each value a share of its neighbours'. The last axis is the documents. A long neighbour gives no more
        than an ordinary one: a long reply must not outweigh the question before it."""
        padded = np.zeros((len(self.places) + 1, len(values)))  # a row a document: taking whole rows is fast
        np.multiply(values.T, self.lean[:, None], out=padded[:-1])
        taken = padded.take(self.beside, axis=0)
        pairs = taken[: len(_AROUND)] + taken[len(_AROUND) :]
        shares = sum(weight * pair for weight, pair in zip(_AROUND, pairs, strict=True))
        return np.asarray(values + self.lean * np.ascontiguousarray(shares.T))


def _next(segment: Segment, places: Places, column: str) -> tuple[NDArray[np.int64], Places]:
    """Return which have a neighbour on that side in their session, and these neighbours."""
    sessions, there = segment.columns["session"], segment.columns[column][places]
    rows = np.flatnonzero((there >= 0) & (sessions[there] == sessions[places]))
    return rows, there[rows]


def _beside(segment: Segment, every: Places) -> NDArray[np.int64]:
    """Return for each the row of the one before it, of the one before that, and so on; then after it."""
    later, earlier = _next(segment, every, "before")
    rows = np.minimum(np.searchsorted(every, earlier), len(every) - 1)
    known = every[rows] == earlier
    later, rows = later[known], rows[known]
    found = np.empty((2, len(_AROUND), len(every) + 1), np.int64)
    found[:, 0] = len(every)
    found[0, 0, later], found[1, 0, rows] = rows, later
    for side in found:
        for step in range(1, len(_AROUND)):
            side[0].take(side[step - 1], out=side[step])
    return found.reshape(-1, len(every) + 1)[:, :-1]


def median(values: NDArray[Any]) -> float:
    """As np.median, without its overhead."""
    middle = len(values) // 2
    if len(values) % 2:
        return float(np.partition(values, middle)[middle])
    ordered = np.partition(values, (middle - 1, middle))
    return (float(ordered[middle - 1]) + float(ordered[middle])) / 2


def unique(places: Places) -> Places:
    """Return them in order, each once. As np.unique, without its overhead."""
    ordered = np.sort(places)
    return ordered[np.concatenate([[True], ordered[1:] != ordered[:-1]])] if len(ordered) else ordered
