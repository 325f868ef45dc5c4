"""Ranking: memories and messages are scored and put into one list in which no source takes too many places."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import islice, repeat
from operator import itemgetter
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from erstwhile.base.records import dataclass
from erstwhile.index.arrays import WordList
from erstwhile.index.documents import Scope
from erstwhile.index.links import MessagesOfChannel
from erstwhile.index.segment import Segment
from erstwhile.index.selection import select
from erstwhile.index.space_index import SpaceIndex
from erstwhile.memories import registry
from erstwhile.memories.registry import REPEATING
from erstwhile.search.evidence import DocumentScorer, PartTable, RankingQuery, ScoredDocuments
from erstwhile.search.question import Question
from erstwhile.search.trace import MOST

_SAME = 2  # hits that one source may have before others have had their turn
_BEHIND = 20  # more than are wanted, to replace those that are set back
_LENDING = 20  # memories that lend a score to their messages
_LENT = 0.5  # the share of its score that a memory lends: less than the message's own words
_WIDEST = 9  # from the first of its messages to the last; a memory made of more than a chunk lends nothing
_ALL = 2**31  # documents


@dataclass(frozen=True, slots=True)
class RankingOptions:
    """`beyond` are other channels that are searched too, and `why`. Documents by or about people in `blocked` are left out."""

    limit: int
    beyond: frozenset[str] = frozenset()
    why: str = ""
    blocked: frozenset[str] = frozenset()
    vector: NDArray[np.float32] | None = None
    weight: float = 1.0  # of nearness by vectors
    beside: bool = True
    fill: bool = False  # find as many as are wanted, if there are any that are at all near


class RankedDocument(NamedTuple):
    doc: int
    score: float
    seq: int | None
    relevance: float
    made_of: PartTable
    row: int  # in that
    set_back: bool  # its source had its places already

    @property
    def parts(self) -> dict[str, float]:
        """What the score is made of."""
        return self.made_of.of(self.row)


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

    def merged(self, other: Ranking) -> Ranking:
        """Return the best of both, each document with its better score and its better chance. Scores
        are deviations from what else was looked at, so those of two questions can be compared."""
        best = {each.doc: each for each in self.entries}
        for each in other.entries:
            there = best.get(each.doc, each)
            likely = max(each.relevance, there.relevance)
            best[each.doc] = max(each, there, key=_score)._replace(relevance=likely)
        entries = sorted(best.values(), key=lambda each: (each.set_back, -each.score))
        return replace(self, entries=entries[: max(len(self.entries), len(other.entries))])


def _score(entry: RankedDocument) -> float:
    return entry.score


def rank(index: SpaceIndex, question: Question, scope: Scope, options: RankingOptions) -> Ranking:
    if scope.channel is not None and options.beyond:
        name, channels = "person", sorted({*options.beyond, scope.channel})
    else:
        wide = "person" if scope.person is not None else "space"
        name, channels = (wide, []) if scope.channel is None else ("channel", [scope.channel])
    query = _asked(index, question, options)
    scorer = DocumentScorer(query)
    chosen = select(index.memories, scope, channels, options.blocked)
    memories = scorer.score(index.memories, chosen, {}, _ALL)
    most, ranked, messages = max(options.limit, MOST), list[_Candidate](), None
    if scope.kinds != ("message",):
        wanted = _of_kinds(index, memories, scope.kinds, most + _BEHIND)
        ranked = _best(index.memories, memories, wanted)
    if scope.kinds is None or "message" in scope.kinds:
        chosen = select(index.messages, scope, channels, options.blocked)
        lent = _source_scores(index, memories)
        messages = scorer.score(index.messages, chosen, lent, most + _BEHIND)
        best = _best(index.messages, messages, slice(most + _BEHIND))
        ranked = sorted([*ranked, *best], key=itemgetter(0), reverse=True) if ranked else best
    summaries = {index.memories.code("kind", kind) for kind in registry.grouped("summary")}
    return Ranking(
        entries=_limit_per_source(ranked, most),
        words=memories.words if messages is None else messages.words,
        meaning=memories.meaning if messages is None else messages.meaning,
        guessed=len(query.words.variants),
        summaries=sum(kind in summaries for kind in memories.kinds[: options.limit].tolist()),
        scope=name,
        widened=options.why,
    )


def _asked(index: SpaceIndex, question: Question, options: RankingOptions) -> RankingQuery:
    """Add similarly spelt words for those that no document has."""
    words = WordList(question.terms)
    unknown = words.unknown((index.messages, index.memories))
    variants = {term: like for term in unknown if (like := index.messages.like(term))}
    return RankingQuery(
        words=WordList(question.terms, variants) if variants else words,
        names=question.names,
        people=question.people,
        replied=question.replied,
        vector=options.vector,
        weight=options.weight,
        spans=question.spans,
        asks_when=question.asks_when,
        beside=options.beside,
        limit=options.limit,
        fill=options.fill,
    )


def _of_kinds(
    index: SpaceIndex, memories: ScoredDocuments, kinds: Sequence[str] | None, most: int
) -> slice | list[int]:
    """Return the rows of the first memories of some kinds."""
    if kinds is None:
        return slice(most)
    codes = {index.memories.code("kind", kind) for kind in kinds}
    rows = enumerate(memories.kinds.tolist())
    return list(islice((row for row, kind in rows if kind in codes), most))


def _source_scores(index: SpaceIndex, memories: ScoredDocuments) -> dict[int, float]:
    """Return the scores that memories lend to the messages they were made of: the fewer messages, the more for each.
    Memories of people repeat what facts say: they lend too, but take no fact's place."""
    found: dict[int, float] = {}
    segment, messages = index.memories, index.messages
    lending, repeating = 0, {segment.code("kind", kind) for kind in registry.grouped(*REPEATING)}
    scores = memories.scores[: np.count_nonzero(memories.scores > 0)].tolist()  # the best are first
    _, _, firsts, lasts, codes, kinds, *_ = memories.columns(slice(len(scores)))
    channels, lines = segment.names("channel"), dict[int, MessagesOfChannel]()
    for score, kind, first, last, channel in zip(scores, kinds, firsts, lasts, codes, strict=True):
        lending += kind not in repeating
        if lending > _LENDING:
            break
        if first < 0 or last - first > _WIDEST:
            continue
        share = _LENT * min(score, 3.0) / (last - first + 1)
        line = lines.get(channel)
        if line is None:
            line = lines[channel] = messages.said_in(channels[channel])
        for said in line.between(first, last):
            if share > found.get(said, 0.0):
                found[said] = share
    return found


