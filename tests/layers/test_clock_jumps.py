"""The wall clock jumps while there is work: no job is lost or done twice, and messages keep their order (trust R15)."""

from __future__ import annotations

import random
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import pytest
from stored_rows import even, ranges

import erstwhile
from erstwhile.testing import FixedClock
from soak.size import SOAK

# From where, and by how much.
JUMPS = {
    "an hour ahead": (datetime(2026, 3, 2, 9, tzinfo=UTC), timedelta(hours=1)),
    "an hour back": (datetime(2026, 3, 2, 9, tzinfo=UTC), timedelta(hours=-1)),
    "a day ahead": (datetime(2026, 3, 2, 9, tzinfo=UTC), timedelta(days=1)),
    "a day back": (datetime(2026, 3, 2, 9, tzinfo=UTC), timedelta(days=-1)),
    "into summer time": (datetime(2026, 3, 29, 0, 30, tzinfo=UTC), timedelta(hours=1)),
    "out of summer time": (datetime(2026, 10, 25, 1, 30, tzinfo=UTC), timedelta(hours=-1)),
    "over the end of 32 bits": (datetime(2038, 1, 19, 3, 14, tzinfo=UTC), timedelta(seconds=10)),
    "back from there": (datetime(2038, 1, 19, 3, 14, 10, tzinfo=UTC), timedelta(seconds=-10)),
}
DRAWN = 200 if SOAK else 5
MESSAGES = 5  # between two jumps: half a summary


async def talk_and_jump(url: str, start: datetime, jumps: Sequence[timedelta]) -> None:
    clock, times = FixedClock(start), []
    async with erstwhile.open(url, clock=clock, worker=False, timezone="Europe/Berlin") as memory:
        chat = memory.channel("chat")
        for jump in [*jumps, timedelta(0)]:
            for number in range(MESSAGES):
                times.append(clock.now)
                await chat.add("user", f"I bought {len(times)} lanterns at stall {number}.", person="mina")
            clock.now += jump
            await memory.settle()
        clock.now = max(times) + timedelta(days=2)  # whatever waits for a time, its time has come
        settled = await memory.settle()
        assert (settled.waiting, settled.parked) == (0, 0)
        messages = [message async for message in chat.messages()]
        assert [message.seq for message in messages] == list(range(1, len(times) + 1))
        assert [message.at for message in messages] == times, "in the order in which they were said"
        whole = [each for each in await ranges(memory) if each[1] - each[0] == 9]
        assert whole == even(1, len(times) // 10 * 10, 10), "each is summarised once"
        jobs = [(job.kind, job.key) for job in await memory.jobs.list(limit=1000)]
        assert len(jobs) == len(set(jobs))


@pytest.mark.parametrize(("start", "jump"), JUMPS.values(), ids=JUMPS)
async def test_a_jump_loses_and_repeats_nothing(database_url: str, start: datetime, jump: timedelta) -> None:
    await talk_and_jump(database_url, start, [jump])


@pytest.mark.timeout(3600 if SOAK else 600)
async def test_any_jumps_lose_and_repeat_nothing(database_url: str) -> None:
    chance = random.Random(15)
    steps = [jump for _, jump in JUMPS.values()] + [timedelta(days=400), timedelta(minutes=-7), timedelta(seconds=1)]
    await talk_and_jump(database_url, datetime(2037, 12, 31, 23, tzinfo=UTC), chance.choices(steps, k=DRAWN))
