"""Killed while something is told, with a model on the other side: it is told, once, and worded in the end."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from datetime import UTC, datetime

import pytest

import erstwhile
from erstwhile.testing import FixedClock, ModelServer
from support import forks

SCRIPT = """
import asyncio, sys
import erstwhile

async def main(url, base_url):
    settings = {"worker": False, "model": "openai-compatible:x", "api_key": "k", "base_url": base_url}
    async with erstwhile.open(url, **settings) as memory:
        await memory.remember("alice", "I play chess")
        print("told", flush=True)

asyncio.run(main(*sys.argv[1:]))
"""


def die_at(point: str, url: str, server: ModelServer) -> subprocess.CompletedProcess[str]:
    return forks.run(
        [sys.executable, "-c", SCRIPT, url, server.base_url],
        env={**os.environ, "ERSTWHILE_CRASH_AT": point},
        timeout=180,
    )


@pytest.mark.parametrize(
    ("point", "kept"),
    [
        ("told.after_telling", False),  # nothing is committed: nobody was told that it is
        ("told.after_merge:1", False),
        ("told.after_merge:2", True),  # while the model's wording is written: the draft is there, and its job
    ],
)
async def test_a_crash_loses_nothing_and_doubles_nothing(database_url: str, point: str, kept: bool) -> None:
    clock = FixedClock(datetime.now(UTC))
    with ModelServer() as server:
        died = await asyncio.to_thread(die_at, point, database_url, server)
        assert died.returncode == -signal.SIGKILL, died.stderr
        assert died.stdout == ""
        async with erstwhile.open(
            database_url, clock=clock, worker=False, model="openai-compatible:x", api_key="k", base_url=server.base_url
        ) as memory:
            told = await memory.people.remembered("alice")
            assert [each.text for each in told] == (["alice plays chess."] if kept else [])
            assert [each.draft for each in told] == ([True] if kept else [])
            clock.advance(hours=1)
            settled = await memory.settle()
            assert (settled.waiting, settled.parked) == (0, 0)
            if not kept:
                await memory.remember("alice", "I play chess")
            (text,) = await memory.people.remembered("alice")
            assert (text.text, text.draft) == ("alice plays chess.", False)
