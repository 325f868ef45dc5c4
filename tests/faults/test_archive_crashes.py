"""Killed while a backup is written or restored: no half file under its name, no half database, and beginning again ends well.

As a program, `python test_archive_crashes.py backup|restore URL FILE`.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from pathlib import Path

import pytest

import erstwhile
from erstwhile.api.archive import restore
from support import forks


async def live(url: str) -> None:
    async with erstwhile.open(url, worker=False) as memory:
        await memory.channel("hall").add_many(
            [{"role": "user", "text": f"Saying {n}.", "person": "p"} for n in range(12)]
        )


async def work(what: str, url: str, file: str) -> None:
    if what == "restore":
        await restore(url, file)
        return
    async with erstwhile.open(url, worker=False) as memory:
        await memory.archive.backup(to=file)


def killed_at(point: str, *arguments: str) -> None:
    died = forks.run(
        [sys.executable, __file__, *arguments], env={**os.environ, "ERSTWHILE_CRASH_AT": point}, timeout=120
    )
    assert died.returncode == -signal.SIGKILL, f"{point} was not reached: {died.stderr}"


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
async def test_a_killed_backup_or_restore_leaves_nothing_half_done(
    kind: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    source, file = str(tmp_path / "source.db"), tmp_path / "backup.zip"
    place = str(request.getfixturevalue("bare_postgres") if kind == "postgres" else tmp_path / "place.db")
    await live(source)
    await asyncio.to_thread(killed_at, "archive.before_rename", "backup", source, str(file))
    assert not file.exists()
    await work("backup", source, str(file))
    await asyncio.to_thread(killed_at, "archive.after_rows", "restore", place, str(file))
    async with erstwhile.open(place, worker=False) as memory:
        assert await memory.spaces.list() == []
    assert (await restore(place, file)).messages == 12
    async with erstwhile.open(place, worker=False) as memory:
        assert await memory.channel("hall").size() == 12


if __name__ == "__main__":
    asyncio.run(work(*sys.argv[1:]))
