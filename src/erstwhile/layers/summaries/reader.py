"""A layer that reads the messages of each chunk once, such as facts."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from erstwhile.base.errors import ConflictError, Error, NotFound
from erstwhile.jobs import store as jobs
from erstwhile.jobs.model import Job, NewJob, Outcome, Step
from erstwhile.layers.contract import Layer, Remake
from erstwhile.layers.summaries import readings, store
from erstwhile.layers.summaries.material import ChunkMaterial, OtherReading, chunk_job, gather
from erstwhile.layers.summaries.model import ChunkReading, Range
from erstwhile.log import store as log
from erstwhile.log.model import Message
from erstwhile.memories import store as memories
from erstwhile.memories.model import StoredMemory
from erstwhile.memories.store import Replacement, SourceRange
from erstwhile.storage import Transaction
from erstwhile.tables.model import Subject
from erstwhile.writers.port import WriterOutput, WriterRequest
from erstwhile.writers.writers import Writers


class ChunkReader(Layer, ABC):
    """`job` is the kind of its job, `task` the name of its prompt. A reading is made before the
    database is written. One call of a model may make the `other` reading too."""

    job: str = ""
    task: str = ""
    other: OtherReading | None = None

    @property
    def steps(self) -> Mapping[str, Step]:
        return {self.job: self.read_chunk}

    # What a layer defines

    @abstractmethod
    async def write(
        self, writers: Writers, request: WriterRequest, /
    ) -> tuple[WriterOutput, Error | None]:
        """Let a writer read messages; after a failure, the extractive one."""

    @abstractmethod
    def reading(
        self, space: str, range: Range, written: WriterOutput, messages: Sequence[Message]
    ) -> ChunkReading:
        """Return what a writer has read in the messages of a range."""

    @abstractmethod
    async def store(
        self, tx: Transaction, reading: ChunkReading, now: datetime, *, overwrite: bool
    ) -> None:
        """Store the memories of a reading in place of those of its range. With `overwrite`, also in
        place of what people edited or deleted."""

    # What they share

    def place_of(self, range: Range) -> SourceRange:
        return SourceRange(self.kinds[0].name, range.channel, range.first, range.last)

    def place_of_memory(self, memory: StoredMemory) -> SourceRange:
        return SourceRange(self.kinds[0].name, *memory.range)

    async def read(
        self, space: str, range: Range, *, joint: bool = False
    ) -> tuple[ChunkReading, Error | None]:
        """Read the messages of a range. `joint`: one call may write what another job reads, too."""
        other = self.other if joint else None
        found = await gather(self._layer_parts, space, range, self.task, other)
        return await self.read_material(space, range, found)

    async def read_material(
        self, space: str, range: Range, found: ChunkMaterial
    ) -> tuple[ChunkReading, Error | None]:
        written, failure = await self.write(found.writers, found.request)
        return self.reading(space, range, written, found.messages), failure

    async def ask(
        self, tx: Transaction, range: Range, now: datetime, *, pace: str | None = "model"
    ) -> None:
        await jobs.enqueue(tx, replace(self.new_job(range), pace=pace), now)

    async def put(self, tx: Transaction, reading: ChunkReading) -> None:
        """Store a reading, unless there is a final one already."""
        now = self._clock()
        if await readings.put(tx, self.place_of(reading.range), reading, now):
            await self.store(tx, reading, now, overwrite=False)

    async def replace(
        self, tx: Transaction, reading: ChunkReading, now: datetime, *, overwrite: bool
    ) -> None:
        """Store a reading that someone asked for."""
        place = self.place_of(reading.range)
        await readings.replace(tx, place, reading.row, now)
        if await readings.take_over(tx, place):
            await self.store(tx, reading, now, overwrite=overwrite)

    async def replace_found(
        self, tx: Transaction, reading: ChunkReading, now: datetime, *, overwrite: bool
    ) -> list[StoredMemory]:
        """Store what was found in place of what is there. Return what was added."""
        place = self.place_of(reading.range)
        if overwrite:
            await memories.discard_edits(tx, place)
        new = Replacement(place, reading.found, reading.written.writer, overwrite)
        return await memories.replace_in(tx, self, new, now)

    async def read_chunk(self, job: Job) -> Outcome:
        range = Range(**job.payload)
        try:
            reading, failure = await self.read(job.space, range, joint=True)
        except NotFound:
            return Outcome()

        async def effects(tx: Transaction) -> None:
            cut_to, _ = await store.hold(tx, range.channel) if range.provisional else (0, 0)
            if cut_to < range.first:  # else the full chunk replaces it
                await self.put(tx, reading)

        return Outcome(effects, failure)

    async def put_for_job(
        self, tx: Transaction, range: Range, reading: ChunkReading, now: datetime
    ) -> None:
        """Store a reading that another job made, if this layer's job waits to make it."""
        if await jobs.mark_done(tx, self.job, range.key, now, waiting=True):
            await self.put(tx, reading)

    async def check_restorable(self, tx: Transaction, memory: StoredMemory) -> None:
        """Refuse if another writer has read the messages since: its memories replace this one."""
        read = await readings.at(tx, self.place_of_memory(memory))
        if read is not None and memory.edited_at is None and read["writer"] != memory.writer:
            raise ConflictError(
                f"{memory.id} can't be restored: {read['writer']} has read its messages since."
            )

    async def erased(self, tx: Transaction, _subject: Subject) -> Remake | None:
        touched = await readings.take_erased(tx, self.kinds[0].name)

        async def remake(tx: Transaction, now: datetime) -> None:
            for range in touched:
                if await log.ids_between(tx, range.channel, range.first, range.last):
                    await self.ask(tx, range, now)

        return remake

    async def redraft(self, tx: Transaction) -> int:
        """Enqueue every draft again. Parked jobs stay parked."""
        found = await readings.drafts(tx, self.kinds[0].name)
        for range in found:
            await jobs.enqueue(tx, self.new_job(range), self._clock(), revive=False)
        return len(found)

    async def hold_range(self, tx: Transaction, range: Range) -> None:
        """Lock the reading of a range until the commit."""
        await readings.hold(tx, self.place_of(range))

    async def messages_expired(self, tx: Transaction, channel: str, first: int, last: int) -> None:
        place = SourceRange(self.kinds[0].name, channel, first, last)
        await tx.run(store.queries.settle_readings, **place.row)

    async def emptied(self, tx: Transaction) -> None:
        """Delete readings, but not those of expired messages."""
        await tx.run(store.queries.empty_readings, kind=self.kinds[0].name)

    def new_job(self, range: Range) -> NewJob:
        return chunk_job(self._layer_parts, self.job, range)
