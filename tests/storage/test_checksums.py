"""Silent damage: a message that has changed on the disk is noticed and named, by the doctor and by backups."""

from __future__ import annotations

import os
import random
import shutil
from pathlib import Path

import apsw
import pytest
from future import run
from notes import query

import erstwhile
from erstwhile.archive import backup as backups
from erstwhile.base.errors import StorageCorrupt, StorageError
from erstwhile.log.integrity import damaged_messages
from erstwhile.memories.integrity import damaged_memories
from erstwhile.storage import Transaction
from erstwhile.testing import FixedClock
from inside import runtime
from soak.size import measured

TRIES = 2000 if os.environ.get("ERSTWHILE_SOAK") else 60
SAID = [f"On day {n} I paid {n * 37 + 1000} euros for the 집세, said nobody else." for n in range(120)]


def found(path: Path) -> list[str]:
    """The problems that the doctor finds; a file that is refused counts as one."""
    try:
        with erstwhile.open_sync(str(path), worker=False) as memory:
            return [each.what for each in memory.doctor() if each.level == "problem"]
    except StorageError as refused:
        return [str(refused)]


@pytest.fixture(scope="module")
def talked(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str]]:
    """A closed database, and the id of each text."""
    path = tmp_path_factory.mktemp("talked") / "talked.db"
    with erstwhile.open_sync(str(path), worker=False) as memory:
        chat = memory.channel("chat")
        added = chat.add_many({"role": "user", "person": f"p{n % 3}", "text": text} for n, text in enumerate(SAID))
    return path, {message.text: message.id for message in added}


def test_one_flipped_bit_in_a_message_is_always_noticed_and_the_message_named(
    talked: tuple[Path, dict[str, str]], tmp_path: Path
) -> None:
    path, ids = talked
    chance, whole, unnoticed = random.Random(11), path.read_bytes(), []
    assert found(path) == [], "the control"
    for number in range(TRIES):
        text = chance.choice(SAID)
        place = whole.index(text.encode()) + chance.randrange(len(text.encode()))
        data = bytearray(whole)
        data[place] ^= 1 << chance.randrange(8)
        copy = tmp_path / f"{number}.db"
        copy.write_bytes(data)
        if not any(ids[text] in what for what in found(copy)):
            unnoticed.append((text, place))
        for left in tmp_path.glob(f"{number}.db*"):
            shutil.rmtree(left) if left.is_dir() else left.unlink()
    assert unnoticed == []


