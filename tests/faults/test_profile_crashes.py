"""Killed while a note's facts, or a night's order, are being written: nothing lost, nothing doubled, the same profiles.

As a program, `python test_profile_crashes.py URL`: the whole of it, which can be cut off anywhere and begun again.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

import databases
import erstwhile
from erstwhile.api.memory import migrate
from erstwhile.storage.queries import make
from erstwhile.testing import FixedClock
from support import forks

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parents[1] / "layers"))
from profiled import night, note, say, stated, take

from inside import runtime

pytestmark = pytest.mark.usefixtures("quiet_never_comes")

POINTS = ("profiles.after_facts", "profiles.after_consolidation")
TIMES = (1, 2) if os.environ.get("ERSTWHILE_SOAK") else (1,)
SELECTS = (
    "SELECT id, person, category, text, said_by, channel, seq, data, at, to_at, valid_from, valid_to, superseded_by, writer, draft"
    " FROM memories WHERE space = :space AND kind = 'profile'",
    "SELECT id, source FROM memory_sources WHERE space = :space",
    "SELECT id, kind, person, channel, seq FROM documents WHERE space = :space AND kind = 'profile'",
    "SELECT id, version, action, text FROM versions WHERE space = :space",
    "SELECT kind, key, state FROM jobs WHERE space = :space AND kind = 'profiles.consolidate'",
)


async def everything(url: str) -> None:
    await migrate(url)
    async with erstwhile.open(url, clock=FixedClock(datetime(2026, 3, 2, 3, tzinfo=UTC)), worker=False) as memory:
        if not await memory.channel("chat").size():
            await say(memory)
        for person in ("alice", "bob"):
            await memory.people.import_profile(person, [f"{person} likes tea"], by="carol")
        tea = [stated(f"{each} likes tea.", 3, about=each, said_by=each) for each in ("alice", "bob")]
        await take(memory, note("one"), [*tea, stated("Alice lives in Seoul.", 1, slot="home", value="Seoul")])
        # Only what is alike is consolidated.
        nurses = [
            stated(f"{each} works as a nurse{where}.", 3, about=each, said_by=each)
            for each in ("alice", "bob")
            for where in ("", " in Ghent at night")
        ]
        await take(memory, note("two"), [*tea, *nurses, stated("Alice lives in Rome.", 2, slot="home", value="Rome")])
        await night(memory)
        await memory.settle()


async def contents(url: str) -> list[list[tuple[Any, ...]]]:
    later = FixedClock(datetime(2026, 3, 4, tzinfo=UTC))
    async with erstwhile.open(url, clock=later, worker=False) as memory:
        settled = await memory.settle()
        assert (settled.waiting, settled.parked) == (0, 0)
        queries = [make("contents", sql, sql) for sql in SELECTS]
        found = [await runtime(memory).database.read("default", lambda tx, q=query: tx.all(q)) for query in queries]  # type: ignore[misc]
    return [sorted((tuple(row.values()) for row in rows), key=repr) for rows in found]


@pytest.fixture(params=["sqlite", "postgres"])
def empty_url(request: pytest.FixtureRequest) -> Iterator[str]:
    yield from databases.empty(request.param, request)


@pytest.mark.parametrize("time", TIMES)
@pytest.mark.parametrize("point", POINTS)
async def test_a_crash_leaves_no_profile_half_written(empty_url: str, tmp_path: Path, point: str, time: int) -> None:
    await everything(str(tmp_path / "reference.db"))
    reference = await contents(str(tmp_path / "reference.db"))
    died = await asyncio.to_thread(
        forks.run,
        [sys.executable, __file__, empty_url],
        env={**os.environ, "ERSTWHILE_CRASH_AT": f"{point}:{time}"},
        timeout=120,
    )
    assert died.returncode == -signal.SIGKILL, f"{point} was not reached: {died.stderr}"
    await everything(empty_url)
    assert await contents(empty_url) == reference


if __name__ == "__main__":
    asyncio.run(everything(sys.argv[1]))
