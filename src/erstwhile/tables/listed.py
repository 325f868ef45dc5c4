"""The list of what is erased: messages, memories and whole channels."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from erstwhile.storage import Row, Transaction, column, value
from erstwhile.storage.queries import load

queries = load(__package__)

_PLACE = ("id", "channel", "seq", "at")


async def clear(tx: Transaction) -> None:
    await tx.run(queries.clear)


async def add_channel(tx: Transaction, channel: str) -> None:
    await tx.run(queries.list_channel, channel=channel)


async def add_messages(tx: Transaction, messages: Iterable[Mapping[str, Any]]) -> None:
    rows = [{name: each[name] for name in _PLACE} for each in messages]
    if rows:
        await tx.run_many(queries.list_message, rows)


async def add(tx: Transaction, ids: Sequence[str]) -> None:
    """List memories."""
    if ids:
        await tx.run_many(queries.list_id, [{"id": id} for id in ids])


async def count(tx: Transaction) -> int:
    return await value(tx, queries.count_listed) or 0


async def ids(tx: Transaction) -> list[str]:
    return await column(tx, queries.listed)


async def messages_in(tx: Transaction, channel: str) -> set[str]:
    return set(await column(tx, queries.listed_in, channel=channel))


async def places(tx: Transaction) -> list[Row]:
    """Return the listed messages with their place."""
    return await tx.all(queries.places)


async def channels(tx: Transaction) -> list[str]:
    """Return the channels with listed messages."""
    return await column(tx, queries.channels_with)


async def spans(tx: Transaction) -> list[Row]:
    """Return, by channel, the first and last listed message that is stored."""
    return await tx.all(queries.spans)
