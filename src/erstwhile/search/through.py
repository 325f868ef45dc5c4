"""Looking through a space: everything that holds some words, page by page, and how much of it is of which kind, channel, person, writer
and month. Plain arithmetic over the shelves, no database."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from erstwhile.index.documents import Scope
from erstwhile.index.shelf import Shelf
from erstwhile.index.shelves import Shelves
from erstwhile.search.evidence import RankingQuery, weigh

Mask = NDArray[np.bool_]

BEST = 500  # of each shelf, as many are weighed; whatever page is asked for, or pages would not fit together


@dataclass(frozen=True, slots=True)
class ListedDocument:
    """A document in the order of the list; `seq` is the first of the messages it comes from."""

    doc: int
    score: float
    seq: int | None


@dataclass(frozen=True, slots=True)
class Through:
    """`counts`: for each sort of value, how many have which."""

    total: int
    page: list[ListedDocument]
    words: tuple[str, ...]
    counts: Mapping[str, Counter[str]]


@dataclass(frozen=True, slots=True)
class WordFilter:
    """`terms`: of the words; without any everything is listed, the newest first."""

    terms: tuple[str, ...]
    scope: Scope
    offset: int
    limit: int


def look(shelves: Shelves, wanted: WordFilter) -> Through:
    both = (shelves.messages, shelves.memories)
    asked = _asked(both, wanted.terms)
    holding = _holding(both, asked)

    @cache
    def within(scope: Scope) -> list[Mask]:
        return [held & _within(shelf, scope) for shelf, held in zip(both, holding, strict=True)]

    inside = within(wanted.scope)
    return Through(
        total=sum(int(np.count_nonzero(mask)) for mask in inside),
        page=_page(both, inside, asked, wanted),
        words=tuple(word for term in asked.terms for word in (term, *asked.variants.get(term, ()))),
        counts={
            sort: _counted(both, within(replace(wanted.scope, **without)), sort) for sort, without in _WITHOUT.items()
        },
    )


def _asked(both: tuple[Shelf, Shelf], terms: Sequence[str]) -> RankingQuery:
    """For a word that nobody used, those spelt like it."""
    unknown = [term for term in terms if not any(shelf.knows(term) for shelf in both)]
    variants = {term: like for term in unknown if (like := both[0].like(term) or both[1].like(term))}
    return RankingQuery(terms=dict.fromkeys(terms, 1.0), variants=variants, beside=False, limit=BEST)


def _holding(both: tuple[Shelf, Shelf], asked: RankingQuery) -> list[Mask]:
    """What holds all of the words; where nothing does, what holds one of them. Which of the two it is hangs on the words alone, so that
    choosing among what was found never finds more."""
    there = [shelf.columns["alive"].astype(bool) for shelf in both]
    if not asked.terms:
        return there
    counts = [_held(shelf, asked) for shelf in both]
    whole = [(count == len(asked.terms)) & mask for count, mask in zip(counts, there, strict=True)]
    if any(mask.any() for mask in whole):
        return whole
    return [(count > 0) & mask for count, mask in zip(counts, there, strict=True)]


def _held(shelf: Shelf, asked: RankingQuery) -> NDArray[np.uint8]:
    """How many of the words each document holds, itself or one spelt like it."""
    counts = np.zeros(len(shelf), np.uint8)
    for term in asked.terms:
        there = np.zeros(len(shelf), bool)
        for word in (term, *asked.variants.get(term, ())):
            there[shelf.find(word)[0]] = True
        counts += there
    return counts


def _within(shelf: Shelf, scope: Scope) -> Mask:
    wanted: dict[str, Sequence[str | None]] = {}
    for column, value in (("channel", scope.channel), ("person", scope.person), ("writer", scope.writer)):
        if value is not None:
            wanted[column] = (value,)
    if scope.kinds is not None:
        wanted["kind"] = scope.kinds
    return np.asarray(shelf.mask(wanted, scope.since, scope.until), bool)


# The list


def _page(
    both: tuple[Shelf, Shelf], inside: Sequence[Mask], asked: RankingQuery, wanted: WordFilter
) -> list[ListedDocument]:
    """The best first, then the rest from the newest back."""
    best, rest = _best(both, inside, asked) if asked.terms else ([], list(inside))
    shown = [place for place, *_ in best[wanted.offset : wanted.offset + wanted.limit]]
    missing = wanted.limit - len(shown)
    return shown + (_newest(both, rest, max(0, wanted.offset - len(best)), missing) if missing else [])


def _best(
    both: tuple[Shelf, Shelf], inside: Sequence[Mask], asked: RankingQuery
) -> tuple[list[tuple[ListedDocument, int]], list[Mask]]:
    found: list[tuple[ListedDocument, int]] = []
    rest: list[Mask] = []
    for shelf, mask in zip(both, inside, strict=True):
        weighed = weigh(shelf, asked, mask, {})
        chosen = weighed.places[:BEST]
        scores, ats = weighed.scores[:BEST].tolist(), shelf.columns["at"][chosen].tolist()
        found += zip(_places(shelf, chosen, scores), ats, strict=True)
        left = mask.copy()
        left[chosen] = False
        rest.append(left)
    return sorted(found, key=lambda each: (-each[0].score, -each[1], -each[0].doc)), rest


def _newest(both: tuple[Shelf, Shelf], rest: Sequence[Mask], offset: int, limit: int) -> list[ListedDocument]:
    inside = [np.flatnonzero(mask) for mask in rest]
    ats, docs = (
        np.concatenate([shelf.columns[name][places] for shelf, places in zip(both, inside, strict=True)])
        for name in ("at", "doc")
    )
    chosen = np.arange(len(ats))
    if len(ats) > offset + limit:  # as many, and those of the same moment as the last: of a batch, all have one
        chosen = np.flatnonzero(ats >= np.partition(ats, -(offset + limit))[-(offset + limit)])
    chosen = chosen[np.lexsort((-docs[chosen], -ats[chosen]))][offset : offset + limit]
    first = len(inside[0])
    made: dict[int, ListedDocument] = {}
    for shelf, places, mine in ((both[0], inside[0], chosen < first), (both[1], inside[1], chosen >= first)):
        there = places[chosen[mine] - (0 if shelf is both[0] else first)]
        made.update(zip(np.flatnonzero(mine).tolist(), _places(shelf, there, [0.0] * len(there)), strict=True))
    return [made[at] for at in range(len(chosen))]


def _places(shelf: Shelf, places: NDArray[Any], scores: Iterable[float]) -> list[ListedDocument]:
    docs, seqs = shelf.columns["doc"][places].tolist(), shelf.columns["seq"][places].tolist()
    return [
        ListedDocument(doc, score, seq if seq >= 0 else None)
        for doc, score, seq in zip(docs, scores, seqs, strict=True)
    ]


# How much of it is of what

_WITHOUT: Mapping[str, dict[str, None]] = {
    "kind": {"kinds": None},
    "channel": {"channel": None},
    "person": {"person": None},
    "writer": {"writer": None},
    "month": {"since": None, "until": None},
}


def _counted(both: tuple[Shelf, Shelf], inside: Sequence[Mask], sort: str) -> Counter[str]:
    found: Counter[str] = Counter()
    for shelf, mask in zip(both, inside, strict=True):
        found.update(_months(shelf, mask) if sort == "month" else _values(shelf, mask, sort))
    return found


def _values(shelf: Shelf, mask: Mask, column: str) -> dict[str, int]:
    counts = np.bincount(shelf.columns[column][mask])
    there = np.flatnonzero(counts)
    spelt = ((shelf.spelt(column, code), int(counts[code])) for code in there.tolist())
    return {value: count for value, count in spelt if value is not None}


def _months(shelf: Shelf, mask: Mask) -> dict[str, int]:
    months = shelf.columns["at"][mask].view("datetime64[us]").astype("datetime64[M]")
    values, counts = np.unique(months.astype(np.int32), return_counts=True)
    return {
        str(value): int(count) for value, count in zip(values.astype("datetime64[M]"), counts.tolist(), strict=True)
    }
