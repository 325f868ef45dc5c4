"""Reading the log."""

from __future__ import annotations

import json
from collections.abc import Sequence

from erstwhile.base.clock import moment
from erstwhile.log.model import Channel, Message
from erstwhile.storage import EVERYWHERE, Database, Row, Transaction
from erstwhile.storage.queries import load

queries = load(__package__)


def from_row(row: Row) -> Message:
    return Message(
        id=row["id"],
        seq=row["seq"],
        role=row["role"],
        person=row["person"],
        name=row["name"],
        text=row["text"],
        at=moment(row["at"]),
        key=row["key"],
        model=row["model"],
        meta=json.loads(row["meta"]),
    )


async def between(tx: Transaction, channel: str, first: int, last: int) -> list[Message]:
    return [from_row(row) for row in await tx.all(queries.between, channel=channel, first=first, last=last)]


async def ids_between(tx: Transaction, channel: str, first: int, last: int) -> list[str]:
    return [row["id"] for row in await tx.all(queries.ids_between, channel=channel, first=first, last=last)]


async def latest(tx: Transaction, channel: str, limit: int) -> list[Message]:
    """The newest `limit`, oldest of them first."""
    return [from_row(row) for row in reversed(await tx.all(queries.latest, channel=channel, limit=limit))]


async def by_ids(tx: Transaction, ids: Sequence[str]) -> dict[str, tuple[str, Message]]:
    """Each message with its channel."""
    rows = await tx.all(queries.by_ids, ids=json.dumps(list(ids))) if ids else []
    return {row["id"]: (row["channel"], from_row(row)) for row in rows}


async def channel(tx: Transaction, name: str) -> Channel | None:
    row = await tx.first(queries.channel, channel=name)
    return Channel(**row) if row else None


async def channels(tx: Transaction) -> list[Channel]:
    return [Channel(**row) for row in await tx.all(queries.channels)]


async def name_of(tx: Transaction, person: str) -> str:
    """The name the person was last seen with, or the id."""
    rows = await tx.all(queries.names, person=person)
    return rows[-1]["name"] if rows else person


async def names_among(tx: Transaction, words: Sequence[str]) -> list[str]:
    """Which of these words are names of people in the space."""
    rows = await tx.all(queries.names_among, words=json.dumps([word.casefold() for word in words]))
    return [row["name"] for row in rows]


async def spaces(database: Database) -> list[str]:
    rows = await database.read(EVERYWHERE, lambda tx: tx.all(queries.spaces))
    return [row["space"] for row in rows]
