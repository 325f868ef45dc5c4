"""Store what notes have besides the table of memories: buffers, nightly runs and participants.

A buffer has a timer: a job that each message postpones, so that it survives the process."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime
from typing import Any, Final

from erstwhile.base.clock import micros, moment
from erstwhile.base.records import dataclass, from_row, to_row
from erstwhile.jobs import store as jobs
from erstwhile.jobs.model import FAR, NewJob, to_the_minute
from erstwhile.layers.notes.buffer import MOST, Timing, due
from erstwhile.layers.notes.model import (
    NOTE,
    TOPIC,
    Buffer,
    Night,
    Note,
    NotedDay,
    memory_of,
    note_of,
)
from erstwhile.log import message_counts
from erstwhile.memories import select
from erstwhile.memories import store as memories
from erstwhile.memories.history import WRITTEN
from erstwhile.memories.model import StoredMemory
from erstwhile.storage import Transaction, column, value
from erstwhile.storage.queries import load
from erstwhile.tables import rows
from erstwhile.tables.model import Table

queries = load(__package__)


TABLES: Final = (
    Table("note_people", ("person",), memory=("id",)),
    Table("buffers", channel=("channel",)),
    Table("nights", exported="space"),
)


@dataclass(frozen=True, slots=True)
class NoteFilter:
    """Which notes to list: None means all of them."""

    kind: str | None = None
    channel: str | None = None
    person: str | None = None
    day: date | None = None
    limit: int = 50
    before: Note | None = None


# Buffers


async def hold_open(tx: Transaction, channels: Sequence[str]) -> dict[str, Buffer]:
    """Return the open buffers of these channels, locked until the commit."""
    rows = await tx.all(queries.hold_open, channels=json.dumps(channels))
    return {row["channel"]: from_row(Buffer, row) for row in rows}


async def close_due(
    tx: Transaction, channel: str, first: int, timing: Timing, now: datetime
) -> Buffer | None:
    bounds = {"quiet_since": micros(now - timing.quiet), "begun_before": micros(now - timing.limit)}
    row = await tx.first(queries.close_due, channel=channel, first=first, **bounds, most=MOST)
    return from_row(Buffer, row) if row else None


async def buffer_at(tx: Transaction, channel: str, first: int) -> Buffer | None:
    row = await tx.first(queries.buffer_at, channel=channel, first=first)
    return from_row(Buffer, row) if row else None


async def buffers(
    tx: Transaction, channel: str | None = None, limit: int | None = None
) -> list[Buffer]:
    """Return buffers by channel; with a limit, the most recently updated ones."""
    if limit is None:
        return [from_row(Buffer, row) for row in await tx.all(queries.buffers, channel=channel)]
    rows = await tx.all(queries.latest_buffers, channel=channel, limit=limit)
    return [from_row(Buffer, row) for row in rows]


async def ended_before(
    tx: Transaction, channel: str, firsts: Sequence[int], before: int
) -> set[int]:
    """Return which of the conversations that begin with these messages ended before another."""
    given = {"channel": channel, "firsts": json.dumps(list(firsts)), "before": before}
    return set(await column(tx, queries.ended_before, **given)) if firsts else set()


FLUSH: Final = "notes.flush"


def flush_job(channel: str, first: int, when: datetime, limit: datetime | None = None) -> NewJob:
    payload = {"channel": channel, "first_seq": first}
    return NewJob(
        FLUSH, key=f"{channel}:{first}", payload=payload, pace="model", due=when, limit=limit
    )


async def set_timer(tx: Transaction, buffer: Buffer, timing: Timing, now: datetime) -> None:
    await jobs.enqueue(
        tx, flush_job(buffer.channel, buffer.first_seq, *_times(buffer, timing, now)), now
    )


_Times = tuple[datetime, datetime | None]  # when a timer is due, and until when it may be postponed


def _times(buffer: Buffer, timing: Timing, now: datetime) -> _Times:
    when = to_the_minute(due(buffer, timing, now), now)
    # An old conversation, as of an import, has no limit: it waits for its other messages.
    limit = buffer.started_at + timing.limit if buffer.started_at + timing.limit > now else None
    return when, limit


async def put_buffers(
    tx: Transaction,
    buffers: Sequence[Buffer],
    timing: Timing,
    now: datetime,
    held: Mapping[str, Buffer] | None = None,
) -> None:
    """Store buffers, with their timers; of those `held` before, only timers that move."""
    if buffers:
        await tx.run_many(queries.put_buffers, [to_row(each) for each in buffers])
    moved = []
    for each in buffers:
        was, times = (held or {}).get(each.channel), _times(each, timing, now)
        if (
            was is None
            or was.first_seq != each.first_seq
            or times[0] - now < FAR
            or times != _times(was, timing, now)
        ):
            moved.append(flush_job(each.channel, each.first_seq, *times))
    await jobs.enqueue_all(tx, moved, now)


# Notes


async def put(tx: Transaction, note: Note, now: datetime) -> bool:
    """Store a note or topic. Return False if a stored one stays: a model replaces only drafts."""
    await memories.hold(tx, note.id)
    there = await memories.get(tx, note.id, deleted=True)
    memory = memory_of(note, now)
    if there is not None:
        touched = there.edited_at is not None or there.deleted_at is not None
        if not there.draft or note.draft or touched:
            return False
        memory = replace(
            there, title=note.title, text=note.text, writer=note.writer, draft=note.draft
        )
    await memories.put(tx, [memory], now, (note.writer, WRITTEN))
    await set_people(tx, note.id, note.people)
    return True


async def set_people(tx: Transaction, id: str, people: Sequence[str]) -> None:
    """Store who took part."""
    await rows.remove(tx, TABLES, [id])
    if people:
        took_part = [{"id": id, "person": person} for person in sorted(people)]
        await tx.run_many(queries.add_person, took_part)


async def drop(tx: Transaction, ids: Sequence[str]) -> None:
    await memories.drop(tx, ids)
    await rows.remove(tx, TABLES, ids)


async def get(tx: Transaction, id: str) -> Note | None:
    found = await by_ids(tx, [id])
    return found[0] if found else None


async def by_ids(tx: Transaction, ids: Sequence[str]) -> list[Note]:
    """Return notes in this order, with their people, and the notes of topics."""
    stored = await memories.by_ids(tx, ids)
    people = await people_of(tx, list(stored))
    topics = await topics_of(tx, list(stored))
    parts = await memories.sources_of(tx, [id for id, each in stored.items() if each.kind == TOPIC])
    found = []
    for id in dict.fromkeys(ids):
        if id in stored:
            told = {"people": tuple(people.get(id, ())), "notes": parts.get(id, ())}
            found.append(note_of(stored[id], {**told, "topic": topics.get(id)}))
    return found


async def without_people(tx: Transaction, ids: Sequence[str]) -> dict[str, Note]:
    """Return notes by id, as they are stored: without their people and topics."""
    stored = await memories.by_ids(tx, ids)
    return {id: note_of(each, {"people": (), "topic": None}) for id, each in stored.items()}


async def people_of(tx: Transaction, ids: Sequence[str]) -> dict[str, list[str]]:
    """Return the people who took part in each of these notes."""
    people: dict[str, list[str]] = {}
    for row in await tx.all(queries.people_of, ids=json.dumps(list(ids))) if ids else []:
        people.setdefault(row["id"], []).append(row["person"])
    return people


async def topics_of(
    tx: Transaction, ids: Sequence[str], *, deleted: bool = False
) -> dict[str, str]:
    """Return the topic of each of these notes; with `deleted`, also deleted topics."""
    rows = await select.made_with(tx, TOPIC, ids)
    return {row["id"]: row["made"] for row in rows if deleted or row["deleted_at"] is None}


async def listed(tx: Transaction, filters: NoteFilter) -> list[Note]:
    """List notes, newest first, without deleted and expired ones. Without a kind, topics of one
    note are left out too."""
    narrow = {name: getattr(filters, name) for name in ("kind", "channel", "person")}
    day = None if filters.day is None else filters.day.isoformat()
    last = filters.before
    after = {"at": micros(last.to_at), "id": last.id} if last else {"at": None, "id": ""}
    found = await column(tx, queries.listed, **narrow, **after, day=day, limit=filters.limit)
    return await by_ids(tx, found)


async def days(tx: Transaction, filters: NoteFilter, since: date, until: date) -> list[NotedDay]:
    """Return those of these days that have notes, in order."""
    narrow: dict[str, Any] = {"channel": filters.channel, "person": filters.person}
    rows = await tx.all(queries.days, **narrow, since=since.isoformat(), until=until.isoformat())
    return [NotedDay(date.fromisoformat(row["day"]), row["notes"], row["topics"]) for row in rows]


async def at_range(tx: Transaction, channel: str, first: int) -> Note | None:
    """Return the note that begins with this message."""
    found = await select.starting_at(tx, NOTE, channel, first)
    return await get(tx, found.id) if found else None


async def ranges(tx: Transaction, channel: str) -> list[range]:
    """Return the ranges of a channel that are in a note."""
    rows = await select.places_in(tx, NOTE, channel)
    return [range(row["first_seq"], row["last_seq"] + 1) for row in rows]


# Nightly runs


async def record_night(tx: Transaction, night: Night, at: datetime | None) -> None:
    """Add to the day's run. `at`: when it ended, None while there is more to do."""
    stored = 0 if at is None else micros(at)
    counts = {"notes": night.notes, "topics": night.topics, "people": night.people}
    await tx.run(queries.record_night, day=night.day.isoformat(), **counts, at=stored)


