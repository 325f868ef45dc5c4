"""A unit is all or nothing, alone in its failure, and on disk when `write` returns."""

from __future__ import annotations

import asyncio
import threading
import time

import apsw
import psycopg
import pytest
from notes import ADD, ALL, COUNT, notes, put, query

from erstwhile.base.errors import StorageError
from erstwhile.storage import EVERYWHERE, Database, Transaction, migrate
from erstwhile.storage.postgres import PostgresDatabase
from erstwhile.storage.sqlite import SQLiteDatabase


class Refused(Exception):
    pass


async def test_a_unit_that_fails_leaves_nothing_behind(database: Database) -> None:
    async def unit(tx: Transaction) -> None:
        await tx.run(ADD, note="first")
        await tx.run_many(ADD, [{"note": "second"}, {"note": "third"}])
        raise Refused

    with pytest.raises(Refused):
        await database.write(EVERYWHERE, unit)
    assert await notes(database) == []


async def test_a_statement_that_fails_takes_its_whole_unit_with_it(database: Database) -> None:
    await put(database, "taken")

    async def unit(tx: Transaction) -> None:
        await tx.run(ADD, note="before")
        await tx.run(ADD, note="taken")

    with pytest.raises((apsw.ConstraintError, psycopg.IntegrityError)):
        await database.write(EVERYWHERE, unit)
    assert await notes(database) == ["taken"]


async def test_a_unit_returns_what_it_found_and_how_many_rows_it_changed(database: Database) -> None:
    async def unit(tx: Transaction) -> tuple[int, int, int]:
        added = await tx.run(ADD, note="a")
        changed = await tx.run(query("UPDATE spaces SET created_at = 1"))
        missed = await tx.run(query("DELETE FROM spaces WHERE space = 'nobody'"))
        return added, changed, missed

    assert await database.write(EVERYWHERE, unit) == (1, 1, 0)
    assert await database.read(EVERYWHERE, lambda tx: tx.first(query("SELECT 1 AS one WHERE 1 = 0"))) is None
    assert await database.read(EVERYWHERE, lambda tx: tx.first(COUNT)) == {"notes": 1}


async def test_units_that_fail_do_not_touch_the_others_of_their_group(database: Database) -> None:
    async def attempt(number: int) -> str:
        async def unit(tx: Transaction) -> str:
            await tx.run(ADD, note=f"{number:02}")
            if number % 3 == 0:
                raise Refused(number)
            if number % 7 == 0:
                await tx.run(ADD, note=f"{number:02}")  # twice the same: the database refuses it
            return f"{number:02}"

        return await database.write(EVERYWHERE, unit)

    results = await asyncio.gather(*(attempt(number) for number in range(64)), return_exceptions=True)
    good = [f"{number:02}" for number in range(64) if number % 3 and number % 7]
    assert [result for result in results if isinstance(result, str)] == good
    assert all(isinstance(results[number], Refused) for number in range(0, 64, 3))
    assert await notes(database) == good


async def test_a_caller_that_gives_up_does_not_disturb_the_others(database: Database) -> None:
    impatient = asyncio.create_task(put(database, "impatient"))
    others = [asyncio.create_task(put(database, f"{number:02}")) for number in range(20)]
    await asyncio.sleep(0)
    impatient.cancel()
    await asyncio.gather(*others)
    with pytest.raises(asyncio.CancelledError):
        await impatient
    await put(database, "afterwards")
    assert {f"{number:02}" for number in range(20)} | {"afterwards"} <= set(await notes(database))


async def test_a_read_sees_a_write_as_soon_as_it_is_acknowledged(database: Database) -> None:
    for number in range(20):
        await put(database, f"{number:02}")
        seen = await asyncio.gather(*(notes(database) for _ in range(4)))
        assert all(len(each) == number + 1 for each in seen)


