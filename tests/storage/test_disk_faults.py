"""Full disks, failing disks, power cuts: what was acknowledged stays, what is left is sound, and work goes on when the disk does."""

from __future__ import annotations

import asyncio
import contextlib
import random
import shutil
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import apsw
import httpx2
import pytest
from disks import REAL, Disk, Failing, Filling, Losing, io_error
from notes import notes, put, query

import erstwhile
from erstwhile.base.errors import StorageError, StorageFull
from erstwhile.http.app import create_app
from erstwhile.storage import EVERYWHERE, migrate
from erstwhile.storage.sqlite import SQLiteDatabase
from soak.size import SOAK

pytestmark = pytest.mark.usefixtures("quiet_never_comes")

SITES, ROUNDS = (500, 25) if SOAK else (40, 6)
FULL = 100 if SOAK else 1  # times the disk is full and has space again


def stored(path: Path) -> list[str]:
    """Read by SQLite alone, on the real disk, after it has found the file sound."""
    connection = apsw.Connection(str(path))
    try:
        assert connection.execute("PRAGMA integrity_check").get == "ok"
        return [str(row[0]) for row in connection.execute("SELECT space FROM spaces ORDER BY space")]
    finally:
        connection.close()


async def new_database(path: Path) -> SQLiteDatabase:
    database = SQLiteDatabase(str(path))
    await database.open()
    await migrate.ready(database)
    return database


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database with the schema and a note, to be copied."""
    path = tmp_path_factory.mktemp("prepared") / "prepared.db"

    async def make() -> None:
        database = await new_database(path)
        await put(database, "old")
        await database.close()

    asyncio.run(make())
    return path


# Full


async def test_a_full_disk_is_named_reading_goes_on_and_writing_too_once_there_is_space(tmp_path: Path) -> None:
    disk = Filling()
    with disk.installed():
        database = await new_database(tmp_path / "full.db")
        await put(database, "before")
        there = ["before"]
        for number in range(FULL):
            disk.full = True
            for attempt in range(3):
                with pytest.raises(StorageFull, match=r"No space left for .*full\.db\. Free some"):
                    await put(database, f"refused {attempt}")
                assert await notes(database) == there
            disk.full = False
            await put(database, f"after {number:03}")
            there = sorted([*there, f"after {number:03}"])
            assert await notes(database) == there
        await database.close()
    assert stored(tmp_path / "full.db") == there


async def test_a_full_disk_is_507_over_http_and_201_once_there_is_space(tmp_path: Path) -> None:
    """R12, through the API: nothing of what was acknowledged is lost, and the server is not restarted."""
    disk, hall = Filling(), "/v1/spaces/default/channels/hall/messages"
    with disk.installed():
        async with (
            erstwhile.open(str(tmp_path / "full.db"), worker=False) as memory,
            httpx2.AsyncClient(
                transport=httpx2.ASGITransport(app=create_app(memory)), base_url="http://127.0.0.1"
            ) as http,
        ):
            there: list[str] = []
            for number in range(FULL):
                disk.full = True
                for attempt in range(3):
                    refused = await http.post(hall, json={"role": "user", "text": f"refused {number} {attempt}"})
                    assert (refused.status_code, refused.json()["error"]) == (507, "StorageFull")
                    assert "Free some" in refused.json()["detail"]
                read = (await http.get(hall, params={"limit": 200})).json()["messages"]
                assert [each["text"] for each in read] == there
                disk.full = False
                assert (await http.post(hall, json={"role": "user", "text": f"after {number}"})).status_code == 201
                there.append(f"after {number}")
        async with erstwhile.open(str(tmp_path / "full.db"), worker=False) as memory:
            assert [each.text async for each in memory.channel("hall").messages()] == there


async def test_a_full_disk_fails_every_unit_of_the_group_and_stores_none_of_them(tmp_path: Path) -> None:
    disk = Filling()
    with disk.installed():
        database = await new_database(tmp_path / "full.db")
        disk.full = True
        results = await asyncio.gather(*(put(database, f"{n}") for n in range(30)), return_exceptions=True)
        assert {type(result) for result in results} == {StorageFull}
        disk.full = False
        assert await notes(database) == []
        await asyncio.gather(*(put(database, f"{n:02}") for n in range(30)))
        await database.close()
    assert stored(tmp_path / "full.db") == [f"{n:02}" for n in range(30)]


async def test_a_database_that_has_reached_its_largest_size_says_so_and_grows_again_when_it_may(tmp_path: Path) -> None:
    """SQLite's own limit, so no disk of ours is involved. The refused unit comes in a group with one that fits."""
    database = await new_database(tmp_path / "limit.db")
    await put(database, "before")
    pages = await database.read(EVERYWHERE, lambda tx: tx.first(query("PRAGMA page_count")))
    assert pages is not None
    limit = query(f"PRAGMA max_page_count = {pages['page_count'] + 2}")
    await database.write(EVERYWHERE, lambda tx: tx.first(limit))
    with pytest.raises(StorageFull):
        await put(database, "x" * 100_000)
    assert await notes(database) == ["before"]
    await put(database, "y" * 100_000)  # the connection was given up with its limit: there is space again
    assert len(await notes(database)) == 2
    await database.close()
    assert len(stored(tmp_path / "limit.db")) == 2


