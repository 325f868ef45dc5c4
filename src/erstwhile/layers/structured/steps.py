"""The layer: read structured memories from the messages of a chunk, if the recipe uses them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from erstwhile.base import crash
from erstwhile.layers.structured import reading, store
from erstwhile.layers.summaries import readings
from erstwhile.layers.summaries.material import OtherReading
from erstwhile.layers.summaries.model import ChunkReading
from erstwhile.layers.summaries.reader import ChunkReader
from erstwhile.memories import select
from erstwhile.memories import store as memories
from erstwhile.memories.hooks import Beside
from erstwhile.memories.model import StoredMemory
from erstwhile.storage import Transaction, column
from erstwhile.tables.model import Table
from erstwhile.writers.writers import Writers

STRUCTURE = "structured.structure"


class StructuredMemories(ChunkReader):
    name = "structured"
    job = STRUCTURE
    task = "structure"
    other = OtherReading("extract", "facts.extract")
    kinds = (store.KIND,)
    recipes = ("full",)
    tables = (Table("structured_threads", memory=("id",)),)
    reads = (STRUCTURE,)
    write = staticmethod(Writers.structure)
    reading = staticmethod(reading.read)

    async def ask_unread(
        self, tx: Transaction, channel: str, now: datetime, pace: str | None
    ) -> None:
        if await self.wanted(tx):
            for range in await readings.unread(tx, store.KIND.name, channel):
                await self.ask(tx, range, now, pace=pace)

    async def put(self, tx: Transaction, reading: ChunkReading) -> None:
        await super().put(tx, reading)
        crash.point("structured.after_structured")

    async def store(
        self, tx: Transaction, reading: ChunkReading, now: datetime, *, overwrite: bool
    ) -> None:
        """The threads are locked before any row, so that two readings can't deadlock."""
        there = await memories.in_place(tx, self.place_of(reading.range))
        if not there and not reading.found:
            return
        touched = {store.thread_of(each) for each in (*there, *reading.found)}
        await store.hold(tx, touched)
        added = await self.replace_found(tx, reading, now, overwrite=overwrite)
        await store.put_threads(tx, added)
        await store.settle(tx, touched)

    # Hooks

    async def hold(self, tx: Transaction, memory: StoredMemory) -> None:
        await readings.hold(tx, self.place_of_memory(memory))
        await store.hold(tx, [store.thread_of(memory)])

    def reworded(self, memory: StoredMemory, text: str) -> StoredMemory:
        return store.reworded(memory, text)

    async def together(self, tx: Transaction, memory: StoredMemory) -> Sequence[StoredMemory]:
        return await select.repeated(tx, memory)

    async def edited(self, tx: Transaction, memory: StoredMemory, _now: datetime) -> None:
        """Work out again what it contradicts."""
        touched = {*await store.threads_of(tx, [memory.id]), store.thread_of(memory)}
        await store.hold(tx, touched)
        await store.put_threads(tx, [memory])
        await store.settle(tx, touched)

    async def deleted(self, tx: Transaction, memory: StoredMemory, _now: datetime) -> None:
        await store.settle(tx, [store.thread_of(memory)])

    async def restored(self, tx: Transaction, memory: StoredMemory, _now: datetime) -> None:
        await store.settle(tx, [store.thread_of(memory)])

    async def put_back(self, tx: Transaction, memory: StoredMemory, _beside: Beside) -> None:
        await store.put_threads(tx, [memory])
        await store.settle(tx, [store.thread_of(memory)])

    async def removed(self, tx: Transaction, ids: Sequence[str]) -> None:
        """Work out their threads again. The caller has locked them."""
        touched = await store.threads_of(tx, ids)
        await super().removed(tx, ids)
        await store.settle(tx, touched)

    # Messages

    async def list_erased(self, tx: Transaction, _person: str | None) -> None:
        touched = await column(tx, store.queries.erased_threads)
        await store.hold(tx, touched)

    async def redraft(self, tx: Transaction) -> int:
        return await super().redraft(tx) if await self.wanted(tx) else 0

    async def emptied(self, tx: Transaction) -> None:
        await super().emptied(tx)
        await store.settle_all(tx)