async def test_a_read_that_began_before_a_write_keeps_its_snapshot_to_the_end(database: Database) -> None:
    """The unit counts, spends a while inside the database, and counts again; a write is acknowledged in between."""
    await put(database, "old")
    slow = (
        query("SELECT pg_sleep(2)")
        if database.dialect == "postgres"
        else query(
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 8000000) SELECT count(*) FROM n"
        )
    )

    begun = threading.Event()  # a unit on SQLite runs in a thread of its own

    async def unit(tx: Transaction) -> tuple[int, int, float]:
        before = await tx.first(COUNT)
        begun.set()
        await tx.first(slow)
        after = await tx.first(COUNT)
        assert before is not None
        assert after is not None
        return before["notes"], after["notes"], time.monotonic()

    reading = asyncio.create_task(database.read(EVERYWHERE, unit))
    async with asyncio.timeout(120):
        while not begun.is_set():  # noqa: ASYNC110
            await asyncio.sleep(0.01)
    await put(database, "new")
    written_at = time.monotonic()
    before, after, read_at = await reading
    assert written_at < read_at, "the write has to be acknowledged while the read goes on"
    assert before == after == 1
    assert await notes(database) == ["new", "old"]


async def test_a_reading_unit_can_not_write(database: Database) -> None:
    with pytest.raises((apsw.ReadOnlyError, StorageError)):
        await database.read(EVERYWHERE, lambda tx: tx.run(ADD, note="sneaked in"))
    await put(database, "the connection still writes afterwards")
    assert await notes(database) == ["the connection still writes afterwards"]


async def test_a_failed_read_leaves_its_connection_usable(database: Database) -> None:
    for _ in range(12):  # more often than there are connections
        with pytest.raises((apsw.SQLError, psycopg.Error)):
            await database.read(EVERYWHERE, lambda tx: tx.all(query("SELECT * FROM no_such_table")))
    await put(database, "well")
    assert await notes(database) == ["well"]


async def test_the_space_of_the_transaction_is_bound_into_every_query(database: Database) -> None:
    assert await database.read("a/b", lambda tx: tx.first(query("SELECT CAST(:space AS TEXT) AS asked"))) == {
        "asked": "a/b"
    }


async def test_units_of_two_event_loops_are_both_answered(sqlite: SQLiteDatabase) -> None:
    """A library may be called from several loops; each caller hears on its own."""

    def elsewhere() -> None:
        asyncio.run(_put_ten(sqlite, "there"))

    await asyncio.gather(_put_ten(sqlite, "here"), asyncio.to_thread(elsewhere))
    assert len(await notes(sqlite)) == 20


async def _put_ten(database: Database, name: str) -> None:
    await asyncio.gather(*(put(database, f"{name} {number}") for number in range(10)))


async def test_a_unit_that_awaits_something_foreign_is_refused_and_undone(sqlite: SQLiteDatabase) -> None:
    async def unit(tx: Transaction) -> None:
        await tx.run(ADD, note="before the nap")
        await asyncio.sleep(0)

    with pytest.raises(RuntimeError, match="await nothing but its transaction"):
        await sqlite.write(EVERYWHERE, unit)
    with pytest.raises(RuntimeError, match="await nothing but its transaction"):
        await sqlite.read(EVERYWHERE, unit_that_naps)
    await put(sqlite, "after")
    assert await notes(sqlite) == ["after"]


async def unit_that_naps(tx: Transaction) -> None:
    await tx.all(ALL)
    await asyncio.sleep(0)


async def test_deadlocked_units_are_run_again_until_both_are_through(bare_postgres: str) -> None:
    """Two units that take the same two rows in opposite order: Postgres undoes one, and its caller never hears of it."""
    database = PostgresDatabase(bare_postgres)
    await database.open()
    try:
        await migrate.ready(database)
        await put(database, "a", "b")
        bump = query("UPDATE spaces SET created_at = created_at + 1 WHERE space = :note")

        async def crossing(first: str, second: str) -> None:
            async def unit(tx: Transaction) -> None:
                await tx.run(bump, note=first)
                await tx.first(query("SELECT pg_sleep(0.2)"))
                await tx.run(bump, note=second)

            await database.write(EVERYWHERE, unit)

        await asyncio.gather(crossing("a", "b"), crossing("b", "a"))
        rows = await database.read(EVERYWHERE, lambda tx: tx.all(query("SELECT created_at FROM spaces")))
        assert [row["created_at"] for row in rows] == [2, 2]
    finally:
        await database.close()


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://me:sec%40ret@db.example:5433/notes",
        "postgresql://me@db.example:5433/notes?password=secret&sslmode=require",
        "postgresql:///notes?host=db.example&port=5433&user=me&password=secret",
    ],
)
def test_a_database_is_named_without_its_password(url: str) -> None:
    assert PostgresDatabase(url).describe() == "postgresql://me@db.example:5433/notes"
