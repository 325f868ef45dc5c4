"""Score documents, in C: hand a question and a segment over, and read what comes back.

Each kind of evidence is standardised (how many standard deviations above the other candidates) and summed. The weights
are in `compiled/evidence.c` and `second_look.c`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from ctypes import byref, c_double, c_int32, c_int64, c_uint32, memmove
from functools import cache

import numpy as np
from numpy.typing import NDArray

from erstwhile import compiled
from erstwhile.base.records import dataclass
from erstwhile.compiled import BEFORE_PARTS, COUNTED, NAMED, PARTS, TELLS, WHOLE_NUMBERS
from erstwhile.index.arrays import WordList, address
from erstwhile.index.markers import name_key
from erstwhile.index.segment import Segment
from erstwhile.search.trace import RELEVANCE

Scores = NDArray[np.float64]
Numbers = NDArray[np.int64]

_ROWS = BEFORE_PARTS + len(PARTS)
_IF_PRESENT = ("meaning", "speaker", "date")  # other parts are 0 where nothing is known
_OF_TALK = ("event", "answer", "linked")
_CONSTANT, _COVERAGE, _COSINE = -6.55, 3.6, 7.0
_PLAIN = -5.3, 5.0  # constant and coverage, where there are no vectors


@dataclass(frozen=True, slots=True)
class RankingQuery:
    """A question as ranking needs it. Those of the words in `names` name people and are searched in the message itself
    only. `spans`: times that the question mentions."""

    words: WordList
    names: frozenset[str] = frozenset()
    people: tuple[str | None, ...] = ()
    replied: bool = False  # an assistant said it
    vector: NDArray[np.float32] | None = None
    weight: float = 1.0  # of nearness by that
    spans: Sequence[tuple[int | None, int | None]] = ()
    asks_when: bool = False
    beside: bool = True  # also what only stands beside the words is found
    limit: int = 0  # how many are wanted
    fill: bool = False  # if fewer match, also those that are near the matching ones, or nearer than most by meaning


class PartTable:
    """The parts of some scores by name, a column a document. The last is how likely the document
    bears on the question."""

    def __init__(
        self, names: tuple[str, ...], parts: Scores, relevance: Scores, hops: Numbers
    ) -> None:
        self.names, self._parts, self._relevance = (*names, RELEVANCE), parts, relevance
        self._hops = hops

    @property
    def last(self) -> list[float]:
        found: list[float] = self._relevance.round(3).tolist()
        return found

    def thousandths(self, rows: Sequence[int]) -> dict[str, list[int]]:
        """Return the parts of some scores by name, rounded."""
        values = np.vstack([self._parts.take(rows, axis=1), self._relevance.take(rows)])
        rounded = np.rint(values * 1000).astype(np.int64)
        return dict(zip(self.names, rounded.tolist(), strict=True))

    def hop(self, row: int) -> int:
        """Return the key of the name that led to it, from what was found first: 0 if there is none,
        or its own words count more."""
        hop = int(self._hops[row])
        if not hop:
            return 0
        linked, words = (self._parts[self.names.index(name), row] for name in ("linked", "words"))
        return hop if linked > words else 0

    def of(self, row: int) -> dict[str, float]:
        """Return the parts of a score by name."""
        return {name: part / 1000 for name, [part] in self.thousandths([row]).items()}


class ScoredDocuments:
    """The best documents, best first; all that match, if so many were asked for. `words`: how many
    hold a word of the question themselves (no name, no guess); `meaning`: how many are near."""

    def __init__(self, values: Scores, found: compiled.FoundStruct, *, talk: bool) -> None:
        self._values, self._present = values, (found.present, talk)
        self._with_vectors = bool(found.has_vectors)
        self._whole: Numbers = values[:WHOLE_NUMBERS].view(np.int64)
        self.scores = values[WHOLE_NUMBERS]
        self.words, self.meaning = int(found.words), int(found.meaning)

    @property
    def places(self) -> Numbers:
        return self._whole[0, :]

    @property
    def kinds(self) -> Numbers:
        return self._whole[5, :]

    def columns(self, rows: slice | Sequence[int]) -> list[list[int]]:
        """Return place, document, first and last message, channel, kind, words and hop of some."""
        found: list[list[int]] = self._whole[:, rows].tolist()
        return found

    def table(self, rows: slice | Sequence[int]) -> PartTable:
        """Return what the scores of some are made of, and how likely each bears on the question."""
        names, lines = _lines(*self._present)
        covered, centred = self._values[WHOLE_NUMBERS + 1 : BEFORE_PARTS, rows]
        relevance = probability(covered, centred if self._with_vectors else None)
        return PartTable(names, self._values[lines][:, rows], relevance, self._whole[7, rows])


@cache
def _lines(present: int, talk: bool) -> tuple[tuple[str, ...], list[int]]:
    """Return the names of the parts that scores have, and the rows they are in."""
    there = [
        (name, BEFORE_PARTS + number)
        for number, name in enumerate(PARTS)
        if (name not in _IF_PRESENT or present >> number & 1) and (name not in _OF_TALK or talk)
    ]
    return tuple(name for name, _ in there), [row for _, row in there]


# How likely it is that a document bears on the question. A score says how a document stands among
# the others of one search; this estimate can be compared between searches. The weights come from
# questions with and without an answer in our own invented talk, in seven languages:
# `python -m bench.floor`, docs/decisions/0017-floor.md.


def probability(covered: Scores, cosine: Scores | None) -> Scores:
    """`covered`: the share of the words that a document has, with its neighbours, by rarity;
    `cosine`: as seen from the middle of all vectors."""
    if cosine is None:
        odds = _PLAIN[0] + _PLAIN[1] * covered
    else:
        odds = _CONSTANT + _COVERAGE * covered + _COSINE * cosine
    return np.asarray(1 / (1 + np.exp(-odds)))


class DocumentScorer:
    """Scores documents for one question."""

    def __init__(self, query: RankingQuery) -> None:
        self._asked, terms = query, query.words.terms
        told = [name_key(term) for term in terms]
        spans = [
            (begin or 0, end or 0, begin is not None, end is not None) for begin, end in query.spans
        ]
        self._question = compiled.QuestionStruct(
            terms=_flags(query),
            spans=compiled.array(compiled.SpanStruct, spans),
            told=(c_uint32 * len(told))(*told),
            term_count=len(terms),
            span_count=len(spans),
            told_count=len(told),
            limit=query.limit,
            weight=query.weight,
            by_speaker=bool(query.people or query.replied),
            anyone=None in query.people,
            replied=query.replied,
            asks_when=query.asks_when,
            beside=query.beside,
            fill=query.fill,
        )

    def score(
        self,
        segment: Segment,
        scope: compiled.ScopeStruct,
        sources: Mapping[int, float],
        shown: int,
    ) -> ScoredDocuments:
        """Return the best `shown` of a segment. `sources`: scores that memories lend to the
        messages they come from, by place."""
        question, described = self._question, segment.arrays.described
        question.lookup, question.scope, question.shown = (
            self._asked.words.lookup(segment),
            scope,
            shown,
        )
        codes = [segment.code("person", person) for person in self._asked.people]
        question.people, question.people_count = (c_int32 * len(codes))(*codes), len(codes)
        question.sources = (c_int64 * len(sources))(*sources)
        question.lent = (c_double * len(sources))(*sources.values())
        question.source_count = len(sources)
        vector = self._asked.vector
        fits = vector is not None and len(vector) == described.vectors.dimensions
        question.vector = address(vector) if fits and vector is not None else None
        found, library = compiled.FoundStruct(), compiled.library()
        compiled.check(library.rank_documents(byref(described), byref(question), byref(found)))
        try:
            values = np.empty((_ROWS, found.shown))
            if found.shown:
                memmove(values.__array_interface__["data"][0], found.values, values.nbytes)
        finally:
            library.free_found(byref(found))
        return ScoredDocuments(values, found, talk=segment.talk)


def _flags(query: RankingQuery) -> bytes:
    """Tell what each term is. A name tells something only if the question has nothing else,
    because everything its bearer said has it; words spelt like a term never do."""
    names, variants = query.names, query.words.variants
    only_names = names.issuperset(query.words.terms)
    found = bytearray()
    for term in query.words.terms:
        counted = only_names or term not in names
        tells = counted and term not in variants
        found.append(NAMED * (term in names) + COUNTED * counted + TELLS * tells)
    return bytes(found)
