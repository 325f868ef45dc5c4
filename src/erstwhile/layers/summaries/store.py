"""Store summaries: their places here, their texts in the table of memories."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from erstwhile.base.clock import micros
from erstwhile.events import store as events
from erstwhile.layers.summaries import model
from erstwhile.layers.summaries.model import Chunk, NewSummary, Range, from_row, range_of
from erstwhile.layers.summaries.tail import Tail
from erstwhile.log import store as log
from erstwhile.memories import kinds
from erstwhile.memories import store as memories
from erstwhile.memories.history import WRITTEN
from erstwhile.memories.kinds import Kind, Sources
from erstwhile.memories.model import StoredMemory
from erstwhile.memories.store import MemoryFilter, SourceRange
from erstwhile.storage import Row, Transaction
from erstwhile.storage.queries import load
from erstwhile.tables.model import Table

queries = load(__package__)

TABLES: Final = tuple(
    Table(name, channel=("channel",)) for name in ("chunk_cursors", "chunks", "readings")
)

LEVELS = 64  # more than there can be
_LAST = 2**53


async def _parts(tx: Transaction, metas: Sequence[StoredMemory]) -> Sources:
    found: Sources = {each.id: () for each in metas}
    for row in await tx.all(queries.parts, ids=json.dumps(list(found))):
        found[row["parent"]] = (*found[row["parent"]], row["id"])
    return found


CHUNK = kinds.register(
    Kind("chunk", "Summary", "chunks", many="summaries", dated=True, colour="chunk")
)
META = kinds.register(
    Kind(
        "meta",
        label="Meta summary",
        plural="metas",
        ranged=False,
        dated=True,
        sources=_parts,
        many="meta summaries",
        colour="meta",
    )
)


# Writing. The caller has locked the channel (`hold`).


async def hold(tx: Transaction, channel: str) -> tuple[int, int]:
    """Lock the channel until the commit. Return how far it is cut, and the next chunk's number."""
    return (await hold_all(tx, [channel]))[channel]


async def hold_all(tx: Transaction, channels: Sequence[str]) -> dict[str, tuple[int, int]]:
    rows = await tx.all(queries.hold_cursors, channels=json.dumps(channels))
    return {row["channel"]: (row["seq"], row["number"]) for row in rows}


async def cut_to(tx: Transaction) -> dict[str, int]:
    """Return how far each channel is cut."""
    return {row["channel"]: row["seq"] for row in await tx.all(queries.cursors)}


async def move_cursors(tx: Transaction, lasts: Sequence[Range]) -> None:
    """Record that each channel is cut up to the end of its chunk."""
    steps = ((each.channel, each.last, each.number + 1) for each in lasts)
    rows = [{"channel": name, "seq": seq, "number": number} for name, seq, number in steps]
    await tx.run_many(queries.move_cursors, rows)


async def put(
    tx: Transaction, range: Range, summary: NewSummary, there: Chunk | None, now: datetime
) -> bool:
    """Store a summary. `there` is the one that is there now. Return False if it is a final one. A
    model's summary replaces a draft or a stale one, but never what a person edited. Any summary
    replaces one whose text was erased."""
    grown = there is not None and await _take_over(tx, there.range, range)
    there = await get(tx, range.id(tx.space)) if grown else there
    if there is not None and not there.blank:
        replaceable = grown or ((there.draft or there.stale) and not summary.written.draft)
        if there.edited or there.range.last > range.last or not replaceable:
            return False
    await _write(tx, range, summary, now, new=there is None)
    return True


async def replace(
    tx: Transaction, range: Range, summary: NewSummary, now: datetime, *, overwrite: bool
) -> bool:
    """Replace a summary. Return False if a person edited it and `overwrite` is not set."""
    there = await get(tx, range.id(tx.space))
    if there is not None and (there.range.last > range.last or (there.edited and not overwrite)):
        return False
    await _write(tx, range, summary, now, new=there is None)
    return True


async def tail(tx: Transaction, channel: str) -> Tail | None:
    """Return the messages after the last full chunk, if there are any. Locks the channel."""
    cut_to, _ = await hold(tx, channel)
    first = (await log.first_after(tx, {channel: cut_to})).get(channel)
    last = await log.last_until(tx, channel, _LAST)
    if first is None or last is None:
        return None
    row = await tx.first(queries.provisional, channel=channel, first=first)
    read = {"read_to": row["last_seq"], "draft": bool(row["draft"])} if row else {}
    return Tail(first, last.seq, last.at, **read)


async def _take_over(tx: Transaction, there: Range, range: Range) -> bool:
    """Let a chunk have more messages than when it was provisional. Return False if it has them already."""
    if there.last >= range.last:
        return False
    await tx.run(queries.widen, **place_of(tx.space, range))
    place = SourceRange(range.kind, there.channel, there.first, there.last)
    await memories.widen(tx, place, range.last)
    return True


async def _write(
    tx: Transaction, range: Range, summary: NewSummary, now: datetime, *, new: bool
) -> None:
    written, (from_at, to_at) = summary.written, summary.times
    await tx.run(queries.fill_place, **place_of(tx.space, range))
    memory = StoredMemory(
        id=range.id(tx.space),
        kind=range.kind,
        text=written.text,
        writer=written.writer,
        draft=written.draft,
        channel=range.channel,
        first_seq=range.first,
        last_seq=range.last,
        at=to_at,
        from_at=from_at,
        to_at=to_at,
        created_at=now,
    )
    if new:
        await memories.add(tx, [memory], now)
    else:
        await memories.put(tx, [memory], now, (written.writer, WRITTEN))


