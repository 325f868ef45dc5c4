"""What the room does: read the messages of a chunk for facts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, replace
from datetime import datetime

from erstwhile.base import crash
from erstwhile.base.clock import Clock
from erstwhile.base.errors import Error, NotFound
from erstwhile.configuration.desk import Desk
from erstwhile.jobs import store as jobs
from erstwhile.jobs.model import Job, NewJob, Outcome, Step
from erstwhile.layers.facts import links, reading, store
from erstwhile.layers.facts.model import Reading
from erstwhile.layers.facts.store import queries
from erstwhile.layers.summaries import material
from erstwhile.layers.summaries.model import Range
from erstwhile.storage import Database, Transaction

EXTRACT = "facts.extract"


class Facts:
    def __init__(self, database: Database, writers: Desk, clock: Clock) -> None:
        self._database = database
        self._writers = writers
        self._clock = clock

    @property
    def steps(self) -> Mapping[str, Step]:
        return {EXTRACT: self.extract}

    async def chunk_cut(self, tx: Transaction, range: Range, now: datetime) -> None:
        await self.ask(tx, range, now)

    async def ask(self, tx: Transaction, range: Range, now: datetime, *, pace: str | None = "model") -> None:
        await jobs.enqueue(tx, replace(_job(range), pace=pace), now)

    async def extract(self, job: Job) -> Outcome:
        try:
            found, failure = await self.read(job.space, Range(**job.payload))
        except NotFound:
            return Outcome(_nothing)

        async def effects(tx: Transaction) -> None:
            await store.put(tx, await links.linked(tx, found), self._clock())
            crash.point("facts.after_facts")

        return Outcome(effects, failure)

    async def read(self, space: str, range: Range) -> tuple[Reading, Error | None]:
        """What the writer finds in the messages of a range; with a failure, what the extractive writer finds."""
        messages, request = await material.gather(self._database, space, range, "extract", "facts")
        writers = await self._writers.for_space(space)
        written, failure = await writers.extract_facts(request)
        return reading.read(space, range, written, messages), failure

    async def redraft(self, tx: Transaction) -> int:
        """Asks for every draft again, for when a model has become available. What was parked stays parked."""
        rows = await tx.all(queries.drafts)
        for row in rows:
            range = Range(row["channel"], 0, 0, row["first_seq"], row["last_seq"])
            await jobs.enqueue(tx, _job(range), self._clock(), revive=False)
        return len(rows)


def _job(range: Range) -> NewJob:
    return NewJob(kind=EXTRACT, key=range.key, payload=asdict(range), pace="model")


async def _nothing(_tx: Transaction) -> None:
    """The messages are gone: there is nothing to read."""