async def test_a_new_database_on_a_full_disk_says_so_and_is_made_later(tmp_path: Path) -> None:
    disk = Filling()
    with disk.installed():
        disk.full = True
        with pytest.raises(StorageFull):
            async with erstwhile.open(str(tmp_path / "new.db"), worker=False):
                pass
        disk.full = False
        async with erstwhile.open(str(tmp_path / "new.db"), worker=False) as memory:
            await memory.channel("talk").add("user", "hello")


LIMITED = """
import asyncio, resource, sys, erstwhile
from erstwhile.base.errors import StorageError
async def main(path):
    async with erstwhile.open(path, worker=False) as memory:
        talk = memory.channel("talk")
        resource.setrlimit(resource.RLIMIT_FSIZE, (600_000, resource.RLIM_INFINITY))
        refused = 0
        for number in range(200):
            try:
                await talk.add("user", f"message {number} " + "blah " * 1000, key=str(number))
                print("stored", number, flush=True)
            except StorageError:
                refused += 1
                if refused == 5:
                    break
        assert refused == 5, "the limit was never met"
        size = await talk.size()
        assert [message.seq async for message in talk.messages()] == list(range(1, size + 1))
        print("read", size, flush=True)
        resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        print("stored", (await talk.add("user", "there is space again", key="again")).key, flush=True)
asyncio.run(main(sys.argv[1]))
"""


def test_a_process_that_may_not_let_its_files_grow_loses_nothing_and_recovers(tmp_path: Path) -> None:
    """The kernel refuses the write (EFBIG), as a quota would."""
    path = tmp_path / "limited.db"
    done = subprocess.run([sys.executable, "-c", LIMITED, str(path)], capture_output=True, text=True, timeout=180)
    assert done.returncode == 0, done.stderr
    lines = [line.split() for line in done.stdout.splitlines()]
    acknowledged = [words[1] for words in lines if words[0] == "stored"]
    assert len(acknowledged) > 5
    assert acknowledged[-1] == "again"
    connection = apsw.Connection(str(path))
    assert connection.execute("PRAGMA integrity_check").get == "ok"
    assert [row[0] for row in connection.execute("SELECT key FROM messages ORDER BY seq")] == acknowledged
    connection.close()


# Failing once, at every site


@pytest.mark.parametrize("site", range(1, SITES + 1))
async def test_a_write_or_fsync_that_fails_loses_nothing_that_was_acknowledged(
    tmp_path: Path, prepared: Path, site: int
) -> None:
    """Rounds of four notes; somewhere in them the disk fails once. A checkpoint every few pages brings its writes in too."""
    path = tmp_path / "failing.db"
    shutil.copy(prepared, path)
    disk = Failing(site, io_error)
    acknowledged, refused = ["old"], []
    with disk.installed():
        database = await new_database(path)
        await database.write(EVERYWHERE, lambda tx: tx.first(query("PRAGMA wal_autocheckpoint = 8")))
        disk.armed = True
        for round_ in range(ROUNDS):
            names = [f"{round_}-{number}-" + "x" * 2000 for number in range(4)]
            results = await asyncio.gather(*(put(database, name) for name in names), return_exceptions=True)
            assert all(result is None or isinstance(result, StorageError) for result in results), results
            acknowledged += [name for name, result in zip(names, results, strict=True) if result is None]
            refused += [name for name, result in zip(names, results, strict=True) if result is not None]
            assert set(acknowledged) <= set(await notes(database))
        assert len(refused) <= 4, "after the failure the next write works"
        disk.armed = False
        await put(database, "after")
        await database.close()
    left = stored(path)
    assert set(left) >= {*acknowledged, "after"}
    assert set(left) <= {*acknowledged, *refused, "after"}
    if refused:
        assert disk.failed


async def test_the_sites_of_the_sweep_lie_inside_the_work(tmp_path: Path, prepared: Path) -> None:
    """Else the sweep above would be about nothing: the last of its sites still fails something."""
    path = tmp_path / "counted.db"
    shutil.copy(prepared, path)
    seen: Counter[str] = Counter()

    class Counting(Disk):
        def before(self, what: str, path: str) -> None:
            seen[f"{what} {Path(path).suffix}"] += 1

    with Counting().installed():
        database = await new_database(path)
        await database.write(EVERYWHERE, lambda tx: tx.first(query("PRAGMA wal_autocheckpoint = 8")))
        seen.clear()
        for round_ in range(ROUNDS):
            await asyncio.gather(*(put(database, f"{round_}-{n}-" + "x" * 2000) for n in range(4)))
        assert sum(seen.values()) >= SITES
        assert {"write .db-wal", "sync .db-wal", "write .db", "sync .db"} <= set(seen)
        await database.close()


