"""Each table is declared once, by the package that owns it, with the columns that erasure has to know."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from erstwhile import layers
from erstwhile.owners import owners
from erstwhile.tables.model import Table

PEOPLE = {"person", "said_by", "edited_by", "deleted_by", "reviewed_by", "by"}
CHANNELS = {"channel", "audience"}


def declared() -> list[Table]:
    kinds = [entry.layer for entry in layers.ENTRIES]
    return [table for owner in (*owners(), *kinds) for table in owner.tables]


@pytest.fixture
def columns(sqlite_template: Path) -> dict[str, set[str]]:
    import apsw

    connection = apsw.Connection(str(sqlite_template), flags=apsw.SQLITE_OPEN_READONLY)
    rows = connection.execute(
        "SELECT t.name, c.name FROM sqlite_schema t JOIN pragma_table_info(t.name) c WHERE t.type = 'table'"
    )
    found: dict[str, set[str]] = {}
    for table, column in rows:
        found.setdefault(table, set()).add(column)
    return {name: names for name, names in found.items() if "space" in names}


def test_each_table_is_declared_once(columns: dict[str, set[str]]) -> None:
    counted = Counter(table.name for table in declared())
    assert set(counted) == {*columns, "index_pieces"}  # Postgres keeps files of the index as rows
    assert [name for name, times in counted.items() if times > 1] == []


def test_every_column_that_names_someone_is_declared(columns: dict[str, set[str]]) -> None:
    for table in declared():
        there = columns.get(table.name, set())
        assert there & PEOPLE <= {*table.person, table.by}, table.name
        assert there & CHANNELS <= set(table.channel), table.name
        named = {*table.person, *table.channel, *table.memory, *table.words, table.by} - {""}
        assert named <= there, table.name
