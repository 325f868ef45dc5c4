"""Whatever the umask, only its owner reads what erstwhile writes: what people said is in all of it."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest
from future import run

import erstwhile
from erstwhile.base.settings import load
from erstwhile.index.stored import IndexFiles
from erstwhile.wiring import open_database


@pytest.fixture(params=[0o022, 0, 0o777], ids=oct)
def umask(request: pytest.FixtureRequest) -> Iterator[int]:
    before = os.umask(request.param)
    yield request.param
    os.umask(before)


def modes(folder: Path) -> dict[str, int]:
    return {file.name: stat.S_IMODE(file.stat().st_mode) for file in folder.iterdir() if file.is_file()}


async def test_a_new_database_its_log_and_its_shared_memory(tmp_path: Path, umask: int) -> None:
    async with erstwhile.open(str(tmp_path / "chat.db"), worker=False) as memory:
        await memory.channel("chat").add("user", "for us alone")
        assert modes(tmp_path) == dict.fromkeys(["chat.db", "chat.db-wal", "chat.db-shm"], 0o600)


async def test_a_new_database_behind_a_link(tmp_path: Path, umask: int) -> None:
    link = tmp_path / "link.db"
    link.symlink_to(tmp_path / "chat.db")
    async with erstwhile.open(str(link), worker=False) as memory:
        await memory.channel("chat").add("user", "for us alone")
    assert modes(tmp_path)["chat.db"] == 0o600


async def test_backups_and_exports(tmp_path: Path, umask: int) -> None:
    async with erstwhile.open(str(tmp_path / "chat.db"), worker=False) as memory:
        await memory.channel("chat").add("user", "for us alone")
        await memory.archive.backup(to=tmp_path / "backup.zip")
        await memory.export(to=tmp_path / "export.zip")
    assert modes(tmp_path)["backup.zip"] == modes(tmp_path)["export.zip"] == 0o600


async def test_files_of_the_stored_index(tmp_path: Path, umask: int) -> None:
    database = open_database(load(database=str(tmp_path / "chat.db")))
    made: list[Path] = []
    with IndexFiles(database).create(made):
        assert modes(made[0].parent) == {made[0].name: 0o600}
        assert stat.S_IMODE(made[0].parent.stat().st_mode) & 0o077 == 0


def test_a_report(tmp_path: Path) -> None:
    before = os.umask(0o022)
    try:
        run("add", "kitchen", "user", "The kiln is hot", "-d", str(tmp_path / "chat.db"))
        done = run("report", "--html", str(tmp_path / "report.html"), "-d", str(tmp_path / "chat.db"))
    finally:
        os.umask(before)
    assert done.returncode == 0, done.stderr
    assert modes(tmp_path)["report.html"] == 0o600


async def test_a_database_that_others_may_read_stays_so(tmp_path: Path) -> None:
    """Somebody decided that. What SQLite adds has the same mode."""
    path = tmp_path / "chat.db"
    path.touch()
    path.chmod(0o640)
    async with erstwhile.open(str(path), worker=False) as memory:
        await memory.channel("chat").add("user", "for our group")
        assert set(modes(tmp_path).values()) == {0o640}
