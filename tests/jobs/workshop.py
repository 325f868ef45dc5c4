"""A database with workers whose steps belong to the test, and counters that steps move when they take effect."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from erstwhile.jobs import store
from erstwhile.jobs.model import Job, ListedJob, NewJob, Outcome, Step
from erstwhile.jobs.worker import Pacing, Worker
from erstwhile.storage import EVERYWHERE, Database, Row, Transaction
from erstwhile.storage.queries import make
from erstwhile.testing import FixedClock

LATER = datetime(9000, 1, 1, tzinfo=UTC)  # when every timer has run down, so that all are listed

SPACE = "shop"

_MOVE = """INSERT INTO channels (space, channel, last_seq, created_at) VALUES (:space, :counter, 1, 0)
ON CONFLICT (space, channel) DO UPDATE SET last_seq = channels.last_seq + 1"""
_READ = "SELECT channel AS counter, last_seq AS moved FROM channels WHERE space = :space"
_ROWS = "SELECT * FROM jobs WHERE kind = :kind AND key = :key"
_move, _read, _rows = (make(name, sql, sql) for name, sql in (("move", _MOVE), ("read", _READ), ("rows", _ROWS)))


class Workshop:
    def __init__(self, database: Database, clock: FixedClock) -> None:
        self.database = database
        self.clock = clock
        self.workers: list[Worker] = []

    def worker(self, steps: Mapping[str, Step], **pacing: Any) -> Worker:
        made = Worker(self.database, steps, self.clock, Pacing(**{"retry_base_seconds": 1.0, **pacing}))
        self.workers.append(made)
        return made

    async def ask(self, key: str, *, kind: str = "work", space: str = SPACE, **more: Any) -> None:
        job = NewJob(kind=kind, key=key, payload=more.pop("payload", {}), **more)
        await self.database.write(space, lambda tx: store.enqueue(tx, job, self.clock()))

    async def claim(self, worker: str = "elsewhere:1:aa", limit: int = 1, gap: float = 0) -> list[Job]:
        return await self.database.write(
            EVERYWHERE,
            lambda tx: store.claim(tx, worker, self.clock(), limit=limit, gaps={"model": timedelta(seconds=gap)}),
        )

    async def finish(self, job: Job) -> None:
        await self.database.write(job.space, lambda tx: store.finish(tx, job, self.clock()))

    async def row(self, key: str, kind: str = "work") -> Row:
        (found,) = await self.database.read(EVERYWHERE, lambda tx: tx.all(_rows, kind=kind, key=key))
        return found

    async def due(self, key: str) -> datetime:
        return next(job.due_at for job in await self.jobs() if job.key == key)

    async def jobs(self, state: str | None = None) -> list[ListedJob]:
        return await self.database.read(EVERYWHERE, lambda tx: store.listed(tx, LATER, state=state, limit=1000))

    async def states(self) -> dict[str, str]:
        return {job.key: job.state for job in await self.jobs()}

    async def until_running(self, key: str) -> None:
        async def running() -> bool:
            return (await self.states()).get(key) == "running"

        await until(running)

    async def moved(self) -> dict[str, int]:
        """How often each counter was moved: what the steps really did."""
        rows = await self.database.read(SPACE, lambda tx: tx.all(_read))
        return {row["counter"]: row["moved"] for row in rows}


def moves(counter: str, failure: Exception | None = None) -> Outcome:
    """An outcome that moves a counter by one when it is stored."""

    async def effects(tx: Transaction) -> None:
        await tx.run(_move, counter=counter)

    return Outcome(effects, failure)


async def moves_its_key(job: Job) -> Outcome:
    return moves(job.key)


async def until(met: Callable[[], Awaitable[bool]], seconds: float = 120) -> None:
    """Waits for a condition, looking again and again."""
    for _ in range(int(seconds / 0.02)):
        if await met():
            return
        await asyncio.sleep(0.02)
    raise AssertionError("it never came to that")
