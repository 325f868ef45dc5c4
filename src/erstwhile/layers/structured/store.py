"""What structured memories have beside the table of memories: which ranges were read for them, and the thread of each."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from dataclasses import replace as replaced
from datetime import datetime
from typing import Any

from erstwhile.base.clock import micros
from erstwhile.layers.structured import chain, model, threads
from erstwhile.layers.structured.model import Counts, Found, Reading, Structured, structured_of
from erstwhile.layers.summaries.model import Range
from erstwhile.memories import kinds
from erstwhile.memories import store as memories
from erstwhile.memories.hooks import Hooks
from erstwhile.memories.kinds import Kind
from erstwhile.memories.model import StoredMemory, from_row
from erstwhile.memories.store import Made, Place
from erstwhile.storage import Row, Transaction
from erstwhile.storage.queries import load

queries = load(__package__)


@dataclass(frozen=True, slots=True)
class StructuredFilter:
    """Which memories are wanted: None means all of them. Without `at`, whenever they held; `open`, only todos that nobody has done."""

    person: str | None = None
    type: str | None = None
    at: datetime | None = None
    open: bool = False
    limit: int = 100


async def sources_of(tx: Transaction, found: Sequence[StoredMemory] | Sequence[Structured]) -> kinds.Sources:
    """The messages each rests on: where it was said first, then where it was said again."""
    messages: dict[str, list[str]] = {each.id: [] for each in found}
    for row in await tx.all(queries.sources_of, ids=json.dumps(list(messages))) if found else []:
        for id in {row["id"], row["own"]} & messages.keys():
            messages[id].append(row["message"])
    return {id: tuple(dict.fromkeys(each)) for id, each in messages.items()}


KIND = kinds.register(
    Kind("structured", prefix="str", label="Structured memory", plural="structured", timed=True, sources=sources_of)
)


def place_of(range: Range) -> Place:
    return Place(KIND.name, range.channel, range.first, range.last)


# Writing


async def put(tx: Transaction, hooks: Hooks, reading: Reading, now: datetime) -> bool:
    """Store what one reading found. False when a reading that stands was there already."""
    if not await tx.run(queries.put_structuring, **_structuring(reading, now)):
        return False
    await _keep(tx, hooks, reading, now, overwrite=False)
    return True


async def replace(tx: Transaction, hooks: Hooks, reading: Reading, now: datetime, *, overwrite: bool) -> None:
    """The same for a reading that was asked for: it replaces any other. With `overwrite`, what people did to it too."""
    await tx.run(queries.replace_structuring, **_structuring(reading, now))
    await _keep(tx, hooks, reading, now, overwrite=overwrite)


async def _keep(tx: Transaction, hooks: Hooks, reading: Reading, now: datetime, *, overwrite: bool) -> None:
    """The threads are held before a row is touched, so that two readings never wait for each other's rows."""
    place = place_of(reading.range)
    made = [_memory(reading, each, now) for each in reading.found]
    touched = {thread_of(each) for each in (*await memories.in_place(tx, place), *made)}
    await hold(tx, touched)
    if overwrite:
        await memories.give_up_edits(tx, place)
    added = await memories.replace_in(tx, hooks, Made(place, made, reading.written.writer, overwrite), now)
    await put_threads(tx, added)
    await settle(tx, touched)


def _memory(reading: Reading, found: Found, now: datetime) -> StoredMemory:
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
        data={name: getattr(found, name) for name in _DATA},
    )


_DATA = ("subject", "slot", "value", "confidence", "done", "due", "owner")


def reworded(memory: StoredMemory, text: str) -> StoredMemory:
    """In a person's words: the value follows them."""
    value = threads.value_after_edit(memory.text, memory.data["value"], text)
    return replaced(memory, text=text, data={**memory.data, "value": value, "confidence": 1.0})


# Threads


def thread_of(memory: StoredMemory) -> str:
    owner, slot, value = (memory.data.get(name, "") for name in ("owner", "slot", "value"))
    return threads.thread(owner, memory.category, slot, value, memory.text)


async def put_threads(tx: Transaction, these: Sequence[StoredMemory]) -> None:
    if these:
        await tx.run_many(queries.put_thread, [{"id": each.id, "thread": thread_of(each)} for each in these])


async def threads_of(tx: Transaction, ids: Sequence[str]) -> set[str]:
    return {row["thread"] for row in await tx.all(queries.threads_of, ids=json.dumps(list(ids)))}


async def hold(tx: Transaction, these: Iterable[str]) -> None:
    """In one order for everybody."""
    for thread in sorted(set(these)):
        await tx.first(queries.hold_thread, thread=thread)


async def settle(tx: Transaction, these: Iterable[str]) -> None:
    """Work out anew which memories of these threads hold when."""
    for thread in sorted(set(these)):
        rows = {row["id"]: row for row in await tx.all(queries.of_thread, thread=thread)}
        found = [structured_of(from_row(row)) for row in rows.values()]
        for id, standing in chain.standings([chain.link(each) for each in found]).items():
            other = {"superseded_by": standing.superseded_by, "restates": standing.restates}
            if any(rows[id][name] != value for name, value in {"valid_to": standing.valid_to, **other}.items()):
                await memories.set_validity(tx, id, standing.valid_to, other)


