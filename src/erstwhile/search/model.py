from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from datetime import datetime
from itertools import count
from typing import TYPE_CHECKING, Any

from erstwhile.base.page import Page
from erstwhile.base.records import dataclass
from erstwhile.index.documents import Scope
from erstwhile.memories.model import StoredMemory
from erstwhile.search.candidates import CandidateColumns, by_column, one_by_one, parts_of
from erstwhile.search.question import Question
from erstwhile.search.trace import BELOW, FLOOR, GONE, KEPT, MOST, SAME, Candidate, Trace, hop_of
from erstwhile.storage import Row

if TYPE_CHECKING:
    from erstwhile.configuration.visibility import Visibility
    from erstwhile.search.rank import RankedDocument, Ranking


@dataclass(frozen=True, slots=True)
class Hit:
    """`sources` are its direct sources: the messages of a fact or chunk, the summaries of a meta, the notes of a topic or
    profile fact. A message is its own source. The channel "" stands for the whole space. `trust` is its tier. `title`: what its
    channel is called, "" if it has no title."""

    id: str
    kind: str
    text: str
    channel: str
    person: str | None
    seq: int | None
    at: datetime
    score: float
    sources: tuple[str, ...]
    trust: str = "unknown"
    title: str = ""


@dataclass(frozen=True, slots=True)
class Facet:
    """A value, and how many results have it."""

    value: str
    count: int


@dataclass(frozen=True, slots=True)
class BrowseCounts:
    """`words` are those that were searched, as the index has them, `names` the names of the people. The others are
    facets, the most frequent first (`months` the latest first): each counts what would be found without a filter on it."""

    words: tuple[str, ...] = ()
    names: Mapping[str, str] = field(default_factory=dict)
    kinds: tuple[Facet, ...] = ()
    channels: tuple[Facet, ...] = ()
    people: tuple[Facet, ...] = ()
    writers: tuple[Facet, ...] = ()
    months: tuple[Facet, ...] = ()


NO_COUNTS = BrowseCounts()


class BrowsePage(Page[Hit]):
    """A page of messages and memories, with the counts of all pages."""

    counts: BrowseCounts

    def __init__(
        self,
        items: Iterable[Hit] = (),
        next: str | None = None,
        total: int | None = 0,
        counts: BrowseCounts = NO_COUNTS,
    ) -> None:
        super().__init__(items, next, total)
        self.counts = counts


Make = Callable[[Mapping[int, Row]], CandidateColumns]


class CandidateList(Sequence[Candidate]):
    """Candidates, best first. `ids` are those of which the search has read the documents; the
    `unread` ones, by number, are read by the recorder. `make` works out the rest of each when
    someone looks at it: as a rule the recorder, after the answer was given."""

    def __init__(self, ids: Sequence[str], make: Make, unread: Sequence[int] = ()) -> None:
        self.ids, self.unread, self.columns = ids, unread, make

    def __getitem__(self, index: Any) -> Any:
        return self.made({})[index]

    def __len__(self) -> int:
        return len(self.columns({})["id"])

    def __iter__(self) -> Iterator[Candidate]:
        return iter(self.made({}))

    def made(self, rows: Mapping[int, Row]) -> Sequence[Candidate]:
        """Return the candidates, given the documents that were unread."""
        return one_by_one(self.columns(rows))

    def with_fates(self, fate: Callable[[str, str, int], str]) -> CandidateList:
        """Return the same with the fate of each, given its id, its fate so far and its place."""

        def make(rows: Mapping[int, Row]) -> CandidateColumns:
            columns = self.columns(rows)
            places = range(len(columns["id"]))
            return {**columns, "fate": list(map(fate, columns["id"], columns["fate"], places))}

        return CandidateList(self.ids, make, self.unread)


NO_CANDIDATES = CandidateList((), lambda _: by_column(()))


@dataclass(frozen=True, slots=True)
class TracedHits:
    """The result of a search and its trace; `said` are the rows of the messages in it, `stored`
    the memories. People in `blocked` are blocked. `relevance`: how likely each, by its id, bears
    on the question. `by_meaning`: vectors were compared."""

    hits: list[Hit]
    trace: Trace
    said: Mapping[str, Row]
    stored: Mapping[str, StoredMemory]
    blocked: frozenset[str]
    relevance: Mapping[str, float] = field(default_factory=dict)
    by_meaning: bool = False

    @property
    def best(self) -> float:
        """How likely it is at most that something found bears on the question."""
        return max((self.relevance.get(hit.id, 0.0) for hit in self.hits), default=0.0)

    def above(self, floor: float) -> TracedHits:
        """Leave out what is less likely than the floor. Notes of the space, which have no estimate, come only beside
        others."""
        hits = [hit for hit in self.hits if self.relevance.get(hit.id, 1.0) >= floor]
        if len(hits) == len(self.hits):
            return self
        hits = hits if any(hit.id in self.relevance for hit in hits) else []
        low = {id for id, estimate in self.relevance.items() if estimate < floor}
        seen = self.trace.candidates
        seen = seen.with_fates(lambda id, fate, _: FLOOR if id in low else fate)
        return replace(self, hits=hits, trace=replace(self.trace, candidates=seen))


