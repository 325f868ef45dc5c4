"""Find the documents worth scoring: those that the rarest words and the nearest vectors lead to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from erstwhile.index.segment import Places, Segment
from erstwhile.search.selection import Selection

Found = tuple[NDArray[np.integer[Any]], NDArray[np.float32]]  # where a term is, in order, and how often

WHOLE = 1000  # up to this many documents all are weighed; of more, those that the rarest words and the nearest vectors lead to
K1, B = 1.2, 0.75  # of BM25, as everywhere
_RARE = 60_000  # places looked at, from the rarest word on, to find candidates
_CANDIDATES = 100  # of each of the two ways, or as many as are wanted


@dataclass(frozen=True, slots=True)
class RankingQuery:
    """A question as ranking needs it. `terms` with their weights; those in `names` name people and are searched in the
    message itself only. `spans`: times that the question mentions."""

    terms: Mapping[str, float]
    names: frozenset[str] = frozenset()
    people: tuple[str, ...] = ()
    vector: NDArray[np.float32] | None = None
    spans: Sequence[tuple[int | None, int | None]] = ()
    variants: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    beside: bool = True  # also what only stands beside the words is found
    limit: int = 0  # how many are wanted


def find_terms(segment: Segment, asked: RankingQuery) -> dict[str, Found]:
    """Return where each term is, or similar words; the more similar, the more they count."""
    found = {term: _find_term(segment, asked, term) for term in asked.terms}
    return {term: each for term, each in found.items() if len(each[0])}


def _find_term(segment: Segment, asked: RankingQuery, term: str) -> Found:
    places, counts = segment.find(term)
    others = [(segment.find(variant), like) for variant, like in asked.variants.get(term, {}).items()]
    if not others:
        return places, counts
    every = np.concatenate([places, *(found[0] for found, _ in others)])
    weights = np.concatenate([counts, *(found[1] * like for found, like in others)])
    together, index = np.unique(every, return_inverse=True)
    best = np.zeros(len(together), np.float32)
    np.maximum.at(best, index, weights)
    return together, best


def find_candidates(
    segment: Segment, asked: RankingQuery, chosen: Selection, held: Mapping[str, Found], sources: Mapping[int, float]
) -> Places:
    """Return the places of the documents to score, in order."""
    if chosen.total <= WHOLE:
        return chosen.places()
    many = max(_CANDIDATES, asked.limit)
    found = [_by_words(segment, chosen, held, many)]
    if asked.vector is not None:
        near = segment.matrix.near(asked.vector, 2 * many if chosen.total == segment.alive else 20 * many)
        near = near[chosen.holds(near)]
        best = np.argsort(-segment.matrix.cosine(asked.vector, near), kind="stable")
        found.append(near[best[:many]])
    lent = np.fromiter(sources, np.int64, len(sources))
    found.append(lent[chosen.holds(lent)])
    return unique(np.concatenate(found))


def _by_words(segment: Segment, chosen: Selection, held: Mapping[str, Found], many: int) -> Places:
    """Return the best by words, from the rarest word on: common words only reorder these, as their weight is small."""
    scores = np.zeros(len(segment), np.float32)
    touched: list[NDArray[np.integer[Any]]] = []
    seen = 0
    for places, counts in sorted(held.values(), key=lambda found: len(found[0])):
        if seen and seen + len(places) > _RARE:
            break
        places, counts = places[-_RARE:], counts[-_RARE:]  # of a word that common, the latest
        seen += len(places)
        sizes = segment.columns["size"][places] * (segment.alive / max(1, segment.words))
        scores[places] += rarity(segment, len(places)) * counts * (K1 + 1) / (counts + K1 * (1 - B + B * sizes))
        touched.append(places)
    if not touched:
        return np.empty(0, np.int64)
    every = np.concatenate(touched)
    every = every[chosen.holds(every)]
    if len(every) > 4 * many:
        best = np.argpartition(-scores[every], 4 * many)[: 4 * many]
        every = every[best]
    every = unique(every.astype(np.int64))
    return every[np.argsort(-scores[every], kind="stable")[:many]]


def rarity(segment: Segment, holding: int) -> float:
    return float(np.log(1 + (max(segment.alive, holding) - holding + 0.5) / (holding + 0.5)))


def unique(places: Places) -> Places:
    """Return them in order, each once. As np.unique, without its overhead."""
    ordered = np.sort(places)
    return ordered[np.concatenate([[True], ordered[1:] != ordered[:-1]])] if len(ordered) else ordered
