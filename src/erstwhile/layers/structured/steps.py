"""The layer: read structured memories from the messages of a chunk, if the recipe uses them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from erstwhile.base import crash
from erstwhile.base.errors import Error
from erstwhile.layers.structured import reading, store
from erstwhile.layers.structured.model import StructuredReading
from erstwhile.layers.summaries.material import OtherReading
from erstwhile.layers.summaries.model import Range
from erstwhile.layers.summaries.reader import ChunkReader
from erstwhile.log.model import Message
from erstwhile.memories.model import StoredMemory
from erstwhile.storage import Transaction
from erstwhile.writers.port import WriterOutput, WriterRequest
from erstwhile.writers.writers import Writers

STRUCTURE = "structured.structure"


class StructuredMemories(ChunkReader[StructuredReading]):
    name = "structured"
    job = STRUCTURE
    task = "structure"
    other = OtherReading("extract", "facts.extract")
    kinds = (store.KIND,)
    recipes = ("full",)
    tables = ("structured_threads",)
    reads = (STRUCTURE,)

    async def chunks_cut(self, tx: Transaction, ranges: Sequence[Range], now: datetime) -> None:
        if await self.wanted(tx):
            await super().chunks_cut(tx, ranges, now)

    async def ask_unread(self, tx: Transaction, channel: str, now: datetime, pace: str | None) -> None:
        if await self.wanted(tx):
            for range in await store.unread(tx, channel):
                await self.ask(tx, range, now, pace=pace)

    async def put(self, tx: Transaction, reading: StructuredReading) -> None:
        await store.put(tx, self, reading, self._clock())
        crash.point("structured.after_structured")

    async def write(self, writers: Writers, request: WriterRequest) -> tuple[WriterOutput, Error | None]:
        return await writers.structure(request)

    def reading(
        self, space: str, range: Range, written: WriterOutput, messages: Sequence[Message]
    ) -> StructuredReading:
        return reading.read(space, range, written, messages)

    async def replace(self, tx: Transaction, reading: StructuredReading, now: datetime, *, overwrite: bool) -> None:
        await store.replace(tx, self, reading, now, overwrite=overwrite)

    # Hooks

    async def hold(self, tx: Transaction, memory: StoredMemory) -> None:
        await store.hold_range(tx, *memory.range)
        await store.hold(tx, [store.thread_of(memory)])

    def reworded(self, memory: StoredMemory, text: str) -> StoredMemory:
        return store.reworded(memory, text)

    async def together(self, tx: Transaction, memory: StoredMemory) -> Sequence[StoredMemory]:
        return await store.run(tx, memory)

    async def edited(self, tx: Transaction, memory: StoredMemory, now: datetime) -> None:
        """Work out again what it contradicts."""
        del now
        touched = {*await store.threads_of(tx, [memory.id]), store.thread_of(memory)}
        await store.hold(tx, touched)
        await store.put_threads(tx, [memory])
        await store.settle(tx, touched)

    async def deleted(self, tx: Transaction, memory: StoredMemory, now: datetime) -> None:
        del now
        await store.settle(tx, [store.thread_of(memory)])

    async def restored(self, tx: Transaction, memory: StoredMemory, now: datetime) -> None:
        del now
        await store.settle(tx, [store.thread_of(memory)])

    async def put_back(self, tx: Transaction, memory: StoredMemory, beside: Mapping[str, Any]) -> None:
        del beside
        await store.put_threads(tx, [memory])
        await store.settle(tx, [store.thread_of(memory)])

    async def removed(self, tx: Transaction, ids: Sequence[str]) -> None:
        """Work out their threads again. The caller has locked them."""
        touched = await store.threads_of(tx, ids)
        await super().removed(tx, ids)
        await store.settle(tx, touched)

    # Messages

    async def list_erased(self, tx: Transaction, person: str | None) -> None:
        del person
        await store.hold_erased(tx)

    async def touched(self, tx: Transaction) -> bool:
        return await store.was_read(tx)

    async def hold_range(self, tx: Transaction, range: Range) -> None:
        await store.hold_range(tx, range.channel, range.first, range.last)

    async def reader(self, tx: Transaction, range: Range) -> str | None:
        return await store.read_by(tx, range.channel, range.first, range.last)

    async def drafts(self, tx: Transaction) -> list[Range]:
        return await store.drafts(tx) if await self.wanted(tx) else []

    async def take_erased(self, tx: Transaction) -> list[Range]:
        return await store.take_structurings(tx)

    async def expired(self, tx: Transaction, channel: str, first: int, last: int) -> None:
        await store.settle_drafts(tx, channel, first, last)

    async def emptied(self, tx: Transaction) -> None:
        await store.empty(tx)
