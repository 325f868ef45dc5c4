"""Summaries on disk, each with its search document."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from erstwhile.base.clock import micros
from erstwhile.index import documents
from erstwhile.layers.summaries import cut
from erstwhile.layers.summaries.model import Chunk, Range, Summary, from_row
from erstwhile.log.model import Part
from erstwhile.memories import history
from erstwhile.memories.history import Change
from erstwhile.storage import Transaction
from erstwhile.storage.queries import load
from erstwhile.text import analyse
from erstwhile.writers.port import WriterOutput

queries = load(__package__)


async def put(
    tx: Transaction, range: Range, written: WriterOutput, times: tuple[datetime, datetime], now: datetime
) -> bool:
    """False when a summary that stands was there already."""
    summary = Summary(written, times)
    changed = await tx.run(queries.put, **_row(tx.space, range, summary, now))
    if changed:
        await _follow(tx, range, summary, now)
    return bool(changed)


async def replace(tx: Transaction, range: Range, summary: Summary, now: datetime, *, overwrite: bool) -> bool:
    """In place of whatever is there; False when that is what a person wrote and it was not to be overwritten."""
    changed = await tx.run(queries.replace, **_row(tx.space, range, summary, now), overwrite=int(overwrite))
    if changed:
        await _follow(tx, range, summary, now)
    return bool(changed)


async def _follow(tx: Transaction, range: Range, summary: Summary, now: datetime) -> None:
    """What goes with a changed summary: its search document and its history."""
    id = range.id(tx.space)
    await index(tx, range, summary.written.text, summary.times)
    await history.record(tx, [Change(id, summary.written.text, summary.written.writer)], now)


async def index(tx: Transaction, range: Range, text: str, times: tuple[datetime, datetime]) -> None:
    """Makes its search document anew."""
    id = range.id(tx.space)
    await documents.remove(tx, [id])
    terms = analyse.terms(f"{times[0]:%B %Y}\n{text}")
    document = documents.Document(
        id=id,
        kind=range.kind,
        at=micros(times[1]),
        terms=terms,
        words=text,
        channel=range.channel,
        seq=range.first,
        until=range.last,
    )
    await documents.add(tx, [document])


def _row(space: str, range: Range, summary: Summary, now: datetime) -> dict[str, Any]:
    written, times = summary.written, summary.times
    return {
        "channel": range.channel,
        "level": range.level,
        "first": range.first,
        "last": range.last,
        "number": range.number,
        "id": range.id(space),
        "text": written.text,
        "writer": written.writer,
        "draft": int(written.draft),
        "from_at": micros(times[0]),
        "to_at": micros(times[1]),
        "now": micros(now),
    }


async def get(tx: Transaction, id: str) -> Chunk | None:
    row = await tx.first(queries.get, id=id)
    return from_row(row) if row else None


async def by_ids(tx: Transaction, ids: Sequence[str]) -> list[Chunk]:
    return [from_row(row) for row in await tx.all(queries.by_ids, ids=json.dumps(list(ids)))] if ids else []


async def children(tx: Transaction, parent: str) -> list[Chunk]:
    return [from_row(row) for row in await tx.all(queries.children, parent=parent)]


async def incomplete(tx: Transaction, parent: str) -> bool:
    """Whether a summary under it is still to be made again, because something in it was erased."""
    return await tx.first(queries.blank_child, parent=parent) is not None


async def standing(tx: Transaction, channel: str) -> list[Chunk]:
    return [from_row(row) for row in await tx.all(queries.standing, channel=channel)]


async def next_group(tx: Transaction, channel: str, level: int, size: int) -> tuple[Range | None, list[Chunk]]:
    """The meta that the summaries of this level without a parent now make up, if they do, and those summaries."""
    free = [from_row(row) for row in await tx.all(queries.free, channel=channel, level=level, limit=size)]
    taken = await tx.first(queries.taken, channel=channel, level=level)
    expected, number = (taken["number"] + 1, taken["parents"]) if taken else (0, 0)
    return cut.group(free, expected=expected, number=number, size=size), free


async def adopt(tx: Transaction, meta: Range, members: Sequence[Chunk]) -> None:
    await tx.run(
        queries.adopt,
        parent=meta.id(tx.space),
        channel=meta.channel,
        level=meta.level - 1,
        from_number=members[0].range.number,
        to_number=members[-1].range.number,
    )


async def above(tx: Transaction, id: str) -> list[Range]:
    """The metas over a summary, level by level; the topmost may still have to be made."""
    found: list[Range] = []
    chunk = await get(tx, id)
    while chunk is not None and chunk.parent is not None:
        row = await tx.first(queries.under, parent=chunk.parent)
        if row is None or row["channel"] is None:
            break
        chunk = await get(tx, chunk.parent)
        number = chunk.range.number if chunk else 0
        found.append(Range(row["channel"], row["level"], number, row["first_seq"], row["last_seq"]))
    return found


async def ranges(tx: Transaction, channel: str, level: int | None) -> list[Chunk]:
    """Every summary of a level, or every meta."""
    return [from_row(row) for row in await tx.all(queries.ranges, channel=channel, level=level)]


async def shown(tx: Transaction, channel: str, level: int | None, part: Part) -> list[Chunk]:
    """Every summary of a level, or of all, but those that a person emptied."""
    asked = {"channel": channel, "level": level, "first": part.first, "last": part.last, "limit": part.limit}
    return [from_row(row) for row in reversed(await tx.all(queries.shown, **asked))]


async def stale(tx: Transaction, channel: str) -> list[Chunk]:
    return [from_row(row) for row in await tx.all(queries.stale, channel=channel)]


async def left(tx: Transaction) -> list[Chunk]:
    """What emptying has left."""
    return [from_row(row) for row in await tx.all(queries.left)]


async def expired(tx: Transaction) -> dict[str, Range]:
    """By channel, the last chunk of which messages have expired."""
    return {
        row["channel"]: Range(row["channel"], 0, row["number"], row["first_seq"], row["last_seq"])
        for row in await tx.all(queries.expired)
    }


async def leave_place(tx: Transaction, range: Range, by: str, now: datetime) -> None:
    place = {"channel": range.channel, "level": range.level, "first": range.first, "last": range.last}
    await tx.run(queries.leave_place, **place, number=range.number, id=range.id(tx.space), by=by, now=micros(now))


async def drafts(tx: Transaction) -> list[Range]:
    rows = await tx.all(queries.drafts)
    return [Range(row["channel"], row["level"], row["number"], row["first_seq"], row["last_seq"]) for row in rows]


async def empty(tx: Transaction) -> list[Range]:
    """All but what people wrote, which waits for its new parents, and what is made of messages that have expired. A channel stays cut as it
    was up to there: the chunks in between, which can be made again, are named."""
    again: list[Range] = []
    cut_to = await expired(tx)
    for channel, last in cut_to.items():
        again += [each.range for each in await ranges(tx, channel, 0) if each.range.last <= last.last]
    await tx.run(queries.empty)
    await tx.run(queries.orphan)
    await tx.run(queries.empty_cursors)
    for channel, last in cut_to.items():
        await tx.first(queries.hold_cursor, channel=channel)
        await tx.run(queries.move_cursor, channel=channel, seq=last.last, number=last.number + 1)
    there = {each.id for each in await left(tx)}
    return [range for range in again if range.id(tx.space) not in there]