def place_of(space: str, range: Range) -> dict[str, Any]:
    row = {name: getattr(range, name) for name in ("channel", "level", "first", "last", "number")}
    return {**row, "id": range.id(space)}


async def set_empty(tx: Transaction, id: str, *, empty: bool) -> None:
    await tx.run(queries.set_empty, id=id, empty=int(empty))


async def adopt(tx: Transaction, meta: Range, members: Sequence[Range]) -> None:
    numbers = {"from_number": members[0].number, "to_number": members[-1].number}
    place = {"channel": meta.channel, "level": meta.level - 1}
    await tx.run(queries.adopt, parent=meta.id(tx.space), **place, **numbers)


# Reading


async def get(tx: Transaction, id: str) -> Chunk | None:
    row = await tx.first(queries.get, id=id)
    return from_row(row) if row else None


async def children(tx: Transaction, parent: str) -> list[Chunk]:
    return [from_row(row) for row in await tx.all(queries.children, parent=parent)]


async def incomplete(tx: Transaction, parent: str) -> bool:
    """Return whether a summary under it must still be made again after an erasure."""
    return await tx.first(queries.blank_child, parent=parent) is not None


async def standing(tx: Transaction, channel: str) -> list[Chunk]:
    return [from_row(row) for row in await tx.all(queries.standing, channel=channel)]


async def next_group(
    tx: Transaction, channel: str, level: int, size: int
) -> tuple[Range | None, list[Range]]:
    """Return the next meta of the summaries without a parent, if complete, and those summaries."""
    rows = await tx.all(queries.free, channel=channel, level=level, limit=size)
    free = [range_of(row) for row in rows]
    taken = await tx.first(queries.taken, channel=channel, level=level)
    expected, number = (taken["number"] + 1, taken["parents"]) if taken else (0, 0)
    return model.group(free, expected=expected, number=number, size=size), free


async def above(tx: Transaction, id: str) -> list[Range]:
    """Return the metas over a summary, level by level; the topmost may still have to be made."""
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


async def state_of_parts(tx: Transaction, meta: str, without: str = "") -> list[list[Any]]:
    """Return the state of a meta's parts, without one of them."""
    rows = await tx.all(queries.state_of_parts, parent=meta)
    return [[row["id"], row["version"], row["stale"]] for row in rows if row["id"] != without]


async def is_as_before(
    tx: Transaction, meta: str, below: str, was: Mapping[str, Any] | None
) -> bool:
    """Return whether a meta is up to date again: neither it nor its other parts changed since."""
    stands = await memories.get(tx, meta, deleted=True)
    if was is None or stands is None or micros(stands.created_at) != was["created_at"]:
        return False
    return bool(await state_of_parts(tx, meta, below) == was["parts"])


async def mark_stale(tx: Transaction, meta: Range) -> None:
    """Mark that the parts of a meta have changed."""
    id = meta.id(tx.space)
    if await memories.set_stale(tx, id, stale=True):
        place = {"channel": meta.channel, "seq": meta.first, "until": meta.last}
        await events.emit(tx, "meta", "stale", id, **place)


async def ranges(tx: Transaction, channel: str, level: int | None) -> list[Chunk]:
    """List the summaries of a level, or all metas."""
    return [from_row(row) for row in await tx.all(queries.ranges, channel=channel, level=level)]


async def shown(
    tx: Transaction, channel: str, level: int | None, filters: MemoryFilter
) -> list[Chunk]:
    """List the summaries of a level, or of all, without those that a person deleted."""
    place = {"first": filters.first, "last": filters.last, "limit": filters.limit}
    rows = await tx.all(queries.shown, channel=channel, level=level, **place)
    return [from_row(row) for row in reversed(rows)]


async def stale(tx: Transaction, channel: str) -> list[Chunk]:
    return [from_row(row) for row in await tx.all(queries.stale, channel=channel)]


async def counts(tx: Transaction) -> list[Row]:
    """Count summaries by level."""
    return await tx.all(queries.counts)


async def count_in(tx: Transaction, channels: Sequence[str]) -> list[Row]:
    return await tx.all(queries.count_in, channels=json.dumps(list(channels)))


# Rebuilding


async def list_erased(tx: Transaction, person: str | None) -> None:
    """List the places of listed messages, and those above, a level at a time."""
    await tx.run(queries.list_places, person=person)
    for _ in range(LEVELS):
        if not await tx.run(queries.list_above):
            break


async def expired(tx: Transaction) -> dict[str, Range]:
    """Return the last chunk with expired messages, by channel."""
    return {row["channel"]: range_of(row) for row in await tx.all(queries.expired)}


# Erasing


async def list_expired(tx: Transaction, person: str) -> None:
    """List summaries that may have words of the person's expired messages."""
    await tx.run(queries.list_expired, person=person)


async def blank(tx: Transaction) -> list[Range]:
    """Return the summaries to make again. A place without messages stays, without a text."""
    await tx.run(queries.count_gone)
    await tx.run(queries.close_places)
    for level in range(1, LEVELS):
        if not await tx.run(queries.close_metas, level=level):
            break
    return [range_of(row) for row in await tx.all(queries.blank_left)]


async def settled(tx: Transaction, asked: Sequence[Range]) -> dict[str, Range]:
    """Return, by id, the chunks among expired ones: those there are, and those asked for."""
    cut_to = await expired(tx)
    there = [each.range for channel in cut_to for each in await ranges(tx, channel, 0)]
    cut = [each for each in (*asked, *there) if each.channel in cut_to]
    gone = [each for each in cut if each.last <= cut_to[each.channel].last]
    return {each.id(tx.space): each for each in gone}
