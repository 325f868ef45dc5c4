"""Finding: the shelves brought up to date, the question weighed against them, the best read from the database."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from erstwhile.base.clock import Clock
from erstwhile.base.errors import Error, InvalidInput
from erstwhile.base.logs import Log
from erstwhile.embedders.port import Embedder
from erstwhile.index import documents
from erstwhile.index.documents import Scope
from erstwhile.recall import question as questions
from erstwhile.recall import read
from erstwhile.recall.model import KINDS, Found, Hit
from erstwhile.recall.question import Question
from erstwhile.recall.trace import BELOW, GONE, KEPT, MOST, SAME, Candidate, Trace
from erstwhile.storage import Database, Row, Transaction

if TYPE_CHECKING:
    from erstwhile.index.shelves import Library, Shelves
    from erstwhile.recall.rank import Ranked

log = Log(__name__)

FEW = 3  # hits by words; with fewer, an embedder that is a server is asked too
_TIDY = 50  # searches between looks at what all indexes take
_MANY = 2000  # rows of the feed from which filling a shelf is done beside the event loop


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is looked for. `asker`: who asks. `widen`: "auto" looks beyond the channel when it must, "person" always, "" never.
    `beside`: also what only stands beside the words, as an answer does beside its question; None: if it is a question."""

    query: str
    scope: Scope
    limit: int
    asker: str | None = None
    widen: str = ""
    beside: bool | None = None


def checked_kinds(kinds: Sequence[str] | None) -> tuple[str, ...] | None:
    if kinds is None:
        return None
    unknown = [kind for kind in kinds if kind not in KINDS]
    if unknown or not kinds:
        raise InvalidInput(f"Unknown kind {', '.join(unknown)!r}. Kinds are {', '.join(KINDS)}.")
    return tuple(dict.fromkeys(kinds))


class Recall:
    def __init__(self, database: Database, embedder: Embedder | None, clock: Clock, megabytes: int) -> None:
        self._database = database
        self._embedder = embedder
        self._clock = clock
        self._megabytes = megabytes
        self._library: Library | None = None
        self._warm = False
        self._searches = 0

    async def find(self, space: str, wanted: Wanted) -> Found:
        if wanted.limit < 1:
            raise InvalidInput("`limit` must be at least 1.")
        started = time.perf_counter()
        shelves, now, embedder = self._shelves(space), self._clock(), self._embedder
        if embedder is not None and embedder.cheap and not self._warm:
            await embedder.embed(["loaded"])  # a unit must not wait for its table to load
            self._warm = True

        async def unit(tx: Transaction) -> _Outcome:
            await _up_to_date(tx, shelves)
            asked = await questions.understand(tx, wanted.query, now, wanted.asker)
            vector = None
            if embedder is not None and embedder.cheap and self._speaks(shelves, asked):
                vector = (await embedder.embed([asked.plain]))[0]
            return await self._look(tx, shelves, asked, wanted, vector)

        outcome = await self._database.read(space, unit)
        if embedder is not None and not embedder.cheap and (not embedder.served or outcome.ranked.words < FEW):
            outcome = await self._by_meaning(space, shelves, outcome, wanted)
        return Found(outcome.hits, outcome.trace(wanted, (time.perf_counter() - started) * 1000))

    async def _look(self, tx: Transaction, shelves: Shelves, asked: Question, wanted: Wanted, vector: Any) -> _Outcome:
        ranked: Ranked = await _aside(tx, lambda: _rank(shelves, asked, wanted, vector))
        rows = await documents.by_docs(tx, [entry.doc for entry in ranked.entries])
        best = [(rows[each.doc], each.score) for each in ranked.entries[: wanted.limit] if each.doc in rows]
        return _Outcome(asked, ranked, rows, await read.hits(tx, best))

    def _shelves(self, space: str) -> Shelves:
        from erstwhile.index.shelves import Library  # numpy is only loaded by whoever searches

        if self._library is None:
            self._library = Library(self._megabytes)
        self._searches += 1
        if self._searches % _TIDY == 0:
            self._library.tidy()
        return self._library.of(space)

    def _speaks(self, shelves: Shelves, asked: Question) -> bool:
        return (
            self._embedder is not None
            and shelves.embedder == self._embedder.name
            and bool(asked.plain)
            and self._embedder.speaks(asked.plain)
        )

    async def _by_meaning(self, space: str, shelves: Shelves, found: _Outcome, wanted: Wanted) -> _Outcome:
        """Once more with the question's vector, which costs a call. When that fails, what was found by words has to do."""
        if self._embedder is None or not self._speaks(shelves, found.asked):
            return found
        try:
            vector = (await self._embedder.embed([found.asked.plain]))[0]
        except Error as error:
            log.warning("recall.embedder_failed", reason=str(error))
            return found
        return await self._database.read(space, lambda tx: self._look(tx, shelves, found.asked, wanted, vector))


@dataclass(frozen=True, slots=True)
class _Outcome:
    asked: Question
    ranked: Ranked
    rows: Mapping[int, Row]
    hits: list[Hit]

    def trace(self, wanted: Wanted, milliseconds: float) -> Trace:
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
            when=self.asked.when,
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


async def _up_to_date(tx: Transaction, shelves: Shelves) -> None:
    while True:
        if shelves.stale and tx.dialect == "sqlite":
            with shelves.thread_fills:
                await _fill(tx, shelves)
        elif shelves.stale:
            async with shelves.task_fills:
                await _fill(tx, shelves)
        since = shelves.marks
        rows, marks = await documents.feed(tx, since)
        if await _aside(tx, lambda: shelves.take(rows, since, marks), len(rows)):  # noqa: B023
            return


async def _fill(tx: Transaction, shelves: Shelves) -> None:
    if not shelves.stale:  # someone else has done it meanwhile
        return
    marks, embedder = await documents.now(tx)
    stock = shelves.begin(marks, embedder)
    async for rows in documents.pages(tx):
        await _aside(tx, lambda: shelves.fill(stock, rows))  # noqa: B023
    shelves.filled(stock, marks)


async def _aside(tx: Transaction, work: Callable[[], Any], size: int = _MANY) -> Any:
    """On SQLite a unit runs on a thread of its own already. On Postgres it runs on the event loop, which long work would hold up."""
    if tx.dialect == "sqlite" or size < _MANY:
        return work()
    return await asyncio.to_thread(work)


def _rank(shelves: Shelves, asked: Question, wanted: Wanted, vector: Any) -> Ranked:
    from erstwhile.recall import rank

    with shelves.lock:
        beside = asked.asks if wanted.beside is None else wanted.beside
        looking = rank.Looking(wanted.limit, wanted.asker, wanted.widen, vector, beside)
        return rank.rank(shelves, asked, wanted.scope, looking)
