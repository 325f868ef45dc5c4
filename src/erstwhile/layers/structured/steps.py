"""What the room does: read the messages of a chunk for structured memories, where the space's recipe has a use for them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import asdict, replace
from datetime import datetime

from erstwhile.base import crash
from erstwhile.base.clock import Clock
from erstwhile.base.errors import Error, NotFound
from erstwhile.configuration.writer_pool import Desk
from erstwhile.jobs import store as jobs
from erstwhile.jobs.model import Job, NewJob, Outcome, Step
from erstwhile.layers.structured import reading, store
from erstwhile.layers.structured.model import Reading
from erstwhile.layers.structured.store import queries
from erstwhile.layers.summaries import material
from erstwhile.layers.summaries.model import Range
from erstwhile.storage import Database, Transaction

STRUCTURE = "structured.structure"

Wanted = Callable[[Transaction], Awaitable[bool]]


class StructuredMemories:
    def __init__(self, database: Database, writers: Desk, clock: Clock, wanted: Wanted) -> None:
        self._database = database
        self._writers = writers
        self._clock = clock
        self.wanted = wanted
        """Whether the space of a transaction uses this room."""

    @property
    def steps(self) -> Mapping[str, Step]:
        return {STRUCTURE: self.structure}

    async def chunk_cut(self, tx: Transaction, range: Range, now: datetime) -> None:
        if await self.wanted(tx):
            await self.ask(tx, range, now)

    async def ask(self, tx: Transaction, range: Range, now: datetime, *, pace: str | None = "model") -> None:
        await jobs.enqueue(tx, replace(_job(range), pace=pace), now)

    async def ask_unread(self, tx: Transaction, channel: str, now: datetime, *, pace: str | None) -> None:
        """Asks for the chunks that were made while nobody wanted them read."""
        if await self.wanted(tx):
            for row in await tx.all(queries.unread, channel=channel):
                await self.ask(tx, Range(channel, 0, row["number"], row["first_seq"], row["last_seq"]), now, pace=pace)

    async def structure(self, job: Job) -> Outcome:
        try:
            found, failure = await self.read(job.space, Range(**job.payload))
        except NotFound:
            return Outcome(_nothing)

        async def effects(tx: Transaction) -> None:
            await store.put(tx, found, self._clock())
            crash.point("structured.after_structured")

        return Outcome(effects, failure)

    async def read(self, space: str, range: Range) -> tuple[Reading, Error | None]:
        """What the writer notes in the messages of a range; with a failure, what the extractive writer notes."""
        messages, request = await material.gather(self._database, space, range, "structure", "structure")
        writers = await self._writers.for_space(space)
        written, failure = await writers.structure(request)
        return reading.read(space, range, written, messages), failure

    async def redraft(self, tx: Transaction) -> int:
        """Asks for every draft again, for when a model has become available. What was parked stays parked."""
        if not await self.wanted(tx):
            return 0
        rows = await tx.all(queries.drafts)
        for row in rows:
            range = Range(row["channel"], 0, 0, row["first_seq"], row["last_seq"])
            await jobs.enqueue(tx, _job(range), self._clock(), revive=False)
        return len(rows)


def _job(range: Range) -> NewJob:
    return NewJob(kind=STRUCTURE, key=range.key, payload=asdict(range), pace="model")


async def _nothing(_tx: Transaction) -> None:
    """The messages are gone: there is nothing to read."""
