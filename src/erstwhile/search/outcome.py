"""What a search is asked, and what it comes to."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from erstwhile.index.documents import Scope
from erstwhile.search import read
from erstwhile.search.model import Hit, TracedHits
from erstwhile.search.question import Question
from erstwhile.search.trace import BELOW, GONE, KEPT, MOST, SAME, Candidate, Trace
from erstwhile.storage import Row

if TYPE_CHECKING:
    from erstwhile.search.rank import Ranking


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
    """A question. People in `silent` are blocked."""

    asked: Question
    silent: frozenset[str]
    wanted: SearchQuery
    started: float


@dataclass(frozen=True, slots=True)
class Outcome:
    prepared: PreparedQuestion
    ranked: Ranking
    rows: Mapping[int, Row]
    hits: list[Hit]
    found: read.Found

    @property
    def traced(self) -> TracedHits:
        prepared, found = self.prepared, self.found
        milliseconds = (time.perf_counter() - prepared.started) * 1000
        trace = self._trace(prepared.wanted, milliseconds)
        return TracedHits(self.hits, trace, found.said, found.stored, prepared.silent)

    def _trace(self, wanted: SearchQuery, milliseconds: float) -> Trace:
        ranked = self.ranked
        hits = {
            "summaries": ranked.summaries,
            "words": ranked.words,
            "trigram": ranked.guessed,
            "meaning": ranked.meaning,
            "recent": 0,
        }
        carried = (
            "trigram"
            if ranked.guessed and not ranked.words
            else next(
                (path for path in ("words", "trigram", "meaning", "summaries") if hits[path] and self.hits), "none"
            )
        )
        return Trace(
            query=wanted.query,
            hits=hits,
            path=carried,
            fallback=carried in ("trigram", "none"),
            scope=ranked.scope,
            widened=ranked.widened,
            when=self.prepared.asked.when,
            candidates=tuple(self._candidates(wanted.limit)),
            milliseconds=round(milliseconds, 3),
        )

    def _candidates(self, limit: int) -> Iterator[Candidate]:
        there = {hit.id for hit in self.hits}
        for number, entry in enumerate(self.ranked.entries[:MOST]):
            row = self.rows.get(entry.doc)
            if row is None:
                continue
            fate = KEPT if row["id"] in there else SAME if entry.set_back else BELOW if number >= limit else GONE
            yield Candidate(
                row["id"], row["kind"], row["channel"], entry.seq, row["at"], round(entry.score, 6), entry.parts, fate
            )


@dataclass(frozen=True, slots=True)
class Unfinished:
    """A search that is to be continued outside of its transaction: with the vector of the question, if something was
    `found` already, or else with an index that must be filled first."""

    found: Outcome | None = None