async def last_night(tx: Transaction) -> datetime | None:
    """Return when the last run ended."""
    at = await value(tx, queries.last_night)
    return moment(at) if at else None


# For profiles, which rest on notes


async def of_day(tx: Transaction, person: str, day: str, limit: int) -> list[Note]:
    """Return the notes of a day that a person took part in."""
    return await by_ids(tx, await column(tx, queries.of_day, person=person, day=day, limit=limit))


async def list_erased(tx: Transaction, person: str | None) -> None:
    """List the notes to erase with the person, or with listed messages."""
    await tx.run(queries.list_erased, person=person)


async def rewritable(tx: Transaction, ids: Sequence[str]) -> list[str]:
    """Return those of these notes that can be written again."""
    found = (await memories.by_ids(tx, ids)).values()
    return [each.id for each in found if each.kind == NOTE and each.text and not each.edited_at]


async def people_to_erase(tx: Transaction) -> list[str]:
    """Return who took part in notes of listed messages."""
    return await column(tx, queries.people_to_erase)


async def left_of_listed(tx: Transaction) -> tuple[list[Buffer], list[StoredMemory]]:
    """Return the conversations of listed notes in which something is still said: those that are to
    be written again, and the notes that were deleted by hand or have expired, which keep their
    place."""
    notes = {_place(each): each for each in await select.to_be_erased(tx, NOTE)}
    buffers, kept = [], []
    for row in await message_counts.left_in(tx, list(notes)):
        note = notes[row["channel"], row["first_seq"], row["last_seq"]]
        if note.deleted_at is not None or (not note.text and note.writer != ""):
            kept.append(note)
        elif row["messages"]:
            buffers.append(from_row(Buffer, row, closed=True))
    return buffers, kept


def _place(note: StoredMemory) -> tuple[str, int, int]:
    return note.channel, note.first_seq or 0, note.last_seq or 0
