"""What speaks for a document: plain arithmetic over a shelf, no database.

Everything that speaks for a document is standardised (how many standard deviations above the others that were looked at) and summed. The
weights are round and each says why; what was tried, and how little hangs on them, is in docs/decisions/0006-evidence-sums.md.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from erstwhile.index.shelf import Places, Shelf

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
    """A question as ranking needs it. `terms` with what each counts; those in `names` name people and are looked for in the message
    itself only. `spans`: times that the question speaks of."""

    terms: Mapping[str, float]
    names: frozenset[str] = frozenset()
    people: tuple[str, ...] = ()
    vector: NDArray[np.float32] | None = None
    spans: Sequence[tuple[int | None, int | None]] = ()
    variants: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    beside: bool = True  # also what only stands beside the words is found
    limit: int = 0  # how many are wanted


@dataclass(frozen=True, slots=True)
class Weighed:
    """Documents with what speaks for each. `places` are those that match at all, best first."""

    places: Places
    scores: Scores
    parts: Mapping[str, Scores]
    words: int  # how many hold a word of the question themselves: no name, no guess
    meaning: int  # how many are near by meaning


_NOTHING = Weighed(np.empty(0, np.int64), np.empty(0), {}, 0, 0)


def weigh(shelf: Shelf, asked: RankingQuery, mask: NDArray[Any], sources: Mapping[int, float]) -> Weighed:
    """`sources`: what memories found say for the messages they come from, by place."""
    if not shelf.alive:
        return _NOTHING
    held = {term: _held(shelf, asked, term) for term in asked.terms}
    held = {term: found for term, found in held.items() if len(found[0])}
    inside = _candidates(shelf, asked, mask, held, sources)
    if not len(inside):
        return _NOTHING
    view = _View.around(shelf, inside)
    own, words = _words(shelf, asked, view, held)
    cosine = _cosine(shelf, asked, view.places)
    parts = {
        "words": _standard(words),
        "meaning": _standard(view.spread(_standard(cosine))) if cosine is not None else None,
    }
    parts["speaker"] = _speaker(shelf, asked, view.places)
    parts["date"] = _date(shelf, asked, view.places)
    summed = sum((part for part in parts.values() if part is not None), start=np.zeros(len(view.places)))
    spread = float(summed.std()) or 1.0
    told = {name: (part - part.mean()) / spread for name, part in parts.items() if part is not None}
    told["session"] = _SESSION * _standard(_sessions(shelf, view, own))
    told["source"] = (
        np.array([sources.get(place, 0.0) for place in view.places.tolist()]) if sources else np.zeros(len(summed))
    )
    told["substance"] = _substance(shelf, view.places) if shelf.talk else np.zeros(len(summed))
    scores = _standard(summed) + told["session"] + told["source"] + told["substance"]
    near = _near(cosine) if cosine is not None else np.zeros(len(scores), bool)
    held_itself = (own > 0).any(axis=0) if len(own) else np.zeros(len(scores), bool)
    beside = (words > 0) | (told["source"] > 0) if asked.beside else held_itself
    matching = mask[view.places] & (beside | near)
    order = np.lexsort((-shelf.columns["at"][view.places], -scores))
    order = order[matching[order]]
    return Weighed(
        places=view.places[order],
        scores=scores[order],
        parts={name: part[order] for name, part in told.items()},
        words=int((_tells(asked, held, own) & mask[view.places]).sum()),
        meaning=int((near & mask[view.places]).sum()),
    )


def _held(shelf: Shelf, asked: RankingQuery, term: str) -> tuple[Places, NDArray[np.float32]]:
    """Where a term is, or a word like it: the more it is like it, the more it counts."""
    places, counts = shelf.find(term)
    others = [(shelf.find(variant), like) for variant, like in asked.variants.get(term, {}).items()]
    if not others:
        return places.astype(np.int64), counts
    every = np.concatenate([places, *(found[0] for found, _ in others)]).astype(np.int64)
    weights = np.concatenate([counts, *(found[1] * like for found, like in others)])
    together, index = np.unique(every, return_inverse=True)
    best = np.zeros(len(together), np.float32)
    np.maximum.at(best, index, weights)
    return together, best


# Who is looked at


def _candidates(
    shelf: Shelf,
    asked: RankingQuery,
    mask: NDArray[Any],
    held: Mapping[str, tuple[Places, NDArray[np.float32]]],
    sources: Mapping[int, float],
) -> Places:
    total = int(np.count_nonzero(mask))
    if total <= WHOLE:
        return np.flatnonzero(mask)
    many = max(_CANDIDATES, asked.limit)
    found = [_by_words(shelf, mask, held, many)]
    if asked.vector is not None:
        near = shelf.matrix.near(asked.vector, 2 * many if total == shelf.alive else 20 * many)
        near = near[mask[near]]
        best = np.argsort(-shelf.matrix.cosine(asked.vector, near), kind="stable")
        found.append(near[best[:many]])
    found.append(np.array([place for place in sources if mask[place]], np.int64))
    return np.unique(np.concatenate(found))


def _by_words(
    shelf: Shelf, mask: NDArray[Any], held: Mapping[str, tuple[Places, NDArray[np.float32]]], many: int
) -> Places:
    """The best by words, led by the rarest: common words only reorder what the rare ones found, as their weight is small."""
    scores = np.zeros(len(shelf), np.float32)
    touched: list[Places] = []
    seen = 0
    for places, counts in sorted(held.values(), key=lambda found: len(found[0])):
        if seen and seen + len(places) > _RARE:
            break
        places, counts = places[-_RARE:], counts[-_RARE:]  # of a word that common, the latest
        seen += len(places)
        sizes = shelf.columns["size"][places] * (shelf.alive / max(1, shelf.words))
        scores[places] += _rarity(shelf, len(places)) * counts * (_K1 + 1) / (counts + _K1 * (1 - _B + _B * sizes))
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


def _rarity(shelf: Shelf, holding: int) -> float:
    return float(np.log(1 + (max(shelf.alive, holding) - holding + 0.5) / (holding + 0.5)))


# Neighbours


@dataclass(frozen=True, slots=True)
class _View:
    """The documents looked at, in order of place, and for each the rows of those said before and after it in the same session; the
    last row, one past the end, stands for nobody."""

    places: Places
    beside: tuple[tuple[NDArray[np.int64], NDArray[np.int64]], ...]
    lean: Scores  # how much each leans on its neighbours, and lends to them: a long message stands for itself

    @classmethod
    def around(cls, shelf: Shelf, inside: Places) -> _View:
        steps = [_steps(shelf, inside, column) for column in ("before", "after")]
        every = np.unique(np.concatenate([inside, *(step[step >= 0] for side in steps for step in side)]))
        before, after = (_chained(_rows(every, _step(shelf, every, column))) for column in ("before", "after"))
        sizes = np.maximum(1, shelf.columns["size"][every])
        beside = tuple(zip(before, after, strict=True))
        return cls(every, beside, np.minimum(1.0, np.median(sizes) / sizes))

    def spread(self, values: NDArray[Any]) -> NDArray[Any]:
        """Each value with its share of its neighbours'. The last axis is the documents'. A long neighbour lends no more than an ordinary
        one: an assistant's page must not drown what was asked before it."""
        padded = np.concatenate([values * self.lean, np.zeros((*values.shape[:-1], 1))], axis=-1)
        shares = sum(
            weight * (padded[..., before] + padded[..., after])
            for weight, (before, after) in zip(_AROUND, self.beside, strict=True)
        )
        return np.asarray(values + self.lean * shares)


