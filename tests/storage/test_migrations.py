"""Schemas: made once, moved on only when asked, never left in between, and the same on both databases."""

from __future__ import annotations

import asyncio
import json
import re
import signal
import subprocess
import sys
import uuid
from collections.abc import Callable
from pathlib import Path

import apsw
import psycopg
import pytest
from future import NEXT, Future, run
from notes import notes, put, query

import erstwhile
import erstwhile.api.memory
from erstwhile.base.errors import SchemaTooNew, StorageError
from erstwhile.base.settings import load
from erstwhile.storage import EVERYWHERE, Database, migrate
from erstwhile.storage.sqlite import SQLiteDatabase
from erstwhile.wiring import open_database
from inside import runtime
from owner import as_owner
from soak.size import SOAK
from support import forks


@pytest.fixture(scope="module")
def future(tmp_path_factory: pytest.TempPathFactory) -> Future:
    return Future(tmp_path_factory.mktemp("future"))


@pytest.fixture(params=["sqlite", "postgres"])
def empty_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A database that nobody has opened yet."""
    if request.param == "postgres":
        return str(request.getfixturevalue("bare_postgres"))
    return str(tmp_path / "new.db")


@pytest.fixture
def fresh_url(empty_url: str, request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Another of the same kind, that is opened in the ordinary way."""
    if empty_url.startswith("postgresql"):
        return str(request.getfixturevalue("postgres_template"))
    return str(tmp_path / "fresh.db")


async def schema_of(url: str) -> tuple[int, str]:
    database = open_database(load(database=url))
    await database.open()
    try:
        return await database.version(), await database.schema()
    finally:
        await database.close()


def test_migrations_are_numbered_without_gaps_and_named_alike_on_both_databases() -> None:
    names = {dialect: [each.name for each in migrate.known(dialect)] for dialect in ("sqlite", "postgres")}
    assert names["sqlite"] == names["postgres"]
    assert [int(name[:4]) for name in names["sqlite"]] == list(range(1, len(names["sqlite"]) + 1))
    assert all(re.fullmatch(r"\d{4}_[a-z_]+", name) for name in names["sqlite"])


async def test_all_migrations_one_by_one_give_the_schema_of_a_fresh_opening(empty_url: str, fresh_url: str) -> None:
    stepwise = open_database(load(database=empty_url))
    await stepwise.open()
    for each in migrate.known(stepwise.dialect):
        assert await stepwise.version() == each.version - 1
        assert await stepwise.migrate([each])
        assert not await stepwise.migrate([each]), "a second time changes nothing"
    found = await stepwise.version(), await stepwise.schema()
    await stepwise.close()
    async with erstwhile.open(fresh_url, worker=False):
        pass
    assert await schema_of(fresh_url) == found


# A column that only one database needs, and why: a reader of the feed goes by a number that only grows on SQLite, where writers take turns,
# and by the transaction on Postgres, where they don't.
ONLY = {
    "sqlite": {"documents_gone.number", "vectors.number"},
    "postgres": {
        "events.stamp",
        "documents.stamp",
        "documents_gone.stamp",
        "vectors.stamp",
        "messages.stamp",
        "document_terms.stamp",
        *(f"index_pieces.{name}" for name in ("space", "file", "at", "data")),  # on SQLite these are files
    },
}

COLUMNS = {
    "sqlite": "SELECT t.name || '.' || c.name AS found FROM pragma_table_list AS t, pragma_table_info(t.name) AS c"
    " WHERE t.schema = 'main' AND t.type = 'table' AND t.name NOT LIKE 'sqlite_%'",
    "postgres": "SELECT c.relname || '.' || a.attname AS found FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid"
    " WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition AND a.attnum > 0",
}


async def test_both_databases_have_the_same_tables_and_columns(tmp_path: Path, bare_postgres: str) -> None:
    found = {}
    for url in (str(tmp_path / "columns.db"), bare_postgres):
        async with erstwhile.open(url, worker=False) as memory:
            database = runtime(memory).database
            rows = await database.read(EVERYWHERE, lambda tx: tx.all(query(COLUMNS[tx.dialect])))
            found[database.dialect] = {row["found"] for row in rows}
    assert len(found["sqlite"]) > 60
    assert found["sqlite"] - ONLY["sqlite"] == found["postgres"] - ONLY["postgres"]
    assert all(found[dialect] >= extra for dialect, extra in ONLY.items())


