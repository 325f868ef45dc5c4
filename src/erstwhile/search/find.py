"""Finding: the shelves brought up to date, the question weighed against them, the best read from the database."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

from erstwhile.base.clock import Clock, moment
from erstwhile.base.errors import Error, InvalidInput
from erstwhile.base.logs import Log
from erstwhile.configuration.visibility import EVERYONE, Visibility
from erstwhile.embedders.port import Embedder
from erstwhile.index import documents
from erstwhile.index.documents import Scope
from erstwhile.log import people
from erstwhile.memories import store as memories
from erstwhile.search import question as questions
from erstwhile.search import read
from erstwhile.search.model import KINDS, Hit, SearchResult
from erstwhile.search.question import Question
from erstwhile.search.trace import BELOW, GONE, KEPT, MOST, SAME, Candidate, Trace
from erstwhile.storage import Database, Row, Transaction

if TYPE_CHECKING:
    from erstwhile.index.shelves import Library, Shelves
    from erstwhile.search.rank import Ranked

log = Log(__name__)

T = TypeVar("T")

FEW = 3  # hits by words; with fewer, an embedder that is a server is asked too
NOTES = ("note", "topic")
_UNHEARD = 25  # of the whole space, as many times more are looked at: most may be of channels that are not heard here
_TIDY = 50  # searches between looks at what all indexes take
_FILLS = 2  # spaces that are filled at once: each has one of few readers, or connections, to itself for as long
_MANY = 2000  # rows of the feed from which filling a shelf is done beside the event loop


@dataclass(frozen=True, slots=True)
class SearchQuery:
    """What is looked for. `asker`: who asks. `widen`: "auto" looks beyond the channel when it must, "person" always, "" never.
    `beside`: also what only stands beside the words, as an answer does beside its question; None: if it is a question. `here`: the channel
    where it will be told; what may not be heard there is not found. `notes`: of the whole space, as many notes besides, heard in `here`.
    `within`: told is what was said in these channels, whoever listens."""

    query: str
    scope: Scope
    limit: int
    asker: str | None = None
    widen: str = ""
    beside: bool | None = None
    here: str | None = None
    notes: int = 0
    within: Sequence[str] | None = None


@dataclass(frozen=True, slots=True)
class _Sought:
    """A question; who is in `silent` is blocked."""

    asked: Question
    silent: frozenset[str]


def checked_kinds(kinds: Sequence[str] | None) -> tuple[str, ...] | None:
    if kinds is None:
        return None
    unknown = [kind for kind in kinds if kind not in KINDS]
    if unknown or not kinds:
        raise InvalidInput(f"Unknown kind {', '.join(unknown)!r}. Kinds are {', '.join(KINDS)}.")
    return tuple(dict.fromkeys(kinds))


class Recall:
    def __init__(
        self, database: Database, embedder: Embedder | None, clock: Clock, hearing: Visibility, megabytes: int = 256
    ) -> None:
        """`megabytes`: what its indexes may take."""
        self._database = database
        self._hearing = hearing
        self._embedder = embedder
        self._clock = clock
        self._megabytes = megabytes
        self._library: Library | None = None
        self._warm = False
        self._searches = 0
        self._fills = asyncio.Semaphore(_FILLS)

    def let_go(self, space: str) -> None:
        """Of what is in memory of a space."""
        if self._library is not None:
            self._library.let_go(space)

    async def find(self, space: str, wanted: SearchQuery) -> SearchResult:
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
            sought = _Sought(asked, await people.blocked(tx))
            vector = None
            if embedder is not None and embedder.cheap and self._speaks(shelves, asked):
                vector = (await embedder.embed([asked.plain]))[0]
            return await self._look(tx, shelves, sought, wanted, vector)

        if shelves.stale:
            await self._fill(space, shelves)
        outcome = await self._database.read(space, unit)
        if embedder is not None and not embedder.cheap and (not embedder.served or outcome.ranked.words < FEW):
            outcome = await self._by_meaning(space, shelves, outcome, wanted)
        return SearchResult(outcome.hits, outcome.trace(wanted, (time.perf_counter() - started) * 1000), outcome.said)

    async def unit(self, space: str, work: Callable[[Transaction, Shelves], Awaitable[T]]) -> T:
        """Does what reads the space's index, when that is in step."""
        shelves = self._shelves(space)
        if shelves.stale:
            await self._fill(space, shelves)

        async def in_step(tx: Transaction) -> T:
            await _up_to_date(tx, shelves)
            return await work(tx, shelves)

        return await self._database.read(space, in_step)

    async def warm(self, space: str) -> None:
        """Fills the space's index, so that the first question need not wait for it."""
        await self._fill(space, self._shelves(space))

    async def _fill(self, space: str, shelves: Shelves) -> None:
        """Filling a large space takes long. Whoever else asks it waits here, where they keep no reader and no connection from others."""
        async with shelves.filling:
            if shelves.stale:
                async with self._fills:
                    await self._database.read(space, lambda tx: _up_to_date(tx, shelves))

    async def _look(
        self, tx: Transaction, shelves: Shelves, sought: _Sought, wanted: SearchQuery, vector: Any
    ) -> _Outcome:
        ranked = await self._ranked(tx, shelves, sought, wanted, vector)
        rows = await documents.by_docs(tx, [entry.doc for entry in ranked.entries])
        best = ranked.entries[: wanted.limit]
        unheard = await _said_by(tx, rows, sought.silent)
        if wanted.here is not None or unheard:
            rows = await self._heard(tx, wanted, rows) if wanted.here is not None else rows
            rows = {doc: row for doc, row in rows.items() if row["id"] not in unheard}
            best = [each for each in ranked.entries if each.doc in rows][: wanted.limit]
        said: read.Said = {}
        hits = await read.hits(tx, [(rows[each.doc], each.score) for each in best if each.doc in rows], said)
        if wanted.notes and shelves.memories.code("kind", "note") >= 0:  # else there are none
            besides = replace(wanted, scope=Scope(kinds=NOTES), limit=wanted.notes, widen="", notes=0)
            hits += await self._besides(tx, shelves, sought, besides, vector)
        return _Outcome(sought, ranked, rows, hits, said)

    async def _besides(
        self, tx: Transaction, shelves: Shelves, sought: _Sought, wanted: SearchQuery, vector: Any
    ) -> list[Hit]:
        """The notes among them, without their texts and sources: whoever shows notes reads them anyway."""
        ranked = await self._ranked(tx, shelves, sought, wanted, vector)
        rows = await self._heard(tx, wanted, await documents.by_docs(tx, [entry.doc for entry in ranked.entries]))
        best = [(rows[each.doc], each) for each in ranked.entries if each.doc in rows][: wanted.limit]
        return [
            Hit(
                row["id"],
                row["kind"],
                "",
                row["channel"] or EVERYONE,
                row["person"],
                each.seq,
                moment(row["at"]),
                each.score,
                (),
            )
            for row, each in best
        ]

    async def _ranked(
        self, tx: Transaction, shelves: Shelves, sought: _Sought, wanted: SearchQuery, vector: Any
    ) -> Ranked:
        """In the channel; and beyond it where that is asked for, where the question points back, or where there is too little in it."""
        known = wanted.asker is not None or wanted.within is not None
        widen = wanted.widen if wanted.scope.channel is not None and known else ""
        why = "asked for" if widen == "person" else sought.asked.back if widen else ""
        here: Ranked | None = None
        if not why:
            here = await aside(tx, lambda: _rank(shelves, sought, wanted, vector))
            if not widen or here.words >= FEW:
                return here
            why = "few hits"
        beyond = await self._beyond(tx, wanted)
        if here is not None and not beyond:
            return here
        found: Ranked = await aside(tx, lambda: _rank(shelves, sought, wanted, vector, (beyond, why if beyond else "")))
        return found

    async def _beyond(self, tx: Transaction, wanted: SearchQuery) -> frozenset[str]:
        """The other channels of whoever asks, as far as they may be heard in this one; or those that the app names."""
        here = wanted.scope.channel
        assert here is not None
        if wanted.within is not None:
            return frozenset(wanted.within) - {here}
        assert wanted.asker is not None
        spoken = [channel for channel in await people.channels_of(tx, wanted.asker) if channel != here]
        return await self._hearing.heard(tx, here, spoken, wanted.asker) if spoken else frozenset()

    async def _heard(self, tx: Transaction, wanted: SearchQuery, rows: Mapping[int, Row]) -> dict[int, Row]:
        channels = {row["channel"] or EVERYONE for row in rows.values()}
        heard = await self._hearing.only(wanted.within).heard(tx, wanted.here, channels, wanted.asker)
        return {doc: row for doc, row in rows.items() if (row["channel"] or EVERYONE) in heard}

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

    async def _by_meaning(self, space: str, shelves: Shelves, found: _Outcome, wanted: SearchQuery) -> _Outcome:
        """Once more with the question's vector, which costs a call. When that fails, what was found by words has to do."""
        asked = found.sought.asked
        if self._embedder is None or not self._speaks(shelves, asked):
            return found
        try:
            vector = (await self._embedder.embed([asked.plain]))[0]
        except Error as error:
            log.warning("recall.embedder_failed", reason=str(error))
            return found
        return await self._database.read(space, lambda tx: self._look(tx, shelves, found.sought, wanted, vector))


