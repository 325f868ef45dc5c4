"""Killed while someone is erased, or a message taken back or reworded: it is there whole, or gone whole, and again ends the same.

As a program, `python test_erasure_crashes.py URL`: two people are erased one after the other; with `edit`, messages are edited and deleted.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

import databases
import erstwhile
from erstwhile.testing import FixedClock
from support import forks

POINTS = ("erasure.after_messages", "erasure.after_erased")
TIMES = (1, 2) if os.environ.get("ERSTWHILE_SOAK") else (1,)
PEOPLE = ("alice", "bob")
WORD = "zephyrine"


async def live(url: str) -> None:
    async with erstwhile.open(url, clock=FixedClock(datetime(2026, 3, 2, tzinfo=UTC)), worker=False) as memory:
        chat = memory.channel("square")
        for number in range(24):
            person = (*PEOPLE, "carol")[number % 3]
            await chat.add("user", f"I am {person} and I love {WORD} number {number}.", person=person, key=f"m{number}")
        await memory.settle()


async def erase(url: str) -> None:
    async with erstwhile.open(url, clock=FixedClock(datetime(2026, 3, 3, tzinfo=UTC)), worker=False) as memory:
        for person in PEOPLE:
            await memory.erase(person=person)


async def edit(url: str) -> None:
    """And an hour later, what goes with that."""
    clock = FixedClock(datetime(2026, 3, 3, tzinfo=UTC))
    async with erstwhile.open(url, clock=clock, worker=False) as memory:
        square = memory.channel("square")
        await square.delete(["m1", "m4"])
        await square.edit("m5", "I love trains.")
        clock.advance(hours=1)
        await memory.settle()


async def whose(url: str) -> dict[str, int]:
    async with erstwhile.open(url, clock=FixedClock(datetime(2026, 3, 4, tzinfo=UTC)), worker=False) as memory:
        found = [each.person or "" async for each in memory.channel("square").messages()]
    return {person: found.count(person) for person in sorted(set(found))}


@pytest.fixture(params=["sqlite", "postgres"])
def empty_url(request: pytest.FixtureRequest) -> Iterator[str]:
    yield from databases.empty(request.param, request)


@pytest.mark.parametrize("time", TIMES)
@pytest.mark.parametrize("point", POINTS)
async def test_a_crash_leaves_nobody_half_erased(empty_url: str, point: str, time: int) -> None:
    await live(empty_url)
    died = await asyncio.to_thread(
        forks.run,
        [sys.executable, __file__, empty_url],
        env={**os.environ, "ERSTWHILE_CRASH_AT": f"{point}:{time}"},
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
        assert {each.person for each in await memory.facts.list(memory.channel("square"))} <= {"carol", None}
    assert await whose(empty_url) == {"carol": 8}


# The job that writes the file anew is there on SQLite alone.
EDITS = [
    ("sqlite", "erasure.after_deleted"),
    ("sqlite", "erasure.after_reworded"),
    ("sqlite", "erasure.before_clean"),
    ("postgres", "erasure.after_deleted"),
    ("postgres", "erasure.after_reworded"),
]


@pytest.mark.parametrize(("empty_url", "point"), EDITS, indirect=["empty_url"])
async def test_a_crash_leaves_no_message_half_changed(empty_url: str, point: str) -> None:
    await live(empty_url)
    died = await asyncio.to_thread(
        forks.run,
        [sys.executable, __file__, empty_url, "edit"],
        env={**os.environ, "ERSTWHILE_CRASH_AT": point},
        timeout=120,
    )
    assert died.returncode == -signal.SIGKILL, f"{point} was not reached: {died.stderr}"
    deleted, reworded = point != "erasure.after_deleted", point == "erasure.before_clean"
    assert sum((await whose(empty_url)).values()) == (22 if deleted else 24)
    clock = FixedClock(datetime(2026, 3, 4, tzinfo=UTC))
    async with erstwhile.open(empty_url, clock=clock, worker=False, jobs={"lease_seconds": 0.2}) as memory:
        square = memory.channel("square")
        said = {each.key: each.text async for each in square.messages()}
        assert (said["m5"] == "I love trains.") is reworded
        assert await square.delete(["m1", "m4"]) == (0 if deleted else 2)
        assert await square.edit("m5", "I love trains.") is not None
        clock.advance(hours=1)
        async with asyncio.timeout(120):  # what the dead worker held is taken back once its lease has run out
            while (await memory.settle()).waiting:  # noqa: ASYNC110 - nobody tells when a lease has run out
                await asyncio.sleep(0.1)
        assert await memory.jobs.list(state="parked") == []
        shown = str([each async for each in square.messages()]) + str(await memory.memories.list(limit=500))
        assert not [number for number in (1, 4, 5) if f"{WORD} number {number}." in shown]
        file = Path(empty_url)
        held = b"".join(each.read_bytes() for each in file.parent.glob(f"{file.name}*")) if file.is_file() else b""
        assert not [number for number in (1, 4, 5) if f"{WORD} number {number}.".encode() in held]


async def erase_all(url: str) -> None:
    async with erstwhile.open(url, clock=FixedClock(datetime(2026, 3, 3, tzinfo=UTC)), worker=False) as memory:
        await memory.erase(everything=True)


async def test_a_crash_leaves_no_space_half_erased(empty_url: str) -> None:
    await live(empty_url)
    died = await asyncio.to_thread(
        forks.run,
        [sys.executable, __file__, empty_url, "everything"],
        env={**os.environ, "ERSTWHILE_CRASH_AT": "erasure.after_space"},
        timeout=120,
    )
    assert died.returncode == -signal.SIGKILL, died.stderr
    assert await whose(empty_url) == {"alice": 8, "bob": 8, "carol": 8}
    await erase_all(empty_url)
    assert await whose(empty_url) == {}


if __name__ == "__main__":
    chosen = {"edit": edit, "everything": erase_all}.get(sys.argv[-1], erase)
    asyncio.run(chosen(sys.argv[1]))
