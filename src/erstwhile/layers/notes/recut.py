"""Split the log of a channel into buffers again, page by page, as a job: for a rebuild."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import Any, Final

from erstwhile.base.clock import Clock, micros, moment
from erstwhile.jobs import store as jobs
from erstwhile.jobs.model import Job, NewJob, Outcome
from erstwhile.layers.notes import buffer as buffering
from erstwhile.layers.notes import store
from erstwhile.layers.notes.buffer import Timing
from erstwhile.layers.notes.model import Buffer
from erstwhile.layers.notes.timers import put_buffers
from erstwhile.log import store as log_store
from erstwhile.storage import Database, Transaction

RECUT: Final = "notes.rebuild"
_PAGE: Final = 1000


class Recut:
    def __init__(self, database: Database, clock: Clock, timing: Timing) -> None:
        self._database = database
        self._clock = clock
        self._timing = timing

    async def ask(self, tx: Transaction, channel: str, last: int) -> None:
        await self._go_on(tx, {"channel": channel, "after": 0, "until": last, "open": None})

    async def _go_on(self, tx: Transaction, payload: Mapping[str, Any]) -> None:
        if payload["after"] < payload["until"]:
            await jobs.enqueue(tx, NewJob(RECUT, key=payload["channel"], payload=payload), self._clock())

    async def step(self, job: Job) -> Outcome:
        """Split a page. Its last buffer continues in the next page. The last of all is the open
        buffer, unless messages were added meanwhile."""
        channel, after, last = str(job.payload["channel"]), int(job.payload["after"]), int(job.payload["until"])
        until = min(last, after + _PAGE)

        async def read(tx: Transaction) -> list[Buffer]:
            said = buffering.by_people(await log_store.between(tx, channel, after + 1, until), self._clock())
            taken = [each for each in await store.ranges(tx, channel) if each.start <= last]
            return buffering.split(_opened(job.payload["open"]), channel, said, self._timing, taken)

        found = await self._database.read(job.space, read)

        async def effects(tx: Transaction) -> None:
            now, cut = self._clock(), found
            current = cut[-1] if cut and not cut[-1].closed else None
            if current is not None and until < last:
                cut = cut[:-1]
            elif current is not None and await store.hold_open(tx, [channel]):
                cut = [*cut[:-1], replace(current, closed=True)]
            await put_buffers(tx, cut, self._timing, now)
            await self._go_on(tx, {**job.payload, "after": until, "open": _kept(current)})

        return Outcome(effects)


def _kept(current: Buffer | None) -> dict[str, Any] | None:
    if current is None:
        return None
    times = {"started_at": micros(current.started_at), "updated_at": micros(current.updated_at)}
    return {**asdict(current), **times}


def _opened(kept: Mapping[str, Any] | None) -> Buffer | None:
    if kept is None:
        return None
    return Buffer(
        **{**kept, "started_at": moment(int(kept["started_at"])), "updated_at": moment(int(kept["updated_at"]))}
    )
