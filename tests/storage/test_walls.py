"""The second wall on Postgres: whatever a query forgets to say, the database shows it the rows of its own space.

Everything is tried as a superuser, who works as `erstwhile_app`, and as an ordinary user who owns the tables and may not make roles.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
import uuid
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from notes import query
from psycopg.rows import dict_row

import erstwhile
import erstwhile.api.memory
from erstwhile.base.errors import StorageError
from erstwhile.storage import EVERYWHERE, Migration, Transaction, migrate, row_security
from erstwhile.storage.exchange import Connection, Exchange
from erstwhile.storage.postgres import PostgresDatabase
from owner import as_owner

OURS = "n.nspname = current_schema()"
TABLES = f"""
SELECT c.relname AS table, c.relispartition AS part, c.relrowsecurity AND c.relforcerowsecurity AS walled,
    ARRAY(SELECT polname::text FROM pg_policy WHERE polrelid = c.oid ORDER BY polname) AS policies
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'space'
WHERE {OURS} AND c.relkind IN ('r', 'p') ORDER BY c.relname
"""
# What a row needs: each column that has no default, with what a CHECK allows there.
COLUMNS = f"""
SELECT c.relname AS table, a.attname AS column, format_type(a.atttypid, a.atttypmod) AS type,
    (SELECT min(pg_get_constraintdef(oid)) FROM pg_constraint WHERE conrelid = c.oid AND contype = 'c' AND conkey = ARRAY[a.attnum])
    AS allowed
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace JOIN pg_attribute a ON a.attrelid = c.oid
WHERE {OURS} AND c.relkind IN ('r', 'p') AND NOT c.relispartition
    AND a.attnum > 0 AND a.attnotnull AND NOT a.atthasdef AND a.attidentity = ''
