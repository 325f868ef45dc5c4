"""Split the log of a channel into buffers again, page by page, as a job: for a rebuild."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from erstwhile.base.clock import Clock
from erstwhile.base.records import from_row, to_row
from erstwhile.jobs import store as jobs
from erstwhile.jobs.model import Job, NewJob, Outcome
from erstwhile.layers.notes import buffer as buffering
from erstwhile.layers.notes import store
from erstwhile.layers.notes.buffer import Timing
from erstwhile.layers.notes.model import Buffer
from erstwhile.layers.notes.store import put_buffers
from erstwhile.log import store as log_store
from erstwhile.storage import Database, Transaction

REBUILD_BUFFERS: Final = "notes.rebuild"
_PAGE: Final = 1000


class BufferRebuild:
    def __init__(self, database: Database, clock: Clock, timing: Timing) -> None:
        self._database, self._clock, self._timing = database, clock, timing

    async def ask(self, tx: Transaction, channel: str, last: int) -> None:
        await self._go_on(tx, {"channel": channel, "after": 0, "until": last, "open": None})

    async def _go_on(self, tx: Transaction, payload: Mapping[str, Any]) -> None:
        if payload["after"] < payload["until"]:
            job = NewJob(REBUILD_BUFFERS, key=payload["channel"], payload=payload)
            await jobs.enqueue(tx, job, self._clock())

    async def step(self, job: Job) -> Outcome:
        """Split a page. Its last buffer continues in the next page. The last of all is the open
        buffer, unless messages were added meanwhile."""
        channel, after = str(job.payload["channel"]), int(job.payload["after"])
        last = int(job.payload["until"])
        until = min(last, after + _PAGE)

        async def read(tx: Transaction) -> list[Buffer]:
            messages = await log_store.between(tx, channel, after + 1, until)
            said = buffering.by_people(messages, self._clock())
            taken = [each for each in await store.ranges(tx, channel) if each.start <= last]
            return buffering.split(opened, channel, said, self._timing, taken)

        kept = job.payload["open"]
        opened = None if kept is None else from_row(Buffer, kept)
        found = await self._database.read(job.space, read)

        async def effects(tx: Transaction) -> None:
            now, cut = self._clock(), found
            current = cut[-1] if cut and not cut[-1].closed else None
            if current is not None and until < last:
                cut = cut[:-1]
            elif current is not None and await store.hold_open(tx, [channel]):
                cut = [*cut[:-1], replace(current, closed=True)]
            await put_buffers(tx, cut, self._timing, now)
            opened = current and to_row(current)
            await self._go_on(tx, {**job.payload, "after": until, "open": opened})

        return Outcome(effects)