@pytest.fixture(scope="module")
def remembered(talked: tuple[Path, dict[str, str]], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same with its memories."""
    path = tmp_path_factory.mktemp("remembered") / "remembered.db"
    shutil.copy(talked[0], path)
    with erstwhile.open_sync(str(path), worker=False) as memory:
        memory.remember("p1", "I never pay twice.")
        memory.settle()
    return path


def said_and_remembered(path: Path) -> list[tuple[object, ...]]:
    """What is read where nothing is noticed."""
    with erstwhile.open_sync(str(path), worker=False) as memory:
        said = [(each.id, each.role, each.person, each.text, each.at) for each in memory.channel("chat").messages()]
        return said + [(each.id, each.kind, each.person, each.text) for each in memory.memories.list(limit=1000)]


def test_a_byte_changed_anywhere_is_noticed_or_changes_nothing_that_is_said_or_remembered(
    remembered: Path, tmp_path: Path
) -> None:
    """In tables, indexes, the schema, free pages and what holds them together."""
    chance, whole, wanted = random.Random(12), remembered.read_bytes(), said_and_remembered(remembered)
    assert found(remembered) == [], "the control"
    noticed, unnoticed = 0, []
    for number in range(TRIES):
        place = chance.randrange(len(whole))
        data = bytearray(whole)
        data[place] ^= chance.randrange(1, 256)
        copy = tmp_path / f"{number}.db"
        copy.write_bytes(data)
        if found(copy):
            noticed += 1
        elif said_and_remembered(copy) != wanted:
            unnoticed.append(place)
        for left in tmp_path.glob(f"{number}.db*"):
            shutil.rmtree(left) if left.is_dir() else left.unlink()
    assert unnoticed == []
    measured(
        f"a byte changed anywhere: noticed {noticed} of {TRIES} times; else nothing said or remembered had changed"
    )
    assert noticed > TRIES / 10


CHANGES = {
    "text": "text = replace(text, '1000', '9000')",
    "role": "role = 'assistant'",
    "person": "person = 'eve'",
    "name": "name = 'Eve'",
    "at": "at = at - 86400000000",
    "meta": """meta = '{"a": 1}'""",
    "model": "model = 'x'",
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
async def test_what_was_said_by_whom_and_when_is_covered_on_both_databases(
    memory: erstwhile.Memory, tmp_path: Path, change: str
) -> None:
    first = await memory.channel("chat").add("user", "I paid 1000 euros.", person="mina", name="Mina", meta={"b": 2})
    other = await memory.channel("chat", space="other").add("user", "I paid 1000 euros.")
    database = runtime(memory).database
    assert await damaged_messages(database, "default") == []

    async def tamper(tx: Transaction) -> None:
        await tx.run(query(f"UPDATE messages SET {change} WHERE space = :space"))

    await database.write("default", tamper)
    assert await damaged_messages(database, "default") == [f"{first.id} (message 1 of channel chat)"]
    assert await damaged_messages(database, "other") == [f"{first.id} (in another space)"]
    told = [each.what for each in await memory.doctor() if each.level == "problem"]
    assert [what for what in told if first.id in what]
    assert not [what for what in told if other.id in what]
    made = await memory.archive.backup(to=tmp_path / "backup.zip")
    assert made.damaged == (first.id,)
    assert backups.check(tmp_path / "backup.zip").damaged == (first.id,)


MEMORY_CHANGES = {
    "text": "text = replace(text, '1000', '9000')",
    "title": "title = 'Paid'",
    "person": "person = 'eve'",
    "said_by": "said_by = 'eve'",
    "kind": "kind = 'chunk'",
    "data": """data = '{"a": 1}'""",
}


@pytest.mark.parametrize("change", MEMORY_CHANGES.values(), ids=MEMORY_CHANGES)
async def test_what_a_memory_says_and_about_whom_is_covered_on_both_databases(
    memory: erstwhile.Memory, tmp_path: Path, change: str
) -> None:
    chat = memory.channel("chat")
    fact = await memory.facts.add(chat, "Mina paid 1000 euros.", by="jun", person="mina")
    await memory.memories.edit(fact.id, "Mina has paid 1000 euros.", by="jun")
    await memory.facts.add(memory.channel("chat", "other"), "Mina paid 1000 euros.", by="jun")
    database = runtime(memory).database
    assert await damaged_memories(database, "default") == []

    async def tamper(tx: Transaction) -> None:
        await tx.run(query(f"UPDATE memories SET {change} WHERE space = :space"))

    await database.write("default", tamper)
    kind = "chunk" if "kind" in change else "fact"
    assert await damaged_memories(database, "default") == [f"{fact.id} ({kind})"]
    assert await damaged_memories(database, "other") == [f"{fact.id} (in another space)"]
    told = [each.what for each in await memory.doctor() if each.level == "problem"]
    assert [what for what in told if fact.id in what]
    assert (await memory.archive.backup(to=tmp_path / "backup.zip")).damaged == (fact.id,)


async def test_edits_exports_backups_and_the_other_database_keep_the_checksums_right(
    database_url: str, clock: FixedClock, tmp_path: Path, bare_postgres: str
) -> None:
    async with erstwhile.open(database_url, clock=clock, worker=False) as memory:
        chat = memory.channel("chat")
        await chat.add_many({"role": "user", "person": "mina", "text": text, "key": text} for text in SAID)
        revised = await runtime(memory).revising.revise("default", "chat", SAID[5], "It was a present.")
        assert revised is not None
        await memory.remember("mina", "I paid 1000 euros.")
        await memory.settle()
        for each in (await memory.memories.list(limit=1000))[::3]:
            await memory.memories.delete(each.id, by="jun")
        await memory.export(to=tmp_path / "export.zip")
        made = await memory.archive.backup(to=tmp_path / "backup.zip")
        assert made.damaged == ()
        assert await damaged(memory) == []
        await memory.archive.load(tmp_path / "export.zip", space="copy")
        assert await damaged(memory) == []
    other = bare_postgres if "postgres" not in database_url else str(tmp_path / "moved.db")
    await erstwhile.api.archive.restore(other, tmp_path / "backup.zip")
    async with erstwhile.open(other, clock=clock, worker=False) as memory:
        assert len([each async for each in memory.channel("chat").messages()]) == len(SAID)
        assert await damaged(memory) == []
        assert (await memory.erase(person="mina")).checked
        await memory.spaces.rebuild()
        await memory.settle()
        assert await damaged(memory) == []


async def damaged(memory: erstwhile.Memory) -> list[str]:
    database = runtime(memory).database
    return await damaged_messages(database, "default") + await damaged_memories(database, "default")


def test_the_backup_command_names_them_and_fails(talked: tuple[Path, dict[str, str]], tmp_path: Path) -> None:
    path, ids = talked
    copy = tmp_path / "chat.db"
    shutil.copy(path, copy)
    connection = apsw.Connection(str(copy))
    connection.execute("UPDATE messages SET text = 'I paid nothing.' WHERE id = ?", (ids[SAID[7]],))
    connection.close()
    done = run("backup", str(tmp_path / "backup.zip"), "-d", str(copy))
    assert (done.returncode, ids[SAID[7]] in done.stderr) == (1, True)
    checked = run("backup", str(tmp_path / "backup.zip"), "--check")
    assert (checked.returncode, ids[SAID[7]] in checked.stderr) == (1, True)


def test_a_text_that_is_no_text_any_more_is_reported_as_damage(
    talked: tuple[Path, dict[str, str]], tmp_path: Path
) -> None:
    path, ids = talked
    copy = tmp_path / "chat.db"
    shutil.copy(path, copy)
    connection = apsw.Connection(str(copy))
    connection.execute("UPDATE messages SET text = CAST(x'ff41' AS TEXT) WHERE id = ?", (ids[SAID[7]],))
    connection.close()
    assert any(ids[SAID[7]] in what for what in found(copy))
    with erstwhile.open_sync(str(copy), worker=False) as memory, pytest.raises(StorageCorrupt, match="damaged"):
        list(memory.channel("chat").messages())
