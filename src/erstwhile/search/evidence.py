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
from erstwhile.index import scores as index_scores
from erstwhile.index.neighbours import ENOUGH, Neighbours, is_first, unique
from erstwhile.index.scores import (
    FLAT,
    K1,
    NOTHING,
    B,
    ScoredDocuments,
    ScoreParts,
    Scores,
    add_up,
    deviation,
    mean,
    order,
    rarity,
    saturated,
    standard,
    weighted,
)
from erstwhile.index.segment import Places, Segment
from erstwhile.index.selection import DocumentSelection, is_one_of
from erstwhile.index.traits import QUESTION, REPLY, REQUEST
from erstwhile.search import second_look
from erstwhile.search.trace import RELEVANCE

# Where a term is, in order, and how often.
TermPlaces = tuple[NDArray[np.integer[Any]], NDArray[Any]]

# Up to this many documents all are weighed; of more, those that rare words and near vectors find.
WHOLE = 1000
_RARE = 60_000  # places looked at, from the rarest word on, to find candidates
_CANDIDATES = 100  # of each of the two ways, or as many as are wanted
_SESSION = 0.25  # a session of twenty messages says less about one of them than its own words
_ASKS = 0.5  # what asks is seldom the answer
_SUBSTANCE = 2.0  # what says something is worth more than what only stands beside it
_REQUESTED = 0.5  # what someone wants from now on often is
_SPEAKER = 1.5  # who said it is surer than what words and vectors have in common
# Near in itself and nearer than most; or, as a single word seldom is near, far nearer than others.
_NEAR = ((0.3, 1.0), (0.15, 3.0))
_LESS_NEAR = 0.15  # where too little matches, what is nearer than most is found too
_TOO_FEW = 2  # to say what is usual among them
_LIMIT = 3.0  # one kind of evidence alone does not decide


@dataclass(frozen=True, slots=True)
class RankingQuery:
    """A question as ranking needs it. `terms` with their weights; those in `names` name people and are searched in the
    message itself only. `spans`: times that the question mentions."""

    terms: Mapping[str, float]
    names: frozenset[str] = frozenset()
    people: tuple[str | None, ...] = ()
    replied: bool = False  # an assistant said it
    vector: NDArray[np.float32] | None = None
    weight: float = 1.0  # of nearness by that
    spans: Sequence[tuple[int | None, int | None]] = ()
    asks_when: bool = False
    variants: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    beside: bool = True  # also what only stands beside the words is found
    limit: int = 0  # how many are wanted
    fill: bool = False  # if fewer match, also those that are near the matching ones, or nearer than most by meaning


