"""Finding: the index brought up to date, the question weighed against them, the best read from the database."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from erstwhile.base.clock import Clock, moment
from erstwhile.base.errors import Error, InvalidInput
from erstwhile.base.logs import Log
from erstwhile.configuration.visibility import EVERYONE, Visibility, VisibleChannels
from erstwhile.embedders.port import Embedder
from erstwhile.index import documents
from erstwhile.index.documents import Scope
from erstwhile.index.indexes import Indexes, run_in_thread
from erstwhile.log import people
from erstwhile.memories import store as memories
from erstwhile.search import question as questions
from erstwhile.search import read, store_index
from erstwhile.search.model import (
    Hit,
    HitContents,
    PreparedQuestion,
    SearchOutcome,
    SearchQuery,
    TracedHits,
    UnfinishedSearch,
)
from erstwhile.search.question import Question
from erstwhile.search.terms import find_terms
from erstwhile.storage import Database, Row, Transaction

if TYPE_CHECKING:
    from erstwhile.index.space_index import SpaceIndex
    from erstwhile.search.rank import Ranking

log = Log(__name__)

T = TypeVar("T")

FEW = 3  # hits by words; with fewer, an embedder that is a server is asked too
NOTES = ("note", "topic")
_INVISIBLE = 25  # of the whole space, as many times more are ranked: most may be of channels not visible here


Ask = Callable[[Transaction], Awaitable[SearchQuery | None]]
Use = Callable[[Transaction, TracedHits | None], Awaitable[T]]


class Finder(Protocol):
    """Whatever searches as `Recall` does."""

    async def find(self, space: str, ask: Ask, use: Use[T]) -> T: ...


class Recall:
    def __init__(
        self,
        database: Database,
        embedder: Embedder | None,
        clock: Clock,
        visibility: Visibility,
        megabytes: int = 256,
    ) -> None:
        """`megabytes`: the memory its indexes may take."""
        self._database = database
        self._visibility = visibility
        self._embedder = embedder
        self._clock = clock
        self._warm = False
        self.indexes = Indexes(
            database, megabytes, lambda tx: store_index.ask(tx, clock()), find_terms
        )

    async def find(self, space: str, ask: Ask, use: Use[T]) -> T:
        """Search for what `ask` returns, and give the result to `use` in the same transaction; None, if there is nothing to
        search. Only a vector that costs a call is made between two transactions."""
        started = time.perf_counter()
        index, embedder = self.indexes.of(space), self._embedder

        async def unit(tx: Transaction) -> T | UnfinishedSearch:
            wanted = await ask(tx)
            if wanted is None:
                return await use(tx, None)
            if wanted.limit < 1:
                raise InvalidInput("`limit` must be at least 1.")
            if index.stale or (embedder is not None and embedder.cheap and not self._warm):
                return UnfinishedSearch()
            await self.indexes.bring_up_to_date(tx, index)
            prepared = await self._understand(tx, index, wanted, started)
            cheap = embedder is not None and embedder.cheap
            vectors = await self._vectors(index, prepared) if cheap else ()
            found = await self._look(tx, index, prepared, vectors)
            if (
                embedder is not None
                and not embedder.cheap
                and (not embedder.served or found.ranked.words < FEW)
            ):
                return UnfinishedSearch(found)
            return await use(tx, found.traced)

        while isinstance(done := await self.indexes.read(space, index, unit), UnfinishedSearch):
            if done.found is not None:
                return await self._search_by_meaning(space, index, done.found, use)
            await self._prepare(space, index)
        return done

    async def _understand(
        self, tx: Transaction, index: SpaceIndex, query: SearchQuery, started: float
    ) -> PreparedQuestion:
        now, talk = self._clock(), index.messages.with_assistant

        async def understood(text: str) -> tuple[Question, frozenset[str]]:
            return await questions.understand(tx, text, now, query.asker, with_assistant=talk)

        asked, blocked = await understood(query.query)
        only = questions.questions_in(query.query)
        alone = (await understood(only))[0] if only else None
        weight = 1.0 if self._embedder is None else self._embedder.weight
        visibility = self._visibility.only(query.within)
        return PreparedQuestion(asked, blocked, query, started, weight, visibility, alone)

    async def _vectors(self, index: SpaceIndex, prepared: PreparedQuestion) -> list[Any]:
        """Return a vector for each form of the question; none if one can't be made."""
        embedder, forms = self._embedder, prepared.forms
        if embedder is None or not all(self._speaks(index, each) for each in forms):
            return []
        return list(await embedder.embed([_meant(embedder, each) for each in forms]))

    async def _prepare(self, space: str, index: SpaceIndex) -> None:
        """Do what takes long and what no transaction should wait for."""
        if self._embedder is not None and self._embedder.cheap and not self._warm:
            await self._embedder.embed(["loaded"])
            self._warm = True
        if index.stale:
            await self.indexes.fill(space, index)

    async def unit(self, space: str, work: Callable[[Transaction, SpaceIndex], Awaitable[T]]) -> T:
        """Run work that reads the index of the space, once that is up to date."""
        index = self.indexes.of(space)
        if index.stale:
            await self.indexes.fill(space, index)

        async def in_step(tx: Transaction) -> T:
            await self.indexes.bring_up_to_date(tx, index)
            return await work(tx, index)

        return await self.indexes.read(space, index, in_step)

    async def warm(self, space: str) -> None:
        """Open the index of a space, so that the first search need not wait for it."""
        await self.indexes.fill(space, self.indexes.of(space))

    async def _look(
        self,
        tx: Transaction,
        index: SpaceIndex,
        prepared: PreparedQuestion,
        vectors: Sequence[Any] = (),
    ) -> SearchOutcome:
        wanted, vector = prepared.wanted, vectors[0] if vectors else None
        prepared = replace(prepared, visibility=prepared.visibility.in_transaction())
        ranked = await self._ranked(tx, index, prepared, vector)
        if prepared.alone is not None:
            alone = replace(prepared, asked=prepared.alone)
            again = await self._ranked(tx, index, alone, vectors[1] if vectors else None)
            ranked = ranked.merged(again)
        best = ranked.entries[: wanted.limit]
        # Where something may be left out, others take its place.
        looked_up = best if wanted.here is None and not prepared.blocked else ranked.entries
        rows = await documents.ranked(tx, [entry.doc for entry in looked_up])
        hidden = await _said_by(tx, rows, prepared.blocked)
        if wanted.here is not None or hidden:
            rows = await self._visible(tx, prepared, rows) if wanted.here is not None else rows
            if hidden:
                rows = {doc: row for doc, row in rows.items() if row["id"] not in hidden}
            best = [each for each in ranked.entries if each.doc in rows][: wanted.limit]
        found = HitContents(sources=wanted.sources)
        hits = await read.hits(
            tx, [(rows[each.doc], each.score) for each in best if each.doc in rows], found
        )
        if wanted.notes and index.memories.code("kind", "note") >= 0:  # else there are none
            besides = replace(
                wanted, scope=Scope(kinds=NOTES), limit=wanted.notes, widen="", notes=0
            )
            hits += await self._besides(tx, index, replace(prepared, wanted=besides), vector)
        return SearchOutcome(prepared, ranked, len(looked_up), rows, hits, found)

    async def _besides(
        self, tx: Transaction, index: SpaceIndex, prepared: PreparedQuestion, vector: Any
    ) -> list[Hit]:
        """Return the notes among them, without text and sources: whoever shows notes reads them anyway."""
        wanted = prepared.wanted
        ranked = await self._ranked(tx, index, prepared, vector)
        rows = await self._visible(
            tx, prepared, await documents.by_docs(tx, [entry.doc for entry in ranked.entries])
        )
        best = [(rows[each.doc], each) for each in ranked.entries if each.doc in rows][
            : wanted.limit
        ]
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
        self, tx: Transaction, index: SpaceIndex, prepared: PreparedQuestion, vector: Any
    ) -> Ranking:
        """Rank the channel; and beyond it if asked for, if the question points back, or if there is too little in it."""
        wanted = prepared.wanted
        known = wanted.asker is not None or wanted.within is not None
        widen = wanted.widen if wanted.scope.channel is not None and known else ""
        why = "asked for" if widen == "person" else prepared.asked.back if widen else ""
        here: Ranking | None = None
        if not why:
            here = await run_in_thread(tx, lambda: _rank(index, prepared, vector))
            if not widen or here.words >= FEW:
                return here
            why = "few hits"
        beyond = (await self._beyond(tx, prepared)).all
        if here is not None and not beyond:
            return here
        found: Ranking = await run_in_thread(
            tx, lambda: _rank(index, prepared, vector, (beyond, why if beyond else ""))
        )
        return found

    async def _beyond(self, tx: Transaction, prepared: PreparedQuestion) -> VisibleChannels:
        """Return the asker's other channels that are visible in this one; or those that the app names."""
        wanted = prepared.wanted
        here = wanted.scope.channel
        assert here is not None
        if wanted.within is not None:
            return VisibleChannels.of(frozenset(wanted.within) - {here})
        assert wanted.asker is not None
        spoken = [
            channel for channel in await people.channels_of(tx, wanted.asker) if channel != here
        ]
        return await prepared.visibility.visible(tx, here, spoken, wanted.asker)

    async def _visible(
        self, tx: Transaction, prepared: PreparedQuestion, rows: Mapping[int, Row]
    ) -> dict[int, Row]:
        channels = {row["channel"] or EVERYONE for row in rows.values()}
        wanted = prepared.wanted
        visible = await prepared.visibility.visible(tx, wanted.here, channels, wanted.asker)
        return {
            doc: row
            for doc, row in rows.items()
            if visible.shows(row["channel"] or EVERYONE, row["first_seq"])
        }

    def _speaks(self, index: SpaceIndex, asked: Question) -> bool:
        return (
            self._embedder is not None
            and index.embedder == self._embedder.name
            and bool(asked.plain)
            and self._embedder.speaks(asked.plain)
        )

    async def _search_by_meaning(
        self, space: str, index: SpaceIndex, found: SearchOutcome, use: Use[T]
    ) -> T:
        """Search again with the question's vector, which costs a call. If that fails, keep what was found by words."""
        vectors: list[Any] = []
        try:
            vectors = await self._vectors(index, found.prepared)
        except Error as error:
            log.warning("recall.embedder_failed", reason=str(error))

        async def unit(tx: Transaction) -> T:
            better = await self._look(tx, index, found.prepared, vectors) if vectors else found
            return await use(tx, better.traced)

        return await self._database.read(space, unit)


