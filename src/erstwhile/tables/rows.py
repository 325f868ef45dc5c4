"""Queries made from what tables declare. Names come from the declarations, never from a user."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache

from erstwhile.storage import Transaction, column, value
from erstwhile.storage.queries import Query, make
from erstwhile.tables.model import Erasing, Subject, Table


async def erase(tx: Transaction, tables: Sequence[Table], erasing: Erasing) -> Counter[str]:
    """Delete the rows of the person and of the channels that are erased completely."""
    gone: Counter[str] = Counter()
    people, channels = json.dumps(list(erasing.people)), json.dumps(list(erasing.channels))
    for table in tables:
        if table.by and erasing.people:
            await tx.run(_unname(table), names=people)
        if table.listed:
            continue
        if table.person and erasing.people:
            gone[table.name] += await tx.run(_of(table, table.person[0]), names=people)
        if table.channel and erasing.channels:
            gone[table.name] += await tx.run(_of(table, table.channel[0]), names=channels)
    return Counter({each.name: gone[each.name] for each in tables if each.counted})


async def left(tx: Transaction, tables: Iterable[Table], subject: Subject) -> list[str]:
    """Return the tables with rows that name an erased person or channel."""
    if subject.person is None:
        query = _left(tuple(tables), "channel")
        rows = await tx.all(query, named=subject.channel, hand=None)
    else:
        query = _left(tuple(tables), "person")
        rows = await tx.all(query, named=subject.person, hand=subject.hand)
    return [row["name"] for row in rows if row["rows"]]


async def words_left(tx: Transaction, tables: Iterable[Table]) -> int:
    """Count what is listed in `erasing` and still has a row with words."""
    return int(await value(tx, _words_left(tuple(tables))) or 0)


async def remove(tx: Transaction, tables: Iterable[Table], memories: Sequence[str]) -> None:
    """Delete the rows of memories."""
    for table in tables:
        for name in table.memory:
            await tx.run(_of(table, name), names=json.dumps(list(memories)))


async def counts(tx: Transaction, tables: Iterable[Table]) -> Counter[str]:
    """Count all rows of each table."""
    return Counter(
        {table.name: await value(tx, _of_space("count", table.name)) for table in tables}
    )


async def with_space(tx: Transaction, tables: Iterable[str]) -> list[str]:
    """Return which of these tables have rows of the space."""
    return [name for name in tables if await column(tx, _of_space("look_into", name))]


async def empty(tx: Transaction, table: str) -> int:
    """Delete all rows of the space."""
    return await tx.run(_of_space("empty", table))


@cache
def _of(table: Table, column: str) -> Query:
    where = f"space = :space AND {column} IN (:names...){_but(table)}"
    return make(f"erase_{table.name}", f"DELETE FROM {table.name} WHERE {where}")


@cache
def _unname(table: Table) -> Query:
    set_to = f"UPDATE {table.name} SET {table.by} = '{table.nobody}'"
    where = f"space = :space AND {table.by} IN (:names...)"
    return make(f"unname_{table.name}", f"{set_to} WHERE {where}")


def _but(table: Table) -> str:
    return f" AND NOT ({table.kept})" if table.kept else ""


@cache
def _left(tables: tuple[Table, ...], kind: str) -> Query:
    named = [_named(table, kind) for table in tables]
    return make("left", " UNION ALL ".join(filter(None, named)))


def _named(table: Table, kind: str) -> str:
    person = (*table.person, table.by) if table.by else table.person
    columns, kept = (person, _but(table)) if kind == "person" else (table.channel, "")
    named = " OR ".join(f"{name} IN (:named, :hand)" for name in columns)
    found = f"SELECT '{table.name}' AS name, count(*) AS rows FROM {table.name}"
    return f"{found} WHERE space = :space AND ({named}){kept}" if columns else ""


@cache
def _words_left(tables: tuple[Table, ...]) -> Query:
    found = " OR ".join(
        f"EXISTS (SELECT 1 FROM {table.name} t WHERE t.space = e.space AND t.id = e.id AND ("
        + " OR ".join(f"t.{name} <> ''" for name in table.words)
        + "))"
        for table in tables
        if table.words
    )
    sql = f"SELECT count(*) AS rows FROM erasing e WHERE e.space = :space AND ({found})"
    return make("words_left", sql)


@cache
def _of_space(what: str, table: str) -> Query:
    """Return a query over all rows of the space."""
    sql = {
        "count": f"SELECT count(*) AS number FROM {table} WHERE space = :space",
        "look_into": f"SELECT 1 AS there FROM {table} WHERE space = :space LIMIT 1",
        "empty": f"DELETE FROM {table} WHERE space = :space",
    }
    return make(f"{what}_{table}", sql[what])
