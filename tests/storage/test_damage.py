"""Files that are no database, or no longer a whole one: said clearly, and found by `check`."""

from __future__ import annotations

import asyncio
import os
import random
import shutil
from pathlib import Path

import apsw
import httpx2
import psycopg
import pytest
from future import run

import erstwhile
from erstwhile.base.errors import StorageCorrupt, StorageError
from erstwhile.http.app import create_app
from erstwhile.storage import Database
from erstwhile.storage.sqlite import SQLiteDatabase
from inside import runtime

FLIPS = 200 if os.environ.get("ERSTWHILE_SOAK") else 40


async def opening(path: Path) -> None:
    async with erstwhile.open(str(path), worker=False):
        pass


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(b"Dear diary, today I " * 500, id="a-text"),
        pytest.param(b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 40, id="a-picture"),
        pytest.param(b"SQLite format 3\0" + b"\xff" * 4080, id="only-the-first-line"),
    ],
)
async def test_a_file_that_is_no_database_is_refused_and_left_alone(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "diary.txt"
    path.write_bytes(content)
    with pytest.raises(StorageCorrupt, match=r"diary\.txt is damaged or not an erstwhile database\. Name another"):
        await opening(path)
    assert path.read_bytes() == content


async def test_a_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match=r"is a folder\. Name a file in it"):
        await opening(tmp_path)


async def test_a_path_whose_folder_does_not_exist_is_refused(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="Check that its folder exists"):
        await opening(tmp_path / "nowhere" / "chat.db")


async def test_a_path_through_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    with pytest.raises(StorageError, match="Check that its folder exists"):
        await opening(tmp_path / "file" / "chat.db")


async def test_a_folder_that_takes_no_files_is_refused() -> None:
    """Nobody can make a file in /proc, not even root."""
    with pytest.raises(StorageError, match=r"can't be (opened|written)"):
        await opening(Path("/proc/chat.db"))


