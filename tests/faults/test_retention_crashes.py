"""Killed while old messages are taken away: whole pages are gone, nothing else, and whoever comes next goes on.

As a program, `python test_retention_crashes.py URL`: works off what is due, a month later.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

import databases
import erstwhile
from erstwhile.testing import FixedClock
from support import forks

MARCH, APRIL = datetime(2026, 3, 2, tzinfo=UTC), datetime(2026, 4, 20, tzinfo=UTC)
MESSAGES, LATEST = 450, 5


def opened(url: str, now: datetime) -> erstwhile.Memory:
    settings = {"recipe": "recall", "recent_messages": LATEST, "retention": {"message": 30}, "worker": False}
    return erstwhile.open(url, clock=FixedClock(now), **settings)


async def work(url: str) -> None:
    async with opened(url, APRIL) as memory:
        await memory.settle()


@pytest.fixture(params=["sqlite", "postgres"])
def empty_url(request: pytest.FixtureRequest) -> Iterator[str]:
    yield from databases.empty(request.param, request)


async def test_a_kill_in_the_middle_loses_nothing_and_it_goes_on(empty_url: str) -> None:
    async with opened(empty_url, MARCH) as memory:
        await memory.channel("square").add_many([{"role": "user", "text": f"Number {n}."} for n in range(MESSAGES)])
        await memory.settle()
    died = await asyncio.to_thread(
        forks.run,
        [sys.executable, __file__, empty_url],
        env={**os.environ, "ERSTWHILE_CRASH_AT": "retention.after_page:2"},
        timeout=120,
    )
    assert died.returncode == -signal.SIGKILL, f"the point was not reached: {died.stderr}"
    async with opened(empty_url, APRIL) as memory:
        left = [each.seq async for each in memory.channel("square").messages()]
        assert LATEST < len(left) < MESSAGES
        assert left == list(range(MESSAGES - len(left) + 1, MESSAGES + 1))
        assert [each.state for each in await memory.jobs.list(limit=100) if each.kind == "retention.expire"] == [
            "running"
        ]
        settled = await memory.settle()
        assert (settled.waiting, settled.parked) == (0, 0)
        assert len([each async for each in memory.channel("square").messages()]) == LATEST
        assert [each.kind for each in await memory.jobs.list(state="timer")] == ["retention.expire"]


if __name__ == "__main__":
    asyncio.run(work(sys.argv[1]))
