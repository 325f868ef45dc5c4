"""Make vectors of documents, page by page, as a job of each space: a crash in between only delays it."""

from __future__ import annotations

from collections.abc import Sequence

from erstwhile.base.clock import Clock
from erstwhile.embedders.port import Embedder
from erstwhile.index import documents
from erstwhile.jobs import store as jobs
from erstwhile.jobs.model import Job, NewJob, Outcome
from erstwhile.log import store as log
from erstwhile.search import read, store_index
from erstwhile.storage import EVERYWHERE, Database, Row, Transaction
from erstwhile.storage.queries import load

queries = load(__package__)

EMBED = "recall.embed"
_PAGE = 500
VALUABLE = "valuable"  # in a message's meta: embed it even where messages are not


class Embedding:
    def __init__(
        self, database: Database, embedder: Embedder | None, clock: Clock, *, messages: bool, yields: bool
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
            rows = await self._database.read(EVERYWHERE, lambda tx: tx.all(queries.to_embed, kind=EMBED))
            spaces = [row["space"] for row in rows]
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
        if await documents.unembedded(tx, 1):
            await jobs.enqueue(tx, NewJob(EMBED, key="", payload={}), self._clock(), revive=False)

    async def step(self, job: Job) -> Outcome:
        if self._embedder is None:
            return Outcome(_nothing)
        page, texts = await self._database.read(job.space, self._page)
        spoken = [row for row in page if row["id"] in texts and self._embedder.speaks(texts[row["id"]])]
        made = await self._vectors(spoken, [texts[row["id"]] for row in spoken])

        numbers = [row["doc"] for row in page]

        async def effects(tx: Transaction) -> None:
            await documents.put_vectors(tx, made, numbers)
            if len(page) == _PAGE:
                await jobs.enqueue(tx, NewJob(EMBED, key="", payload={}), self._clock())
            if not page or store_index.may_be_due(numbers[0], numbers[-1], busy=len(page) == _PAGE):
                await store_index.ask(tx, self._clock())

        return Outcome(effects)

    async def _page(self, tx: Transaction) -> tuple[list[Row], dict[str, str]]:
        page = await documents.unembedded(tx, _PAGE)
        ids: dict[str, list[str]] = {}
        for row in page:
            ids.setdefault(row["kind"], []).append(row["id"])
        if not self._messages and "message" in ids:
            said = await log.by_ids(tx, ids["message"])
            ids["message"] = [id for id, (_, message) in said.items() if message.meta.get(VALUABLE)]

        return page, await read.texts(tx, ids)

    async def _vectors(self, rows: Sequence[Row], texts: Sequence[str]) -> list[dict[str, object]]:
        if not texts:
            return []
        from erstwhile.index.columns import packed

        assert self._embedder is not None
        vectors = await self._embedder.embed(texts)
        made = [{"doc": row["doc"], "vector": each} for row, each in zip(rows, packed(vectors), strict=True)]
        return [each for each in made if each["vector"]]


async def _nothing(tx: Transaction) -> None:
    del tx
