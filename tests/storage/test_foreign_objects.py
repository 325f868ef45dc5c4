"""A database with something in its schema that is not ours: a file that may come from anywhere is not used, Postgres names it."""

from __future__ import annotations

import shutil
from pathlib import Path

import apsw
import psycopg
import pytest
from future import run
from notes import notes, put

import erstwhile
from erstwhile.base.errors import StorageError
from erstwhile.storage import migrate, sqlite_health
from erstwhile.storage.sqlite import SQLiteDatabase

OBJECTS = {
    "trigger copies": "CREATE TRIGGER copies AFTER INSERT ON messages BEGIN UPDATE people SET shares = 1; END",
    "view everything": "CREATE VIEW everything AS SELECT * FROM messages",
    "table loot": "CREATE TABLE loot (text TEXT)",
    "table words": "CREATE VIRTUAL TABLE words USING fts5(text)",
    "index slow": "CREATE INDEX slow ON messages (upper(text))",
}
# Ours by its name, but not what we made.
CHANGED = {
    "view names": "DROP TABLE names; CREATE VIEW names AS SELECT 1 AS space",
    "table names": "DROP TABLE names; CREATE VIRTUAL TABLE names USING fts5(space, person, name, first_at, last_at)",
    "index messages_at": "DROP INDEX messages_at; CREATE INDEX messages_at ON messages (space, at) WHERE at > 0",
}


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("plain") / "plain.db"
    with erstwhile.open_sync(str(path), worker=False) as memory:
        memory.channel("chat").add("user", "hello")
    return path


def tampered(plain: Path, to: Path, sql: str) -> Path:
    shutil.copy(plain, to)
    connection = apsw.Connection(str(to))
    connection.execute(sql)
    connection.close()
    return to


@pytest.mark.parametrize(("name", "sql"), [*OBJECTS.items(), *CHANGED.items()])
async def test_a_file_with_a_foreign_object_is_not_opened_and_the_object_is_named(
    plain: Path, tmp_path: Path, name: str, sql: str
) -> None:
    path = tampered(plain, tmp_path / "chat.db", sql)
    with pytest.raises(StorageError, match=f"objects that erstwhile did not make: {name}"):
        async with erstwhile.open(str(path), worker=False):
            pass


def test_the_doctor_names_them_without_a_traceback(plain: Path, tmp_path: Path) -> None:
    path = tampered(plain, tmp_path / "chat.db", ";".join(OBJECTS.values()))
    done = run("doctor", "-d", str(path))
    assert done.returncode != 0
    told = " ".join((done.stdout + done.stderr).split())
    assert all(name in told for name in OBJECTS), told
    assert "Traceback" not in told


@pytest.mark.parametrize("sql", ["ANALYZE", "VACUUM", "REINDEX", "PRAGMA user_version = 7"])
async def test_what_people_do_to_keep_a_file_in_shape_is_allowed(plain: Path, tmp_path: Path, sql: str) -> None:
    path = tampered(plain, tmp_path / "chat.db", sql)
    async with erstwhile.open(str(path), worker=False) as memory:
        await memory.channel("chat").add("user", "still here")


async def test_a_trigger_that_comes_while_the_file_is_open_never_runs(sqlite: SQLiteDatabase, tmp_path: Path) -> None:
    await put(sqlite, "before")
    other = apsw.Connection(str(tmp_path / "only.db"))
    other.execute(
        "CREATE TRIGGER copies AFTER INSERT ON spaces BEGIN INSERT INTO people VALUES ('', 'x', 0, 0, 1, 0); END"
    )
    with pytest.raises(StorageError, match="trigger copies"):
        await put(sqlite, "refused")
    assert other.execute("SELECT count(*) FROM people").get == 0
    other.execute("DROP TRIGGER copies")
    other.close()
    await put(sqlite, "after")
    assert await notes(sqlite) == ["after", "before"]


async def test_the_doctor_names_triggers_rules_and_policies_of_others_on_postgres(bare_postgres: str) -> None:
    async with erstwhile.open(bare_postgres, worker=False) as memory:
        assert not [each for each in await memory.doctor(quick=True) if "did not make" in each.what]
        with psycopg.connect(bare_postgres, autocommit=True) as connection:
            connection.execute("CREATE FUNCTION copy() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END'")
            connection.execute("CREATE TRIGGER copies AFTER INSERT ON messages FOR EACH ROW EXECUTE FUNCTION copy()")
            connection.execute("CREATE RULE hides AS ON DELETE TO people DO INSTEAD NOTHING")
            connection.execute("CREATE POLICY shows ON names USING (true)")
        told = [each.what for each in await memory.doctor(quick=True) if each.level == "problem"]
    for name in ("trigger copies on messages", "rule hides on people", "policy shows on names"):
        assert f"The database has a {name} that erstwhile did not make." in told


async def test_the_doctor_of_a_process_that_runs_notices_a_newer_postgres(bare_postgres: str) -> None:
    async with erstwhile.open(bare_postgres, worker=False) as memory:
        with psycopg.connect(bare_postgres, autocommit=True) as connection:
            connection.execute("INSERT INTO migrations (version, name) VALUES (99, '0099_far_away')")
        told = [each.what for each in await memory.doctor(quick=True) if each.level == "problem"]
        assert any(what.startswith("The database has schema 99") for what in told)
        await memory.ready()


def test_the_newest_schema_is_known_by_its_digest() -> None:
    """After a change of the schema, write the digest that this shows into `sqlite_health.NEWEST`."""
    newest = sqlite_health.own_objects(len(migrate.known("sqlite")))
    assert sqlite_health.digest(newest) == sqlite_health.NEWEST