# Power cuts


class Cuts:
    """A run of writes during which the power fails again and again; each time, what would be left is examined."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.folder = folder
        self.chance = random.Random(seed)
        self.acknowledged: set[str] = set()
        self.lost = self.corrupt = self.made = 0

    async def run(self, wanted: int, *, synchronous: str) -> None:
        disk = Losing()
        with disk.installed():
            database = await new_database(self.folder / "power.db")
            await database.write(EVERYWHERE, lambda tx: tx.first(query("PRAGMA wal_autocheckpoint = 40")))
            # Outside of any transaction, where alone it can be set: in the writer's turn.
            await database._queued(alone=lambda connection: connection.execute(f"PRAGMA synchronous = {synchronous}"))
            await self._acknowledge(database, "first")

            def while_writing() -> None:
                if self.made < wanted and self.chance.random() < 0.25:
                    self._cut(disk)

            disk.on_write = while_writing
            number = 0
            while self.made < wanted:
                number += 1
                size = self.chance.choice([1, 1, 3, 8])
                await asyncio.gather(*(self._acknowledge(database, f"{number}-{n}") for n in range(size)))
                if self.chance.random() < 0.3:
                    self._cut(disk)  # right after an acknowledgement
            disk.on_write = None
            await database.close()

    async def _acknowledge(self, database: SQLiteDatabase, note: str) -> None:
        await put(database, note + "-" + "x" * 600)
        self.acknowledged.add(note + "-" + "x" * 600)

    def _cut(self, disk: Losing) -> None:
        promised = set(
            self.acknowledged
        )  # before the cut is made: what is acknowledged during it is not promised by it
        folder = self.folder / f"cut-{self.made}"
        self.made += 1
        disk.cut(folder, self.chance)
        try:
            left = _left_after(folder / "power.db")
        except (apsw.Error, AssertionError):
            self.corrupt += 1
        else:
            self.lost += len(promised - left)
        shutil.rmtree(folder)


def _left_after(path: Path) -> set[str]:
    connection = apsw.Connection(str(path), vfs=REAL)
    try:
        assert connection.execute("PRAGMA integrity_check").get == "ok"
        return {str(row[0]) for row in connection.execute("SELECT space FROM spaces")}
    finally:
        connection.close()


async def test_a_power_cut_loses_nothing_that_was_acknowledged_and_corrupts_nothing(tmp_path: Path) -> None:
    cuts = Cuts(tmp_path, seed=1)
    await cuts.run(5000 if SOAK else 300, synchronous="FULL")
    assert (cuts.lost, cuts.corrupt) == (0, 0)


async def test_the_power_cut_harness_can_see_a_loss(tmp_path: Path) -> None:
    """The control: with synchronous=NORMAL, which others ship, acknowledged notes are lost (but the file stays sound)."""
    cuts = Cuts(tmp_path, seed=2)
    await cuts.run(100, synchronous="NORMAL")
    assert cuts.lost > 0
    assert cuts.corrupt == 0


async def test_the_power_cut_harness_can_see_corruption(tmp_path: Path) -> None:
    """The other control: without any fsync the file itself breaks."""
    cuts = Cuts(tmp_path, seed=3)
    await cuts.run(100, synchronous="OFF")
    assert cuts.corrupt > 0


# Work in progress


@pytest.mark.parametrize("kind", ["full", "failing"])
async def test_jobs_that_met_a_bad_disk_are_done_when_it_is_good_again(tmp_path: Path, kind: str) -> None:
    """Without a restart: a job whose result could not be written, nor its failure, must not stay "running" for good."""
    disk = Filling() if kind == "full" else Filling(io_error)
    with disk.installed():
        async with erstwhile.open(
            str(tmp_path / "work.db"), worker=False, jobs={"lease_seconds": 0.3}, retry_base_seconds=0.01
        ) as memory:
            await memory.channel("talk").add_many({"role": "user", "text": f"I moved to house {n}."} for n in range(40))
            settling = asyncio.create_task(memory.settle())
            while not await memory.jobs.list(state="running"):
                pass
            disk.full = True
            with contextlib.suppress(StorageError):
                await settling
            disk.full = False
            deadline = time.monotonic() + 120
            while (settled := await memory.settle()).waiting and time.monotonic() < deadline:  # noqa: ASYNC110
                await asyncio.sleep(0.05)  # until the lease has run out
            assert (settled.waiting, settled.parked) == (0, 0), await memory.jobs.list()
            assert {job.state for job in await memory.jobs.list()} == {"done"}
