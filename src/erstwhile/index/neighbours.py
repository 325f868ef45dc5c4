"""The neighbours of candidates: an answer often stands beside the words of its question."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from erstwhile.base.records import dataclass
from erstwhile.index.segment import Places, Segment
from erstwhile.index.traits import REPLY

ENOUGH = 20  # terms of a message that says what it has to say; in talk with an assistant more count no more
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
        found = [inside, *(_steps(segment, inside, column) for column in ("before", "after"))]
        every = unique(np.concatenate(found))
        sizes = np.maximum(1, segment.columns["size"][every])
        return cls(every, _beside(segment, every), np.minimum(1.0, usual_size(segment, every) / sizes))

    def spread(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Add to each value a share of its neighbours'. The last axis is the documents. A long neighbour gives no more
        than an ordinary one: a long reply must not outweigh the question before it."""
        padded = np.zeros((len(self.places) + 1, len(values)))  # a row a document: taking whole rows is fast
        np.multiply(values.T, self.lean[:, None], out=padded[:-1])
        taken = padded.take(self.beside, axis=0)
        pairs = taken[: len(_AROUND)] + taken[len(_AROUND) :]
        shares = sum(weight * pair for weight, pair in zip(_AROUND, pairs, strict=True))
        return np.asarray(values + self.lean * np.ascontiguousarray(shares.T))


def _steps(segment: Segment, places: Places, column: str) -> Places:
    """Return the neighbours on one side, in the same session, as many steps away as count."""
    beside, sessions = segment.columns[column], segment.columns["session"]
    steps = [beside.take(places)]
    for _ in _AROUND[1:]:
        steps.append(np.where(steps[-1] >= 0, beside.take(steps[-1]), -1))
    there = np.stack(steps)
    same = (there >= 0) & (sessions.take(there) == sessions.take(places))  # sessions of a channel follow each other
    return np.asarray(there[same], np.int64)


def _beside(segment: Segment, every: Places) -> NDArray[np.int64]:
    """Return for each the row of the one before it, of the one before that, and so on; then after it."""
    sessions, before = segment.columns["session"], segment.columns["before"].take(every)
    rows = np.minimum(np.searchsorted(every, before), len(every) - 1)  # of one that has none before it: not its own
    later = np.flatnonzero((every.take(rows) == before) & (sessions.take(before) == sessions.take(every)))
    found = np.empty((2, len(_AROUND), len(every) + 1), np.int64)
    found[:, 0] = len(every)
    rows = rows.take(later)
    found[0, 0, later], found[1, 0, rows] = rows, later
    for side in found:
        for step in range(1, len(_AROUND)):
            side[0].take(side[step - 1], out=side[step])
    return found.reshape(-1, len(every) + 1)[:, :-1]


def usual_size(segment: Segment, places: Places) -> float:
    """Return how long these messages usually are; in talk with an assistant, how long those of people are."""
    sizes = np.maximum(1, segment.columns["size"][places])
    if not segment.with_assistant:
        return median(sizes)
    sizes = sizes[segment.columns["traits"][places] & REPLY == 0]
    return min(ENOUGH, median(sizes)) if len(sizes) else ENOUGH


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