async def test_every_table_leads_with_its_space(tmp_path: Path) -> None:
    async with erstwhile.open(str(tmp_path / "spaces.db"), worker=False) as memory:
        rows = await runtime(memory).database.read(EVERYWHERE, lambda tx: tx.all(query(COLUMNS["sqlite"])))
    tables = {row["found"].partition(".")[0] for row in rows} - {"migrations"}
    assert tables == {row["found"].partition(".")[0] for row in rows if row["found"].endswith(".space")}


# Newer and older


async def test_a_schema_from_the_future_is_refused_with_what_to_do(database: Database, database_url: str) -> None:
    await as_owner(database, "INSERT INTO migrations (version, name) VALUES (99, '0099_far_away')")
    with pytest.raises(SchemaTooNew, match=r"schema 99.*this one knows up to \d+.*pip install -U erstwhile"):
        async with erstwhile.open(database_url):
            pass
    with pytest.raises(SchemaTooNew, match="pip install -U erstwhile"):
        await erstwhile.api.memory.migrate(database_url)
    command = run("add", "talk", "user", "hello", "-d", database_url)
    assert command.returncode != 0
    assert "pip install -U erstwhile" in command.stderr
    assert "Traceback" not in command.stderr
    assert await notes(database) == [], "nothing was written"


async def test_an_older_file_moves_on_by_itself_and_keeps_what_it_has(tmp_path: Path, future: Future) -> None:
    url = str(tmp_path / "older.db")
    async with erstwhile.open(url, worker=False) as memory:
        await memory.channel("talk").add("user", "said before the update")
    added = future.run("add", "talk", "user", "said after the update", "-d", url)
    assert added.returncode == 0, added.stderr
    assert (await schema_of(url))[0] == NEXT["sqlite"]
    with pytest.raises(SchemaTooNew):
        async with erstwhile.open(url):
            pass
    found = future.run("search", "update", "-d", url, "--json")
    assert {hit["text"] for hit in json.loads(found.stdout)} == {"said before the update", "said after the update"}


async def test_an_older_server_is_not_moved_on_behind_the_backs_of_other_machines(
    bare_postgres: str, future: Future
) -> None:
    async with erstwhile.open(bare_postgres, worker=False) as memory:
        await memory.channel("talk").add("user", "hello")
    before = await schema_of(bare_postgres)
    refused = future.run("add", "talk", "user", "hello again", "-d", bare_postgres)
    assert refused.returncode != 0
    assert re.search(r"schema \d+, this erstwhile needs \d+.*`erstwhile migrate`", refused.stderr)
    assert await schema_of(bare_postgres) == before
    async with erstwhile.open(bare_postgres, worker=False) as memory:  # the old version still works on it
        await memory.channel("talk").add("user", "still here")

    migrated = future.run("migrate", "-d", bare_postgres, "--json")
    assert json.loads(migrated.stdout) == {"applied": [f"{NEXT['postgres']:04}_moods"]}
    added = future.run("add", "talk", "user", "hello again", "-d", bare_postgres)
    assert added.returncode == 0, added.stderr


def test_migrate_twice_is_harmless(empty_url: str) -> None:
    first = run("migrate", "-d", empty_url, "--json")
    names = [each.name for each in migrate.known("sqlite")]
    assert json.loads(first.stdout) == {"applied": names}
    second = run("migrate", "-d", empty_url, "--json")
    assert (second.returncode, json.loads(second.stdout)) == (0, {"applied": []})
    third = run("migrate", "-d", empty_url)
    assert (third.returncode, third.stderr.strip()) == (0, "Up to date.")


# Crashes and crowds


async def test_a_crash_inside_a_migration_leaves_the_old_schema_and_the_next_try_succeeds(
    empty_url: str, future: Future
) -> None:
    async with erstwhile.open(empty_url, worker=False) as memory:
        await memory.channel("talk").add("user", "said before the crash")
    old = await schema_of(empty_url)
    killed = future.run("migrate", "-d", empty_url, ERSTWHILE_CRASH_AT="migrate.before_commit")
    assert killed.returncode == -signal.SIGKILL
    assert await schema_of(empty_url) == old
    done = future.run("migrate", "-d", empty_url, "--json")
    assert len(json.loads(done.stdout)["applied"]) == 1
    version, new = await schema_of(empty_url)
    assert version == old[0] + 1
    assert "mood" in new


