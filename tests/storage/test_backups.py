"""A backup taken while people talk, restored on either database: whole, of one moment, and nothing half done whatever breaks."""

from __future__ import annotations

import asyncio
import json
import random
import zipfile
from pathlib import Path
from typing import Any

import pytest
from future import Future

import databases
import erstwhile
from erstwhile.api.archive import restore
from erstwhile.archive import backup as backups
from erstwhile.archive.model import Backup
from erstwhile.archive.writer import ArchiveWriter
from erstwhile.testing import FixedClock
from soak.size import SOAK

SPACES = ("default", "other")


async def lived_in(memory: erstwhile.Memory) -> None:
    for space in SPACES:
        chat = memory.channel("hall", space)
        for number in range(24):
            who = ("mina", "jun")[number % 2]
            await chat.add("user", f"I moved to Busan {number} years ago, says {who}.", person=who, key=f"k{number}")
        await memory.remember("mina", "likes tea", by="mina", space=space)
    await memory.settle()
    await memory.erase(person="jun", space="other")
    await memory.prompts.set("summarise", "Short.", space="never-spoken-in")
    await memory.keys.create(admin=True, name="mine")
    await memory.channel("hall").add_many([{"role": "user", "text": f"And {n}.", "person": "mina"} for n in range(11)])


def tables(path: Path) -> dict[str, list[Any]]:
    with zipfile.ZipFile(path) as packed:
        names = [name for name in packed.namelist() if name.startswith("tables/")]
        return {
            name: sorted(packed.read(name).decode().splitlines(), key=lambda line: (json.loads(line)["space"], line))
            for name in names
        }


async def backed_up(url: str, clock: FixedClock, to: Path, **settings: Any) -> Backup:
    async with erstwhile.open(url, clock=clock, worker=False, **settings) as memory:
        return await memory.archive.backup(to=to)


async def test_a_database_moves_to_the_other_kind_and_back_without_losing_anything(
    database_url: str, clock: FixedClock, tmp_path: Path, bare_postgres: str
) -> None:
    first, second = tmp_path / "first.zip", tmp_path / "second.zip"
    async with erstwhile.open(database_url, clock=clock, worker=False, embedder="vectors") as memory:
        await lived_in(memory)
        await memory.settle()
        found = [hit.id for hit in await memory.search("Where did Mina move?", limit=20)]
        done = await memory.archive.backup(to=first)
    assert (done.spaces, done.messages) == (3, 24 + 11 + 12)
    assert first.stat().st_mode & 0o077 == 0, "for nobody else's eyes"
    assert backups.check(first).rows == done.rows
    assert done.rows["vectors"] > 0
    other = bare_postgres if "postgres" not in database_url else str(tmp_path / "moved.db")
    assert (await restore(other, first)).rows == done.rows
    await backed_up(other, clock, second, embedder="vectors")
    assert tables(first) == tables(second)
    async with erstwhile.open(other, clock=clock, worker=False, embedder="vectors") as moved:
        assert [hit.id for hit in await moved.search("Where did Mina move?", limit=20)] == found
        assert [key.name for key in await moved.keys.list(admin=True)] == ["mine"]
        hall = moved.channel("hall")
        assert (await hall.add("user", "I came along.", person="mina")).seq == await hall.size()
        settled = await moved.settle()
        assert (settled.waiting, settled.parked) == (0, 0)
        assert (await moved.search("came along"))[0].text == "I came along."
        assert (await moved.channel("hall", "other").add("user", "x", person="jun", key="k1")).seq == 0, "erased"
        problems = [each for each in await moved.doctor() if each.level == "problem"]
        assert problems == []
    with pytest.raises(erstwhile.InvalidInput, match="is not empty"):
        await restore(other, first)


@pytest.mark.timeout(3600 if SOAK else 600)
async def test_what_is_said_while_backups_run_is_in_each_up_to_one_moment(
    database_url: str, tmp_path: Path, postgres_server: str
) -> None:
    for number in range(50 if SOAK else 1):
        place = tmp_path / str(number)
        place.mkdir()
        if "postgres" in database_url:
            await _backed_up_under_load(database_url, number, place / "backup.zip", str(place / "restored.db"))
            continue
        bare = databases.create(postgres_server, "template0")
        await _backed_up_under_load(database_url, number, place / "backup.zip", bare)
        databases.drop(postgres_server, bare)


async def _backed_up_under_load(database_url: str, number: int, file: Path, other: str) -> None:
    earlier = [f"{each}-c{channel}" for each in range(number) for channel in range(4)]
    channels = [f"{number}-c{channel}" for channel in range(4)]
    begun, enough = asyncio.Event(), asyncio.Event()
    async with erstwhile.open(database_url, worker=True) as memory:

        async def talk(channel: str) -> None:
            number = 0
            while not enough.is_set():
                number += 1
                await memory.channel(channel).add("user", f"I counted to {number}.", person=channel, key=str(number))
                if number == 40:
                    begun.set()

        before = sum([await memory.channel(channel).size() for channel in earlier])
        talking = [asyncio.create_task(talk(channel)) for channel in channels]
        await begun.wait()
        done = await memory.archive.backup(to=file)
        after = sum([await memory.channel(channel).size() for channel in channels])
        enough.set()
        await asyncio.gather(*talking)
    assert before < done.messages < before + after, "people went on talking"
    await restore(other, file)
    async with erstwhile.open(other, worker=False) as memory:
        for channel in channels:
            chat = memory.channel(channel)
            said = [(message.seq, message.key) async for message in chat.messages()]
            assert said == [(number, str(number)) for number in range(1, await chat.size() + 1)]
        settled = await memory.settle()
        assert (settled.waiting, settled.parked) == (0, 0)
        for channel in channels:
            chat = memory.channel(channel)
            covered = [each for each in await memory.channels.summaries(chat) if each.level == 0]
            assert len(covered) == await chat.size() // memory.settings.chunk_size
        # The database, every checksum and what is open to whom.
        assert [each.what for each in await memory.doctor() if each.level == "problem"] == []


