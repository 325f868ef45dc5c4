"""What the room does: read the messages of a chunk for facts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from datetime import datetime

from erstwhile.base import crash
from erstwhile.base.clock import Clock
from erstwhile.base.errors import NotFound
from erstwhile.jobs import store as jobs
from erstwhile.jobs.model import Job, NewJob, Outcome, Step
from erstwhile.log import store as log
from erstwhile.rooms.chunks.model import Range
from erstwhile.rooms.chunks.steps import lines
from erstwhile.rooms.facts import store
from erstwhile.rooms.facts.store import queries
from erstwhile.storage import Database, Transaction
from erstwhile.writers import prompt
from erstwhile.writers.port import Request
from erstwhile.writers.writers import Writers

EXTRACT = "facts.extract"


class Facts:
    def __init__(self, database: Database, writers: Writers, clock: Clock) -> None:
        self._database = database
        self._writers = writers
        self._clock = clock

    @property
    def steps(self) -> Mapping[str, Step]:
        return {EXTRACT: self.extract}

    async def chunk_cut(self, tx: Transaction, range: Range, now: datetime) -> None:
        await jobs.enqueue(tx, _job(range), now)

    async def extract(self, job: Job) -> Outcome:
        range = Range(**job.payload)
        messages = await self._database.read(
            job.space, lambda tx: log.between(tx, range.channel, range.first, range.last)
        )
        if not messages:
            raise NotFound(f"Messages {range.first}–{range.last} of {range.channel!r} are no longer there.")
        request = Request(
            prompt=prompt.load(__package__, "extract"),
            lines=lines(messages),
            cache_key=f"facts:{range.channel}:{range.first}-{range.last}",
        )
        written, failure = await self._writers.extract_facts(request)

        async def effects(tx: Transaction) -> None:
            await store.put(tx, range, written, messages, self._clock())
            crash.point("facts.after_facts")

        return Outcome(effects, failure)

    async def redraft(self, tx: Transaction) -> int:
        """Asks for every draft again, for when a model has become available. What was parked stays parked."""
        rows = await tx.all(queries.drafts)
        for row in rows:
            range = Range(row["channel"], 0, 0, row["first_seq"], row["last_seq"])
            await jobs.enqueue(tx, _job(range), self._clock(), revive=False)
        return len(rows)


def _job(range: Range) -> NewJob:
    return NewJob(kind=EXTRACT, key=range.key, payload=asdict(range), pace="model")