"""
UNIQUE = f"""
SELECT c.relname AS index FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_class t ON t.oid = i.indrelid
JOIN pg_namespace n ON n.oid = c.relnamespace JOIN pg_attribute s ON s.attrelid = t.oid AND s.attname = 'space'
WHERE {OURS} AND i.indisunique AND NOT s.attnum = ANY(i.indkey::int2[])
"""
LOOPHOLES = f"""
SELECT relname AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE {OURS} AND relkind IN ('v', 'm') AND NOT coalesce(reloptions::text LIKE '%security_invoker=true%', false)
UNION ALL SELECT proname FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace WHERE {OURS} AND prosecdef
"""
# Ids that are drawn at random and never given from outside, so that meeting another's tells nobody anything.
UNIQUE_ALONE = {"jobs_id", "keys_pkey", "sessions_pkey"}
OWN = {("jobs", "id"), ("keys", "id"), ("sessions", "digest")}

ALL = query("SELECT space, id FROM memories ORDER BY id")
ADD = query("INSERT INTO memories (space, id, kind, channel, position, category, importance, title, text, writer, draft, stale, at, data,"
            " created_at) VALUES (:whose, 'fact_' || :n, 'fact', 'talk', :n, '', 0, '', 'same words', 'test', 0, 0, 0, '', 0)")  # fmt: skip


@contextlib.contextmanager
def made(server: str, *, ordinary: bool) -> Iterator[str]:
    """A new database, and the url of the user it belongs to."""
    name = f"w_{uuid.uuid4().hex[:12]}"
    head, question, options = server.partition("?")
    url = f"{head.rpartition('/')[0]}/{name}{question}{options}"
    with psycopg.connect(server, autocommit=True) as connection:
        if ordinary:
            connection.execute(f"CREATE ROLE {name} LOGIN PASSWORD 'walls' NOCREATEROLE NOCREATEDB")  # type: ignore[arg-type]
            url = re.sub(r"//[^/]*@", f"//{name}:walls@", url)
        connection.execute(
            f"CREATE DATABASE {name} OWNER {name if ordinary else 'DEFAULT'} TEMPLATE template0"  # type: ignore[arg-type]
        )
        yield url
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)")  # type: ignore[arg-type]
        if ordinary:
            connection.execute(f"DROP ROLE {name}")  # type: ignore[arg-type]


@pytest.fixture(scope="module", params=["role", "owner"])
def url(request: pytest.FixtureRequest, postgres_server: str) -> Iterator[str]:
    """Of a database that its user has migrated, with a row per table in each of two spaces, alike in all but the space."""
    with made(postgres_server, ordinary=request.param == "owner") as url:
        asyncio.run(fill(url))
        yield url


async def fill(url: str) -> None:
    database = await opened(url)
    columns = await as_owner(database, COLUMNS)
    for space in ("alder", "birch"):

        async def unit(tx: Transaction) -> None:
            for table in sorted({row["table"] for row in columns} - {"migrations"}):
                values = {row["column"]: value(row, tx.space) for row in columns if row["table"] == table}
                given = ", ".join(f":a_{name}" for name in values)
                insert = query(f"INSERT INTO {table} ({', '.join(values)}) VALUES ({given})")
                await tx.run(insert, **{f"a_{name}": value for name, value in values.items()})

        await database.write(space, unit)
    await database.close()


def value(column: dict[str, Any], space: str) -> Any:
    if column["column"] == "space":
        return space
    if column["allowed"]:
        return re.findall("'([^']*)'", column["allowed"])[0]
    if column["type"] == "text":
        return space if (column["table"], column["column"]) in OWN else "same"
    return b"\0" if column["type"] == "bytea" else 1


async def opened(url: str) -> PostgresDatabase:
    database = PostgresDatabase(url, pool=1)  # so that every unit has the connection of the one before
    await database.open()
    await migrate.ready(database)
    return database


@pytest.fixture
async def database(url: str) -> AsyncIterator[PostgresDatabase]:
    found = await opened(url)
    yield found
    await found.close()


async def tables(database: PostgresDatabase) -> list[str]:
    return [row["table"] for row in await as_owner(database, TABLES) if not row["part"]]


async def seen(database: PostgresDatabase, space: str) -> dict[str, set[str]]:
    """By table, the spaces whose rows a transaction of this space sees when it names none."""
    names = await tables(database)

    async def unit(tx: Transaction) -> dict[str, set[str]]:
        return {
            name: {row["space"] for row in await tx.all(query(f"SELECT DISTINCT space FROM {name}"))} for name in names
        }

    return await database.read(space, unit)


# What stands


async def test_every_table_that_has_a_space_has_its_wall(database: PostgresDatabase) -> None:
    found = await as_owner(database, TABLES)
    assert len(found) > 50
    assert [row for row in found if not row["walled"] or "own_space" not in row["policies"]] == []
    assert {"messages_0", "documents_7"} <= {row["table"] for row in found}, "partitions too"
    assert await database.gaps() == []


async def test_nothing_in_the_schema_runs_past_the_walls(database: PostgresDatabase) -> None:
    """A view that reads as its owner, or a function that runs as its owner, would."""
    assert await as_owner(database, LOOPHOLES) == []


async def test_unique_keys_tell_nothing_of_other_spaces(database: PostgresDatabase) -> None:
    assert {row["index"] for row in await as_owner(database, UNIQUE)} == UNIQUE_ALONE


async def test_units_run_as_the_role_where_there_is_one_and_as_the_user_outside(database: PostgresDatabase) -> None:
    who = "SELECT current_user AS me, session_user AS who, current_setting('erstwhile.space', true) AS space"
    inside = await database.read("alder", lambda tx: tx.first(query(who)))
    assert inside is not None
    ordinary = inside["who"].startswith("w_")
    assert inside["me"] == (inside["who"] if ordinary else "erstwhile_app")
    assert inside["space"] == "alder"
    async with database._connection() as connection:
        after = await (await connection.execute(who)).fetchone()
    assert after == {"me": inside["who"], "who": inside["who"], "space": ""}


# Who sees what


async def test_without_a_space_no_table_shows_a_row(database: PostgresDatabase, url: str) -> None:
    names = await tables(database)
    async with await psycopg.AsyncConnection.connect(url, row_factory=dict_row, autocommit=True) as connection:
        for setting in (None, "", "elsewhere"):
            async with connection.transaction():
                if database._as_role:
                    await connection.execute("SET LOCAL ROLE erstwhile_app")
                if setting is not None:
                    await connection.execute("SELECT set_config('erstwhile.space', %s, true)", (setting,))
                for name in names:
                    row = await (await connection.execute(f"SELECT count(*) AS n FROM {name}")).fetchone()  # type: ignore[arg-type]
                    assert row == {"n": 0}, (name, setting)


async def test_a_space_sees_its_own_rows_in_every_table_and_no_others(database: PostgresDatabase) -> None:
    for space in ("alder", "birch", "alder"):
        found = await seen(database, space)
        assert {name for name, spaces in found.items() if spaces != {space}} == set()
    assert set().union(*(await seen(database, "it's \"nobody's\" \\ space; --")).values()) == set()


async def test_work_across_spaces_sees_only_what_it_works_on(database: PostgresDatabase) -> None:
    found = await seen(database, EVERYWHERE)
    visible = {name for name, spaces in found.items() if spaces}
    policies = {row["table"]: row["policies"] for row in await as_owner(database, TABLES)}
    assert visible | {"space_settings"} == {
        name for name, each in policies.items() if {"everywhere_all", "everywhere_select"} & set(each)
    }
    assert all(found[name] == {"alder", "birch"} for name in visible - {"space_settings"})
    assert not visible & {
        "messages",
        "documents",
        "chunks",
        "memories",
        "told",
        "memory_sources",
        "structured_threads",
        "versions",
    }
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        await database.write(EVERYWHERE, lambda tx: tx.run(ADD, whose="alder", n=9))
    changed = query("UPDATE memories SET text = 'changed'")
    assert await database.write(EVERYWHERE, lambda tx: tx.run(changed)) == 0


async def test_of_settings_work_across_spaces_sees_who_named_a_model(database: PostgresDatabase) -> None:
    put = query(
        "INSERT INTO space_settings (space, name, value, secret, set_at) VALUES (:space, :name, 'x', 0, 0) ON CONFLICT DO NOTHING"
    )
    for name in ("model", "api_key"):
        await database.write("alder", lambda tx: tx.run(put, name=name))  # noqa: B023
    rows = await database.read(EVERYWHERE, lambda tx: tx.all(query("SELECT name FROM space_settings")))
    assert rows == [{"name": "model"}]


def test_queries_across_spaces_keep_to_the_tables_that_are_open_to_them() -> None:
    """As row_security.sql lists them. One that joins another table would find nothing there, unless it is the structure."""
    free = {"jsonb_array_elements_text", "clock_timestamp", "migrations", "pg_class", "pg_attribute", "pg_index"}
    listed = set(json.loads(re.findall(r"jsonb := '(.*?)'", row_security._CREATE, re.DOTALL)[0]))
    used: dict[str, set[str]] = {}
    files = Path(erstwhile.__file__).parent.rglob("queries*.sql")
    for file in (each for each in files if not each.name.endswith("sqlite.sql")):
        for block in file.read_text().split("-- name: "):
            if "-- across spaces: " in block:
                sql = re.sub(r"--.*", "", block)
                used[block.split()[0]] = set(re.findall(r"\b(?:FROM|JOIN|UPDATE|INTO) ([a-z_]+)", sql))
    assert {name: found - listed - free for name, found in used.items() if found - listed - free} == {}
    assert listed - set().union(*used.values()) <= {"keys", "events", "allowances", "erasures"}


# Attempts


async def test_one_connection_one_statement_spaces_in_turn(database: PostgresDatabase) -> None:
    """Often enough for the driver to prepare it and for the server to plan it for good; with units between that fail and are cancelled."""

    async def fail(tx: Transaction) -> None:
        await tx.all(query("SELECT 1 / 0"))

    for turn in range(24):
        space = ("alder", "birch", "nobody")[turn % 3]
        rows = await database.read(space, lambda tx: tx.all(ALL))
        assert {row["space"] for row in rows} == {space} - {"nobody"}
        if turn % 5 == 4:
            with pytest.raises(psycopg.errors.DivisionByZero):
                await database.write(space, fail)
        if turn % 7 == 6:
            nap = asyncio.create_task(
                database.write("birch", lambda tx: tx.all(query("SELECT pg_sleep(30), space FROM memories")))
            )
            await asyncio.sleep(0.05)
            nap.cancel()
            with pytest.raises(asyncio.CancelledError):
                await nap


async def test_a_unit_that_goes_on_after_a_failed_statement_is_not_acknowledged(database: PostgresDatabase) -> None:
    async def unit(tx: Transaction) -> None:
        await tx.run(ADD, whose="alder", n=50)
        with contextlib.suppress(psycopg.Error):
            await tx.run(ADD, whose="birch", n=51)

    with pytest.raises(StorageError, match="nothing of it is kept"):
        await database.write("alder", unit)
    assert len(await database.read("alder", lambda tx: tx.all(ALL))) == 1


REFUSED = {
    "insert": "INSERT INTO speakers (space, channel, person) VALUES ('birch', 'new', 'thief') ON CONFLICT DO NOTHING",
    "upsert": "INSERT INTO space_settings (space, name, value, secret, set_at) VALUES ('birch', 'same', 'mine', 0, 0) "
    "ON CONFLICT (space, name) DO UPDATE SET value = 'mine'",
    "move": "UPDATE messages SET space = 'birch'",
    "merge": "MERGE INTO people p USING (VALUES ('birch', 'thief')) AS v (space, person) ON p.space = v.space AND p.person = v.person "
    "WHEN NOT MATCHED THEN INSERT (space, person, created_at) VALUES (v.space, v.person, 0)",
}  # fmt: skip


@pytest.mark.parametrize("how", REFUSED)
async def test_a_row_of_another_space_can_not_be_written(database: PostgresDatabase, how: str) -> None:
    with pytest.raises(psycopg.errors.InsufficientPrivilege, match="row-level security"):
        await database.write("alder", lambda tx: tx.run(query(REFUSED[how])))


async def test_rows_of_other_spaces_are_neither_changed_nor_deleted(database: PostgresDatabase) -> None:
    for sql in (
        "UPDATE memories SET text = 'mine'",
        "DELETE FROM memories",
        "DELETE FROM documents",
        "DELETE FROM jobs",
    ):
        assert await database.write("birch ", lambda tx: tx.run(query(sql))) == 0  # noqa: B023
    assert len(await database.read("birch", lambda tx: tx.all(ALL))) == 1


async def test_copy_gives_out_own_rows_and_takes_none_in(database: PostgresDatabase) -> None:
    given = b""
    async with begun(database, "alder") as connection:
        for what in ("memories (space)", "(SELECT space FROM messages)", "(TABLE memories)"):
            async with connection.cursor().copy(f"COPY {what} TO STDOUT") as copy:  # type: ignore[arg-type]
                async for piece in copy:
                    given += bytes(piece)
    assert given.count(b"alder") == 3
    assert b"birch" not in given
    async with begun(database, "alder") as connection:
        into = connection.cursor().copy("COPY people (space, person, created_at) FROM STDIN")
        with pytest.raises(psycopg.Error, match="row-level security"):
            await into.__aenter__()
        await connection.rollback()


@contextlib.asynccontextmanager
async def begun(database: PostgresDatabase, space: str) -> AsyncIterator[Connection]:
    """A connection in a transaction as units have it."""
    async with database._connection() as connection:
        exchange = Exchange(connection)
        row_security.begin(exchange, space, as_role=database._as_role, read=False)
        await exchange.end()
        yield connection


async def test_views_and_functions_show_own_rows(database: PostgresDatabase) -> None:
    await as_owner(database, "CREATE VIEW shown WITH (security_invoker = true) AS SELECT space FROM messages")
    await as_owner(
        database, "CREATE FUNCTION listed() RETURNS SETOF text STABLE LANGUAGE sql AS 'SELECT space FROM memories'"
    )
    try:
        if database._as_role:
            await as_owner(database, "GRANT SELECT ON shown TO erstwhile_app")
        for sql in ("SELECT space FROM shown", "SELECT listed() AS space"):
            assert await database.read("alder", lambda tx: tx.all(query(sql))) == [{"space": "alder"}]  # noqa: B023
    finally:
        await as_owner(database, "DROP VIEW shown")
        await as_owner(database, "DROP FUNCTION listed()")


async def test_the_role_can_not_take_down_a_wall(database: PostgresDatabase) -> None:
    if not database._as_role:
        pytest.skip("an owner can; that is what owning means")
    for sql in ("ALTER TABLE memories DISABLE ROW LEVEL SECURITY", "DROP POLICY own_space ON memories", "TRUNCATE memories",
                "CREATE TABLE loot (n INTEGER)", "SELECT * FROM messages_0"):  # fmt: skip
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            await database.write("alder", lambda tx: tx.run(query(sql)))  # noqa: B023


# Later


async def test_a_migration_works_on_all_spaces_and_what_it_adds_gets_its_wall(database: PostgresDatabase) -> None:
    version = await database.version()
    sql = """CREATE TABLE moods (space TEXT NOT NULL, mood TEXT NOT NULL, PRIMARY KEY (space, mood));
    INSERT INTO moods SELECT space, 'of ' || id FROM memories"""
    try:
        assert await database.migrate([Migration(version + 1, "moods", sql)])
        for space in ("alder", "birch"):
            assert (await seen(database, space))["moods"] == {space}, "every space's rows were there to be copied"
        assert (await seen(database, EVERYWHERE))["moods"] == set()
        await test_every_table_that_has_a_space_has_its_wall(database)
        await test_work_across_spaces_sees_only_what_it_works_on(database)
    finally:
        await as_owner(database, "DROP TABLE moods")
        await as_owner(database, f"DELETE FROM migrations WHERE version > {version}")


async def test_the_doctor_sees_a_wall_that_is_missing_and_migrate_mends_it(
    database: PostgresDatabase, url: str
) -> None:
    ordinary = not database._as_role
    await as_owner(database, "ALTER TABLE memories NO FORCE ROW LEVEL SECURITY")
    if not ordinary:
        await as_owner(database, "REVOKE INSERT ON messages FROM erstwhile_app")
    async with erstwhile.open(url, worker=False) as memory:
        told = [each.what for each in await memory.doctor() if each.level == "problem" and "kept apart" in each.what]
    assert ["memories" in each for each in told] == [True] if ordinary else [True, False]
    await erstwhile.api.memory.migrate(url)
    async with erstwhile.open(url, worker=False) as memory:
        assert not [each for each in await memory.doctor() if "kept apart" in each.what]


async def test_an_ordinary_owner_lives_a_day_behind_the_walls(postgres_server: str) -> None:
    """Adding, working, asking, across spaces too: nothing in the house needs more than it is shown."""
    with made(postgres_server, ordinary=True) as url:
        async with erstwhile.open(url, worker=False) as memory:
            for space in ("alder", "birch"):
                lines = [f"Lantern {number} went from {space} to Jun." for number in range(12)]
                await memory.channel("hall", space).add_many(
                    [{"role": "user", "person": "mina", "text": line} for line in lines]
                )
            settled = await memory.settle()
            assert (settled.done >= 2, settled.waiting, settled.parked) == (True, 0, 0)
            for space, other in (("alder", "birch"), ("birch", "alder")):
                context = await memory.channel("hall", space).context("Who has the lantern?", person="mina")
                assert f"from {space} to" in context.text
                assert other not in context.text
                assert len(await memory.search("lantern", space=space, limit=100)) > 5
                assert {job.space for job in await memory.jobs.list(space=space, state="done", limit=500)} == {space}
            assert {job.space for job in await memory.jobs.list(state="done", limit=500)} == {"alder", "birch"}
