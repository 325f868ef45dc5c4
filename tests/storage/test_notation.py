"""One text serves both databases: what the loader translates, and that both understand the result."""

from __future__ import annotations

import json

import pytest
from notes import query

from erstwhile.storage import EVERYWHERE, Database, Transaction

ELEMENTS = "FROM jsonb_array_elements_text(%(ids)s::jsonb)"


@pytest.mark.parametrize(
    ("text", "sqlite", "postgres"),
    [
        ("id IN (:ids...)", "id IN (SELECT value FROM json_each(:ids))", f"id = ANY (ARRAY(SELECT value {ELEMENTS}))"),
        (
            "id NOT IN (:ids::bigint...)",
            "id NOT IN (SELECT value FROM json_each(:ids))",
            f"id <> ALL (ARRAY(SELECT value::bigint {ELEMENTS}))",
        ),
        (
            "FROM (:ids...) AS k",
            "FROM json_each(:ids) AS k",
            "FROM jsonb_array_elements_text(%(ids)s::jsonb) AS k (value)",
        ),
        (
            "FROM (:ids::bigint...) AS k",
            "FROM json_each(:ids) AS k",
            f"FROM (SELECT value::bigint {ELEMENTS}) AS k (value)",
        ),
        (":a::text = 'a::b'", ":a = 'a::b'", "%(a)s::text = 'a::b'"),
        ("ORDER BY j.id FOR UPDATE OF j SKIP LOCKED", "ORDER BY j.id", "ORDER BY j.id FOR UPDATE OF j SKIP LOCKED"),
        ("instr(name, :part)", "instr(name, :part)", "strpos(name, %(part)s)"),
        ("x LIKE '%a'", "x LIKE '%a'", "x LIKE '%%a'"),
        (  # row by row: joined with the rows, SQLite looks through all of the table
            "UPDATE t SET n = r.n FROM (:rows...) AS r (id TEXT, n BIGINT) WHERE t.space = :space AND t.id = r.id",
            "UPDATE t SET n = :n WHERE t.space = :space AND t.id = :id",
            "UPDATE t SET n = r.n FROM json_to_recordset(%(rows)s::json) AS r (id TEXT, n BIGINT)"
            " WHERE t.space = %(space)s AND t.id = r.id",
        ),
    ],
)
def test_a_text_is_translated_for_each_database(text: str, sqlite: str, postgres: str) -> None:
    made = query(text)
    assert (made.sqlite, made.postgres) == (sqlite, postgres)


def test_an_insert_of_plain_values_becomes_one_statement() -> None:
    batch = query(
        "INSERT INTO t (space, a, b, c) VALUES (:space, :x, 0, :x::text) ON CONFLICT (space) DO NOTHING"
    ).batch
    assert batch.columns == {"a": "x", "c": "x"}
    assert batch.sql == (
        "INSERT INTO t (space, a, b, c) SELECT %(space)s, r.a, 0, r.c"
        " FROM json_populate_recordset(NULL::t, %(rows)s::json) AS r ON CONFLICT (space) DO NOTHING"
    )


@pytest.mark.parametrize(
    "text",
    [
        "INSERT INTO t (a) VALUES (:a) ON CONFLICT (a) DO UPDATE SET a = excluded.a",
        "INSERT INTO t (a) VALUES (coalesce(:a, 0))",
        "INSERT INTO t (a) VALUES (:a) RETURNING a",
        "DELETE FROM t WHERE a = :a",
    ],
)
def test_what_depends_on_each_row_is_run_row_by_row(text: str) -> None:
    assert query(text).batch is None


async def test_lists_are_read_on_both_databases(database: Database) -> None:
    add = query("INSERT INTO spaces (space, created_at) VALUES (:note, :at)")
    rows = [{"note": note, "at": at} for at, note in enumerate(("a", "b'", "ü\\x"))]

    async def unit(tx: Transaction) -> list[list[str]]:
        await tx.run_many(add, [])
        await tx.run_many(add, rows)
        texts = json.dumps(["ü\\x", "b'", "none"])
        conditions = {
            "space IN (:given...)": texts,
            "space NOT IN (:given...)": texts,
            "created_at IN (:given::bigint...)": "[0, 2]",
            "created_at IN (SELECT k.value FROM (:given::bigint...) AS k)": "[1]",
            "instr(space, :given::text) > 0": "\\",
            "space NOT IN (:given::text...)": "[]",
            "space IN (:given...) ": None,
        }
        found = []
        for condition, given in conditions.items():
            sql = f"SELECT space FROM spaces WHERE {condition} ORDER BY created_at FOR UPDATE"
            found.append([row["space"] for row in await tx.all(query(sql), given=given)])
        return found

    assert await database.write(EVERYWHERE, unit) == [
        ["b'", "ü\\x"],
        ["a"],
        ["a", "ü\\x"],
        ["b'"],
        ["ü\\x"],
        ["a", "b'", "ü\\x"],
        [],
    ]


async def test_bytes_and_nothing_survive_a_batch(database: Database) -> None:
    add = query("INSERT INTO vectors (space, doc, vector) VALUES (:space, :doc, :vector)")

    async def unit(tx: Transaction) -> list[bytes]:
        await tx.run_many(add, [{"doc": 1, "vector": b"\x00\xff"}, {"doc": 2, "vector": b""}])
        rows = await tx.all(query("SELECT vector FROM vectors WHERE space = :space ORDER BY doc"))
        return [bytes(row["vector"]) for row in rows]

    assert await database.write("default", unit) == [b"\x00\xff", b""]