def _step(shelf: Shelf, places: Places, column: str) -> Places:
    """The neighbour of each on one side, -1 where there is none in its session, or it is nobody itself."""
    sessions = shelf.columns["session"]
    there = np.where(places >= 0, shelf.columns[column][places], -1).astype(np.int64)
    return np.where((there >= 0) & (sessions[there] == sessions[places]), there, -1)


def _steps(shelf: Shelf, places: Places, column: str) -> list[Places]:
    found: list[Places] = []
    for _ in _AROUND:
        places = _step(shelf, places, column)
        found.append(places)
    return found


def _chained(rows: NDArray[np.int64]) -> list[NDArray[np.int64]]:
    """The neighbour's row, and its neighbour's, and so on."""
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
    shelf: Shelf, asked: RankingQuery, view: _View, held: Mapping[str, tuple[Places, NDArray[np.float32]]]
) -> tuple[NDArray[np.float64], Scores]:
    """How often each term is in each document; and BM25 over a document with a share of its neighbours, so that a question's words may
    stand in a message and in the one before it."""
    if not held:
        return np.zeros((0, len(view.places))), np.zeros(len(view.places))
    counts = np.stack([_counts(found, view.places) for found in held.values()])
    named = np.array([term in asked.names for term in held])
    spread = np.where(named[:, None], counts, view.spread(counts))
    sizes = view.spread(shelf.columns["size"][view.places].astype(np.float64))
    lengths = sizes / max(1e-9, float(sizes.mean()))
    weights = np.array([asked.terms[term] * _rarity(shelf, len(places)) for term, (places, _) in held.items()])
    scores = weights @ (spread * (_K1 + 1) / (spread + _K1 * (1 - _B + _B * lengths)))
    return counts, np.asarray(scores)


