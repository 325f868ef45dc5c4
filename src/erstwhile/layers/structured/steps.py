"""What the layer does: read the messages of a chunk for structured memories, where the space's recipe has a use for them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from datetime import datetime
from typing import Any

from erstwhile.base import crash
from erstwhile.base.clock import Clock
from erstwhile.base.errors import Changed, Error, NotFound
from erstwhile.configuration.writer_pool import WriterPool
from erstwhile.jobs import store as jobs
from erstwhile.jobs.model import Job, NewJob, Outcome, Step
from erstwhile.layers.contract import Layer, Remake, Wanted
from erstwhile.layers.erasure.model import Subject
from erstwhile.layers.structured import reading, store
from erstwhile.layers.structured.model import StructuredReading
from erstwhile.layers.summaries import material
from erstwhile.layers.summaries.model import Range
from erstwhile.log import store as log
from erstwhile.memories.model import StoredMemory
from erstwhile.storage import Database, Transaction

STRUCTURE = "structured.structure"


class StructuredMemories(Layer):
    name = part = "structured"
    kinds = (store.KIND,)
    tables = ("structured_threads",)
    reads = (STRUCTURE,)

    def __init__(self, database: Database, writers: WriterPool, clock: Clock, wanted: Wanted) -> None:
        """`wanted`: whether the space of a transaction uses this layer."""
        self._database = database
        self._writers = writers
        self._clock = clock
        self.wanted = wanted

    @property
    def steps(self) -> Mapping[str, Step]:
        return {STRUCTURE: self.structure}

    async def chunk_cut(self, tx: Transaction, range: Range, now: datetime) -> None:
        if await self.wanted(tx):
            await self.ask(tx, range, now)

    async def ask(self, tx: Transaction, range: Range, now: datetime, *, pace: str | None = "model") -> None:
        await jobs.enqueue(tx, replace(_job(range), pace=pace), now)

    async def ask_unread(self, tx: Transaction, channel: str, now: datetime, pace: str | None) -> None:
        if await self.wanted(tx):
            for range in await store.unread(tx, channel):
                await self.ask(tx, range, now, pace=pace)

    async def structure(self, job: Job) -> Outcome:
        try:
            found, failure = await self.read(job.space, Range(**job.payload))
        except NotFound:
            return Outcome(_nothing)

        async def effects(tx: Transaction) -> None:
            await store.put(tx, self, found, self._clock())
            crash.point("structured.after_structured")

        return Outcome(effects, failure)

    async def read(self, space: str, range: Range) -> tuple[StructuredReading, Error | None]:
        """What the writer notes in the messages of a range; with a failure, what the extractive writer notes."""
        messages, request = await material.gather(self._database, space, range, "structure", "structure")
        writers = await self._writers.for_space(space)
        written, failure = await writers.structure(request)
        return reading.read(space, range, written, messages), failure

    async def replace(self, tx: Transaction, reading: StructuredReading, now: datetime, *, overwrite: bool) -> None:
        """Store a reading that someone asked for."""
        await store.replace(tx, self, reading, now, overwrite=overwrite)

    # What is done to structured memories

    async def hold(self, tx: Transaction, memory: StoredMemory) -> None:
        await store.hold_range(tx, *memory.range)
        await store.hold(tx, [store.thread_of(memory)])

    def reworded(self, memory: StoredMemory, text: str) -> StoredMemory:
        return store.reworded(memory, text)

    async def together(self, tx: Transaction, memory: StoredMemory) -> Sequence[StoredMemory]:
        return await store.run(tx, memory)

    async def edited(self, tx: Transaction, memory: StoredMemory, now: datetime) -> None:
        """What it contradicts follows its words."""
        del now
        touched = {*await store.threads_of(tx, [memory.id]), store.thread_of(memory)}
        await store.hold(tx, touched)
        await store.put_threads(tx, [memory])
        await store.settle(tx, touched)

    async def deleted(self, tx: Transaction, memory: StoredMemory, now: datetime) -> None:
        del now
        await store.settle(tx, [store.thread_of(memory)])

    async def check_restorable(self, tx: Transaction, memory: StoredMemory) -> None:
        """Not where its messages were read by another since, whose memories stand in its place."""
        reader = await store.read_by(tx, *memory.range)
        if reader is not None and memory.edited_at is None and reader != memory.writer:
            raise Changed(
                f"The place of {memory.id} is taken: {reader} has read its messages since, "
                f"and {memory.writer} had found it."
            )

    async def restored(self, tx: Transaction, memory: StoredMemory, now: datetime) -> None:
        del now
        await store.settle(tx, [store.thread_of(memory)])

    async def put_back(self, tx: Transaction, memory: StoredMemory, beside: Mapping[str, Any]) -> None:
        del beside
        await store.put_threads(tx, [memory])
        await store.settle(tx, [store.thread_of(memory)])

    async def removed(self, tx: Transaction, ids: Sequence[str]) -> None:
        """Whoever removes them holds their threads."""
        touched = await store.threads_of(tx, ids)
        await super().removed(tx, ids)
        await store.settle(tx, touched)

    # What is done to messages

    async def list_erased(self, tx: Transaction, person: str | None) -> None:
        del person
        await store.hold_erased(tx)

    async def touched(self, tx: Transaction) -> bool:
        return await store.was_read(tx)

    async def erased(self, tx: Transaction, subject: Subject) -> Remake | None:
        del subject
        touched = await store.take_structurings(tx)

        async def remake(tx: Transaction, now: datetime) -> None:
            for range in touched:
                if await log.ids_between(tx, range.channel, range.first, range.last):
                    await self.ask(tx, range, now)

        return remake

    async def expired(self, tx: Transaction, channel: str, first: int, last: int) -> None:
        await store.settle_drafts(tx, channel, first, last)

    async def emptied(self, tx: Transaction) -> None:
        await store.empty(tx)

    async def redraft(self, tx: Transaction) -> int:
        """What was parked stays parked."""
        found = await store.drafts(tx) if await self.wanted(tx) else []
        for range in found:
            await jobs.enqueue(tx, _job(range), self._clock(), revive=False)
        return len(found)


def _job(range: Range) -> NewJob:
    return NewJob(kind=STRUCTURE, key=range.key, payload=asdict(range), pace="model")


async def _nothing(_tx: Transaction) -> None:
    """The messages are gone: there is nothing to read."""
