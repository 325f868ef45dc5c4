"""Past the walls: a test that looks at every space at once asks as whoever owns the tables."""

from __future__ import annotations

from typing import Any

import psycopg
from psycopg.rows import dict_row

from erstwhile.storage import EVERYWHERE, Database
from erstwhile.storage.postgres import PostgresDatabase
from erstwhile.storage.queries import make


async def as_owner(database: Database, sql: str) -> list[dict[str, Any]]:
    if not isinstance(database, PostgresDatabase):
        return [dict(row) for row in await database.write(EVERYWHERE, lambda tx: tx.all(make("owner", sql, sql)))]
    async with await psycopg.AsyncConnection.connect(
        database._url, autocommit=True, row_factory=dict_row
    ) as connection:
        cursor = await connection.execute(sql)  # type: ignore[arg-type]
        return await cursor.fetchall() if cursor.description else []
