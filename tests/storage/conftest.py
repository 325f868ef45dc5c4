"""A database without the house around it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from erstwhile.base.settings import load
from erstwhile.storage import Database, migrate
from erstwhile.storage.sqlite import SQLiteDatabase
from erstwhile.wiring import open_database


@pytest.fixture
async def database(database_url: str) -> AsyncIterator[Database]:
    """Open and with the schema, on SQLite and on Postgres."""
    opened = open_database(load(database=database_url))
    await opened.open()
    await migrate.ready(opened)
    yield opened
    await opened.close()


@pytest.fixture
async def sqlite(tmp_path: Path) -> AsyncIterator[SQLiteDatabase]:
    """The same on SQLite alone, for what only SQLite has."""
    opened = SQLiteDatabase(str(tmp_path / "only.db"))
    await opened.open()
    await migrate.ready(opened)
    yield opened
    await opened.close()
