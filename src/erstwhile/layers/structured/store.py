"""Store structured memories; also which ranges were read for them, and the thread of each."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import replace as replaced
from datetime import datetime
from typing import Any

from erstwhile.base.clock import micros
from erstwhile.base.records import dataclass
from erstwhile.layers import threads
from erstwhile.layers.structured import chain, model
from erstwhile.layers.structured.model import (
    FoundStructured,
    Structured,
    StructuredCounts,
    StructuredReading,
    structured_of,
)
from erstwhile.layers.summaries.model import Range
from erstwhile.memories import kinds
from erstwhile.memories import store as memories
from erstwhile.memories.hooks import Hooks
from erstwhile.memories.kinds import Kind
from erstwhile.memories.model import UNVERIFIED, StoredMemory, from_row
from erstwhile.memories.store import Replacement, SourceRange
from erstwhile.storage import Row, Transaction
from erstwhile.storage.queries import load

queries = load(__package__)


@dataclass(frozen=True, slots=True)
class StructuredFilter:
    """Selects structured memories. None means any. `at`: only those valid at that time; `open`:
    only todos that nobody has done."""

    person: str | None = None
    type: str | None = None
    at: datetime | None = None
    open: bool = False
    limit: int = 100


async def sources_of(tx: Transaction, found: Sequence[StoredMemory] | Sequence[Structured]) -> kinds.Sources:
    """Return the messages of each: the one that says it first, then those that repeat it."""
    messages: dict[str, list[str]] = {each.id: [] for each in found}
    rows = await tx.all(queries.sources_of, ids=json.dumps(list(messages))) if found else []
    for row in rows:
        for id in {row["id"], row["own"]} & messages.keys():
            messages[id].append(row["message"])
    return {id: tuple(dict.fromkeys(each)) for id, each in messages.items()}


_LABEL = "Structured memory"
KIND = kinds.register(Kind("structured", "str", _LABEL, "structured", timed=True, sources=sources_of))


def place_of(range: Range) -> SourceRange:
    return SourceRange(KIND.name, range.channel, range.first, range.last)


# Writing


async def put(tx: Transaction, hooks: Hooks, reading: StructuredReading, now: datetime) -> bool:
    """Store a reading. Return False if there is a final one already."""
    if not await tx.run(queries.put_structuring, **_structuring(reading, now)):
        return False
    if not await _take_over(tx, reading.range):
        return False
    await _store(tx, hooks, reading, now, overwrite=False)
    return True


async def replace(tx: Transaction, hooks: Hooks, reading: StructuredReading, now: datetime, *, overwrite: bool) -> None:
    """Replace the reading of a range. With `overwrite`, also edits and deletions by people."""
    await tx.run(queries.replace_structuring, **_structuring(reading, now))
    if not await _take_over(tx, reading.range):
        return
    await _store(tx, hooks, reading, now, overwrite=overwrite)


async def _take_over(tx: Transaction, range: Range) -> bool:
    """Let a reading replace those of the same chunk when it had fewer messages. Return False if there is one of more."""
    others = await tx.all(queries.other_structurings, **_place(range))
    if any(row["last_seq"] > range.last for row in others):
        await tx.run(queries.drop_structuring, **_place(range))
        return False
    for row in others:
        await tx.run(queries.drop_structuring, **_place(range) | {"last": row["last_seq"]})
        await memories.widen(tx, replaced(place_of(range), last=row["last_seq"]), range.last)
    return True


async def _store(tx: Transaction, hooks: Hooks, reading: StructuredReading, now: datetime, *, overwrite: bool) -> None:
    """Store the memories. The threads are locked before any row, so that two readings can't
    deadlock."""
    place = place_of(reading.range)
    made = [_memory(reading, each, now) for each in reading.found]
    there = await memories.in_place(tx, place)
    if not there and not made:
        return
    touched = {thread_of(each) for each in (*there, *made)}
    await hold(tx, touched)
    if overwrite:
        await memories.discard_edits(tx, place)
    new = Replacement(place, made, reading.written.writer, overwrite)
    await put_threads(tx, await memories.replace_in(tx, hooks, new, now))
    await settle(tx, touched)


def _memory(reading: StructuredReading, found: FoundStructured, now: datetime) -> StoredMemory:
    range, written = reading.range, reading.written
    return StoredMemory(
        id=found.id,
        kind=KIND.name,
        text=found.text,
        writer=written.writer,
        draft=written.draft,
        channel=range.channel,
        first_seq=range.first,
        last_seq=range.last,
        seq=found.seq,
        category=found.type,
        person=found.person,
        said_by=found.said_by,
        at=found.at,
        valid_from=found.valid_from,
        created_at=now,
        data={name: getattr(found, name) for name in _DATA} | ({UNVERIFIED: True} if found.unverified else {}),
    )


_DATA = ("subject", "slot", "value", "confidence", "done", "due", "owner")


def reworded(memory: StoredMemory, text: str) -> StoredMemory:
    """Return the memory with a person's text, and the value that follows from it."""
    value = threads.value_after_edit(memory.text, memory.data["value"], text)
    return replaced(memory, text=text, data={**memory.data, "value": value, "confidence": 1.0})


