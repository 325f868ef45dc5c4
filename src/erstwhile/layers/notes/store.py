"""Buffers, notes and topics on disk; a note with its search document and its history."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from erstwhile.base.clock import micros, moment
from erstwhile.index import documents
from erstwhile.layers.notes.buffer import MOST, Timing
from erstwhile.layers.notes.model import NOTE, TOPIC, Buffer, Night, Note, NotedDay
from erstwhile.memories import history
from erstwhile.memories.history import VersionEntry
from erstwhile.storage import Row, Transaction
from erstwhile.storage.queries import load
from erstwhile.text import analyse

queries = load(__package__)


@dataclass(frozen=True, slots=True)
class NoteFilter:
    """Which notes are wanted: None means all of them."""

    kind: str | None = None
    channel: str | None = None
    person: str | None = None
    day: date | None = None
    limit: int = 50
    before: Note | None = None


# Buffers


async def extend(tx: Transaction, channel: str, seq: int, at: datetime, timing: Timing) -> Buffer | None:
    """The channel's buffer with this message in it; None when it does not fit into the open one."""
    row = await tx.first(
        queries.extend,
        channel=channel,
        seq=seq,
        at=micros(at),
        quiet=timing.quiet // _MICROSECOND,
        limit=timing.limit // _MICROSECOND,
        most=MOST,
    )
    return _buffer(row) if row else None


async def hold_open(tx: Transaction, channel: str) -> Buffer | None:
    row = await tx.first(queries.hold_open, channel=channel)
    return _buffer(row) if row else None


async def put_buffers(tx: Transaction, found: Sequence[Buffer]) -> None:
    rows = [
        {
            "channel": each.channel,
            "first_seq": each.first_seq,
            "last_seq": each.last_seq,
            "messages": each.messages,
            "started_at": micros(each.started_at),
            "updated_at": micros(each.updated_at),
            "closed": int(each.closed),
        }
        for each in found
    ]
    if rows:
        await tx.run_many(queries.put_buffer, rows)


async def close_due(tx: Transaction, channel: str, first: int, timing: Timing, now: datetime) -> Buffer | None:
    row = await tx.first(
        queries.close_due,
        channel=channel,
        first=first,
        quiet_since=micros(now - timing.quiet),
        begun_before=micros(now - timing.limit),
        most=MOST,
    )
    return _buffer(row) if row else None


async def buffer_at(tx: Transaction, channel: str, first: int) -> Buffer | None:
    row = await tx.first(queries.buffer_at, channel=channel, first=first)
    return _buffer(row) if row else None


async def buffer(tx: Transaction, channel: str) -> Buffer | None:
    """The open one of a channel."""
    row = await tx.first(queries.open_buffer, channel=channel)
    return _buffer(row) if row else None


async def buffers(tx: Transaction, channel: str | None = None, limit: int | None = None) -> list[Buffer]:
    """By channel; with a limit, those in which something was said last."""
    if limit is None:
        return [_buffer(row) for row in await tx.all(queries.buffers, channel=channel)]
    return [_buffer(row) for row in await tx.all(queries.latest_buffers, channel=channel, limit=limit)]


# Writing notes


async def put(tx: Transaction, note: Note, now: datetime) -> bool:
    """False when a note that stands was there already."""
    row = {
        "id": note.id,
        "kind": note.kind,
        "channel": note.channel,
        "first_seq": note.first_seq,
        "last_seq": note.last_seq,
        "day": note.day.isoformat(),
        "title": note.title,
        "text": note.text,
        "from_at": micros(note.from_at),
        "to_at": micros(note.to_at),
        "writer": note.writer,
        "draft": int(note.draft),
        "now": micros(now),
    }
    if not await tx.run(queries.put, **row):
        return False
    await tx.run(queries.drop_people, note=note.id)
    if note.people:
        await tx.run_many(queries.add_person, [{"note": note.id, "person": person} for person in sorted(note.people)])
    if len(note.notes) != 1:  # a topic of one note says the same once more
        await index(tx, [note])
    if note.text:
        await history.record(tx, [VersionEntry(note.id, note.text, note.writer)], now)
    return True


async def edit(tx: Transaction, id: str, text: str, by: str, now: datetime) -> None:
    await tx.run(queries.edit, id=id, text=text, by=by, now=micros(now))


async def clear(tx: Transaction, id: str, by: str, now: datetime) -> None:
    await tx.run(queries.clear, id=id, by=by, now=micros(now))


async def index(tx: Transaction, notes: Sequence[Note]) -> None:
    """Makes their search documents anew; what is empty or expired has none."""
    await documents.remove(tx, [note.id for note in notes])
    shown = [_document(note) for note in notes if note.text and not note.expired]
    if shown:
        await documents.add(tx, shown)


def _document(note: Note) -> documents.Document:
    conversation = note.kind == NOTE
    return documents.Document(
        id=note.id,
        kind=note.kind,
        at=micros(note.to_at),
        words=f"{note.title}\n{note.text}",
        terms=analyse.terms(f"{note.from_at:%B %Y}\n{note.title}\n{note.text}"),
        channel=note.channel or None,
        seq=note.first_seq if conversation else None,
        until=note.last_seq if conversation else None,
    )


# Reading notes


async def get(tx: Transaction, id: str) -> Note | None:
    found = await by_ids(tx, [id])
    return found[0] if found else None


