"""Make vectors of documents, page by page, as a job of each space: a crash in between only delays it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from functools import partial

from erstwhile.base.clock import Clock
from erstwhile.base.records import dataclass
from erstwhile.embedders.port import Embedder
from erstwhile.index import documents
from erstwhile.index.documents import WaitingRanges
from erstwhile.jobs import store as jobs
from erstwhile.jobs.model import Job, NewJob, Outcome
from erstwhile.log import store as log
from erstwhile.search import store_index
from erstwhile.storage import EVERYWHERE, Database, Row, Transaction

EMBED = "recall.embed"
_PAGE = 500
_MANY = "many"  # in a job's payload: a full page was embedded just before
_PAGES = (
    20  # of one job, with an embedder that is cheap; claiming a job costs about as much as a page
)
VALUABLE = "valuable"  # in a message's meta: embed it even where messages are not


@dataclass(frozen=True, slots=True)
class _Page:
    """Documents that waited for a vector, the ranges they are of, and those vectors that could be made."""

    documents: list[int]
    ranges: WaitingRanges
    vectors: list[dict[str, object]]


class Embedding:
    def __init__(
        self,
        database: Database,
        embedder: Embedder | None,
        clock: Clock,
        *,
        messages: bool,
        yields: bool,
    ) -> None:
        """`messages`: embed them too, not only memories. `yields`: leave spaces with another embedder's vectors alone."""
        self._database = database
        self._embedder = embedder
        self._clock = clock
        self._messages = messages
        self._yields = yields
        self._looked = False
        self._left: set[str] = set()  # spaces with another embedder's vectors

    async def look(self) -> None:
        """Enqueue jobs for spaces with documents to embed; the first time also where the embedder has changed."""
        if self._embedder is None:
            return
        if self._looked:
            spaces = await self._database.read(
                EVERYWHERE, lambda tx: documents.spaces_to_embed(tx, EMBED)
            )
        else:
            spaces = await log.spaces(self._database)
        for space in spaces:
            if space not in self._left:
                await self._database.write(space, lambda tx: self.ask(tx))
        self._looked = True

    async def ask(self, tx: Transaction) -> None:
        assert self._embedder is not None
        was = await documents.embedder_of(tx)
        if was != (self._embedder.name, self._messages):
            if was is not None and was[0] != self._embedder.name:
                if self._yields:
                    self._left.add(tx.space)
                    return
                await documents.empty_vectors(tx)
            await documents.set_embedder(tx, self._embedder.name, messages=self._messages)
        if await documents.waits_for_vectors(tx):
            await jobs.enqueue(tx, NewJob(EMBED, key="", payload={}), self._clock(), revive=False)

    async def step(self, job: Job) -> Outcome:
        if self._embedder is None:
            return Outcome(_nothing)
        page, many = (
            await self._embedded(job.space, WaitingRanges()),
            bool(job.payload.get(_MANY)),
        )
        for _ in range(_PAGES - 1 if self._embedder.cheap else 0):
            if not page.ranges.more:
                break
            stored = self._database.write(job.space, partial(self._store, page, job))
            page, many = (
                (await asyncio.gather(self._embedded(job.space, page.ranges), stored))[0],
                True,
            )
        return Outcome(partial(self._store_last, page, many))

    async def _embedded(self, space: str, before: WaitingRanges) -> _Page:
        """Read a page and make its vectors. `before` is stored meanwhile."""
        waiting, ranges, texts = await self._database.read(
            space, lambda tx: self._waiting(tx, before)
        )
        vectors = await self._vectors(waiting, texts)
        return _Page([row["doc"] for row in waiting], ranges, vectors)

    async def _waiting(
        self, tx: Transaction, before: WaitingRanges
    ) -> tuple[list[Row], WaitingRanges, dict[str, str]]:
        from erstwhile.search import read  # not needed to look for work

        rows, ranges = await documents.unembedded(tx, _PAGE, before)
        said = [row for row in rows if row["text"] is not None]
        memories = [row["id"] for row in rows if row["kind"] != "message"]
        texts = {
            row["id"]: row["text"] for row in said if self._messages or _is_valuable(row["meta"])
        }
        return rows, ranges, texts | await read.texts(tx, {"": memories})

    async def _vectors(
        self, rows: Sequence[Row], texts: Mapping[str, str]
    ) -> list[dict[str, object]]:
        assert self._embedder is not None
        spoken = [
            row for row in rows if row["id"] in texts and self._embedder.speaks(texts[row["id"]])
        ]
        if not spoken:
            return []
        from erstwhile.index.columns import packed

        vectors = await self._embedder.embed([texts[row["id"]] for row in spoken])
        made = [
            {"doc": row["doc"], "vector": each}
            for row, each in zip(spoken, packed(vectors), strict=True)
        ]
        return [each for each in made if each["vector"]]

    async def _store(self, page: _Page, job: Job, tx: Transaction) -> None:
        """Store a page while the job goes on with the next one."""
        await jobs.check_held(tx, job)
        await self._put(tx, page)

    async def _store_last(self, page: _Page, many: bool, tx: Transaction) -> None:
        await self._put(tx, page)
        if page.ranges.more:
            await jobs.enqueue(tx, NewJob(EMBED, key="", payload={_MANY: True}), self._clock())
        elif many:
            await store_index.ask(tx, self._clock())

    async def _put(self, tx: Transaction, page: _Page) -> None:
        await documents.put_vectors(tx, page.vectors, page.ranges)
        numbers = page.documents
        if numbers and store_index.may_be_due(numbers[0], numbers[-1], busy=page.ranges.more):
            await store_index.ask(tx, self._clock())


def _is_valuable(meta: str) -> bool:
    return VALUABLE in meta and bool(json.loads(meta).get(VALUABLE))


async def _nothing(tx: Transaction) -> None:
    del tx
