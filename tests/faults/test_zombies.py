"""A worker that stalls past its lease and then wakes up has no effect: someone else has done its jobs."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator
from datetime import UTC, datetime

from crashing import until

from erstwhile.base.settings import load
from erstwhile.jobs import store
from erstwhile.jobs.model import Job, NewJob, Outcome
from erstwhile.jobs.worker import Pacing, Worker
from erstwhile.storage import EVERYWHERE, Database, Transaction, migrate
from erstwhile.storage.queries import make
from erstwhile.testing import FixedClock
from erstwhile.wiring import open_database
from soak.size import SOAK

LEASE = 1.0
JOBS = 1000 if SOAK else 2
NOTE = make("note", *["INSERT INTO paces (space, pace, free_at) VALUES (:space, :note, 0)"] * 2)
NOTES = make("notes", *["SELECT pace AS note FROM paces ORDER BY pace"] * 2)


@contextlib.asynccontextmanager
async def worker(url: str, name: str, stall: float) -> AsyncIterator[tuple[Worker, Database]]:
    """Its first step stalls, so that no sign of life is given either; each then notes who did the job."""
    database = open_database(load(database=url))
    await database.open()
    await migrate.ready(database)
    stalls = [stall]

    async def step(job: Job) -> Outcome:
        while stalls:  # the whole loop stands still, as in a process that is swapped out or stopped
            time.sleep(stalls.pop())  # noqa: ASYNC251

        async def effects(tx: Transaction) -> None:
            await tx.run(NOTE, note=f"{job.key} by {name}")

        return Outcome(effects)

    made = Worker(database, {"nap": step}, FixedClock(), Pacing(concurrency=JOBS, lease_seconds=LEASE))
    try:
        yield made, database
    finally:
        await made.stop()
        await database.close()


async def running(database: Database, wanted: int) -> bool:
    return (await database.read(EVERYWHERE, lambda tx: store.counts(tx, datetime.now(UTC))))["running"] == wanted


async def settle_until_done(made: Worker, wanted: int) -> None:
    """Others' jobs become free when their lease ends, so it takes a few looks."""
    deadline = time.monotonic() + 120
    while made.done < wanted and time.monotonic() < deadline:
        await made.settle()
        await asyncio.sleep(0.05)


async def test_a_worker_that_wakes_up_after_its_lease_changes_nothing(database_url: str) -> None:
    async with worker(database_url, "the living", stall=0) as (living, database):

        async def enqueue(tx: Transaction) -> None:
            for number in range(JOBS):
                await store.enqueue(tx, NewJob("nap", key=str(number), payload={}), FixedClock()())

        await database.write("default", enqueue)

        async def zombie() -> int:
            async with worker(database_url, "the zombie", stall=3 * LEASE) as (dead, _):
                await dead.settle()
                return dead.done

        undead = asyncio.create_task(asyncio.to_thread(asyncio.run, zombie()))
        await until(lambda: running(database, JOBS))  # the zombie has them all
        await settle_until_done(living, JOBS)
        done_by_zombie = await undead

        notes = [row["note"] for row in await database.read(EVERYWHERE, lambda tx: tx.all(NOTES))]
        assert notes == sorted(f"{number} by the living" for number in range(JOBS))
        assert done_by_zombie == 0
        assert await database.read(EVERYWHERE, lambda tx: store.counts(tx, datetime.now(UTC))) == {
            "waiting": 0,
            "running": 0,
            "done": 0,
            "parked": 0,
        }


async def test_a_worker_that_is_only_slow_keeps_its_jobs(database_url: str) -> None:
    """The control: as long as it gives signs of life, nobody takes a job away, however long it runs."""
    async with worker(database_url, "the impatient", stall=0) as (impatient, database):
        slow_database = open_database(load(database=database_url))
        await slow_database.open()

        async def step(job: Job) -> Outcome:
            await asyncio.sleep(4 * LEASE)

            async def effects(tx: Transaction) -> None:
                await tx.run(NOTE, note=f"{job.key} by the slow")

            return Outcome(effects)

        slow = Worker(slow_database, {"nap": step}, FixedClock(), Pacing(lease_seconds=LEASE))
        await database.write("default", lambda tx: store.enqueue(tx, NewJob("nap", "0", {}), FixedClock()()))
        working = asyncio.create_task(slow.settle())
        await until(lambda: running(database, 1))
        while not working.done():
            await impatient.settle()
            await asyncio.sleep(0.02)
        notes = [row["note"] for row in await database.read(EVERYWHERE, lambda tx: tx.all(NOTES))]
        await slow.stop()
        await slow_database.close()
        assert notes == ["0 by the slow"]
        assert (slow.done, impatient.done) == (1, 0)