async def by_ids(tx: Transaction, ids: Sequence[str]) -> list[Note]:
    """In the order given, with their people, and a topic's notes."""
    if not ids:
        return []
    wanted = json.dumps(list(ids))
    rows = {row["id"]: row for row in await tx.all(queries.by_ids, ids=wanted)}
    people: dict[str, list[str]] = {}
    for row in await tx.all(queries.people_of_many, ids=wanted):
        people.setdefault(row["note"], []).append(row["person"])
    parts: dict[str, list[str]] = {}
    if any(row["kind"] == TOPIC for row in rows.values()):
        for row in await tx.all(queries.parts_of_many, ids=wanted):
            parts.setdefault(row["topic"], []).append(row["id"])
    return [_note(rows[id], people.get(id, ()), parts.get(id, ())) for id in dict.fromkeys(ids) if id in rows]


async def listed(tx: Transaction, wanted: NoteFilter) -> list[Note]:
    """Newest first; not what was deleted or has expired. Without a kind, not topics of one note either."""
    narrow: dict[str, Any] = {"kind": wanted.kind, "channel": wanted.channel, "person": wanted.person}
    day = None if wanted.day is None else wanted.day.isoformat()
    after = {"at": None, "id": ""} if wanted.before is None else _place(wanted.before)
    rows = await tx.all(queries.listed, **narrow, **after, day=day, limit=wanted.limit)
    return await by_ids(tx, [row["id"] for row in rows])


async def days(tx: Transaction, wanted: NoteFilter, since: date, until: date) -> list[NotedDay]:
    """Those of these days that have notes, in order."""
    narrow: dict[str, Any] = {"channel": wanted.channel, "person": wanted.person}
    rows = await tx.all(queries.days, **narrow, since=since.isoformat(), until=until.isoformat())
    return [NotedDay(date.fromisoformat(row["day"]), row["notes"], row["topics"]) for row in rows]


def _place(note: Note) -> dict[str, Any]:
    return {"at": micros(note.to_at), "id": note.id}


async def found(tx: Transaction) -> list[Note]:
    """All that a search can find."""
    return await by_ids(tx, [row["id"] for row in await tx.all(queries.found)])


async def at_range(tx: Transaction, channel: str, first: int) -> Note | None:
    """The note that begins with this message."""
    row = await tx.first(queries.at_range, channel=channel, first=first)
    return await get(tx, row["id"]) if row else None


async def people_of(tx: Transaction, id: str) -> list[str]:
    return [row["person"] for row in await tx.all(queries.people_of, note=id)]


async def ranges(tx: Transaction, channel: str) -> list[range]:
    """The messages of a channel that are in a note."""
    return [range(row["first_seq"], row["last_seq"] + 1) for row in await tx.all(queries.ranges, channel=channel)]


# Nights


async def record_night(tx: Transaction, night: Night, at: datetime | None) -> None:
    """Adds to the day's run; `at` is when it ended, None while there is more to do."""
    stored = 0 if at is None else micros(at)
    counts = {"notes": night.notes, "topics": night.topics, "people": night.people}
    await tx.run(queries.record_night, day=night.day.isoformat(), **counts, at=stored)


async def has_ended(tx: Transaction, day: date) -> bool:
    row = await tx.first(queries.night, day=day.isoformat())
    return bool(row and row["at"])


async def last_night(tx: Transaction) -> datetime | None:
    """When the last run ended."""
    row = await tx.first(queries.last_night)
    return moment(row["at"]) if row and row["at"] else None


async def empty(tx: Transaction) -> None:
    """All but what people wrote, and the places of what they deleted."""
    await tx.run(queries.empty_buffers)
    await tx.run(queries.empty_nights)
    await tx.run(queries.empty)
    await tx.run(queries.empty_people)
    await tx.run(queries.orphan)


# For profiles, which rest on notes


async def of_day(tx: Transaction, person: str, day: str, limit: int) -> list[Note]:
    """The notes of a day that a person took part in."""
    return await by_ids(tx, [row["id"] for row in await tx.all(queries.of_day, person=person, day=day, limit=limit)])


async def in_channel(tx: Transaction, channel: str) -> list[str]:
    return [row["id"] for row in await tx.all(queries.in_channel, channel=channel)]


async def list_erased(tx: Transaction, person: str | None) -> None:
    """List notes that go with the person, or with messages that are listed."""
    await tx.run(queries.list_erased, person=person)


async def listed_to_erase(tx: Transaction) -> list[str]:
    return [row["id"] for row in await tx.all(queries.listed_to_erase)]


async def rewritable(tx: Transaction, ids: Sequence[str]) -> list[str]:
    """Of these notes, those that can be written again."""
    return [row["id"] for row in await tx.all(queries.rewritable, ids=json.dumps(list(ids)))] if ids else []


async def people_to_erase(tx: Transaction) -> list[str]:
    """Who took part in notes of messages that are listed."""
    return [row["person"] for row in await tx.all(queries.people_to_erase)]


_MICROSECOND = datetime.resolution


def _buffer(row: Row) -> Buffer:
    return Buffer(
        channel=row["channel"],
        first_seq=row["first_seq"],
        last_seq=row["last_seq"],
        messages=row["messages"],
        started_at=moment(row["started_at"]),
        updated_at=moment(row["updated_at"]),
        closed=bool(row["closed"]),
    )


def _note(row: Row, people: Sequence[str], parts: Sequence[str]) -> Note:
    return Note(
        id=row["id"],
        kind=row["kind"],
        channel=row["channel"],
        first_seq=row["first_seq"],
        last_seq=row["last_seq"],
        day=date.fromisoformat(row["day"]),
        title=row["title"],
        text=row["text"],
        people=tuple(people),
        from_at=moment(row["from_at"]),
        to_at=moment(row["to_at"]),
        topic=row["topic"],
        writer=row["writer"],
        draft=bool(row["draft"]),
        expired=bool(row["expired"]),
        notes=tuple(parts),
    )
