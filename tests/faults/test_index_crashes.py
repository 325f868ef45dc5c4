"""Killed while the index is stored, joined or written anew after an erasure: nothing is lost, nothing erased comes back.

As a program, `python test_index_crashes.py URL WHAT`: the index is stored (`store`), its files are joined (`join`), a person is erased
(`erase`), or what the files have is deleted from the tables (`trim`).
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

import databases
import erstwhile
from erstwhile.index import index_state, storing
from erstwhile.testing import FixedClock
from support import forks

POINTS = ("index.after_read", "index.after_file", "index.after_commit")
KILLS = [
    (what, point) for what in ("store", "join", "erase") for point in POINTS if (what, point) != ("erase", POINTS[0])
] + [("trim", "index.after_trim")]
BOTH = ("sqlite", "postgres")
# Each once, on one database or the other; in `make soak` on both.
CASES = [(BOTH[number % 2], *kill) for number, kill in enumerate(KILLS)]
if os.environ.get("ERSTWHILE_SOAK"):
    CASES = [(dialect, *kill) for dialect in BOTH for kill in KILLS]
FEW, MANY = 5, 20
WORD = "zephyrine"


def opened(url: str, minutes: int = 0) -> erstwhile.Memory:
    clock = FixedClock(datetime(2026, 3, 2, tzinfo=UTC) + timedelta(minutes=minutes))
    return erstwhile.open(url, clock=clock, worker=False, embedder="vectors", jobs={"lease_seconds": 0.2})


@contextmanager
def small() -> Iterator[None]:
    """Store after a few documents, join after some more."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(index_state, "MUCH", FEW)
        patch.setattr(storing, "_MERGE", MANY)
        yield


async def say(memory: erstwhile.Memory, first: int, last: int) -> None:
    chat = memory.channel("square")
    said = [
        {"role": "user", "person": "mina", "text": f"lantern number {number}", "key": f"m{number}"}
        for number in range(first, last)
    ]
    await chat.add_many(said)


async def live(url: str, what: str) -> None:
    """What comes before the process that dies."""
    async with opened(url) as memory:
        await say(memory, 0, 8)
        if what != "store":
            await memory.channel("square").add("user", f"my {WORD}", person="bob")
            await memory.settle()


async def die(url: str, what: str) -> None:
    async with opened(url, minutes=11 if what == "trim" else 0) as memory:
        if what == "erase":
            await memory.erase(person="bob")
        elif what == "join":
            await say(memory, 8, 8 + 2 * MANY)
        await memory.settle()


@pytest.fixture
def empty_url(request: pytest.FixtureRequest) -> Iterator[str]:
    yield from databases.empty(request.param, request)


@pytest.mark.parametrize(("empty_url", "what", "point"), CASES, indirect=["empty_url"])
async def test_a_crash_loses_nothing_and_brings_nothing_back(empty_url: str, what: str, point: str) -> None:
    with small():
        await live(empty_url, what)
    command = [sys.executable, __file__, empty_url, what]
    environment = {**os.environ, "ERSTWHILE_CRASH_AT": point}
    died = await asyncio.to_thread(forks.run, command, env=environment, timeout=120)
    assert died.returncode == -signal.SIGKILL, f"{point} was not reached: {died.stderr}"
    expected = {f"lantern number {number}" for number in range(8 + (2 * MANY if what == "join" else 0))}
    with small():
        async with opened(empty_url) as memory:
            assert await found(memory, "lantern") == expected, "straight after the crash"
            if what == "erase":
                assert await found(memory, WORD) == set()
                assert (await memory.erase(person="bob")).checked, "asked for again, it is done whole"
            async with asyncio.timeout(120):  # what the dead worker held is taken back once its lease has run out
                while (await memory.settle()).waiting:  # noqa: ASYNC110 - nobody tells when a lease has run out
                    await asyncio.sleep(0.1)
            assert await memory.jobs.list(state="parked") == []
            assert await found(memory, "lantern") == expected
        async with opened(empty_url) as again:
            assert await found(again, "lantern") == expected
            assert await found(again, WORD) == ({f"my {WORD}"} if what in ("join", "trim") else set())
    folder = Path(f"{empty_url}.index")
    held = b"".join(each.read_bytes() for each in folder.iterdir()) if folder.exists() else b""
    assert (WORD[:-1].encode() in held) is (what in ("join", "trim") and folder.exists())


async def found(memory: erstwhile.Memory, query: str) -> set[str]:
    return {hit.text for hit in await memory.search(query, limit=200, kinds=["message"])}


if __name__ == "__main__":
    with small():
        asyncio.run(die(*sys.argv[1:]))
