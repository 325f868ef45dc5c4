"""Score documents: plain arithmetic over a segment, no database.

Each kind of evidence is standardised (how many standard deviations above the other candidates) and summed. The weights
are round and each has its reason; what was tried, and how little depends on them, is in
docs/decisions/0006-evidence-sums.md.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from erstwhile.base.records import dataclass
from erstwhile.index.segment import Places, Segment

Scores = NDArray[np.float64]

WHOLE = 1000  # up to this many documents all are weighed; of more, those that the rarest words and the nearest vectors lead to
_RARE = 60_000  # places looked at, from the rarest word on, to find candidates
_CANDIDATES = 100  # of each of the two ways, or as many as are wanted
_K1, _B = 1.2, 0.75  # of BM25, as everywhere
_AROUND = (0.5, 0.25, 0.125)  # what a neighbour's words count, at each step away: half as much as one step nearer
_SESSION = 0.25  # a session of twenty messages says less about one of them than its own words
_ASKS = 0.5  # what asks is seldom the answer
_NEAR = (
    (0.3, 1.0),
    (0.15, 3.0),
)  # near in itself and nearer than most; or, as a single word seldom is near, far nearer than the others
_TOO_FEW = 2  # to say what is usual among them
_LIMIT = 3.0  # one kind of evidence alone does not decide


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


@dataclass(frozen=True, slots=True)
class ScoredDocuments:
    """Documents with their scores. `places` are those that match at all, best first."""

    places: Places
    scores: Scores
    parts: Mapping[str, Scores]
    words: int  # how many hold a word of the question themselves: no name, no guess
    meaning: int  # how many are near by meaning


_NOTHING = ScoredDocuments(np.empty(0, np.int64), np.empty(0), {}, 0, 0)


def score_documents(
    segment: Segment, asked: RankingQuery, mask: NDArray[Any], sources: Mapping[int, float]
) -> ScoredDocuments:
    """Score the documents of a segment. `sources`: scores that memories lend to the messages they come from, by place."""
    if not segment.alive:
        return _NOTHING
    held = {term: _held(segment, asked, term) for term in asked.terms}
    held = {term: found for term, found in held.items() if len(found[0])}
    inside = _candidates(segment, asked, mask, held, sources)
    if not len(inside):
        return _NOTHING
    view = _View.around(segment, inside)
    own, words = _words(segment, asked, view, held)
    cosine = _cosine(segment, asked, view.places)
    parts = {
        "words": _standard(words),
        "meaning": _standard(view.spread(_standard(cosine))) if cosine is not None else None,
    }
    parts["speaker"] = _speaker(segment, asked, view.places)
    parts["date"] = _date(segment, asked, view.places)
    summed = sum((part for part in parts.values() if part is not None), start=np.zeros(len(view.places)))
    spread = float(summed.std()) or 1.0
    shares = {name: (part - part.mean()) / spread for name, part in parts.items() if part is not None}
    shares["session"] = _SESSION * _standard(_sessions(segment, view, own))
    shares["source"] = (
        np.array([sources.get(place, 0.0) for place in view.places.tolist()]) if sources else np.zeros(len(summed))
    )
    shares["substance"] = _substance(segment, view.places) if segment.talk else np.zeros(len(summed))
    scores = _standard(summed) + shares["session"] + shares["source"] + shares["substance"]
    near = _near(cosine) if cosine is not None else np.zeros(len(scores), bool)
    held_itself = (own > 0).any(axis=0) if len(own) else np.zeros(len(scores), bool)
    beside = (words > 0) | (shares["source"] > 0) if asked.beside else held_itself
    matching = mask[view.places] & (beside | near)
    order = np.lexsort((-segment.columns["at"][view.places], -scores))
    order = order[matching[order]]
    return ScoredDocuments(
        places=view.places[order],
        scores=scores[order],
        parts={name: part[order] for name, part in shares.items()},
        words=int((_tells(asked, held, own) & mask[view.places]).sum()),
        meaning=int((near & mask[view.places]).sum()),
    )


def _held(segment: Segment, asked: RankingQuery, term: str) -> tuple[Places, NDArray[np.float32]]:
    """Return the places of a term or of similar words; the more similar, the more they count."""
    places, counts = segment.find(term)
    others = [(segment.find(variant), like) for variant, like in asked.variants.get(term, {}).items()]
    if not others:
        return places.astype(np.int64), counts
    every = np.concatenate([places, *(found[0] for found, _ in others)]).astype(np.int64)
    weights = np.concatenate([counts, *(found[1] * like for found, like in others)])
    together, index = np.unique(every, return_inverse=True)
    best = np.zeros(len(together), np.float32)
    np.maximum.at(best, index, weights)
    return together, best


# Candidates


def _candidates(
    segment: Segment,
    asked: RankingQuery,
    mask: NDArray[Any],
    held: Mapping[str, tuple[Places, NDArray[np.float32]]],
    sources: Mapping[int, float],
) -> Places:
    total = int(np.count_nonzero(mask))
    if total <= WHOLE:
        return np.flatnonzero(mask)
    many = max(_CANDIDATES, asked.limit)
    found = [_by_words(segment, mask, held, many)]
    if asked.vector is not None:
        near = segment.matrix.near(asked.vector, 2 * many if total == segment.alive else 20 * many)
        near = near[mask[near]]
        best = np.argsort(-segment.matrix.cosine(asked.vector, near), kind="stable")
        found.append(near[best[:many]])
    found.append(np.array([place for place in sources if mask[place]], np.int64))
    return np.unique(np.concatenate(found))


def _by_words(
    segment: Segment, mask: NDArray[Any], held: Mapping[str, tuple[Places, NDArray[np.float32]]], many: int
) -> Places:
    """Return the best by words, from the rarest word on: common words only reorder these, as their weight is small."""
    scores = np.zeros(len(segment), np.float32)
    touched: list[Places] = []
    seen = 0
    for places, counts in sorted(held.values(), key=lambda found: len(found[0])):
        if seen and seen + len(places) > _RARE:
            break
        places, counts = places[-_RARE:], counts[-_RARE:]  # of a word that common, the latest
        seen += len(places)
        sizes = segment.columns["size"][places] * (segment.alive / max(1, segment.words))
        scores[places] += _rarity(segment, len(places)) * counts * (_K1 + 1) / (counts + _K1 * (1 - _B + _B * sizes))
        touched.append(places)
    if not touched:
        return np.empty(0, np.int64)
    every = np.concatenate(touched)
    every = every[mask[every]]
    if len(every) > 4 * many:
        best = np.argpartition(-scores[every], 4 * many)[: 4 * many]
        every = every[best]
    every = np.unique(every)
    return every[np.argsort(-scores[every], kind="stable")[:many]]


def _rarity(segment: Segment, holding: int) -> float:
    return float(np.log(1 + (max(segment.alive, holding) - holding + 0.5) / (holding + 0.5)))


# Neighbours


@dataclass(frozen=True, slots=True)
class _View:
    """The candidates in order of place, and for each the rows of those before and after it in the same session; the
    last row, one past the end, stands for none."""

    places: Places
    beside: tuple[tuple[NDArray[np.int64], NDArray[np.int64]], ...]
    lean: Scores  # how much each takes from its neighbours and gives to them: less for long messages

    @classmethod
    def around(cls, segment: Segment, inside: Places) -> _View:
        steps = [_steps(segment, inside, column) for column in ("before", "after")]
        every = np.unique(np.concatenate([inside, *(step[step >= 0] for side in steps for step in side)]))
        before, after = (_chained(_rows(every, _step(segment, every, column))) for column in ("before", "after"))
        sizes = np.maximum(1, segment.columns["size"][every])
        beside = tuple(zip(before, after, strict=True))
        return cls(every, beside, np.minimum(1.0, np.median(sizes) / sizes))

    def spread(self, values: NDArray[Any]) -> NDArray[Any]:
        """Add to each value a share of its neighbours'. The last axis is the documents. A long neighbour gives no more
        than an ordinary one: a long reply must not outweigh the question before it."""
        padded = np.concatenate([values * self.lean, np.zeros((*values.shape[:-1], 1))], axis=-1)
        shares = sum(
            weight * (padded[..., before] + padded[..., after])
            for weight, (before, after) in zip(_AROUND, self.beside, strict=True)
        )
        return np.asarray(values + self.lean * shares)


def _step(segment: Segment, places: Places, column: str) -> Places:
    """Return the neighbour of each on one side, -1 if there is none in its session."""
    sessions = segment.columns["session"]
    there = np.where(places >= 0, segment.columns[column][places], -1).astype(np.int64)
    return np.where((there >= 0) & (sessions[there] == sessions[places]), there, -1)


def _steps(segment: Segment, places: Places, column: str) -> list[Places]:
    found: list[Places] = []
    for _ in _AROUND:
        places = _step(segment, places, column)
        found.append(places)
    return found


def _chained(rows: NDArray[np.int64]) -> list[NDArray[np.int64]]:
    """Return the row of the neighbour, of its neighbour, and so on."""
    beyond = np.append(rows, len(rows))
    found = [rows]
    for _ in _AROUND[1:]:
        found.append(beyond[found[-1]])
    return found


def _rows(every: Places, wanted: Places) -> NDArray[np.int64]:
    rows = np.searchsorted(every, wanted)
    known = (wanted >= 0) & (rows < len(every)) & (every[np.minimum(rows, len(every) - 1)] == wanted)
    return np.where(known, rows, len(every))


# The kinds of evidence


def _words(
    segment: Segment, asked: RankingQuery, view: _View, held: Mapping[str, tuple[Places, NDArray[np.float32]]]
) -> tuple[NDArray[np.float64], Scores]:
    """Return how often each term is in each document, and BM25 over a document with a share of its neighbours, so that
    a question's words may be spread over a message and the one before it."""
    if not held:
        return np.zeros((0, len(view.places))), np.zeros(len(view.places))
    counts = np.stack([_counts(found, view.places) for found in held.values()])
    named = np.array([term in asked.names for term in held])
    spread = np.where(named[:, None], counts, view.spread(counts))
    sizes = view.spread(segment.columns["size"][view.places].astype(np.float64))
    lengths = sizes / max(1e-9, float(sizes.mean()))
    weights = np.array([asked.terms[term] * _rarity(segment, len(places)) for term, (places, _) in held.items()])
    scores = weights @ (spread * (_K1 + 1) / (spread + _K1 * (1 - _B + _B * lengths)))
    return counts, np.asarray(scores)