async def hold_erased(tx: Transaction) -> None:
    """The threads of memories that are listed to be erased."""
    await hold(tx, [row["thread"] for row in await tx.all(queries.erased_threads)])


async def run(tx: Transaction, memory: StoredMemory) -> list[StoredMemory]:
    """The memory and those that say the same again while it holds: to people they are one."""
    return [from_row(row) for row in await tx.all(queries.run, head=memory.restates or memory.id)]


# Which ranges were read


def _structuring(reading: Reading, now: datetime) -> dict[str, Any]:
    written, range = reading.written, reading.range
    made = {"found": len(reading.found), "writer": written.writer, "draft": int(written.draft), "now": micros(now)}
    return {"channel": range.channel, "first": range.first, "last": range.last, **made}


async def hold_range(tx: Transaction, channel: str, first: int, last: int) -> None:
    """Until the commit: a reading being stored and a person's change of its memories take turns."""
    await tx.run(queries.hold_range, channel=channel, first=first, last=last)


async def read_by(tx: Transaction, channel: str, first: int, last: int) -> str | None:
    """Who has read the range."""
    row = await tx.first(queries.read_by, channel=channel, first=first, last=last)
    return row["writer"] if row else None


async def was_read(tx: Transaction) -> bool:
    """Whether a message that is listed to be erased was ever read."""
    return await tx.first(queries.was_read) is not None


async def take_structurings(tx: Transaction) -> list[Range]:
    """Those of ranges of which something is being erased."""
    found = [_range(row) for row in await tx.all(queries.structurings_touched)]
    if found:
        given = [{"channel": each.channel, "first": each.first, "last": each.last} for each in found]
        await tx.run_many(queries.drop_structuring, given)
    return found


async def drafts(tx: Transaction) -> list[Range]:
    return [_range(row) for row in await tx.all(queries.drafts)]


def _range(row: Row) -> Range:
    return Range(row["channel"], 0, row.get("number", 0), row["first_seq"], row["last_seq"])


async def unread(tx: Transaction, channel: str) -> list[Range]:
    """Full chunks that were never read for structured memories."""
    return [_range(row) for row in await tx.all(queries.unread, channel=channel)]


async def settle_drafts(tx: Transaction, channel: str, first: int, last: int) -> None:
    await tx.run(queries.settle_structurings, channel=channel, first=first, last=last)


async def empty(tx: Transaction) -> None:
    """All but readings of messages that have expired; what is left of the memories now stands by itself."""
    await tx.run(queries.empty_structurings)
    await tx.run(queries.drop_loose_threads)
    await settle(tx, [row["thread"] for row in await tx.all(queries.all_threads)])


async def counts(tx: Transaction) -> Counts:
    row = await tx.first(queries.counts) or {"chunks": 0, "nonempty": 0, "found": 0, "drafts": 0}
    return Counts(row["chunks"], row["nonempty"], row["found"], row["drafts"])


async def rates(tx: Transaction, since: int, until: int) -> dict[int, float]:
    """The non-empty rate by the number of the day, of days on which any chunk was read."""
    rows = await tx.all(queries.counts_by_day, since=since, until=until)
    return {row["day"]: row["nonempty"] / row["chunks"] for row in rows}


# Structured memories, each with its sources


async def by_ids(tx: Transaction, ids: Sequence[str]) -> list[Structured]:
    return await _with_sources(tx, list((await memories.by_ids(tx, ids)).values()))


async def of_range(tx: Transaction, channel: str, first: int, last: int) -> list[Structured]:
    """Without their sources."""
    return [structured_of(each) for each in await memories.in_place(tx, Place(KIND.name, channel, first, last))]


async def find(tx: Transaction, wanted: StructuredFilter) -> list[Structured]:
    """Newest first."""
    given = {"person": wanted.person, "type": wanted.type, "limit": wanted.limit}
    if wanted.open and wanted.type not in (None, "todo"):
        return []
    if wanted.open:
        given["type"] = "todo"
    if wanted.at is None:
        rows = await tx.all(queries.ever, **given, open=int(wanted.open))
    else:
        rows = await tx.all(queries.valid, **given, at=micros(wanted.at))
    return await _with_sources(tx, [from_row(row) for row in rows])


async def changes(tx: Transaction, person: str | None) -> list[model.Change]:
    before = await _with_sources(tx, [from_row(row) for row in await tx.all(queries.closed, person=person)])
    after = {each.id: each for each in await by_ids(tx, [each.superseded_by for each in before if each.superseded_by])}
    return [
        model.Change(each, after[each.superseded_by], each.valid_to)
        for each in before
        if each.superseded_by in after and each.valid_to is not None
    ]


async def _with_sources(tx: Transaction, found: Sequence[StoredMemory]) -> list[Structured]:
    sources = await sources_of(tx, found)
    return [replaced(structured_of(each), sources=sources[each.id]) for each in found]
