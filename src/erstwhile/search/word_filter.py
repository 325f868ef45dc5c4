"""List everything in a space that contains some words, page by page, with counts by kind, channel, person, writer and
month. Plain arithmetic over the index, no database."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from erstwhile.base.records import dataclass
from erstwhile.index.arrays import WordList
from erstwhile.index.documents import Scope
from erstwhile.index.segment import Segment
from erstwhile.index.selection import selected
from erstwhile.index.space_index import SpaceIndex
from erstwhile.index.traits import TRUST
from erstwhile.search.evidence import DocumentScorer, RankingQuery

Mask = NDArray[np.bool_]

BEST = 500  # scored per segment, whatever the page, so that pages fit together


@dataclass(frozen=True, slots=True)
class ListedDocument:
    """A document in the order of the list; `seq` is the first of the messages it comes from."""

    doc: int
    score: float
    seq: int | None


@dataclass(frozen=True, slots=True)
class FilteredDocuments:
    """`counts`: for each column, how many documents have which value."""

    total: int
    page: list[ListedDocument]
    words: tuple[str, ...]
    counts: Mapping[str, Counter[str]]


@dataclass(frozen=True, slots=True)
class WordFilter:
    """`terms` of the words; without any, everything is listed, the newest first."""

    terms: tuple[str, ...]
    scope: Scope
    start: int
    limit: int


def filter_documents(index: SpaceIndex, filters: WordFilter) -> FilteredDocuments:
    both = (index.messages, index.memories)
    words = _words(both, filters.terms)
    holding = _holding(both, words)

    @cache
    def within(scope: Scope) -> list[Mask]:
        return [held & _within(segment, scope) for segment, held in zip(both, holding, strict=True)]

    inside = within(filters.scope)
    return FilteredDocuments(
        total=sum(int(np.count_nonzero(mask)) for mask in inside),
        page=_page(both, inside, words, filters),
        words=tuple(word for term in words.terms for word in (term, *words.variants.get(term, ()))),
        counts={
            sort: _counted(both, within(replace(filters.scope, **without)), sort)
            for sort, without in _WITHOUT.items()
        },
    )


def _words(both: tuple[Segment, Segment], terms: Sequence[str]) -> WordList:
    """Add similarly spelt words for words that no document has."""
    unknown = WordList(terms).unknown(both)
    return WordList(
        terms,
        {term: like for term in unknown if (like := both[0].like(term) or both[1].like(term))},
    )


def _holding(both: tuple[Segment, Segment], words: WordList) -> list[Mask]:
    """Return what contains all of the words or, if nothing does, one of them. This depends on the words alone, so that
    narrowing a list never finds more."""
    there = [segment.columns["alive"].astype(bool) for segment in both]
    if not words.terms:
        return there
    counts = [_held(segment, words) for segment in both]
    whole = [(count == len(words.terms)) & mask for count, mask in zip(counts, there, strict=True)]
    if any(mask.any() for mask in whole):
        return whole
    return [(count > 0) & mask for count, mask in zip(counts, there, strict=True)]


def _held(segment: Segment, words: WordList) -> NDArray[np.uint8]:
    """Count how many of the words, or words spelt like them, each document contains."""
    counts = np.zeros(len(segment), np.uint8)
    for term in words.terms:
        there = np.zeros(len(segment), bool)
        for word in (term, *words.variants.get(term, ())):
            there[segment.find(word)[0]] = True
        counts += there
    return counts


def _within(segment: Segment, scope: Scope) -> Mask:
    wanted: dict[str, Sequence[str | None]] = {}
    for column, value in (
        ("channel", scope.channel),
        ("person", scope.person),
        ("writer", scope.writer),
    ):
        if value is not None:
            wanted[column] = (value,)
    if scope.kinds is not None:
        wanted["kind"] = scope.kinds
    mask = segment.mask(wanted, scope.since, scope.until)
    if scope.trust is not None:
        mask = mask & (segment.columns["traits"] >= TRUST * scope.trust)
    return np.asarray(mask, bool)


# The list


def _page(
    both: tuple[Segment, Segment], inside: Sequence[Mask], words: WordList, filters: WordFilter
) -> list[ListedDocument]:
    """Return the best first, then the rest, the newest first."""
    best, rest = _best(both, inside, words) if words.terms else ([], list(inside))
    shown = [place for place, *_ in best[filters.start : filters.start + filters.limit]]
    missing = filters.limit - len(shown)
    return shown + (
        _newest(both, rest, max(0, filters.start - len(best)), missing) if missing else []
    )


def _best(
    both: tuple[Segment, Segment], inside: Sequence[Mask], words: WordList
) -> tuple[list[tuple[ListedDocument, int]], list[Mask]]:
    found: list[tuple[ListedDocument, int]] = []
    rest: list[Mask] = []
    scorer = DocumentScorer(RankingQuery(words, beside=False, limit=BEST))
    for segment, mask in zip(both, inside, strict=True):
        weighed = scorer.score(segment, selected(mask), {}, BEST)
        chosen, scores = weighed.places, weighed.scores.tolist()
        ats = segment.columns["at"][chosen].tolist()
        found += zip(_places(segment, chosen, scores), ats, strict=True)
        left = mask.copy()
        left[chosen] = False
        rest.append(left)
    return sorted(found, key=lambda each: (-each[0].score, -each[1], -each[0].doc)), rest


def _newest(
    both: tuple[Segment, Segment], rest: Sequence[Mask], start: int, limit: int
) -> list[ListedDocument]:
    inside = [np.flatnonzero(mask) for mask in rest]
    ats, docs = (
        np.concatenate(
            [segment.columns[name][places] for segment, places in zip(both, inside, strict=True)]
        )
        for name in ("at", "doc")
    )
    chosen = np.arange(len(ats))
    if (
        len(ats) > start + limit
    ):  # as many, and those of the same moment as the last: of a batch, all have one
        chosen = np.flatnonzero(ats >= np.partition(ats, -(start + limit))[-(start + limit)])
    chosen = chosen[np.lexsort((-docs[chosen], -ats[chosen]))][start : start + limit]
    first = len(inside[0])
    made: dict[int, ListedDocument] = {}
    for segment, places, mine in (
        (both[0], inside[0], chosen < first),
        (both[1], inside[1], chosen >= first),
    ):
        there = places[chosen[mine] - (0 if segment is both[0] else first)]
        made.update(
            zip(
                np.flatnonzero(mine).tolist(),
                _places(segment, there, [0.0] * len(there)),
                strict=True,
            )
        )
    return [made[at] for at in range(len(chosen))]


def _places(
    segment: Segment, places: NDArray[Any], scores: Iterable[float]
) -> list[ListedDocument]:
    docs, seqs = segment.columns["doc"][places].tolist(), segment.columns["seq"][places].tolist()
    return [
        ListedDocument(doc, score, seq if seq >= 0 else None)
        for doc, score, seq in zip(docs, scores, seqs, strict=True)
    ]


# Counts

_WITHOUT: Mapping[str, dict[str, None]] = {
    "kind": {"kinds": None},
    "channel": {"channel": None},
    "person": {"person": None},
    "writer": {"writer": None},
    "month": {"since": None, "until": None},
}


def _counted(both: tuple[Segment, Segment], inside: Sequence[Mask], sort: str) -> Counter[str]:
    found: Counter[str] = Counter()
    for segment, mask in zip(both, inside, strict=True):
        found.update(_months(segment, mask) if sort == "month" else _values(segment, mask, sort))
    return found


def _values(segment: Segment, mask: Mask, column: str) -> dict[str, int]:
    counts = np.bincount(segment.columns[column][mask])
    there = np.flatnonzero(counts)
    spelt = ((segment.names(column)[code], int(counts[code])) for code in there.tolist())
    return {value: count for value, count in spelt if value is not None}


def _months(segment: Segment, mask: Mask) -> dict[str, int]:
    months = segment.columns["at"][mask].view("datetime64[us]").astype("datetime64[M]")
    values, counts = np.unique(months.astype(np.int32), return_counts=True)
    return {
        str(value): int(count)
        for value, count in zip(values.astype("datetime64[M]"), counts.tolist(), strict=True)
    }