# Threads


def thread_of(memory: StoredMemory) -> str:
    owner, slot, value = (memory.data.get(name, "") for name in ("owner", "slot", "value"))
    return threads.thread(owner, memory.category, slot, value, memory.text)


async def put_threads(tx: Transaction, these: Sequence[StoredMemory]) -> None:
    rows = [{"id": each.id, "thread": thread_of(each)} for each in these]
    if rows:
        await tx.run_many(queries.put_thread, rows)


async def threads_of(tx: Transaction, ids: Sequence[str]) -> set[str]:
    return {row["thread"] for row in await tx.all(queries.threads_of, ids=json.dumps(list(ids)))}


async def hold(tx: Transaction, these: Iterable[str]) -> None:
    """Lock threads until the commit, always in the same order."""
    for thread in sorted(set(these)):
        await tx.first(queries.hold_thread, thread=thread)


async def settle(tx: Transaction, these: Iterable[str]) -> None:
    """Work out again when the memories of these threads are valid."""
    for thread in sorted(set(these)):
        rows = {row["id"]: row for row in await tx.all(queries.of_thread, thread=thread)}
        found = [structured_of(from_row(row)) for row in rows.values()]
        for id, standing in chain.standings([chain.link(each) for each in found]).items():
            until = standing.valid_to
            other = {"superseded_by": standing.superseded_by, "restates": standing.restates}
            new = {"valid_to": until, **other}
            if any(rows[id][name] != value for name, value in new.items()):
                await memories.set_validity(tx, id, until, other)


async def hold_erased(tx: Transaction) -> None:
    """Lock the threads of memories that are listed to be erased."""
    await hold(tx, [row["thread"] for row in await tx.all(queries.erased_threads)])


async def run(tx: Transaction, memory: StoredMemory) -> list[StoredMemory]:
    """Return the memory and its repetitions while it is valid: to people they are one."""
    return [from_row(row) for row in await tx.all(queries.run, head=memory.restates or memory.id)]


# Which ranges were read


def _structuring(reading: StructuredReading, now: datetime) -> dict[str, Any]:
    written, range = reading.written, reading.range
    made = {"found": len(reading.found), "writer": written.writer, "draft": int(written.draft)}
    return {**_place(range), **made, "now": micros(now)}


def _place(range: Range) -> dict[str, Any]:
    return {"channel": range.channel, "first": range.first, "last": range.last}


async def hold_range(tx: Transaction, channel: str, first: int, last: int) -> None:
    """Lock a range until the commit, so that a reading and a person's edit take turns."""
    await tx.run(queries.hold_range, channel=channel, first=first, last=last)


async def read_by(tx: Transaction, channel: str, first: int, last: int) -> str | None:
    """Return the writer that has read the range."""
    row = await tx.first(queries.read_by, channel=channel, first=first, last=last)
    return row["writer"] if row else None


