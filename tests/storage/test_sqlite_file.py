"""What is particular to the SQLite file: how it is opened, how commits are grouped, what is left of deleted text."""

from __future__ import annotations

import asyncio
import struct
import threading
from pathlib import Path

import apsw
import pytest
from notes import ADD, notes, put, query

from erstwhile.base.errors import InvalidInput, StorageBusy, StorageError
from erstwhile.storage import EVERYWHERE, migrate
from erstwhile.storage.sqlite import SQLiteDatabase, path_of

BOTH = {"foreign_keys": 1, "cell_size_check": 1, "mmap_size": 0, "trusted_schema": 0, "temp_store": 2}
WRITER = {"journal_mode": "wal", "synchronous": 2, "secure_delete": 1}
READER = {"journal_mode": "wal", "query_only": 1}


@pytest.mark.parametrize(("pragma", "value"), sorted((BOTH | WRITER).items()))
async def test_the_writer_is_opened_durably_and_distrustfully(
    sqlite: SQLiteDatabase, pragma: str, value: object
) -> None:
    assert await sqlite.write(EVERYWHERE, lambda tx: tx.first(query(f"PRAGMA {pragma}"))) == {pragma: value}


@pytest.mark.parametrize(("pragma", "value"), sorted((BOTH | READER).items()))
async def test_readers_are_opened_as_distrustfully(sqlite: SQLiteDatabase, pragma: str, value: object) -> None:
    assert await sqlite.read(EVERYWHERE, lambda tx: tx.first(query(f"PRAGMA {pragma}"))) == {pragma: value}


async def test_a_database_of_ours_can_not_have_its_schema_rewritten_by_sql(sqlite: SQLiteDatabase) -> None:
    await sqlite.write(EVERYWHERE, lambda tx: tx.run(query("PRAGMA writable_schema = ON")))
    with pytest.raises(apsw.SQLError, match="may not be modified"):
        await sqlite.write(EVERYWHERE, lambda tx: tx.run(query("UPDATE sqlite_schema SET sql = ''")))


async def test_a_new_file_is_taken_by_its_path_or_its_url(tmp_path: Path) -> None:
    assert path_of("sqlite:////var/chat.db") == "/var/chat.db"
    assert path_of("sqlite:///chat.db") == path_of("chat.db") == "chat.db"
    for nowhere in ("", ":memory:", "sqlite:///", "sqlite:///:memory:"):
        with pytest.raises(InvalidInput, match="Give a path such as"):
            path_of(nowhere)
    odd = tmp_path / "с пробелом ? & #1 채팅.db"
    database = SQLiteDatabase(str(odd))
    await database.open()
    await database.close()
    assert odd.is_file()


# Group commit


def commits(wal: Path) -> int:
    """Frames of the write-ahead log that end a transaction: those that say how large the database is afterwards."""
    data = wal.read_bytes()
    page_size = struct.unpack_from(">I", data, 8)[0]
    frames = range(32, len(data) - 24 + 1, 24 + page_size)
    return sum(struct.unpack_from(">I", data, at + 4)[0] != 0 for at in frames)


async def test_concurrent_writes_share_their_commits(sqlite: SQLiteDatabase, tmp_path: Path) -> None:
    wal = tmp_path / "only.db-wal"
    start = commits(wal)
    for number in range(200):
        await put(sqlite, f"one by one {number}")
    alone = commits(wal) - start
    await asyncio.gather(*(put(sqlite, f"together {number}") for number in range(200)))
    together = commits(wal) - start - alone
    assert len(await notes(sqlite)) == 400
    assert alone == 200, "each acknowledged write is a commit of its own when nobody else waits"
    assert together <= alone / 10


async def test_writes_from_several_threads_share_their_commits_too(sqlite: SQLiteDatabase, tmp_path: Path) -> None:
    async def fifty(name: str) -> None:
        await asyncio.gather(*(put(sqlite, f"{name} {number}") for number in range(50)))

    before = commits(tmp_path / "only.db-wal")
    await asyncio.gather(*(asyncio.to_thread(asyncio.run, fifty(f"thread {number}")) for number in range(4)))
    assert len(await notes(sqlite)) == 200
    assert commits(tmp_path / "only.db-wal") - before <= 50


# Locks, closing, deleting


async def test_a_file_that_another_process_keeps_locked_is_reported_as_busy_and_works_again_afterwards(
    sqlite: SQLiteDatabase, tmp_path: Path
) -> None:
    await put(sqlite, "before")
    impatient = SQLiteDatabase(str(tmp_path / "only.db"), busy_seconds=0.1)
    await impatient.open()
    other = apsw.Connection(str(tmp_path / "only.db"))
    other.execute("BEGIN IMMEDIATE")
    try:
        with pytest.raises(StorageBusy, match=r"Another process kept .* locked for too long\. Try again"):
            await put(impatient, "refused")
        assert await notes(impatient) == ["before"], "a writer never keeps readers waiting"
    finally:
        other.execute("ROLLBACK")
        other.close()
    await put(impatient, "after")
    assert await notes(impatient) == ["after", "before"]
    await impatient.close()


async def test_a_closed_database_says_so_and_leaves_no_thread_and_no_log_behind(tmp_path: Path) -> None:
    database = SQLiteDatabase(str(tmp_path / "closed.db"))
    await database.open()
    await asyncio.gather(*(database.version() for _ in range(5)))
    await database.close()
    with pytest.raises(StorageError, match="closed"):
        await database.write(EVERYWHERE, lambda tx: tx.run(ADD, note="too late"))
    assert not [
        thread for thread in threading.enumerate() if thread.name.startswith(("erstwhile-write", "erstwhile-read"))
    ]
    assert sorted(file.name for file in tmp_path.iterdir()) == ["closed.db"]


async def test_what_is_deleted_is_gone_from_the_file(tmp_path: Path) -> None:
    path, canary = tmp_path / "deleted.db", "the-canary-sings-" + "x" * 200
    database = SQLiteDatabase(str(path))
    await database.open()
    await migrate.ready(database)
    await put(database, canary, *(f"filler {number}" for number in range(200)))
    await database.close()
    assert canary.encode() in path.read_bytes(), "the control: while it is stored it can be found in the file"
    again = SQLiteDatabase(str(path))
    await again.open()
    await again.write(EVERYWHERE, lambda tx: tx.run(query("DELETE FROM spaces WHERE space LIKE 'the-canary%'")))
    await again.close()
    assert canary.encode() not in path.read_bytes()