# Score, document, first message, relevance, parts and the row in them; where it comes from; and the
# words of its text, because copies of a text count as one source.
_Candidate = tuple[float, int, int, float, PartTable, int, object, int]


def _best(segment: Segment, scored: ScoredDocuments, chosen: slice | list[int]) -> list[_Candidate]:
    """Return the chosen ones with what the list needs of each."""
    named, scores = segment.names("channel"), scored.scores[chosen].tolist()
    _, docs, seqs, untils, channels, _, words, _ = scored.columns(chosen)
    table = scored.table(chosen)
    origins = [
        (named[channel], seq) if seq == until >= 0 else doc
        for doc, seq, until, channel in zip(docs, seqs, untils, channels, strict=True)
    ]
    rows = range(len(docs))
    return list(zip(scores, docs, seqs, table.last, repeat(table), rows, origins, words))


def _limit_per_source(ranked: Sequence[_Candidate], limit: int) -> list[RankedDocument]:
    """Give documents of one source, or copies of one text, two places; further ones go to the end."""
    turns: dict[object, int] = {}
    texts: dict[int, int] = {}
    first: list[RankedDocument] = []
    later: list[RankedDocument] = []
    for score, doc, seq, relevance, made_of, row, origin, words in ranked:
        turns[origin] = from_source = turns.get(origin, 0) + 1
        texts[words] = copies = texts.get(words, 0) + 1
        set_back = from_source > _SAME or copies > _SAME
        said = seq if seq >= 0 else None
        entry = RankedDocument(doc, score, said, relevance, made_of, row, set_back)
        (later if set_back else first).append(entry)
        if len(first) >= limit:
            break
    return first + later[: limit - len(first)]
