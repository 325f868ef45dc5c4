"""A database file that is removed, moved or replaced while it is in use: nothing is acknowledged that nobody would find again."""

from __future__ import annotations

import asyncio
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import apsw
import pytest
from notes import notes, put

import erstwhile
from erstwhile.base.errors import SchemaTooNew, StorageError
from erstwhile.storage import EVERYWHERE, Transaction
from erstwhile.storage.sqlite import SQLiteDatabase


def remove(path: Path) -> None:
    for name in (path, path.with_name(f"{path.name}-wal"), path.with_name(f"{path.name}-shm")):
        name.unlink(missing_ok=True)


def replace_by_a_copy(path: Path) -> None:
    copy = path.with_name("copy")
    shutil.copy(path, copy)
    os.replace(copy, path)


def replace_by_nothing(path: Path) -> None:
    remove(path)
    path.touch()


WAYS = {
    "removed": remove,
    "moved": lambda path: path.rename(path.with_name("elsewhere.db")),
    "replaced": replace_by_a_copy,
    "replaced by an empty file": replace_by_nothing,
    "emptied": lambda path: os.truncate(path, 0),
    "its log removed": lambda path: path.with_name(f"{path.name}-wal").unlink(),
    "its shared memory removed": lambda path: path.with_name(f"{path.name}-shm").unlink(),
}


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
async def test_nothing_is_acknowledged_to_a_file_that_is_gone(
    sqlite: SQLiteDatabase, tmp_path: Path, way: Callable[[Path], None]
) -> None:
    await put(sqlite, "before")
    assert await notes(sqlite) == ["before"]
    way(tmp_path / "only.db")
    for work in (
        lambda: put(sqlite, "lost"),
        sqlite.version,
        lambda: notes(sqlite),
        lambda: put(sqlite, "lost as well"),
    ):
        with pytest.raises(StorageError, match=r"was removed or replaced while it was in use\."):
            await work()


async def test_a_file_that_goes_during_the_commit_is_noticed_before_anybody_hears_of_it(
    sqlite: SQLiteDatabase, tmp_path: Path
) -> None:
    async def unit(tx: Transaction) -> str:
        remove(tmp_path / "only.db")
        return "written"

    with pytest.raises(StorageError, match="was removed or replaced"):
        await sqlite.write(EVERYWHERE, unit)


async def test_it_is_not_made_anew(sqlite: SQLiteDatabase, tmp_path: Path) -> None:
    """An empty database under the old name would look as if nothing had ever been said."""
    remove(tmp_path / "only.db")
    for _ in range(3):
        with pytest.raises(StorageError, match="was removed or replaced"):
            await put(sqlite, "lost")
    assert not (tmp_path / "only.db").exists()


async def test_a_file_that_was_moved_and_put_back_is_used_again(sqlite: SQLiteDatabase, tmp_path: Path) -> None:
    path, away = tmp_path / "only.db", tmp_path / "away.db"
    await put(sqlite, "before")
    path.rename(away)
    with pytest.raises(StorageError, match="was removed or replaced"):
        await put(sqlite, "not stored")
    away.rename(path)
    await put(sqlite, "after")
    assert await notes(sqlite) == ["after", "before"]


async def test_vacuum_and_a_second_process_are_no_replacement(sqlite: SQLiteDatabase, tmp_path: Path) -> None:
    await put(sqlite, "before")
    assert await sqlite.clean()
    other = SQLiteDatabase(str(tmp_path / "only.db"))
    await other.open()
    await put(other, "by another")
    await other.close()
    await put(sqlite, "after")
    assert await notes(sqlite) == ["after", "before", "by another"]


async def test_a_newer_schema_is_noticed_by_a_process_that_runs(sqlite: SQLiteDatabase, tmp_path: Path) -> None:
    await put(sqlite, "before")
    other = apsw.Connection(str(tmp_path / "only.db"))
    other.execute("INSERT INTO migrations (version, name) VALUES (99, '0099_far_away')")
    other.close()
    for work in (lambda: put(sqlite, "refused"), sqlite.verify):
        with pytest.raises(SchemaTooNew, match=r"schema 99.*pip install -U erstwhile"):
            await work()
    assert await notes(sqlite) == ["before"]


async def test_writes_of_many_are_all_refused(sqlite: SQLiteDatabase, tmp_path: Path) -> None:
    remove(tmp_path / "only.db")
    answers = await asyncio.gather(*(put(sqlite, f"note {n}") for n in range(50)), return_exceptions=True)
    assert {isinstance(answer, StorageError) for answer in answers} == {True}


async def test_a_memory_that_is_opened_again_uses_what_is_there(tmp_path: Path) -> None:
    path = tmp_path / "chat.db"
    async with erstwhile.open(str(path), worker=False) as memory:
        remove(path)
        with pytest.raises(StorageError, match="was removed or replaced"):
            await memory.channel("chat").add("user", "lost")
    async with erstwhile.open(str(path), worker=False) as memory:
        await memory.channel("chat").add("user", "kept")
        assert [each.text async for each in memory.channel("chat").messages()] == ["kept"]