async def was_read(tx: Transaction) -> bool:
    """Return whether a message that is listed to be erased was ever read."""
    return await tx.first(queries.was_read) is not None


async def take_structurings(tx: Transaction) -> list[Range]:
    """Delete the structurings of ranges with erased messages. Return the ranges."""
    found = [_range(row) for row in await tx.all(queries.structurings_touched)]
    if found:
        await tx.run_many(queries.drop_structuring, [_place(each) for each in found])
    return found


async def drafts(tx: Transaction) -> list[Range]:
    return [_range(row) for row in await tx.all(queries.drafts)]


def _range(row: Row) -> Range:
    return Range(row["channel"], 0, row.get("number", 0), row["first_seq"], row["last_seq"])


async def unread(tx: Transaction, channel: str) -> list[Range]:
    """List full chunks that were never read for structured memories."""
    return [_range(row) for row in await tx.all(queries.unread, channel=channel)]


async def settle_drafts(tx: Transaction, channel: str, first: int, last: int) -> None:
    await tx.run(queries.settle_structurings, channel=channel, first=first, last=last)


async def empty(tx: Transaction) -> None:
    """Delete structurings, but not those of expired messages. Work out all threads again."""
    await tx.run(queries.empty_structurings)
    await tx.run(queries.drop_loose_threads)
    await settle(tx, [row["thread"] for row in await tx.all(queries.all_threads)])


async def counts(tx: Transaction) -> StructuredCounts:
    row = await tx.first(queries.counts) or {"chunks": 0, "nonempty": 0, "found": 0, "drafts": 0}
    return StructuredCounts(row["chunks"], row["nonempty"], row["found"], row["drafts"])


async def rates(tx: Transaction, since: int, until: int) -> dict[int, float]:
    """Return the share of chunks with memories, by day number, for days with any chunk."""
    rows = await tx.all(queries.counts_by_day, since=since, until=until)
    return {row["day"]: row["nonempty"] / row["chunks"] for row in rows}


# Structured memories, each with its sources


async def by_ids(tx: Transaction, ids: Sequence[str]) -> list[Structured]:
    return await with_sources(tx, list((await memories.by_ids(tx, ids)).values()))


async def find(tx: Transaction, wanted: StructuredFilter) -> list[Structured]:
    """List structured memories, newest first."""
    given = {"person": wanted.person, "type": wanted.type, "limit": wanted.limit}
    if wanted.open and wanted.type not in (None, "todo"):
        return []
    if wanted.open:
        given["type"] = "todo"
    if wanted.at is None:
        rows = await tx.all(queries.ever, **given, open=int(wanted.open))
    else:
        rows = await tx.all(queries.valid, **given, at=micros(wanted.at))
    return await with_sources(tx, [from_row(row) for row in rows])


async def ended_in(tx: Transaction, channels: Iterable[str]) -> list[tuple[Structured, StoredMemory]]:
    """Return what no longer holds of what the messages of these channels say, each with what ended it."""
    rows = await tx.all(queries.ended_in, channels=json.dumps(sorted(channels)))
    ended = [structured_of(from_row(row)) for row in rows]
    by = await memories.by_ids(tx, sorted({each.superseded_by for each in ended if each.superseded_by}))
    return [(each, by[each.superseded_by]) for each in ended if each.superseded_by in by]


async def changes(tx: Transaction, person: str | None) -> list[model.Change]:
    rows = await tx.all(queries.closed, person=person)
    before = await with_sources(tx, [from_row(row) for row in rows])
    newer = await by_ids(tx, [each.superseded_by for each in before if each.superseded_by])
    after = {each.id: each for each in newer}
    return [
        model.Change(each, after[each.superseded_by], each.valid_to)
        for each in before
        if each.superseded_by in after and each.valid_to is not None
    ]


async def with_sources(tx: Transaction, found: Sequence[StoredMemory]) -> list[Structured]:
    sources = await sources_of(tx, found)
    return [replaced(structured_of(each), sources=sources[each.id]) for each in found]
