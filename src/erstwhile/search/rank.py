"""Ranking: memories and messages are scored and put into one list in which no source takes too many places."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from erstwhile.base.records import dataclass
from erstwhile.index.documents import Scope
from erstwhile.index.segment import Segment
from erstwhile.index.space_index import SpaceIndex
from erstwhile.search.evidence import RankingQuery, ScoredDocuments, score_documents
from erstwhile.search.model import OF_PEOPLE
from erstwhile.search.question import Question
from erstwhile.search.trace import MOST

_SAME = 2  # hits that one source may have before others have had their turn
_BEHIND = 20  # more than are wanted, to replace those that are set back
_LENDING = 20  # memories that lend a score to their messages
_LENT = 0.5  # the share of its score that a memory lends: less than the message's own words
_WIDEST = 9  # from the first of its messages to the last; a memory made of more than a chunk lends nothing
_SUMMARIES = ("chunk", "meta", "brief")


@dataclass(frozen=True, slots=True)
class RankingOptions:
    """`beyond` are other channels that are searched too, and `why`. Documents by or about people in `silent` are left out."""

    limit: int
    beyond: frozenset[str] = frozenset()
    why: str = ""
    silent: frozenset[str] = frozenset()
    vector: NDArray[np.float32] | None = None
    beside: bool = True


@dataclass(frozen=True, slots=True)
class RankedDocument:
    doc: int
    score: float
    seq: int | None
    made_of: tuple[Sequence[str], Sequence[float]]
    set_back: bool  # its source had its places already

    @property
    def parts(self) -> dict[str, float]:
        """What the score is made of."""
        return dict(zip(*self.made_of, strict=True))


@dataclass(frozen=True, slots=True)
class Ranking:
    """`entries`: the best, more than are wanted, to show what came close."""

    entries: Sequence[RankedDocument]
    words: int
    meaning: int
    guessed: int
    summaries: int
    scope: str
    widened: str


def rank(index: SpaceIndex, asked: Question, scope: Scope, options: RankingOptions) -> Ranking:
    if scope.channel is not None and options.beyond:
        name, channels = "person", sorted({*options.beyond, scope.channel})
    else:
        name = "channel" if scope.channel is not None else "person" if scope.person is not None else "space"
        channels = [] if scope.channel is None else [scope.channel]
    question = _asked(index, asked, options)
    every = _mask(index.memories, replace(scope, kinds=None), channels, options.silent)
    memories = score_documents(index.memories, question, every, {})
    most = max(options.limit, MOST)
    mask = _mask(index.memories, scope, channels, options.silent)
    ranked, messages = _best(index.memories, memories, mask, most), None
    if scope.kinds is None or "message" in scope.kinds:
        mask = _mask(index.messages, scope, channels, options.silent)
        messages = score_documents(index.messages, question, mask, _source_scores(index, memories))
        ranked = sorted([*ranked, *_best(index.messages, messages, mask, most)], key=lambda each: -each.score)
    return Ranking(
        entries=_limit_per_source(ranked, most),
        words=memories.words if messages is None else messages.words,
        meaning=memories.meaning if messages is None else messages.meaning,
        guessed=len(question.variants),
        summaries=sum(
            index.memories.spelt("kind", int(code)) in _SUMMARIES
            for code in index.memories.columns["kind"][memories.places[: options.limit]]
        ),
        scope=name,
        widened=options.why,
    )


def _mask(segment: Segment, scope: Scope, channels: Sequence[str], silent: frozenset[str]) -> NDArray[Any]:
    wanted: dict[str, Sequence[str | None]] = {}
    if channels:
        wanted["channel"] = channels
    if scope.person is not None:
        wanted["person"] = (scope.person,)
    if scope.kinds is not None and not segment.talk:
        wanted["kind"] = scope.kinds
    if scope.writer is not None:
        wanted["writer"] = (scope.writer,)
    mask = segment.mask(wanted, scope.since, scope.until)
    if silent:
        mask &= ~np.isin(segment.columns["person"], [segment.code("person", person) for person in silent])
    return mask


def _asked(index: SpaceIndex, asked: Question, options: RankingOptions) -> RankingQuery:
    """Add similarly spelt words for words that no document has."""
    unknown = [
        term for term in asked.terms if not any(segment.knows(term) for segment in (index.messages, index.memories))
    ]
    return RankingQuery(
        terms=dict.fromkeys(asked.terms, 1.0),
        names=asked.names,
        people=asked.people,
        vector=options.vector,
        spans=asked.spans,
        beside=options.beside,
        limit=options.limit,
        variants={term: like for term in unknown if (like := index.messages.like(term))},
    )


def _source_scores(index: SpaceIndex, memories: ScoredDocuments) -> dict[int, float]:
    """Return the scores that memories lend to the messages they were made of: the fewer messages, the more for each.
    Memories of people repeat what facts say: they lend too, but take no fact's place."""
    found: dict[int, float] = {}
    columns = index.memories.columns
    repeating = [index.memories.code("kind", kind) for kind in OF_PEOPLE]
    lending = 0
    for place, score in zip(memories.places.tolist(), memories.scores.tolist(), strict=True):
        lending += int(columns["kind"][place]) not in repeating
        if score <= 0 or lending > _LENDING:
            break
        first, last = int(columns["seq"][place]), int(columns["until"][place])
        if first < 0 or last - first > _WIDEST:
            continue
        channel = index.memories.spelt("channel", int(columns["channel"][place]))
        for said in index.messages.said(channel, first, last):
            found[said] = max(found.get(said, 0.0), _LENT * min(score, 3.0) / (last - first + 1))
    return found


@dataclass(frozen=True, slots=True)
class _RankedSource:
    """`sources`: where it comes from, and its words, because copies of a text count as one source."""

    entry: RankedDocument
    sources: tuple[object, object]

    @property
    def score(self) -> float:
        return self.entry.score


def _best(segment: Segment, weighed: ScoredDocuments, mask: NDArray[Any], most: int) -> list[_RankedSource]:
    """Return the best, and enough others to replace those that are set back."""
    chosen = np.flatnonzero(mask[weighed.places])[: most + _BEHIND]
    places, columns = weighed.places[chosen], segment.columns
    docs, seqs, untils = (columns[name][places].tolist() for name in ("doc", "seq", "until"))
    channels, words = columns["channel"][places].tolist(), columns["words"][places].tolist()
    names = list(weighed.parts)
    parts = np.round([weighed.parts[name][chosen] for name in names], 3).T.tolist() if names else [[]] * len(docs)
    found = []
    for index, score in enumerate(weighed.scores[chosen].tolist()):
        doc, seq, until = docs[index], seqs[index], untils[index]
        origin = (segment.spelt("channel", channels[index]), seq) if seq == until >= 0 else doc
        entry = RankedDocument(doc, score, seq if seq >= 0 else None, (names, parts[index]), set_back=False)
        found.append(_RankedSource(entry, (origin, ("words", words[index]))))
    return found


def _limit_per_source(ranked: Sequence[_RankedSource], limit: int) -> list[RankedDocument]:
    """Give documents of one source, or copies of one text, two places; further ones go to the end."""
    turns: Counter[object] = Counter()
    first: list[RankedDocument] = []
    later: list[RankedDocument] = []
    for each in ranked:
        turns.update(each.sources)
        if all(turns[source] <= _SAME for source in each.sources):
            first.append(each.entry)
        else:
            later.append(each.entry)
        if len(first) >= limit:
            break
    return first + [replace(entry, set_back=True) for entry in later[: limit - len(first)]]