async def test_one_wrong_byte_is_noticed_wherever_it_is(database_url: str, clock: FixedClock, tmp_path: Path) -> None:
    file, spoilt, place = tmp_path / "good.zip", tmp_path / "bad.zip", str(tmp_path / "place.db")
    async with erstwhile.open(database_url, clock=clock, worker=False) as memory:
        await memory.channel("hall").add("user", "I live in Busan.", person="mina")
        done = await memory.archive.backup(to=file)
    good, chance = file.read_bytes(), random.Random(8)
    for at in [0, len(good) - 70, len(good) - 1, *(chance.randrange(len(good)) for _ in range(30))]:
        spoilt.write_bytes(good[:at] + bytes([good[at] ^ (1 << chance.randrange(8))]) + good[at + 1 :])
        with pytest.raises(erstwhile.InvalidInput):
            backups.check(spoilt)
        if at % 4 == 0:
            with pytest.raises(erstwhile.InvalidInput):
                await restore(place, spoilt)
    spoilt.write_bytes(good[: len(good) // 2])
    with pytest.raises(erstwhile.InvalidInput, match="damaged"):
        await restore(place, spoilt)
    assert (await restore(place, file)).messages == done.messages == 1, "what failed before left nothing behind"


def rewritten(good: Path, to: Path, change: dict[str, tuple[list[str], list[Any]]]) -> Path:
    """The backup with other tables, its digests right: as someone would make it who means harm."""
    with zipfile.ZipFile(good) as packed, ArchiveWriter(to) as pack:
        manifest = json.loads(packed.read("manifest.json"))
        for name, each in manifest.pop("files").items():
            columns, rows = change.get(name, (each.get("columns", []), None))
            with pack.open_file(name, columns) as sheet:
                if rows is None:
                    sheet.lines(packed.read(name).decode().splitlines())
                else:
                    sheet.lines([json.dumps(row) for row in rows])
        for name in change.keys() - set(packed.namelist()):
            with pack.open_file(name, change[name][0]) as sheet:
                sheet.lines([json.dumps(row) for row in change[name][1]])
        pack.close(manifest)
        pack.place()
    return to


HARM: list[tuple[dict[str, Any], str]] = [
    ({"tables/sqlite_schema.jsonl": (["sql"], [{"space": "s", "sql": "x"}])}, "unknown table"),
    ({"tables/names.jsonl": (["person; DROP TABLE names"], [])}, "no column"),
    ({"tables/names.jsonl": (["person", "name", "first_at"], [])}, "have no last_at"),
    ({"tables/spaces.jsonl": (["created_at"], [{"space": "s", "created_at": "soon"}])}, "is no integer"),
    ({"tables/spaces.jsonl": (["created_at"], [{"space": "s", "created_at": 2**63}])}, "is no integer"),
    ({"tables/spaces.jsonl": (["created_at"], [{"space": "s", "created_at": 1, "x": 2}])}, "the columns"),
    ({"tables/spaces.jsonl": (["created_at"], [{"space": ["s"], "created_at": 1}])}, "no text"),
    ({"tables/spaces.jsonl": (["created_at"], [{"space": "s", "created_at": 1}] * 2)}, "refused"),
    ({"../../evil.jsonl": ([], [])}, "is called"),
]


async def test_a_backup_made_to_do_harm_is_refused_and_leaves_nothing(
    database_url: str, clock: FixedClock, tmp_path: Path
) -> None:
    file = tmp_path / "good.zip"
    await backed_up(str(tmp_path / "empty.db"), clock, file)
    for change, why in HARM:
        bad = rewritten(file, tmp_path / "bad.zip", change)
        with pytest.raises(erstwhile.InvalidInput, match=why):
            await restore(database_url, bad)
    async with erstwhile.open(database_url, clock=clock, worker=False) as memory:
        assert await memory.spaces.list() == []
    await restore(database_url, file)


async def test_a_backup_of_another_version(clock: FixedClock, tmp_path: Path) -> None:
    ours, theirs = tmp_path / "ours.zip", tmp_path / "theirs.zip"
    async with erstwhile.open(str(tmp_path / "ours.db"), clock=clock, worker=False) as memory:
        await memory.channel("hall").add("user", "I live in Busan.", person="mina")
        await memory.archive.backup(to=ours)
    future, there = Future(tmp_path / "future"), str(tmp_path / "there.db")
    restored = await asyncio.to_thread(future.run, "backup", str(ours), "--restore", "--database", there)
    assert restored.returncode == 0, restored.stderr
    again = await asyncio.to_thread(future.run, "backup", str(theirs), "--database", there)
    assert again.returncode == 0, again.stderr
    with zipfile.ZipFile(theirs) as packed:
        assert json.loads(packed.read("tables/moods.jsonl"))["mood"] == "new", "what its migration makes of rows"
    with pytest.raises(erstwhile.InvalidInput, match="newer erstwhile"):
        await restore(str(tmp_path / "new.db"), theirs)
    with pytest.raises(erstwhile.InvalidInput, match="newer erstwhile"):
        backups.check(theirs)