@dataclass(frozen=True, slots=True)
class _Outcome:
    sought: _Sought
    ranked: Ranked
    rows: Mapping[int, Row]
    hits: list[Hit]
    said: read.Said

    def trace(self, wanted: SearchQuery, milliseconds: float) -> Trace:
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
            when=self.sought.asked.when,
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


async def _said_by(tx: Transaction, rows: Mapping[int, Row], silent: frozenset[str]) -> set[str]:
    """What the blocked said of others. An index knows only whom it is about."""
    if not silent:
        return set()
    there = await memories.by_ids(tx, [row["id"] for row in rows.values() if row["kind"] != "message"])
    return {id for id, each in there.items() if each.said_by in silent}


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
        if await aside(tx, lambda: shelves.take(rows, since, marks), len(rows)):  # noqa: B023
            return


async def _fill(tx: Transaction, shelves: Shelves) -> None:
    if not shelves.stale:  # someone else has done it meanwhile
        return
    marks, embedder, emptied = await documents.now(tx)
    stock = shelves.begin(marks, embedder, emptied)
    async for rows in documents.pages(tx):
        await aside(tx, lambda: shelves.fill(stock, rows))  # noqa: B023
    shelves.filled(stock, marks)


async def aside(tx: Transaction, work: Callable[[], Any], size: int = _MANY) -> Any:
    """On SQLite a unit runs on a thread of its own already. On Postgres it runs on the event loop, which long work would hold up."""
    if tx.dialect == "sqlite" or size < _MANY:
        return work()
    return await asyncio.to_thread(work)


def _rank(
    shelves: Shelves,
    sought: _Sought,
    wanted: SearchQuery,
    vector: Any,
    wider: tuple[frozenset[str], str] = (frozenset(), ""),
) -> Ranked:
    from erstwhile.search import rank

    with shelves.lock:
        beside = sought.asked.asks if wanted.beside is None else wanted.beside
        elsewhere = wanted.here is not None and wanted.scope.channel is None
        limit = wanted.limit * _UNHEARD if elsewhere else wanted.limit
        looking = rank.Looking(limit, *wider, sought.silent, vector, beside)
        return rank.rank(shelves, sought.asked, wanted.scope, looking)
