"""The rules for SQL: every query names its space, and both databases understand every query."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import erstwhile
from erstwhile.storage.queries import Queries, Query, load
from erstwhile.wiring import open_database

ROOT = Path(erstwhile.__file__).parent
PACKAGES = sorted(
    {".".join(("erstwhile", *file.parent.relative_to(ROOT).parts)) for file in ROOT.rglob("queries*.sql")}
)
QUERIES = [(f"{package}.{query.name}", query) for package in PACKAGES for query in load(package).all()]


def test_a_query_names_its_space_or_says_why_not() -> None:
    named = {name for name, query in QUERIES if "space" in query.takes}
    excused = {name for name, query in QUERIES if "-- across spaces: " in query.comment}
    assert {name for name, _ in QUERIES} - named - excused == set()
    assert len(named) > 400


def test_every_query_is_used() -> None:
    used = {name for file in ROOT.rglob("*.py") for name in re.findall(r"queries\.(\w+)", file.read_text())}
    assert [name for name, query in QUERIES if query.name not in used] == []


def test_only_erasure_changes_a_message_and_only_retention_and_erasure_take_one_away() -> None:
    may = {
        "erstwhile.log.drop_messages": {"DELETE FROM"},
        "erstwhile.log.drop_message": {"DELETE FROM"},
        "erstwhile.log.reword": {"UPDATE"},
    }
    for name, query in QUERIES:
        if name == "erstwhile.log.renumber":  # what search knows it by, nothing that was said
            assert set(re.findall(r"(\w+) = ", query.sqlite.partition("WHERE")[0])) == {"doc", "traits"}
            assert set(re.findall(r"(\w+) = ", query.postgres.partition("FROM")[0])) == {"doc", "traits", "stamp"}
            continue
        changes = set(re.findall(r"(UPDATE|DELETE FROM) messages\b", query.sqlite + query.postgres))
        assert changes <= may.get(name, set()), name


def test_sqlite_understands_every_query(sqlite_template: Path) -> None:
    import apsw

    connection = apsw.Connection(str(sqlite_template), flags=apsw.SQLITE_OPEN_READONLY)
    for package in PACKAGES:
        for query in load(package).all():
            for statement in filter(str.strip, query.sqlite.split(";")):
                connection.execute(f"EXPLAIN {statement}", dict.fromkeys(query.takes))


async def test_postgres_understands_every_query(postgres_template: str) -> None:
    import psycopg

    async with await psycopg.AsyncConnection.connect(postgres_template) as connection:
        for package in PACKAGES:
            for query in load(package).all():
                if query.postgres:
                    await connection.execute(f"EXPLAIN {query.postgres}", _samples(query))  # type: ignore[arg-type]
                    await connection.rollback()
                if query.batch:
                    given = {"space": "", "rows": "[]"}
                    await connection.execute(f"EXPLAIN {query.batch.sql}", given)  # type: ignore[arg-type]
                    await connection.rollback()


def _samples(query: Query) -> dict[str, object]:
    """NULL fits every type but JSON and lists, which say what they are."""
    return {name: "[]" if name in ("rows", "ids", "keys", "words", "firsts") else None for name in query.takes}


def test_a_misspelt_query_is_noticed() -> None:
    queries: Queries = load("erstwhile.log")
    with pytest.raises(AttributeError, match="has no query 'betwen'"):
        _ = queries.betwen


def test_an_unknown_database_is_refused() -> None:
    from erstwhile.base.settings import load as settings

    with pytest.raises(erstwhile.SettingsError, match="postgresql://"):
        open_database(settings(database="mysql://somewhere/db"))