def score_documents(
    segment: Segment,
    asked: RankingQuery,
    chosen: DocumentSelection,
    found: Mapping[str, TermPlaces],
    sources: Mapping[int, float],
) -> ScoredDocuments:
    """Score the documents of a segment. `found`: where the terms are. `sources`: scores that
    memories lend to the messages they come from, by place."""
    if not chosen.total:
        return NOTHING
    if asked.variants:
        found = {**found, **_with_variants(segment, asked, found)}
    held = {term: each for term, each in found.items() if len(each[0])}
    inside = _candidates(segment, asked, chosen, held, sources)
    if not len(inside):
        return NOTHING
    around = Neighbours.of(segment, inside) if segment.talk else None
    places = inside if around is None else around.places
    sizes = segment.columns["size"].take(places)
    cosine, centred_cosine = _cosines(segment, asked, places)
    above = None if centred_cosine is None else standard(centred_cosine)
    told = _told(held, places, sizes, above)
    counts = told[: len(held)]
    spread = told if around is None else around.spread(told)
    words = _words(segment, asked, held, (counts, spread[: len(held)], spread[len(held)]))
    parts = {"words": standard(words)}
    if above is not None:
        parts["meaning"] = asked.weight * standard(spread[-1])
    parts |= _speaker(segment, asked, places) | _date(segment, asked, places)
    summed = add_up(parts.values())
    centred = summed - mean(summed)
    spread_of_sum = deviation(centred)
    added: dict[str, Scores | None] = {
        "session": None if around is None else _sessions(around, told[: len(held) + 1]),
        "source": _source(places, sources) if sources else None,
        "substance": None if around is None else _substance(segment, around, sizes),
    }
    scores = centred / spread_of_sum if spread_of_sum > FLAT else np.zeros(len(places))
    scores = add_up([scores, *added.values()])
    if around is not None:

        def has() -> Scores:
            own = standard(_words(segment, asked, held, (counts, counts, sizes)))
            return own if above is None else own + above

        looked = second_look.weigh(segment, asked, around, scores, has)
        scores, added = add_up([scores, *looked.values()]), added | looked
    near = np.zeros(len(places), bool) if cosine is None else _near(cosine)
    if asked.beside:
        beside = words > 0
        for led in (added["source"], added.get("linked")):
            beside = beside if led is None else beside | (led > 0)
    else:
        beside = np.maximum.reduce(counts, axis=0, initial=0) > 0
    matching, telling = beside | near, _tells(asked, held, counts)
    searched = None if chosen.everything else chosen.holds(places)
    if searched is not None:
        matching, telling, near = matching & searched, telling & searched, near & searched
    if asked.fill and np.count_nonzero(matching) < asked.limit:
        others = _less_near(around, matching, cosine)
        matching |= others if searched is None else others & searched
    rows = matching.nonzero()[0]
    rows = rows.take(order(scores.take(rows), segment.columns["at"].take(places.take(rows))))

    def estimate(rows: NDArray[np.int64]) -> Scores:
        telling = asked.terms.keys() - asked.names or asked.terms.keys()
        holding = {term: len(held[term][0]) if term in held else 0 for term in telling}
        weights = {term: 1 + rarity(segment, many) for term, many in holding.items()}
        near = None if centred_cosine is None else centred_cosine.take(rows)
        return index_scores.estimate(weights, held, spread[: len(held)].take(rows, axis=1), near)

    return ScoredDocuments(
        places=places.take(rows),
        scores=scores.take(rows),
        rows=rows,
        parts=ScoreParts(parts, spread_of_sum, added, {RELEVANCE: estimate}),
        words=int(np.count_nonzero(telling)),
        meaning=int(np.count_nonzero(near)),
    )


# Candidates


def _with_variants(
    segment: Segment, asked: RankingQuery, found: Mapping[str, TermPlaces]
) -> dict[str, TermPlaces]:
    """Return where the terms that have variants are, or these; the more similar, the more they count."""
    there = segment.find_all([word for like in asked.variants.values() for word in like])
    joined = {}
    for term, variants in asked.variants.items():
        places, counts = found[term]
        every = np.concatenate([places, *(there[word][0] for word in variants)])
        if len(every):
            likely = (there[word][1] * np.float32(like) for word, like in variants.items())
            weights, order = np.concatenate([counts, *likely]), every.argsort(kind="stable")
            every = every.take(order)
            starts = is_first(every).nonzero()[0]
            joined[term] = every.take(starts), np.maximum.reduceat(weights.take(order), starts)
    return joined


def _candidates(
    segment: Segment,
    asked: RankingQuery,
    chosen: DocumentSelection,
    held: Mapping[str, TermPlaces],
    sources: Mapping[int, float],
) -> Places:
    """Return the places of the documents to score, in order."""
    if chosen.total <= WHOLE:
        return chosen.places()
    many = max(_CANDIDATES, asked.limit)
    found = [_by_words(segment, chosen, held, many)]
    if asked.vector is not None:
        near = segment.matrix.near(
            asked.vector, 2 * many if chosen.total == segment.alive else 20 * many
        )
        near = chosen.only(near)
        best = (-segment.matrix.cosine(asked.vector, near)).argsort(kind="stable")
        found.append(near.take(best[:many]))
    if sources:
        found.append(chosen.only(np.fromiter(sources, np.int64, len(sources))))
    if segment.talk:
        found.append(second_look.follow_names(segment, asked, chosen, found[0]))
    places = unique(np.concatenate(found))
    if asked.fill and segment.talk and len(places) < asked.limit:
        sessions = segment.columns["session"]
        beside = np.flatnonzero(np.isin(sessions, sessions[places]))
        places = unique(np.concatenate([places, chosen.only(beside)]))
    return places


