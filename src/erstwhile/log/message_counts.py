"""How much people said in a span of time, and where."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime

from erstwhile.base.clock import micros
from erstwhile.log.store import queries
from erstwhile.storage import Row, Transaction, column, value


async def counts(tx: Transaction, since: datetime, until: datetime) -> dict[str, int]:
    """Count the messages of people, by channel."""
    rows = await tx.all(queries.count_in_time, since=micros(since), until=micros(until))
    return {row["channel"]: row["messages"] for row in rows}


async def count_before(
    tx: Transaction, channel: str, seq: int, span: tuple[datetime, datetime]
) -> int:
    """Count the messages of people in a channel in a span of time, before one of its messages."""
    since, until = map(micros, span)
    place = {"channel": channel, "seq": seq, "since": since, "until": until}
    return int(await value(tx, queries.count_before, **place))


async def private_channels(tx: Transaction) -> frozenset[str]:
    """Return the channels that are declared private."""
    return frozenset(await column(tx, queries.private_channels))


async def first_kept(tx: Transaction, channel: str) -> Row | None:
    """Return when the first stored message of a channel was said, and whether earlier ones have
    expired (`lost`)."""
    return await tx.first(queries.first_kept, channel=channel)


async def spoken_in(tx: Transaction, spans: Sequence[Row], channel: str | None = None) -> set[str]:
    """Return the ids of the spans (`from_at`, `to_at`) in which something was said; with a channel,
    by people in it."""
    rows = [{name: row[name] for name in ("id", "from_at", "to_at")} for row in spans]
    return set(await column(tx, queries.spoken_in, rows=json.dumps(rows), channel=channel))


async def left_in(tx: Transaction, ranges: Sequence[tuple[str, int, int]]) -> list[Row]:
    """Return the ranges (channel, first, last) that still have messages when the listed ones are
    erased: how many of people, and from when to when."""
    names = ("channel", "first_seq", "last_seq")
    rows = [dict(zip(names, each, strict=True)) for each in ranges]
    return await tx.all(queries.left_in, rows=json.dumps(rows)) if rows else []