def _tells(asked: RankingQuery, held: Mapping[str, object], counts: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Which documents hold a word of the question. A guess at one is none; and a name alone is in everything that its bearer said: it only
    counts where nothing else is asked for."""
    words = (asked.terms.keys() - asked.names or asked.terms.keys()) - asked.variants.keys()
    return np.asarray((counts[[term in words for term in held]] > 0).any(axis=0))


def _counts(found: tuple[Places, NDArray[np.float32]], wanted: Places) -> NDArray[np.float64]:
    places, counts = found
    rows = np.minimum(np.searchsorted(places, wanted), len(places) - 1)
    return np.where(places[rows] == wanted, counts[rows], 0).astype(np.float64)


def _cosine(shelf: Shelf, asked: RankingQuery, places: Places) -> NDArray[np.float64] | None:
    """Documents without a vector are as near as the others are on average."""
    if asked.vector is None or not shelf.matrix.filled:
        return None
    found = shelf.matrix.cosine(asked.vector, places).astype(np.float64)
    known = ~np.isnan(found)
    return np.where(known, found, found[known].mean()) if known.any() else None


def _near(cosine: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Near enough to be found without sharing a word: nearer than most, and not merely the least far. Of one or two, none stands out."""
    above = _standard(cosine)
    if len(cosine) <= _TOO_FEW:
        return np.asarray(cosine >= _NEAR[0][0])
    return np.asarray(np.any([(cosine >= least) & (above >= nearer) for least, nearer in _NEAR], axis=0))


def _speaker(shelf: Shelf, asked: RankingQuery, places: Places) -> Scores | None:
    """Whoever the question names has probably said it. The rarer that person speaks, the more it says that it was them."""
    if not asked.people:
        return None
    codes = [shelf.code("person", person) for person in asked.people]
    return np.minimum(_LIMIT, _standard(np.isin(shelf.columns["person"][places], codes).astype(np.float64)))


def _date(shelf: Shelf, asked: RankingQuery, places: Places) -> Scores | None:
    if not asked.spans:
        return None
    at = shelf.columns["at"][places]
    inside = np.zeros(len(places), bool)
    for first, last in asked.spans:
        inside |= (at >= (first if first is not None else at)) & ((at < last) if last is not None else True)
    return np.minimum(_LIMIT, _standard(inside.astype(np.float64)))


def _sessions(shelf: Shelf, view: _View, counts: NDArray[np.float64]) -> Scores:
    """BM25 with a session as the document, as far as its messages are looked at."""
    sessions, row = np.unique(shelf.columns["session"][view.places], return_inverse=True)
    if len(sessions) < 2 or not len(counts):
        return np.zeros(len(view.places))
    held = np.stack([np.bincount(row, weights=each, minlength=len(sessions)) for each in counts])
    sizes = np.bincount(row, weights=shelf.columns["size"][view.places])
    holding = (held > 0).sum(axis=1)
    weights = np.log(1 + (len(sessions) - holding + 0.5) / (holding + 0.5))
    scores = weights @ (held * (_K1 + 1) / (held + _K1 * (1 - _B + _B * (sizes / sizes.mean()))))
    return np.asarray(scores[row])


def _substance(shelf: Shelf, places: Places) -> Scores:
    """A few words carry little, and a question seldom holds its answer."""
    sizes = shelf.columns["size"][places]
    usual = max(1.0, float(np.median(sizes)))
    return np.asarray(sizes / (sizes + usual) - _ASKS * shelf.columns["question"][places])


def _standard(values: Scores | None) -> Scores:
    assert values is not None
    spread = float(values.std())
    return (values - values.mean()) / spread if spread > 1e-12 else np.zeros(len(values))
