"""Check every stored message against its checksum, or the rows of another table that have one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from erstwhile.log.store import queries, spaces
from erstwhile.storage import Database, Row
from erstwhile.storage.checksums import is_damaged
from erstwhile.storage.queries import Query

_PAGE = 1000


async def damaged_messages(database: Database, told: str) -> list[str]:
    """Return the messages that are not as they were stored. Reads all of them. Names the places of those in the space
    `told`, because whoever asks may know nothing of other spaces."""
    start = {"channel": "", "seq": 0}
    damaged = await damaged_rows(database, "messages", queries.checked, start)
    return [_name(row, known=space == told) for space, row in damaged]


async def damaged_rows(
    database: Database, table: str, query: Query, start: Mapping[str, Any]
) -> list[tuple[str, Row]]:
    """Return the damaged rows of a table, each with its space. `query` reads a page after a place, `start` is the first."""
    found: list[tuple[str, Row]] = []
    for space in await spaces(database):
        place = dict(start)
        while rows := await database.read(
            space,
            lambda tx: tx.all(query, **place, limit=_PAGE),  # noqa: B023 - awaited at once
        ):
            found += [(space, row) for row in rows if is_damaged(table, row)]
            place = {name: rows[-1][name] for name in place}
    return found


def _name(row: Row, *, known: bool) -> str:
    id, channel = (text_of(row[name]) for name in ("id", "channel"))
    where = f"message {row['seq']} of channel {channel}" if known else "in another space"
    return f"{id} ({where})"


def text_of(value: str | bytes) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else value