@dataclass(frozen=True, slots=True)
class Source:
    """Where a memory comes from, down to the messages. `seq` and `speaker` are a message's; `expired` is the number of a
    memory's messages that are no longer stored; `trust` its tier; `title` that of its channel."""

    id: str
    kind: str
    text: str
    channel: str
    at: datetime
    writer: str | None
    seq: int | None
    speaker: str | None
    sources: tuple[Source, ...]
    expired: int = 0
    trust: str = "unknown"
    title: str = ""


@dataclass(slots=True)
class HitContents:
    """The rows of messages and the memories that were read for hits. `sources`: hits name theirs."""

    said: dict[str, Row] = field(default_factory=dict)
    stored: dict[str, StoredMemory] = field(default_factory=dict)
    sources: bool = True


@dataclass(frozen=True, slots=True)
class SearchQuery:
    """What to search. `asker`: who asks. `widen`: "auto" searches beyond the channel if needed, "person" always, "" never.
    `beside`: also find the neighbours of matching messages, as an answer is beside its question; None: if it is a
    question. `here`: the channel where results are shown; what is not visible there is not found. `notes`: number of
    further notes, of the whole space, visible in `here`. `within`: only these channels, whoever can see them. `sources`:
    whether hits name their sources."""

    query: str
    scope: Scope
    limit: int
    asker: str | None = None
    widen: str = ""
    beside: bool | None = None
    here: str | None = None
    notes: int = 0
    within: Sequence[str] | None = None
    sources: bool = True


@dataclass(frozen=True, slots=True)
class PreparedQuestion:
    """A question. People in `blocked` are blocked. `weight`: of nearness by vectors. `alone`: only
    the questions of a message that says more. `visibility`: the rules, in the transaction that reads."""

    asked: Question
    blocked: frozenset[str]
    wanted: SearchQuery
    started: float
    weight: float
    visibility: Visibility
    alone: Question | None = None

    @property
    def forms(self) -> list[Question]:
        return [self.asked] if self.alone is None else [self.asked, self.alone]


@dataclass(frozen=True, slots=True)
class SearchOutcome:
    """`read`: so many of the ranked documents were looked up; `rows` are those of them that may
    be shown."""

    prepared: PreparedQuestion
    ranked: Ranking
    read: int
    rows: Mapping[int, Row]
    hits: list[Hit]
    found: HitContents

    @property
    def traced(self) -> TracedHits:
        prepared, found = self.prepared, self.found
        milliseconds = (time.perf_counter() - prepared.started) * 1000
        trace = self._trace(prepared.wanted, milliseconds)
        rows = self.rows
        relevance = {
            rows[each.doc]["id"]: each.relevance for each in self.ranked.entries if each.doc in rows
        }
        by_meaning = any(
            "meaning" in names
            for names in {each.made_of.names for each in self._seen if each.doc in rows}
        )
        return TracedHits(
            self.hits, trace, found.said, found.stored, prepared.blocked, relevance, by_meaning
        )

    def _trace(self, query: SearchQuery, milliseconds: float) -> Trace:
        ranked = self.ranked
        hits = {
            "summaries": ranked.summaries,
            "words": ranked.words,
            "trigram": ranked.guessed,
            "meaning": ranked.meaning,
            "recent": 0,
        }
        paths = [path for path in ("words", "trigram", "meaning", "summaries") if hits[path]]
        carried = paths[0] if paths and self.hits else "none"
        if ranked.guessed and not ranked.words:
            carried = "trigram"
        return Trace(
            query=query.query,
            hits=hits,
            path=carried,
            fallback=carried in ("trigram", "none"),
            scope=ranked.scope,
            widened=ranked.widened,
            when=self.prepared.asked.when,
            candidates=CandidateList(
                [self.rows[each.doc]["id"] for each in self._seen if each.doc in self.rows],
                self._candidates,
                [each.doc for each in self._seen[self.read :]],
            ),
            milliseconds=round(milliseconds, 3),
        )

    @property
    def _seen(self) -> Sequence[RankedDocument]:
        return self.ranked.entries[:MOST]

    def _candidates(self, unread: Mapping[int, Row]) -> CandidateColumns:
        found, limit = {hit.id for hit in self.hits}, self.prepared.wanted.limit
        rows = [self.rows.get(entry.doc) or unread.get(entry.doc) for entry in self._seen]
        there = [
            (place, entry, row)
            for place, entry, row in zip(count(), self._seen, rows, strict=False)
            if row is not None
        ]
        ids, kinds, channels, ats = (
            [row[name] for _, _, row in there] for name in ("id", "kind", "channel", "at")
        )
        fates = [
            SAME if entry.set_back else BELOW if place >= limit else GONE
            for place, entry, _ in there
        ]
        return {
            "id": ids,
            "kind": kinds,
            "channel": channels,
            "seq": [entry.seq for _, entry, _ in there],
            "at": ats,
            "score": [round(entry.score, 6) for _, entry, _ in there],
            "fate": [KEPT if id in found else fate for id, fate in zip(ids, fates, strict=True)],
            "hop": [hop_of(entry.made_of.hop(entry.row)) for _, entry, _ in there],
            "parts": parts_of([(entry.made_of, entry.row) for _, entry, _ in there]),
        }


@dataclass(frozen=True, slots=True)
class UnfinishedSearch:
    """A search that is to be continued outside of its transaction: with the vector of the question, if something was
    `found` already, or else with an index that must be filled first."""

    found: SearchOutcome | None = None
