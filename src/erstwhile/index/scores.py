"""Scores of documents and what they are made of; and sums and standard deviations of few values,
without the overhead that numpy has for many."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from erstwhile.base.records import dataclass
from erstwhile.index.segment import Places, Segment

Scores = NDArray[np.float64]
Rows = NDArray[np.int64]

K1, B = 1.2, 0.75  # of BM25, as everywhere
FLAT = 1e-12  # a deviation that is only rounding
_CONSTANT, _COVERAGE, _COSINE = -6.55, 3.6, 7.0
_PLAIN = -5.3, 5.0  # constant and coverage, where there are no vectors


class PartTable:
    """The parts of some scores, a row a document. The last is how likely the document bears on
    the question."""

    def __init__(self, names: tuple[str, ...], values: Scores) -> None:
        self.names, self._values = names, values

    @property
    def last(self) -> list[float]:
        found: list[float] = self._values[-1].round(3).tolist()
        return found

    def thousandths(self, rows: Sequence[int]) -> dict[str, list[int]]:
        """Return the parts of some scores by name, rounded."""
        rounded = np.rint(self._values.take(rows, axis=1) * 1000).astype(np.int64)
        return dict(zip(self.names, rounded.tolist(), strict=True))

    def of(self, row: int) -> dict[str, float]:
        """Return the parts of a score by name."""
        return {name: part / 1000 for name, [part] in self.thousandths([row]).items()}


@dataclass(frozen=True, slots=True)
class ScoreParts:
    """What scores are made of: kinds of evidence that were `summed` and divided by the
    `deviation` of their sum, those that were `added` to that, and what adds nothing and is
    `estimated`."""

    summed: Mapping[str, Scores]
    deviation: float
    added: Mapping[str, Scores | None]
    estimated: Mapping[str, Callable[[Rows], Scores]]

    def table(self, rows: Rows) -> PartTable:
        """Work the parts out for the few documents that may be shown."""
        names = (*self.summed, *self.added, *self.estimated)
        values = np.empty((len(names), len(rows)))
        row = iter(values)
        for part in self.summed.values():
            next(row)[:] = (part.take(rows) - mean(part)) / (self.deviation or 1.0)
        for added in self.added.values():
            next(row)[:] = 0 if added is None else added.take(rows)
        for estimate in self.estimated.values():
            next(row)[:] = estimate(rows)
        return PartTable(names, values)


@dataclass(frozen=True, slots=True)
class ScoredDocuments:
    """Documents with their scores. `places` are those that match at all, best first; `parts` are
    what the scores of the candidates are made of, and `rows` where the documents of `places` are
    among them."""

    places: Places
    scores: Scores
    rows: Rows
    parts: ScoreParts
    words: int  # how many hold a word of the question themselves: no name, no guess
    meaning: int  # how many are near by meaning


_NONE = np.empty(0, np.int64)
NOTHING = ScoredDocuments(
    _NONE, np.empty(0), _NONE, ScoreParts({}, 1.0, {}, {"": lambda rows: np.zeros(len(rows))}), 0, 0
)


def weighted(weights: Sequence[float] | Scores, rows: Scores) -> Scores:
    """Return the weighted sum of rows. A product of matrices would start threads, which take
    longer than the sum."""
    return np.asarray(np.einsum("i,ij->j", weights, rows))


def add_up(parts: Iterable[Scores | None]) -> Scores:
    """Return the sum of those that are there."""
    first, *others = (each for each in parts if each is not None)
    for each in others:
        first = first + each
    return first


def mean(values: Scores) -> float:
    return float(np.add.reduce(values)) / len(values)


def deviation(centred: Scores) -> float:
    return math.sqrt(float(centred.dot(centred)) / len(centred))


def standard(values: Scores) -> Scores:
    """Return how many standard deviations each is above the mean."""
    centred = values - mean(values)
    apart = deviation(centred)
    return centred / apart if apart > FLAT else np.zeros(len(values))


# How likely it is that a document bears on the question. A score says how a document stands among
# the others of one search; this estimate can be compared between searches. The weights come from
# questions with and without an answer in our own invented talk, in seven languages:
# `python -m bench.floor`, docs/decisions/0017-floor.md.


def estimate(
    weights: Mapping[str, float], held: Mapping[str, Any], counts: Scores, cosine: Scores | None
) -> Scores:
    """Return the probability for each document. `weights`: how much each word of the question
    tells, also those that no document has; `counts`: how often each word in `held` is in a
    document, with a share of its neighbours'."""
    whole = sum(weights.values())
    telling = [weights.get(term, 0.0) for term in held]
    covered = np.zeros(counts.shape[1])
    if whole and held:
        covered = weighted(telling, np.minimum(1.0, counts)) / whole
    return probability(covered, cosine)


def probability(covered: Scores, cosine: Scores | None) -> Scores:
    if cosine is None:
        odds = _PLAIN[0] + _PLAIN[1] * covered
    else:
        odds = _CONSTANT + _COVERAGE * covered + _COSINE * cosine
    return np.asarray(1 / (1 + np.exp(-odds)))


def order(scores: Scores, ats: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the best first; of equal ones the newest first, then in order of place."""
    found = (-scores).argsort()
    ordered = scores.take(found)
    twice = np.count_nonzero(ordered[1:] == ordered[:-1])
    return np.lexsort((-ats, -scores)) if twice else found


def rarity(segment: Segment, holding: int) -> float:
    return math.log(1 + (max(segment.alive, holding) - holding + 0.5) / (holding + 0.5))


def saturated(counts: Scores, sizes: Scores) -> Scores:
    """Return the counts as BM25 has them: a second time counts less than the first, and less in a long text."""
    room = sizes * (K1 * B / max(1e-9, mean(sizes)))
    room += K1 * (1 - B)
    found = counts + room
    np.divide(counts, found, out=found)
    found *= K1 + 1
    return found
