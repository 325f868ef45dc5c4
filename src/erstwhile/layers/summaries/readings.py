"""Which ranges were read for memories of a kind, by whom, and how many were found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace as replaced
from datetime import datetime
from typing import Any

from erstwhile.base.clock import micros
from erstwhile.base.records import dataclass
from erstwhile.layers.summaries.model import ChunkReading, Range
from erstwhile.layers.summaries.store import queries
from erstwhile.memories import store as memories
from erstwhile.memories.store import SourceRange
from erstwhile.storage import Row, Transaction


@dataclass(frozen=True, slots=True)
class ReadingCounts:
    """Chunks `read`, those with at least one memory, memories `found`, and draft readings."""

    read: int
    nonempty: int
    found: int
    drafts: int

    @property
    def rate(self) -> float:
        return self.nonempty / self.read if self.read else 0.0


async def put(tx: Transaction, place: SourceRange, reading: ChunkReading, now: datetime) -> bool:
    """Record a reading. Return False if there is a final one already, or one of more messages."""
    new = await tx.run(queries.put_reading, **place.row, **reading.row, now=micros(now))
    return bool(new) and await take_over(tx, place)


async def replace(
    tx: Transaction, place: SourceRange, row: Mapping[str, Any], now: datetime
) -> None:
    await tx.run(queries.replace_reading, **place.row, **row, now=micros(now))


async def take_over(tx: Transaction, place: SourceRange) -> bool:
    """Replace readings of the same chunk that had fewer messages. Return False if one has more."""
    others = await tx.all(queries.other_readings, **place.row)
    if any(row["last_seq"] > place.last for row in others):
        await tx.run(queries.drop_reading, **place.row)
        return False
    for row in others:
        shorter = replaced(place, last=row["last_seq"])
        await tx.run(queries.drop_reading, **shorter.row)
        await memories.widen(tx, shorter, place.last)
    return True


async def at(tx: Transaction, place: SourceRange) -> Row | None:
    return await tx.first(queries.reading_at, **place.row)


async def hold(tx: Transaction, place: SourceRange) -> None:
    """Lock a reading until the commit, so that it and a person's edit take turns."""
    await tx.run(queries.hold_reading, **place.row)


async def drafts(tx: Transaction, kind: str) -> list[Range]:
    return [_range(row) for row in await tx.all(queries.draft_readings, kind=kind)]


async def unread(tx: Transaction, kind: str, channel: str) -> list[Range]:
    """List full chunks that were never read."""
    return [_range(row) for row in await tx.all(queries.unread, kind=kind, channel=channel)]


async def take_erased(tx: Transaction, kind: str) -> list[Range]:
    """Delete the readings of ranges with erased messages. Return the ranges."""
    rows = await tx.all(queries.readings_touched, kind=kind)
    ranges = [(row["channel"], row["first_seq"], row["last_seq"]) for row in rows]
    places = [SourceRange(kind, *each).row for each in ranges]
    if places:
        await tx.run_many(queries.drop_reading, places)
    return [_range(row) for row in rows]


async def counts(tx: Transaction, kind: str, channel: str | None = None) -> ReadingCounts:
    row = await tx.first(queries.reading_counts, kind=kind, channel=channel)
    assert row is not None
    return ReadingCounts(row["chunks"], row["nonempty"], row["found"], row["drafts"])


async def rates(tx: Transaction, kind: str, since: int, until: int) -> dict[int, float]:
    """Return the share of chunks with memories, by day number, for days with any chunk."""
    rows = await tx.all(queries.reading_counts_by_day, kind=kind, since=since, until=until)
    return {row["day"]: row["nonempty"] / row["chunks"] for row in rows}


def _range(row: Row) -> Range:
    return Range(row["channel"], 0, row.get("number", 0), row["first_seq"], row["last_seq"])
