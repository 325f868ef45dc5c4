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
QUERIES = [pytest.param(query, id=f"{package}.{query.name}") for package in PACKAGES for query in load(package).all()]


@pytest.mark.parametrize("query", QUERIES)
def test_a_query_names_its_space_or_says_why_not(query: Query) -> None:
    assert "space" in query.takes or "-- across spaces: " in query.comment


@pytest.mark.parametrize("package", PACKAGES)
def test_every_query_is_used(package: str) -> None:
    source = "\n".join(file.read_text() for file in ROOT.rglob("*.py"))
    unused = [query.name for query in load(package).all() if not re.search(rf"queries\.{query.name}\b", source)]
    assert unused == []


@pytest.mark.parametrize("package", PACKAGES)
def test_only_erasure_changes_a_message_and_only_retention_and_erasure_take_one_away(package: str) -> None:
    for query in load(package).all():
        changes = set(re.findall(r"(UPDATE|DELETE FROM) messages\b", query.sqlite + query.postgres))
        may = {"erstwhile.layers.retention": {"DELETE FROM"}, "erstwhile.layers.erasure": {"DELETE FROM", "UPDATE"}}
        assert changes <= may.get(package, set())


async def test_sqlite_understands_every_query(memory: erstwhile.Memory) -> None:
    if memory.house.database.dialect != "sqlite":
        return
    import apsw

    connection = apsw.Connection(memory.house.database.describe())
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
    return {name: "[]" if name in ("rows", "ids", "keys", "words") else None for name in query.takes}


def test_a_misspelt_query_is_noticed() -> None:
    queries: Queries = load("erstwhile.log")
    with pytest.raises(AttributeError, match="has no query 'betwen'"):
        _ = queries.betwen


def test_an_unknown_database_is_refused() -> None:
    from erstwhile.base.settings import load as settings

    with pytest.raises(erstwhile.SettingsError, match="postgresql://"):
        open_database(settings(database="mysql://somewhere/db"))
