"""The neighbours of candidates: an answer often stands beside the words of its question."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from erstwhile.base.records import dataclass
from erstwhile.index.segment import Places, Segment
from erstwhile.index.traits import REPLY

ENOUGH = 20  # terms of a message that says what it has to say; in talk with an assistant more count no more
_STEPS = 3  # how far away a neighbour counts
_HALF = 0.5  # what a neighbour's words count, and at each further step half as much again


@dataclass(frozen=True, slots=True)
class Neighbours:
    """The candidates with their neighbours, in order of place. `before` and `after`: for each
    the row of the one beside it in the same session; one past the end stands for none, also of
    itself."""

    places: Places
    sessions: NDArray[np.int32]
    before: NDArray[np.int64]
    after: NDArray[np.int64]
    usual: float  # how long they usually are
    lean: NDArray[
        np.float64
    ]  # how much each takes from its neighbours and gives to them: less for long messages

    @classmethod
    def of(cls, segment: Segment, inside: Places) -> Neighbours:
        every = unique(np.concatenate([inside, _within_reach(segment, inside)]))
        sessions = segment.columns["session"].take(every)
        beside = _beside(segment.columns["before"].take(every), every, sessions)
        sizes = np.maximum(1, segment.columns["size"].take(every))
        usual = _usual_size(segment, every, sizes)
        return cls(every, sessions, *beside, usual, np.minimum(1.0, usual / sizes))

    def spread(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Add to each value a share of its neighbours'. The last axis is the documents. A long neighbour gives no more
        than an ordinary one: a long reply must not outweigh the question before it."""
        given = np.zeros((len(values), len(self.places) + 1))  # the last is what no neighbour gives
        np.multiply(values, self.lean, out=given[:, :-1])
        found = np.zeros_like(given)
        for side in (self.before, self.after):
            reached = given * _HALF
            for _ in range(_STEPS - 1):
                reached = reached.take(side, axis=1)
                reached += given
                reached *= _HALF
            found += reached.take(side, axis=1)
        shares = found[:, :-1]
        shares *= self.lean
        shares += values
        return shares


def _within_reach(segment: Segment, places: Places) -> NDArray[np.int32]:
    """Return the neighbours on both sides, in the same session, as many steps away as count."""
    sessions, found = segment.columns["session"], np.empty((2, _STEPS, len(places)), np.int32)
    for side, column in zip(found, ("before", "after"), strict=True):
        beside, gone = segment.columns[column], np.zeros(len(places), np.int32)
        for step, of in enumerate([places, *side[:-1]]):
            side[step] = beside.take(of)
            side[step] |= gone  # beyond the last one, which is -1, there is none
            gone = side[step] >> 31
    same = sessions.take(found) == sessions.take(places)  # sessions of a channel follow each other
    same &= found >= 0
    return np.asarray(found[same])


def _beside(
    before: NDArray[np.int32], every: Places, sessions: NDArray[np.int32]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return for each the row of the one before it, and of the one after it."""
    rows = every.searchsorted(before)  # of one that has none before it, it is not its own
    same = every.take(rows, mode="clip") == before
    same &= sessions.take(rows, mode="clip") == sessions
    later = same.nonzero()[0]
    rows = rows.take(later)
    found = np.full((2, len(every) + 1), len(every))
    found[0, later], found[1, rows] = rows, later
    return found[0], found[1]


def _usual_size(segment: Segment, places: Places, sizes: NDArray[np.int32]) -> float:
    """Return how long these messages usually are; in talk with an assistant, how long those of people are."""
    if not segment.with_assistant:
        return median(sizes)
    sizes = sizes[segment.columns["traits"].take(places) & REPLY == 0]
    return min(ENOUGH, median(sizes)) if len(sizes) else ENOUGH


def median(values: NDArray[Any]) -> float:
    """As np.median, without its overhead."""
    middle, ordered = len(values) // 2, values.copy()
    if len(values) % 2:
        ordered.partition(middle)
        return float(ordered[middle])
    ordered.partition((middle - 1, middle))
    return (float(ordered[middle - 1]) + float(ordered[middle])) / 2


def unique(places: Places) -> Places:
    """Sort them, and return each once. As np.unique, without its overhead."""
    places.sort()
    return places[is_first(places)]


def is_first(ordered: NDArray[Any]) -> NDArray[np.bool_]:
    """Return which of these values, that are in order, differ from the one before."""
    found = np.ones(len(ordered), bool)
    np.not_equal(ordered[1:], ordered[:-1], out=found[1:])
    return found
