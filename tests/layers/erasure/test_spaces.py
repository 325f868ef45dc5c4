"""A whole space is erased: nothing of it is left in any table, nothing comes back, and it can be used anew."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping

import apsw
import pytest
from words import found

import erstwhile
from erstwhile.layers.erasure.spaces import STAYS
from erstwhile.storage import Transaction, migrate
from erstwhile.storage.queries import make
from erstwhile.testing import FixedClock
from inside import runtime

SPACE = "guild"
CANARY = "zephyrine"


def one_row_of_each() -> dict[str, dict[str, object]]:
    """For every table there is that has a space: a row with the canary wherever a word may stand."""
    database = apsw.Connection(":memory:")
    for each in migrate.known("sqlite"):
        list(database.execute(each.sql))
    tables = dict(
        database.execute("SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
    )
    rows: dict[str, dict[str, object]] = {}
    for table, sql in tables.items():
        columns = list(database.execute(f"PRAGMA table_info({table})"))
        if not any(column[1] == "space" for column in columns):
            continue
        allowed = dict(re.findall(r"(\w+) [^,]*?CHECK \(\w+ IN \('(\w+)'", sql))
        rows[table] = {
            name: SPACE if name == "space" else allowed.get(name) or _sample(type)
            for _, name, type, *_, key in columns
            if not (type == "INTEGER" and key and len([each for each in columns if each[5]]) == 1)
        }
    assert set(tables) - set(rows) == {"migrations"}, "each table names its space"
    assert len(rows) > 40
    rows["keys"]["id"] = "drawn"  # at random, so that it says nothing
    return rows


def _sample(type: str) -> object:
    return {"TEXT": CANARY, "INTEGER": 1, "REAL": 1.0, "BLOB": b"1234"}[type]


async def put(tx: Transaction, table: str, row: Mapping[str, object]) -> None:
    values = {f"a_{name}": value for name, value in row.items()}
    sql = f"INSERT INTO {table} ({', '.join(row)}) VALUES ({', '.join(f':{name}' for name in values)})"
    await tx.run(make(f"put_{table}", sql, sql), **values)


async def left(memory: erstwhile.Memory, tables: list[str]) -> dict[str, int]:
    async def unit(tx: Transaction) -> dict[str, int]:
        counted = {}
        for table in tables:
            sql = f"SELECT count(*) AS rows FROM {table} WHERE space = :space"
            row = await tx.first(make(f"count_{table}", sql, sql))
            counted[table] = row["rows"] if row else 0
        return {table: rows for table, rows in counted.items() if rows}

    return await runtime(memory).database.read(SPACE, unit)


async def test_no_row_of_any_table_is_left(memory: erstwhile.Memory) -> None:
    rows = {table: row for table, row in one_row_of_each().items() if table not in STAYS}

    async def fill(tx: Transaction) -> None:
        for table, row in rows.items():
            await put(tx, table, row)

    await runtime(memory).database.write(SPACE, fill)
    assert await left(memory, list(rows)) == dict.fromkeys(rows, 1)
    receipt = await memory.erase(space=SPACE, everything=True)
    assert receipt.checked
    # What tells those who watch, what tells indexes in memory, and a key that opens nothing.
    assert await left(memory, list(rows)) == {"events": 1, "documents_gone": 1, "keys": 1}
    assert await found(memory, CANARY) == []


async def test_it_can_be_used_anew_and_what_was_said_does_not_come_back(
    memory: erstwhile.Memory, clock: FixedClock
) -> None:
    square, kept = memory.channel("square", SPACE), memory.channel("square", "other")
    said = [
        erstwhile.NewMessage(
            "user", f"The {CANARY} number {number} is mine.", person=f"p{number % 7}", key=f"k{number}"
        )
        for number in range(60)
    ]
    await square.add_many(said)
    unkeyed = await square.add("user", f"My {CANARY}.", person="alice")
    await kept.add("user", "I bake bread.", person="bob", key="k1")
    await memory.spaces.configure(space=SPACE, recipe="brief", privacy="open")
    await memory.remember("alice", f"owns a {CANARY}", by="alice", space=SPACE)
    await memory.people.block("eve", space=SPACE)
    key = await memory.keys.create(space=SPACE, name=f"{CANARY} key")
    clock.advance(hours=30)
    await memory.settle()
    assert await memory.search(CANARY, space=SPACE)
    assert await found(memory, CANARY)
    watching = memory.events.watch(space=SPACE)
    await watching.start()

    receipt = await memory.erase(space=SPACE, everything=True, by="operator")
    assert receipt.checked
    assert receipt.what == {"space": SPACE}
    assert (receipt.counts["messages"], receipt.counts["keys"]) == (61, 1)
    assert {"chunks", "told", "documents", "people", "jobs", "space_settings", "requests"} <= receipt.counts.keys()
    assert await found(memory, CANARY) == []
    heard = await anext(watching)
    assert (heard.kind, heard.action, heard.id) == ("space", "erased", receipt.id)
    assert await memory.spaces.list() == ["other"]
    assert await memory.search(CANARY, space=SPACE) == []
    assert [each.text async for each in kept.messages()] == ["I bake bread."]
    assert {each.value for each in await memory.spaces.configuration(space=SPACE) if each.name == "recipe"} == {"full"}
    standing = {each.id: each for each in await memory.keys.list(space=SPACE)}[key.id]
    assert (standing.name, standing.revoked_at) == ("", clock())

    again = [each.seq for each in await square.add_many(said)]
    assert again == [0] * 60
    assert (await square.add("user", f"My {CANARY}.", person="alice", key=unkeyed.id)).seq == 0
    assert [each.seq for each in await square.add_many([{"role": "user", "text": "A new day.", "person": "eve"}])] == [
        1
    ]
    assert [each.text for each in await memory.search("day", space=SPACE)] == ["A new day."]
    clock.advance(hours=30)
    settled = await memory.settle()
    assert (settled.waiting, settled.parked) == (0, 0)
    second = await memory.erase(space=SPACE, everything=True)
    assert (second.checked, second.counts["messages"]) == (True, 1)
    assert await memory.search("day", space=SPACE) == []


async def test_another_process_lets_go_of_its_index(database_url: str, clock: FixedClock) -> None:
    async with (
        erstwhile.open(database_url, clock=clock, worker=False) as one,
        erstwhile.open(database_url, clock=clock, worker=False) as other,
    ):
        chat = one.channel("square", SPACE)
        await chat.add_many([{"role": "user", "text": f"The {CANARY} number {n}."} for n in range(30)])
        assert len(await other.search(CANARY, space=SPACE)) == 10
        index = runtime(other).recall.indexes.of(SPACE)
        assert len(index.messages) == 30
        await one.erase(space=SPACE, everything=True)
        assert await other.search(CANARY, space=SPACE) == []
        assert len(index.messages) == 0
        await chat.add("user", f"Another {CANARY}.")
        assert len(await other.search(CANARY, space=SPACE)) == 1
        assert not index.stale


async def test_everything_is_not_everything_of_someone(memory: erstwhile.Memory) -> None:
    await memory.channel("square", SPACE).add("user", "I like kites.", person="alice")
    for also in ({"person": "alice"}, {"channel": "square"}):
        with pytest.raises(erstwhile.InvalidInput, match="whole space"):
            await memory.erase(space=SPACE, everything=True, **also)
    with pytest.raises(erstwhile.NotFound, match="nowhere"):
        await memory.erase(space="nowhere", everything=True)
    assert len([each async for each in memory.channel("square", SPACE).messages()]) == 1


async def test_receipts_are_found_by_whom_they_were_about_and_can_be_checked(
    memory: erstwhile.Memory, clock: FixedClock
) -> None:
    assert await memory.archive.receipts(space=SPACE) == []
    square = memory.channel("square", SPACE)
    for person in ("alice", "bob", "carol"):
        await square.add("user", "I like kites.", person=person)
    held = []
    for number, which in enumerate(
        [{"person": "alice"}, {"person": "bob"}, {"channel": "square"}, {"everything": True}]
    ):
        clock.advance(minutes=number)
        held.append(await memory.erase(space=SPACE, by="carol", **which))
    listed = await memory.archive.receipts(space=SPACE)
    assert [each.id for each in listed] == [each.id for each in reversed(held)]
    assert [each.kind for each in listed] == ["space", "channel", "person", "person"]
    assert [each.by for each in listed] == ["carol", "", "", ""]  # of an erased space nobody is named
    assert [each.id for each in await memory.archive.receipts(space=SPACE, limit=1)] == [held[3].id]
    assert [each.id for each in await memory.archive.receipts(space=SPACE, person="bob")] == [held[1].id]
    assert [each.id for each in await memory.archive.receipts(space=SPACE, channel="square")] == [held[2].id]
    assert await memory.archive.receipts(space=SPACE, person="square") == []
    with pytest.raises(erstwhile.InvalidInput):
        await memory.archive.receipts(space=SPACE, person="bob", channel="square")
    for mine, record in zip(reversed(held), listed, strict=True):
        told = [mine.id, mine.at.isoformat(), record.subject, dict(sorted(mine.counts.items()))]
        assert hashlib.sha256(json.dumps(told, separators=(",", ":")).encode()).hexdigest() == mine.digest
        assert (record.digest, record.counts, record.at, record.checked) == (mine.digest, mine.counts, mine.at, True)


async def test_who_erased_something_is_forgotten_with_them(memory: erstwhile.Memory) -> None:
    await memory.channel("square").add("user", "I like kites.", person="alice")
    await memory.channel("hall").add("user", "I like bread.", person="bob")
    await memory.erase(channel="hall", by="alice")
    await memory.erase(person="alice", by="operator")
    assert [each.by for each in await memory.archive.receipts()] == ["operator", ""]
