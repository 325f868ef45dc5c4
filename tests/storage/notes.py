"""Small units over a table that has no rules of its own: `spaces` serves as a list of notes."""

from __future__ import annotations

from typing import Any

from erstwhile.storage import EVERYWHERE, Database, Transaction
from erstwhile.storage.queries import make


def query(sql: str) -> Any:
    return make("of_a_test", sql, sql)


ADD = query("INSERT INTO spaces (space, created_at) VALUES (:note, 0)")
ALL = query("SELECT space FROM spaces ORDER BY space")
COUNT = query("SELECT count(*) AS notes FROM spaces")


async def put(database: Database, *notes: str) -> None:
    async def unit(tx: Transaction) -> None:
        for note in notes:
            await tx.run(ADD, note=note)

    await database.write(EVERYWHERE, unit)


async def notes(database: Database) -> list[str]:
    rows = await database.read(EVERYWHERE, lambda tx: tx.all(ALL))
    return [row["space"] for row in rows]