def _tells(asked: RankingQuery, held: Mapping[str, object], counts: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return which documents contain a word of the question. Similar words don't count; a name counts only if the
    question has nothing else, because everything its bearer said has it."""
    words = (asked.terms.keys() - asked.names or asked.terms.keys()) - asked.variants.keys()
    return np.asarray((counts[[term in words for term in held]] > 0).any(axis=0))


def _counts(found: tuple[Places, NDArray[np.float32]], wanted: Places) -> NDArray[np.float64]:
    places, counts = found
    rows = np.minimum(np.searchsorted(places, wanted), len(places) - 1)
    return np.where(places[rows] == wanted, counts[rows], 0).astype(np.float64)


def _cosine(segment: Segment, asked: RankingQuery, places: Places) -> NDArray[np.float64] | None:
    """Return the similarity by meaning. Documents without a vector get the average."""
    if asked.vector is None or not segment.matrix.filled:
        return None
    found = segment.matrix.cosine(asked.vector, places).astype(np.float64)
    known = ~np.isnan(found)
    return np.where(known, found, found[known].mean()) if known.any() else None


def _near(cosine: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return which are near enough to be found without a common word: near in themselves, and nearer than most."""
    above = _standard(cosine)
    if len(cosine) <= _TOO_FEW:
        return np.asarray(cosine >= _NEAR[0][0])
    return np.asarray(np.any([(cosine >= least) & (above >= nearer) for least, nearer in _NEAR], axis=0))


def _speaker(segment: Segment, asked: RankingQuery, places: Places) -> Scores | None:
    """Score what was said by people the question names: they have probably said it. The less they speak, the more it counts."""
    if not asked.people:
        return None
    codes = [segment.code("person", person) for person in asked.people]
    return np.minimum(_LIMIT, _standard(np.isin(segment.columns["person"][places], codes).astype(np.float64)))


def _date(segment: Segment, asked: RankingQuery, places: Places) -> Scores | None:
    if not asked.spans:
        return None
    at = segment.columns["at"][places]
    inside = np.zeros(len(places), bool)
    for first, last in asked.spans:
        inside |= (at >= (first if first is not None else at)) & ((at < last) if last is not None else True)
    return np.minimum(_LIMIT, _standard(inside.astype(np.float64)))


def _sessions(segment: Segment, view: _View, counts: NDArray[np.float64]) -> Scores:
    """Return BM25 with a session as the document, as far as its messages are candidates."""
    sessions, row = np.unique(segment.columns["session"][view.places], return_inverse=True)
    if len(sessions) < 2 or not len(counts):
        return np.zeros(len(view.places))
    held = np.stack([np.bincount(row, weights=each, minlength=len(sessions)) for each in counts])
    sizes = np.bincount(row, weights=segment.columns["size"][view.places])
    holding = (held > 0).sum(axis=1)
    weights = np.log(1 + (len(sessions) - holding + 0.5) / (holding + 0.5))
    scores = weights @ (held * (_K1 + 1) / (held + _K1 * (1 - _B + _B * (sizes / sizes.mean()))))
    return np.asarray(scores[row])


def _substance(segment: Segment, places: Places) -> Scores:
    """Score length and whether it is a question: short texts say little, and a question seldom contains its answer."""
    sizes = segment.columns["size"][places]
    usual = max(1.0, float(np.median(sizes)))
    return np.asarray(sizes / (sizes + usual) - _ASKS * segment.columns["question"][places])


def _standard(values: Scores | None) -> Scores:
    assert values is not None
    spread = float(values.std())
    return (values - values.mean()) / spread if spread > 1e-12 else np.zeros(len(values))
