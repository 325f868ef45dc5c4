"""Finding: the index brought up to date, the question weighed against them, the best read from the database."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

from erstwhile.base.clock import Clock, moment
from erstwhile.base.errors import Error, InvalidInput
from erstwhile.base.logs import Log
from erstwhile.base.records import dataclass
from erstwhile.configuration.visibility import EVERYONE, Visibility
from erstwhile.embedders.port import Embedder
from erstwhile.index import documents
from erstwhile.index.documents import Scope
from erstwhile.log import people
from erstwhile.memories import store as memories
from erstwhile.search import question as questions
from erstwhile.search import read
from erstwhile.search.model import Hit, TracedHits
from erstwhile.search.question import Question
from erstwhile.search.trace import BELOW, GONE, KEPT, MOST, SAME, Candidate, Trace
from erstwhile.storage import Database, Row, Transaction

if TYPE_CHECKING:
    from erstwhile.index.space_index import IndexCache, SpaceIndex
    from erstwhile.search.rank import Ranking

log = Log(__name__)

T = TypeVar("T")

FEW = 3  # hits by words; with fewer, an embedder that is a server is asked too
NOTES = ("note", "topic")
_INVISIBLE = 25  # of the whole space, as many times more are ranked: most may be of channels not visible here
_TIDY = 50  # searches between checks of the memory that all indexes take
_FILLS = 2  # spaces filled at once: each keeps one of few readers or connections for that long
_MANY = 2000  # rows of the feed from which an index is filled in a thread


@dataclass(frozen=True, slots=True)
class SearchQuery:
    """What to search. `asker`: who asks. `widen`: "auto" searches beyond the channel if needed, "person" always, "" never.
    `beside`: also find the neighbours of matching messages, as an answer is beside its question; None: if it is a
    question. `here`: the channel where results are shown; what is not visible there is not found. `notes`: number of
    further notes, of the whole space, visible in `here`. `within`: only these channels, whoever can see them."""

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
class _PreparedQuestion:
    """A question. People in `silent` are blocked."""

    asked: Question
    silent: frozenset[str]


class Recall:
    def __init__(
        self, database: Database, embedder: Embedder | None, clock: Clock, visibility: Visibility, megabytes: int = 256
    ) -> None:
        """`megabytes`: the memory its indexes may take."""
        self._database = database
        self._visibility = visibility
        self._embedder = embedder
        self._clock = clock
        self._megabytes = megabytes
        self._cache: IndexCache | None = None
        self._warm = False
        self._searches = 0
        self._fills = asyncio.Semaphore(_FILLS)

    def drop_index(self, space: str) -> None:
        """Remove the index of a space from memory."""
        if self._cache is not None:
            self._cache.drop(space)

    async def find(self, space: str, wanted: SearchQuery) -> TracedHits:
        if wanted.limit < 1:
            raise InvalidInput("`limit` must be at least 1.")
        started = time.perf_counter()
        index, now, embedder = self._index(space), self._clock(), self._embedder
        if embedder is not None and embedder.cheap and not self._warm:
            await embedder.embed(["loaded"])  # so that no transaction waits for it to load
            self._warm = True

        async def unit(tx: Transaction) -> _Outcome:
            await _bring_up_to_date(tx, index)
            asked = await questions.understand(tx, wanted.query, now, wanted.asker)
            prepared = _PreparedQuestion(asked, await people.blocked(tx))
            vector = None
            if embedder is not None and embedder.cheap and self._speaks(index, asked):
                vector = (await embedder.embed([asked.plain]))[0]
            return await self._look(tx, index, prepared, wanted, vector)

        if index.stale:
            await self._fill(space, index)
        outcome = await self._database.read(space, unit)
        if embedder is not None and not embedder.cheap and (not embedder.served or outcome.ranked.words < FEW):
            outcome = await self._search_by_meaning(space, index, outcome, wanted)
        return TracedHits(outcome.hits, outcome.trace(wanted, (time.perf_counter() - started) * 1000), outcome.said)

    async def unit(self, space: str, work: Callable[[Transaction, SpaceIndex], Awaitable[T]]) -> T:
        """Run work that reads the index of the space, once that is up to date."""
        index = self._index(space)
        if index.stale:
            await self._fill(space, index)

        async def in_step(tx: Transaction) -> T:
            await _bring_up_to_date(tx, index)
            return await work(tx, index)

        return await self._database.read(space, in_step)

    async def warm(self, space: str) -> None:
        """Fill the index of a space, so that the first search need not wait for it."""
        await self._fill(space, self._index(space))

    async def _fill(self, space: str, index: SpaceIndex) -> None:
        """Fill the index. Others who search the space wait here, where they occupy no reader and no connection."""
        async with index.filling:
            if index.stale:
                async with self._fills:
                    await self._database.read(space, lambda tx: _bring_up_to_date(tx, index))

    async def _look(
        self, tx: Transaction, index: SpaceIndex, prepared: _PreparedQuestion, wanted: SearchQuery, vector: Any
    ) -> _Outcome:
        ranked = await self._ranked(tx, index, prepared, wanted, vector)
        rows = await documents.by_docs(tx, [entry.doc for entry in ranked.entries])
        best = ranked.entries[: wanted.limit]
        hidden = await _said_by(tx, rows, prepared.silent)
        if wanted.here is not None or hidden:
            rows = await self._visible(tx, wanted, rows) if wanted.here is not None else rows
            rows = {doc: row for doc, row in rows.items() if row["id"] not in hidden}
            best = [each for each in ranked.entries if each.doc in rows][: wanted.limit]
        said: read.Said = {}
        hits = await read.hits(tx, [(rows[each.doc], each.score) for each in best if each.doc in rows], said)
        if wanted.notes and index.memories.code("kind", "note") >= 0:  # else there are none
            besides = replace(wanted, scope=Scope(kinds=NOTES), limit=wanted.notes, widen="", notes=0)
            hits += await self._besides(tx, index, prepared, besides, vector)
        return _Outcome(prepared, ranked, rows, hits, said)

    async def _besides(
        self, tx: Transaction, index: SpaceIndex, prepared: _PreparedQuestion, wanted: SearchQuery, vector: Any
    ) -> list[Hit]:
        """Return the notes among them, without text and sources: whoever shows notes reads them anyway."""
        ranked = await self._ranked(tx, index, prepared, wanted, vector)
        rows = await self._visible(tx, wanted, await documents.by_docs(tx, [entry.doc for entry in ranked.entries]))
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
        self, tx: Transaction, index: SpaceIndex, prepared: _PreparedQuestion, wanted: SearchQuery, vector: Any
    ) -> Ranking:
        """Rank the channel; and beyond it if asked for, if the question points back, or if there is too little in it."""
        known = wanted.asker is not None or wanted.within is not None
        widen = wanted.widen if wanted.scope.channel is not None and known else ""
        why = "asked for" if widen == "person" else prepared.asked.back if widen else ""
        here: Ranking | None = None
        if not why:
            here = await run_in_thread(tx, lambda: _rank(index, prepared, wanted, vector))
            if not widen or here.words >= FEW:
                return here
            why = "few hits"
        beyond = await self._beyond(tx, wanted)
        if here is not None and not beyond:
            return here
        found: Ranking = await run_in_thread(
            tx, lambda: _rank(index, prepared, wanted, vector, (beyond, why if beyond else ""))
        )
        return found

    async def _beyond(self, tx: Transaction, wanted: SearchQuery) -> frozenset[str]:
        """Return the asker's other channels that are visible in this one; or those that the app names."""
        here = wanted.scope.channel
        assert here is not None
        if wanted.within is not None:
            return frozenset(wanted.within) - {here}
        assert wanted.asker is not None
        spoken = [channel for channel in await people.channels_of(tx, wanted.asker) if channel != here]
        return await self._visibility.visible(tx, here, spoken, wanted.asker) if spoken else frozenset()

    async def _visible(self, tx: Transaction, wanted: SearchQuery, rows: Mapping[int, Row]) -> dict[int, Row]:
        channels = {row["channel"] or EVERYONE for row in rows.values()}
        visible = await self._visibility.only(wanted.within).visible(tx, wanted.here, channels, wanted.asker)
        return {doc: row for doc, row in rows.items() if (row["channel"] or EVERYONE) in visible}

    def _index(self, space: str) -> SpaceIndex:
        from erstwhile.index.space_index import IndexCache  # numpy is only loaded by whoever searches

        if self._cache is None:
            self._cache = IndexCache(self._megabytes)
        self._searches += 1
        if self._searches % _TIDY == 0:
            self._cache.tidy()
        return self._cache.of(space)

    def _speaks(self, index: SpaceIndex, asked: Question) -> bool:
        return (
            self._embedder is not None
            and index.embedder == self._embedder.name
            and bool(asked.plain)
            and self._embedder.speaks(asked.plain)
        )

    async def _search_by_meaning(self, space: str, index: SpaceIndex, found: _Outcome, wanted: SearchQuery) -> _Outcome:
        """Search again with the question's vector, which costs a call. If that fails, keep what was found by words."""
        asked = found.prepared.asked
        if self._embedder is None or not self._speaks(index, asked):
            return found
        try:
            vector = (await self._embedder.embed([asked.plain]))[0]
        except Error as error:
            log.warning("recall.embedder_failed", reason=str(error))
            return found
        return await self._database.read(space, lambda tx: self._look(tx, index, found.prepared, wanted, vector))


