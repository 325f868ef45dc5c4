"""Check every stored message against its checksum."""

from __future__ import annotations

from typing import Any

from erstwhile.log.store import queries, spaces
from erstwhile.storage import Database, Row, Transaction
from erstwhile.storage.checksums import checksum

_PAGE = 1000


async def damaged_messages(database: Database, told: str) -> list[str]:
    """Return the messages that are not as they were stored. Reads all of them. Names the places of those in the space
    `told`, because whoever asks may know nothing of other spaces."""
    found: list[str] = []
    for space in await spaces(database):
        place: dict[str, Any] = {"channel": "", "seq": 0}
        while rows := await database.read(space, lambda tx: _page(tx, place)):  # noqa: B023 - awaited at once
            damaged = (row for row in rows if checksum(row) != row["checksum"])
            found += [_name(row, known=space == told) for row in damaged]
            place = {name: rows[-1][name] for name in place}
    return found


async def _page(tx: Transaction, place: dict[str, Any]) -> list[Row]:
    return await tx.all(queries.checked, **place, limit=_PAGE)


def _name(row: Row, *, known: bool) -> str:
    id, channel = (_text(row[name]) for name in ("id", "channel"))
    where = f"message {row['seq']} of channel {channel}" if known else "in another space"
    return f"{id} ({where})"


def _text(value: str | bytes) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else value
