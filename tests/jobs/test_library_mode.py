"""The worker inside the library, and two of them on one database, through the API."""

from __future__ import annotations

import asyncio

from workshop import until

import erstwhile
from erstwhile.storage.queries import make
from erstwhile.testing import FixedClock
from inside import runtime

_CHUNKS = "SELECT first_seq, last_seq FROM chunks WHERE space = :space AND level = 0 ORDER BY first_seq"
chunks = make("chunks", _CHUNKS, _CHUNKS)


def lines(count: int) -> list[dict[str, str]]:
    return [
        {"role": "user", "person": "alice", "text": f"I own a stall with {n} apples in Busan."} for n in range(count)
    ]


async def made(memory: erstwhile.Memory) -> list[tuple[int, int]]:
    rows = await runtime(memory).database.read("default", lambda tx: tx.all(chunks))
    return [(row["first_seq"], row["last_seq"]) for row in rows]


async def test_the_library_works_in_the_background_without_settle(database_url: str) -> None:
    async with erstwhile.open(database_url) as memory:
        await memory.channel("chat").add_many(lines(20))

        async def quiet() -> bool:
            return not await memory.jobs.list(state="waiting") and not await memory.jobs.list(state="running")

        await until(quiet)
        assert await made(memory) == [(1, 10), (11, 20)]
        assert await memory.search("apples", kinds=["fact"])


async def test_settle_also_works_beside_the_background_worker(database_url: str) -> None:
    async with erstwhile.open(database_url) as memory:
        for _ in range(5):
            await memory.channel("chat").add_many(lines(10))
            await memory.settle()
        assert len(await made(memory)) == 5
        assert (await memory.settle()).waiting == 0


async def test_two_memories_settling_at_the_same_time_do_each_job_once(database_url: str, clock: FixedClock) -> None:
    async with (
        erstwhile.open(database_url, clock=clock, worker=False) as one,
        erstwhile.open(database_url, clock=clock, worker=False) as two,
    ):
        await one.channel("chat").add_many(lines(200))
        settled = await asyncio.gather(one.settle(), two.settle())
        last = await asyncio.gather(one.settle(), two.settle())
        # 20 chunks, each read by one job, 2 metas, and the note of 200 messages.
        assert sum(each.done for each in (*settled, *last)) == 23
        assert (last[0].waiting, last[0].parked) == (0, 0)
        assert await made(one) == [(first, first + 9) for first in range(1, 200, 10)]


async def test_closing_in_the_middle_of_work_loses_nothing(database_url: str, clock: FixedClock) -> None:
    async with erstwhile.open(database_url, clock=clock, jobs={"poll_seconds": 0.05}) as memory:
        await memory.channel("chat").add_many(lines(300))
        await asyncio.sleep(0.05)
    async with erstwhile.open(database_url, clock=clock, worker=False) as memory:
        assert await memory.jobs.list(state="running") == []
        settled = await memory.settle()
        assert (settled.waiting, settled.parked) == (0, 0)
        assert await made(memory) == [(first, first + 9) for first in range(1, 300, 10)]


async def test_work_runs_until_it_is_cancelled(database_url: str, clock: FixedClock) -> None:
    """What `erstwhile worker` does."""
    async with erstwhile.open(database_url, clock=clock, worker=False) as memory:
        await memory.channel("chat").add_many(lines(10))
        working = asyncio.create_task(memory.work())

        async def all_done() -> bool:
            return len(await memory.jobs.list(state="done")) == 3

        await until(all_done)
        working.cancel()
        await asyncio.gather(working, return_exceptions=True)
        assert await made(memory) == [(1, 10)]