@dataclass(frozen=True, slots=True)
class _Outcome:
    prepared: _PreparedQuestion
    ranked: Ranking
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


async def _said_by(tx: Transaction, rows: Mapping[int, Row], silent: frozenset[str]) -> set[str]:
    """Return what blocked people said of others. An index knows only whom a memory is about."""
    if not silent:
        return set()
    there = await memories.by_ids(tx, [row["id"] for row in rows.values() if row["kind"] != "message"])
    return {id for id, each in there.items() if each.said_by in silent}


async def _bring_up_to_date(tx: Transaction, index: SpaceIndex) -> None:
    while True:
        if index.stale and tx.dialect == "sqlite":
            with index.thread_fills:
                await _fill(tx, index)
        elif index.stale:
            async with index.task_fills:
                await _fill(tx, index)
        since = index.marks
        rows, marks = await documents.feed(tx, since)
        if await run_in_thread(tx, lambda: index.take(rows, since, marks), len(rows)):  # noqa: B023
            return


async def _fill(tx: Transaction, index: SpaceIndex) -> None:
    if not index.stale:  # someone else has done it meanwhile
        return
    marks, embedder, emptied = await documents.now(tx)
    pair = index.begin(marks, embedder, emptied)
    async for rows in documents.pages(tx):
        await run_in_thread(tx, lambda: index.fill(pair, rows))  # noqa: B023
    index.filled(pair, marks)


async def run_in_thread(tx: Transaction, work: Callable[[], Any], size: int = _MANY) -> Any:
    """Run long work in a thread. On SQLite a transaction has its own thread already; on Postgres it is on the event loop."""
    if tx.dialect == "sqlite" or size < _MANY:
        return work()
    return await asyncio.to_thread(work)


def _rank(
    index: SpaceIndex,
    prepared: _PreparedQuestion,
    wanted: SearchQuery,
    vector: Any,
    wider: tuple[frozenset[str], str] = (frozenset(), ""),
) -> Ranking:
    from erstwhile.search import rank

    with index.lock:
        beside = prepared.asked.asks if wanted.beside is None else wanted.beside
        elsewhere = wanted.here is not None and wanted.scope.channel is None
        limit = wanted.limit * _INVISIBLE if elsewhere else wanted.limit
        options = rank.RankingOptions(limit, *wider, prepared.silent, vector, beside)
        return rank.rank(index, prepared.asked, wanted.scope, options)
