"""A memory can be closed at any moment, however busy it is, and nothing is lost by it."""

from __future__ import annotations

import asyncio
import random

from crashing import broken_promises, contents, finished, opened, said, timeless, undisturbed

from inside import runtime


async def test_a_memory_closes_at_once_at_any_moment(database_url: str, tmp_path: object) -> None:
    """Its worker may be asleep, just woken, or in the middle of a job."""
    acknowledged: list[str] = []
    chance = random.Random(4)
    for number in range(1, 25 if "test.db" in database_url else 9):
        async with asyncio.timeout(120):
            async with opened(database_url, worker=True, jobs={"poll_seconds": 0.01}) as memory:
                await asyncio.sleep(chance.choice([0, 0, 0.01, 0.02]))
                (message,) = await memory.channel("hall").add_many([said("hall", number)])
                acknowledged.append(f"{message.key} {message.seq}")
                for _ in range(chance.randrange(12)):
                    await asyncio.sleep(0)
    assert broken_promises(await contents(database_url), acknowledged) == []
    ended = await finished(database_url)
    assert timeless(ended) == timeless(await undisturbed(f"{tmp_path}/calm.db", dict(ended.channels)))


async def test_a_worker_that_is_woken_and_told_to_stop_at_the_same_moment_stops(database_url: str) -> None:
    for turns in range(12):
        async with asyncio.timeout(120):
            async with opened(database_url, worker=True, jobs={"poll_seconds": 5}) as memory:
                await asyncio.sleep(0.02)  # by now it sleeps
                runtime(memory).worker.wake()
                for _ in range(turns % 6):
                    await asyncio.sleep(0)