@pytest.mark.parametrize("delay", [number / 100 for number in range(0, 300 if SOAK else 30, 1 if SOAK else 10)])
def test_a_file_whose_first_opening_is_killed_at_any_moment_is_empty_or_whole(tmp_path: Path, delay: float) -> None:
    """Between the first line of Python and the last migration; the later delays meet a finished one."""
    path = tmp_path / "killed.db"
    script = "import asyncio, erstwhile.api.memory; print(flush=True); asyncio.run(erstwhile.api.memory.migrate('{}'))"
    process = forks.Popen([sys.executable, "-c", script.format(path)], stdout=subprocess.PIPE)
    assert process.stdout is not None
    with process, process.stdout:
        process.stdout.readline()
        try:
            process.wait(delay / 10)
        except subprocess.TimeoutExpired:
            process.kill()
    version, schema = asyncio.run(schema_of(str(path)))
    if version == 0:
        assert schema == ""
    assert run("migrate", "-d", str(path)).returncode == 0
    assert asyncio.run(schema_of(str(path)))[0] == len(migrate.known("sqlite"))


OPEN_TOGETHER = """
import asyncio, sys, erstwhile
async def first_word(url):
    async with erstwhile.open(url, worker=False) as memory:
        return (await memory.channel("hall").add("user", "here I am")).seq
print("ready", flush=True)
for line in sys.stdin:
    print(asyncio.run(first_word(line.strip())), flush=True)
"""


def test_processes_that_open_the_same_new_database_at_the_same_moment_all_succeed(
    request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    bare = request.getfixturevalue("bare_postgres")
    urls = [str(tmp_path / f"{number}.db") for number in range(12 if SOAK else 4)]
    urls += [_own_schema(bare, f"house_{number}") for number in range(4 if SOAK else 2)]
    processes = [
        forks.Popen([sys.executable, "-c", OPEN_TOGETHER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        for _ in range(4)
    ]
    try:
        ask: list[Callable[[str], int]] = [p.stdin.write for p in processes]  # type: ignore[union-attr]
        answers = [p.stdout for p in processes]
        assert [answer.readline() for answer in answers] == ["ready\n"] * 4  # type: ignore[union-attr]
        for url in urls:
            for process, say in zip(processes, ask, strict=True):
                say(url + "\n")
                process.stdin.flush()  # type: ignore[union-attr]
            assert sorted(answer.readline() for answer in answers) == ["1\n", "2\n", "3\n", "4\n"], url  # type: ignore[union-attr]
    finally:
        for process in processes:
            process.communicate()


def _own_schema(url: str, name: str) -> str:
    """A database inside the database: as empty as a new one, and quicker to make."""
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(f"CREATE SCHEMA {name}")  # type: ignore[arg-type]
    return f"{url}{'&' if '?' in url else '?'}options=-csearch_path%3D{name}"


async def test_a_schema_of_someone_else_is_not_taken_for_ours(tmp_path: Path) -> None:
    """Opening the wrong file must not add tables to it."""
    path = tmp_path / "photos.db"
    other = apsw.Connection(str(path))
    other.execute("CREATE TABLE messages (id INTEGER PRIMARY KEY, body TEXT); INSERT INTO messages VALUES (1, 'mine')")
    other.close()
    before = path.read_bytes()
    with pytest.raises(StorageError, match="another program's tables"):
        async with erstwhile.open(str(path), worker=False):
            pass
    control = apsw.Connection(str(path))
    assert list(control.execute("SELECT name FROM sqlite_schema")) == [("messages",)]
    control.close()
    assert len(path.read_bytes()) == len(before)


async def test_a_second_opening_of_a_finished_database_changes_nothing(sqlite: SQLiteDatabase, tmp_path: Path) -> None:
    await put(sqlite, "kept")
    before = await sqlite.schema()
    async with erstwhile.open(str(tmp_path / "only.db"), worker=False):
        pass
    assert await sqlite.schema() == before
    assert await notes(sqlite) == ["kept"]


async def test_a_login_that_may_not_change_tables_is_told_who_has_to(bare_postgres: str) -> None:
    """As deploy.md says: servers connect as one who owns nothing, and one of them may start before `erstwhile migrate` was run."""
    login = f"m_{uuid.uuid4().hex[:12]}"
    with psycopg.connect(bare_postgres, autocommit=True) as connection:
        connection.execute(f"CREATE ROLE {login} LOGIN PASSWORD 'owns-nothing'")  # type: ignore[arg-type]
        try:
            with pytest.raises(StorageError, match="Run `erstwhile migrate` first"):
                async with erstwhile.open(re.sub(r"//[^/]*@", f"//{login}:owns-nothing@", bare_postgres)):
                    pass
        finally:
            connection.execute(f"DROP ROLE {login}")  # type: ignore[arg-type]
