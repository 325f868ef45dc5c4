"""Ranking: memories and messages weighed, put into one list, and that list kept from being jammed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from erstwhile.index.documents import Scope
from erstwhile.index.shelf import Shelf
from erstwhile.index.shelves import Shelves
from erstwhile.search.evidence import RankingQuery, Weighed, weigh
from erstwhile.search.model import OF_PEOPLE
from erstwhile.search.question import Question
from erstwhile.search.trace import MOST

_SAME = 2  # hits that one source may have before others have had their turn
_BEHIND = 20  # more than are wanted, to take the place of those that have to wait
_LEADING = 20  # memories that lead to their messages
_LEADS = 0.5  # what a memory that was found says for its message: less than the message's own words
_WIDEST = 9  # from the first of its messages to the last; what was made of more than a chunk points at none of them
_SUMMARIES = ("chunk", "meta", "brief")


@dataclass(frozen=True, slots=True)
class Looking:
    """`beyond` are other channels that are looked into as well, and `why`. What is of or about the people in `silent` is not found."""

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
    set_back: bool  # its source had its turn already

    @property
    def parts(self) -> dict[str, float]:
        """What the score is made of."""
        return dict(zip(*self.made_of, strict=True))


@dataclass(frozen=True, slots=True)
class Ranked:
    """`entries`: the best, more than are wanted, so that one can see what came close."""

    entries: Sequence[RankedDocument]
    words: int
    meaning: int
    guessed: int
    summaries: int
    scope: str
    widened: str


def rank(shelves: Shelves, asked: Question, scope: Scope, looking: Looking) -> Ranked:
    if scope.channel is not None and looking.beyond:
        name, channels = "person", sorted({*looking.beyond, scope.channel})
    else:
        name = "channel" if scope.channel is not None else "person" if scope.person is not None else "space"
        channels = [] if scope.channel is None else [scope.channel]
    question = _asked(shelves, asked, looking)
    every = _mask(shelves.memories, replace(scope, kinds=None), channels, looking.silent)
    memories = weigh(shelves.memories, question, every, {})
    most = max(looking.limit, MOST)
    mask = _mask(shelves.memories, scope, channels, looking.silent)
    ranked, messages = _found(shelves.memories, memories, mask, most), None
    if scope.kinds is None or "message" in scope.kinds:
        mask = _mask(shelves.messages, scope, channels, looking.silent)
        messages = weigh(shelves.messages, question, mask, _leads(shelves, memories))
        ranked = sorted([*ranked, *_found(shelves.messages, messages, mask, most)], key=lambda each: -each.score)
    return Ranked(
        entries=_taking_turns(ranked, most),
        words=memories.words if messages is None else messages.words,
        meaning=memories.meaning if messages is None else messages.meaning,
        guessed=len(question.variants),
        summaries=sum(
            shelves.memories.spelt("kind", int(code)) in _SUMMARIES
            for code in shelves.memories.columns["kind"][memories.places[: looking.limit]]
        ),
        scope=name,
        widened=looking.why,
    )


def _mask(shelf: Shelf, scope: Scope, channels: Sequence[str], silent: frozenset[str]) -> NDArray[Any]:
    wanted: dict[str, Sequence[str | None]] = {}
    if channels:
        wanted["channel"] = channels
    if scope.person is not None:
        wanted["person"] = (scope.person,)
    if scope.kinds is not None and not shelf.talk:
        wanted["kind"] = scope.kinds
    if scope.writer is not None:
        wanted["writer"] = (scope.writer,)
    mask = shelf.mask(wanted, scope.since, scope.until)
    if silent:
        mask &= ~np.isin(shelf.columns["person"], [shelf.code("person", person) for person in silent])
    return mask


def _asked(shelves: Shelves, asked: Question, looking: Looking) -> RankingQuery:
    """For a word that nobody used, those spelt like it."""
    unknown = [
        term for term in asked.terms if not any(shelf.knows(term) for shelf in (shelves.messages, shelves.memories))
    ]
    return RankingQuery(
        terms=dict.fromkeys(asked.terms, 1.0),
        names=asked.names,
        people=asked.people,
        vector=looking.vector,
        spans=asked.spans,
        beside=looking.beside,
        limit=looking.limit,
        variants={term: like for term in unknown if (like := shelves.messages.like(term))},
    )


def _leads(shelves: Shelves, memories: Weighed) -> dict[int, float]:
    """A memory that was found leads to the messages it was made of: the fewer they are, the more it says for each. Memories of people
    repeat what facts say: they lead too, but take no fact's place."""
    found: dict[int, float] = {}
    columns = shelves.memories.columns
    repeating = [shelves.memories.code("kind", kind) for kind in OF_PEOPLE]
    leading = 0
    for place, score in zip(memories.places.tolist(), memories.scores.tolist(), strict=True):
        leading += int(columns["kind"][place]) not in repeating
        if score <= 0 or leading > _LEADING:
            break
        first, last = int(columns["seq"][place]), int(columns["until"][place])
        if first < 0 or last - first > _WIDEST:
            continue
        channel = shelves.memories.spelt("channel", int(columns["channel"][place]))
        for said in shelves.messages.said(channel, first, last):
            found[said] = max(found.get(said, 0.0), _LEADS * min(score, 3.0) / (last - first + 1))
    return found


@dataclass(frozen=True, slots=True)
class _Found:
    """`sources`: where it comes from, and its words, as copies of a text are one source too."""

    entry: RankedDocument
    sources: tuple[object, object]

    @property
    def score(self) -> float:
        return self.entry.score


def _found(shelf: Shelf, weighed: Weighed, mask: NDArray[Any], most: int) -> list[_Found]:
    """The best, with enough behind them to take the place of those that have to wait."""
    chosen = np.flatnonzero(mask[weighed.places])[: most + _BEHIND]
    places, columns = weighed.places[chosen], shelf.columns
    docs, seqs, untils = (columns[name][places].tolist() for name in ("doc", "seq", "until"))
    channels, words = columns["channel"][places].tolist(), columns["words"][places].tolist()
    names = list(weighed.parts)
    parts = np.round([weighed.parts[name][chosen] for name in names], 3).T.tolist() if names else [[]] * len(docs)
    found = []
    for index, score in enumerate(weighed.scores[chosen].tolist()):
        doc, seq, until = docs[index], seqs[index], untils[index]
        origin = (shelf.spelt("channel", channels[index]), seq) if seq == until >= 0 else doc
        entry = RankedDocument(doc, score, seq if seq >= 0 else None, (names, parts[index]), set_back=False)
        found.append(_Found(entry, (origin, ("words", words[index]))))
    return found


def _taking_turns(ranked: Sequence[_Found], limit: int) -> list[RankedDocument]:
    """What comes from one source, or is a copy of one text, has two places before it goes behind everyone else."""
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