async def test_a_file_cut_short_is_refused_or_found_damaged(populated: Path, tmp_path: Path) -> None:
    path = tmp_path / "short.db"
    data = populated.read_bytes()
    path.write_bytes(data[: len(data) // 2])
    assert await damage(path) != []


def test_the_command_line_says_it_without_a_traceback(tmp_path: Path) -> None:
    path = tmp_path / "diary.txt"
    path.write_text("Dear diary, " * 500)
    done = run("search", "diary", "-d", str(path))
    assert done.returncode != 0
    assert "not an erstwhile database" in done.stderr
    assert "Traceback" not in done.stderr


# Bytes that have changed


@pytest.fixture(scope="module")
def populated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database with messages, summaries, facts and their index, closed and in one file."""
    path = tmp_path_factory.mktemp("populated") / "populated.db"

    async def fill() -> None:
        async with erstwhile.open(str(path), worker=False) as memory:
            for channel in ("hall", "kitchen"):
                await memory.channel(channel).add_many(
                    {
                        "role": "user",
                        "person": f"p{n % 3}",
                        "name": "Mina",
                        "text": f"On day {n} I moved to house {n * 7}.",
                    }
                    for n in range(200)
                )
            await memory.settle()

    asyncio.run(fill())
    return path


async def damage(path: Path) -> list[str]:
    """What `check` finds; a file too broken to be opened counts as found."""
    database = SQLiteDatabase(str(path))
    try:
        await database.open()
    except StorageCorrupt as refused:
        return [str(refused)]
    try:
        return await database.check()
    except StorageCorrupt as refused:
        return [str(refused)]
    finally:
        await database.close()


async def test_an_intact_copy_is_sound(populated: Path, tmp_path: Path) -> None:
    """The control for everything below."""
    path = tmp_path / "copy.db"
    shutil.copy(populated, path)
    assert await damage(path) == []


def pages(path: Path) -> tuple[int, list[int]]:
    """The page size, and the pages that belong to some table or index: the free ones hold nothing."""
    connection = apsw.Connection(str(path))
    size = connection.execute("PRAGMA page_size").get
    used = [row[0] for row in connection.execute("SELECT DISTINCT pageno FROM dbstat ORDER BY pageno")]
    connection.close()
    return size, used


async def test_a_page_overwritten_anywhere_is_found(populated: Path, tmp_path: Path) -> None:
    size, used = pages(populated)
    chance = random.Random(7)
    path = tmp_path / "overwritten.db"
    unnoticed = []
    for page in chance.sample(used, min(FLIPS, len(used))):
        data = bytearray(populated.read_bytes())
        data[(page - 1) * size : page * size] = chance.randbytes(size)
        path.write_bytes(data)
        if not await damage(path):
            unnoticed.append(page)
    assert unnoticed == []


async def test_flipped_bytes_in_the_head_of_a_page_are_found(populated: Path, tmp_path: Path) -> None:
    """The head says what kind of page it is, how many cells it has and where they lie."""
    size, used = pages(populated)
    chance = random.Random(8)
    path = tmp_path / "flipped.db"
    unnoticed = []
    for page in chance.sample(used[1:], min(FLIPS, len(used) - 1)):
        data = bytearray(populated.read_bytes())
        for offset in (0, 3, 4, 5, 6):
            data[(page - 1) * size + offset] ^= 0xFF
        path.write_bytes(data)
        if not await damage(path):
            unnoticed.append(page)
    assert unnoticed == []


async def test_an_index_that_lost_an_entry_is_found(populated: Path, tmp_path: Path) -> None:
    """Nothing is broken as far as the bytes go; the index and the table just no longer agree."""
    path = tmp_path / "disagrees.db"
    shutil.copy(populated, path)
    connection = apsw.Connection(str(path))
    root = connection.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'messages_id'").get
    connection.execute("PRAGMA writable_schema = ON")
    connection.execute(
        "UPDATE sqlite_schema SET type = 'table', tbl_name = 'aside', name = 'aside', sql = 'CREATE TABLE aside"
        f" (space, id, n, PRIMARY KEY (space, id, n)) WITHOUT ROWID' WHERE rootpage = {root}"
    )
    connection.close()
    connection = apsw.Connection(str(path))
    connection.execute("DELETE FROM aside WHERE id IN (SELECT id FROM aside LIMIT 1)")
    connection.execute("PRAGMA writable_schema = ON")
    connection.execute(
        "UPDATE sqlite_schema SET type = 'index', tbl_name = 'messages', name = 'messages_id',"
        f" sql = 'CREATE UNIQUE INDEX messages_id ON messages (space, id)' WHERE rootpage = {root}"
    )
    connection.close()
    assert any("messages_id" in found for found in await damage(path))


async def test_the_doctor_names_the_damage_and_what_to_do(populated: Path, tmp_path: Path) -> None:
    size, _ = pages(populated)
    connection = apsw.Connection(str(populated))
    page = connection.execute("SELECT max(pageno) FROM dbstat WHERE name = 'messages' AND pagetype = 'leaf'").get
    connection.close()
    path = tmp_path / "ill.db"
    data = bytearray(populated.read_bytes())
    data[(page - 1) * size : page * size] = b"\xff" * size
    path.write_bytes(data)
    done = run("doctor", "-d", str(path))
    assert done.returncode == 1
    assert "damaged" in done.stdout + done.stderr
    assert "estore" in done.stdout + done.stderr, "it says to restore a backup"
    assert "Traceback" not in done.stderr


async def test_once_damage_was_seen_nothing_is_written_and_reading_goes_on(populated: Path, tmp_path: Path) -> None:
    """A write could spread it. It is seen by a read here, and told by whatever asks: writes, /readyz."""
    path, hall = tmp_path / "ill.db", "/v1/spaces/default/channels/hall/messages"
    shutil.copy(populated, path)
    new = {"role": "user", "text": "Is anybody there?"}
    async with (
        erstwhile.open(str(path), worker=False) as memory,
        httpx2.AsyncClient(transport=httpx2.ASGITransport(app=create_app(memory)), base_url="http://127.0.0.1") as http,
    ):
        assert (await http.post(hall, json=new)).status_code == 201
        assert (await http.get("/readyz")).status_code == 200
        with path.open("r+b") as file:  # as a disk does it
            size, leaves = leaves_of_messages(path)
            for page in leaves[: len(leaves) // 2]:
                file.seek((page - 1) * size)
                file.write(b"\xff" * size)
        seen = await http.get(hall)
        assert (seen.status_code, seen.json()["error"]) == (503, "StorageCorrupt")
        for answer in (await http.post(hall, json=new), await http.get("/readyz")):
            assert answer.status_code == 503
            assert "nothing is written to it any more" in answer.json()["detail"]
            assert "restore a backup" in answer.json()["detail"]
        assert (await http.get("/v1/spaces/default/channels")).status_code == 200
        assert (await http.get("/healthz")).status_code == 200


async def test_what_a_check_finds_keeps_from_writing_too(populated: Path, tmp_path: Path) -> None:
    path = tmp_path / "ill.db"
    shutil.copy(populated, path)
    size, leaves = leaves_of_messages(path)
    with path.open("r+b") as file:
        file.seek((leaves[0] - 1) * size)
        file.write(b"\xff" * size)
    async with erstwhile.open(str(path), worker=False) as memory:
        await memory.channel("elsewhere").add("user", "Nobody has looked yet.")
        assert await runtime(memory).database.check() != []
        with pytest.raises(StorageCorrupt, match=r"is damaged: nothing is written .* restore a backup"):
            await memory.channel("elsewhere").add("user", "Now somebody has.")


def leaves_of_messages(path: Path) -> tuple[int, list[int]]:
    """The page size, and the pages that hold messages."""
    connection = apsw.Connection(str(path))
    size = connection.execute("PRAGMA page_size").get
    found = connection.execute("SELECT pageno FROM dbstat WHERE name = 'messages' AND pagetype = 'leaf'")
    pages = sorted(row[0] for row in found)
    connection.close()
    return size, pages


async def test_a_new_database_is_sound_and_an_invalid_index_of_postgres_is_named(
    database: Database, database_url: str
) -> None:
    assert await database.check() == []
    if database.dialect == "postgres":
        with psycopg.connect(database_url, autocommit=True) as connection:
            connection.execute("UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'jobs_due'::regclass")
        assert await database.check() == ["the index jobs_due is not valid: REINDEX it"]


async def test_the_doctor_shows_the_bytes_of_each_table(memory: erstwhile.Memory) -> None:
    database = runtime(memory).database
    before = await database.sizes()
    await memory.channel("chat").add_many([{"role": "user", "text": "word " * 500} for _ in range(200)])
    sizes = await database.sizes()
    assert {"messages", "documents", "jobs"} <= sizes.keys()
    assert not [name for name in sizes if name.startswith(("sqlite_autoindex", "messages_"))], "indexes and partitions"
    assert list(sizes.values()) == sorted(sizes.values(), reverse=True)
    assert sizes["messages"] - before["messages"] > 200 * 2000 / 20, "Postgres compresses long texts"
    told = [each.what for each in await memory.doctor() if "bytes on disk" in each.what]
    assert len(told) == 1
    assert f"{sum(sizes.values()):,} bytes on disk" in told[0]
    assert f"documents {sizes['documents']:,}" in told[0]