async def search(recall: Finder, space: str, query: SearchQuery) -> TracedHits:
    """Search, for whoever wants nothing but the hits."""

    async def ask(_tx: Transaction) -> SearchQuery:
        return query

    async def use(_tx: Transaction, found: TracedHits | None) -> TracedHits:
        assert found is not None
        return found

    return await recall.find(space, ask, use)


def _meant(embedder: Embedder, asked: Question) -> str:
    """Return the text that a question's vector is made of."""
    return asked.spoken if embedder.sentences else asked.plain


async def _said_by(tx: Transaction, rows: Mapping[int, Row], blocked: frozenset[str]) -> set[str]:
    """Return what blocked people said of others. An index knows only whom a memory is about."""
    if not blocked:
        return set()
    there = await memories.by_ids(
        tx, [row["id"] for row in rows.values() if row["kind"] != "message"]
    )
    return {id for id, each in there.items() if each.said_by in blocked}


def _rank(
    index: SpaceIndex,
    prepared: PreparedQuestion,
    vector: Any,
    wider: tuple[frozenset[str], str] = (frozenset(), ""),
) -> Ranking:
    from erstwhile.search import rank

    wanted = prepared.wanted
    with index.lock:
        beside = prepared.asked.asks if wanted.beside is None else wanted.beside
        elsewhere = wanted.here is not None and wanted.scope.channel is None
        limit = wanted.limit * _INVISIBLE if elsewhere else wanted.limit
        fill = beside and wanted.beside is None  # a context rather shows less
        near = vector, prepared.weight
        options = rank.RankingOptions(limit, *wider, prepared.blocked, *near, beside, fill)
        return rank.rank(index, prepared.asked, wanted.scope, options)