def _by_words(
    segment: Segment, chosen: DocumentSelection, held: Mapping[str, TermPlaces], many: int
) -> Places:
    """Return the best by words, from the rarest word on: common words only reorder these, as their weight is small."""
    scores = np.zeros(len(segment), np.float32)
    touched: list[NDArray[np.integer[Any]]] = []
    seen, usual = 0, max(1, segment.words) / segment.alive
    for places, counts in sorted(held.values(), key=lambda found: len(found[0])):
        if seen and seen + len(places) > _RARE:
            break
        # Of a word that common, the latest.
        places, counts = places[-_RARE:], counts[-_RARE:].astype(np.float32)
        seen += len(places)
        room = segment.columns["size"].take(places) * (K1 * B / usual)
        room += K1 * (1 - B)
        room += counts
        scores[places] += rarity(segment, len(places)) * (K1 + 1) * counts / room
        touched.append(places)
    if not touched:
        return np.empty(0, np.int64)
    every = chosen.only(np.concatenate(touched))
    if len(every) > 4 * many:
        every = every.take((-scores.take(every)).argpartition(4 * many)[: 4 * many])
    every = unique(every.astype(np.int64))
    return every.take((-scores.take(every)).argsort(kind="stable")[:many])


# The kinds of evidence


def _told(
    held: Mapping[str, TermPlaces], places: Places, sizes: NDArray[np.int32], above: Scores | None
) -> Scores:
    """Return what neighbours share, a column a document: how often it has each term, its size
    and its similarity."""
    found = np.empty((len(held) + 1 + (above is not None), len(places)))
    wanted = places.astype(np.int32)  # as places of terms are: else all of them would be converted
    for row, (there, counts) in zip(found, held.values(), strict=False):
        if len(there) < len(wanted):  # the fewer are looked up among the more
            row[:] = 0
            at = wanted.searchsorted(there)
            same = wanted.take(at, mode="clip") == there
            row[at[same]] = counts[same]
        else:
            at = there.searchsorted(wanted)
            same = there.take(at, mode="clip") == wanted
            np.multiply(counts.take(at, mode="clip"), same, out=row)
    found[len(held)] = sizes
    if above is not None:
        found[-1] = above
    return found


def _words(
    segment: Segment,
    asked: RankingQuery,
    held: Mapping[str, TermPlaces],
    counted: tuple[Scores, Scores, Scores],
) -> Scores:
    """Return BM25 over a document with a share of its neighbours, so that a question's words may be spread over a
    message and the one before it."""
    counts, spread, sizes = counted
    if not held:
        return np.zeros(len(sizes))
    if asked.names:
        named = np.array([term in asked.names for term in held])
        spread = np.where(named[:, None], counts, spread)
    weights = [asked.terms[term] * rarity(segment, len(held[term][0])) for term in held]
    return weighted(weights, saturated(spread, sizes))


def _tells(asked: RankingQuery, held: Mapping[str, object], counts: Scores) -> NDArray[np.bool_]:
    """Return which documents contain a word of the question. Similar words don't count; a name counts only if the
    question has nothing else, because everything its bearer said has it."""
    words = (asked.terms.keys() - asked.names or asked.terms.keys()) - asked.variants.keys()
    telling = [term in words for term in held]
    rows = counts if all(telling) else counts[telling]
    return np.asarray(np.maximum.reduce(rows, axis=0, initial=0) > 0)


def _cosines(
    segment: Segment, asked: RankingQuery, places: Places
) -> tuple[Scores, Scores] | tuple[None, None]:
    """Return the similarity by meaning, plain and centred. Documents without a vector get the average."""
    if asked.vector is None or not segment.matrix.filled:
        return None, None
    plain, centred = segment.matrix.cosines(asked.vector, places, segment.columns["alive"])
    if segment.matrix.fills(places):
        return plain, centred
    known = ~np.isnan(plain)
    if not known.any():
        return None, None
    return np.where(known, plain, plain[known].mean()), np.where(
        known, centred, centred[known].mean()
    )


