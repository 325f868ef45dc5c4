"""Killed while someone is being erased: they are there whole, or gone whole, and erasing them again ends the same.

As a program, `python test_erasure_crashes.py URL`: two people are erased one after the other.
"""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

import erstwhile
from erstwhile.memory import migrate
from erstwhile.testing import FixedClock

POINTS = ("erasure.after_messages", "erasure.after_erased")
PEOPLE = ("alice", "bob")
WORD = "zephyrine"


async def live(url: str) -> None:
    await migrate(url)
    async with erstwhile.open(url, clock=FixedClock(datetime(2026, 3, 2, tzinfo=UTC)), worker=False) as memory:
        chat = memory.channel("square")
        for number in range(24):
            person = (*PEOPLE, "carol")[number % 3]
            await chat.add("user", f"I am {person} and I love {WORD} number {number}.", person=person)
        await memory.settle()


async def erase(url: str) -> None:
    async with erstwhile.open(url, clock=FixedClock(datetime(2026, 3, 3, tzinfo=UTC)), worker=False) as memory:
        for person in PEOPLE:
            await memory.erase(person=person)


async def whose(url: str) -> dict[str, int]:
    async with erstwhile.open(url, clock=FixedClock(datetime(2026, 3, 4, tzinfo=UTC)), worker=False) as memory:
        found = [each.person or "" async for each in memory.channel("square").messages()]
    return {person: found.count(person) for person in sorted(set(found))}


@pytest.fixture(params=["sqlite", "postgres"])
def empty_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return str(request.getfixturevalue("bare_postgres") if request.param == "postgres" else tmp_path / "crash.db")


@pytest.mark.parametrize("time", [1, 2])
@pytest.mark.parametrize("point", POINTS)
async def test_a_crash_leaves_nobody_half_erased(empty_url: str, point: str, time: int) -> None:
    await live(empty_url)
    died = await asyncio.to_thread(
        subprocess.run,
        [sys.executable, __file__, empty_url],
        env={**os.environ, "ERSTWHILE_CRASH_AT": f"{point}:{time}"},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert died.returncode == -signal.SIGKILL, f"{point} was not reached: {died.stderr}"
    gone = PEOPLE[: time - 1]
    assert await whose(empty_url) == {person: 8 for person in ("alice", "bob", "carol") if person not in gone}
    async with erstwhile.open(empty_url, clock=FixedClock(datetime(2026, 3, 4, tzinfo=UTC)), worker=False) as memory:
        for person in PEOPLE[time - 1 :]:
            assert (await memory.erase(person=person)).checked
        settled = await memory.settle()
        assert (settled.waiting, settled.parked) == (0, 0)
        assert {each.person for each in await memory.facts(memory.channel("square"))} <= {"carol", None}
    assert await whose(empty_url) == {"carol": 8}


async def erase_all(url: str) -> None:
    async with erstwhile.open(url, clock=FixedClock(datetime(2026, 3, 3, tzinfo=UTC)), worker=False) as memory:
        await memory.erase(everything=True)


async def test_a_crash_leaves_no_space_half_erased(empty_url: str) -> None:
    await live(empty_url)
    died = await asyncio.to_thread(
        subprocess.run,
        [sys.executable, __file__, empty_url, "everything"],
        env={**os.environ, "ERSTWHILE_CRASH_AT": "erasure.after_space"},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert died.returncode == -signal.SIGKILL, died.stderr
    assert await whose(empty_url) == {"alice": 8, "bob": 8, "carol": 8}
    await erase_all(empty_url)
    assert await whose(empty_url) == {}


if __name__ == "__main__":
    asyncio.run((erase_all if "everything" in sys.argv else erase)(sys.argv[1]))