def _near(cosine: Scores) -> NDArray[np.bool_]:
    """Return which are near enough to be found without a common word: near in themselves, and
    nearer than most (above the average by so many deviations)."""
    if len(cosine) <= _TOO_FEW:
        return np.asarray(cosine >= _NEAR[0][0])
    usual = mean(cosine)
    apart = deviation(cosine - usual)
    if apart <= FLAT:
        return np.zeros(len(cosine), bool)
    return np.asarray(cosine >= min(max(least, usual + nearer * apart) for least, nearer in _NEAR))


def _less_near(
    around: Neighbours | None, matching: NDArray[np.bool_], cosine: Scores | None
) -> NDArray[np.bool_]:
    """Return what stands in a session with something that matches, and what is nearer than most by meaning."""
    found = np.zeros(len(matching), bool)
    if around is not None:
        found |= np.isin(around.sessions, around.sessions[matching])
    if cosine is not None:
        found |= (cosine >= _LESS_NEAR) & (cosine > mean(cosine))
    return found


def _speaker(segment: Segment, asked: RankingQuery, places: Places) -> dict[str, Scores]:
    """Score what was said by people the question names: they have probably said it. The less they speak, the more it counts."""
    if not asked.people and not asked.replied:
        return {}
    said = segment.columns["traits"][places] & REPLY > 0
    if not asked.replied:
        codes = [segment.code("person", person) for person in asked.people]
        spoken = is_one_of(segment.columns["person"].take(places), codes)
        said = spoken & ~said if None in asked.people else spoken
    return {"speaker": _SPEAKER * np.minimum(_LIMIT, standard(said.astype(np.float64)))}


def _date(segment: Segment, asked: RankingQuery, places: Places) -> dict[str, Scores]:
    if not asked.spans:
        return {}
    at = segment.columns["at"][places]
    inside = np.zeros(len(places), bool)
    for first, last in asked.spans:
        inside |= (at >= (first if first is not None else at)) & (
            (at < last) if last is not None else True
        )
    return {"date": np.minimum(_LIMIT, standard(inside.astype(np.float64)))}


def _sessions(around: Neighbours, told: Scores) -> Scores | None:
    """Score sessions by BM25, as far as their messages are candidates. `told`: the counts of
    terms and, last, the sizes."""
    if len(told) < 2:
        return None
    order = around.sessions.argsort(kind="stable")
    first = is_first(around.sessions.take(order))
    starts = first.nonzero()[0]
    if len(starts) < 2:
        return None
    summed = np.add.reduceat(told.take(order, axis=1), starts, axis=1)
    held = summed[:-1]
    holding = np.add.reduce(held > 0, axis=1)
    weights = np.log(1 + (len(starts) - holding + 0.5) / (holding + 0.5))
    scores = weighted(weights, saturated(held, summed[-1]))
    found = np.empty(len(order))
    found[order] = scores.take(first.cumsum() - 1)
    return _SESSION * standard(found)


def _source(places: Places, sources: Mapping[int, float]) -> Scores:
    found = np.zeros(len(places))
    wanted = np.fromiter(sources, np.int64, len(sources))
    rows = places.searchsorted(wanted)
    there = places.take(rows, mode="clip") == wanted
    found[rows[there]] = np.fromiter(sources.values(), np.float64, len(sources))[there]
    return found


def _substance(segment: Segment, around: Neighbours, sizes: NDArray[np.int32]) -> Scores:
    """Score length and whether it is a question: short texts say little, and a question seldom contains its answer. In
    talk with an assistant length says no more from `ENOUGH` terms on, and a longer message is less of a question."""
    traits = segment.columns["traits"].take(around.places)
    asks = (_SUBSTANCE * _ASKS / QUESTION) * (traits & QUESTION)
    if not segment.with_assistant:
        return np.asarray(_SUBSTANCE * sizes / (sizes + around.usual) - asks)
    enough = np.minimum(sizes, ENOUGH)
    asks *= enough / np.maximum(1, sizes)
    requested = (_SUBSTANCE * _REQUESTED / REQUEST) * (traits & REQUEST)
    return np.asarray(_SUBSTANCE * enough / (enough + around.usual) - asks + requested)
