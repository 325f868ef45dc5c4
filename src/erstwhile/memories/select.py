"""List memories by kind, place and time, and by how long they hold."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any, Final

from erstwhile.base.clock import micros
from erstwhile.base.records import dataclass
from erstwhile.memories.model import StoredMemory, from_row
from erstwhile.memories.store import listed, queries
from erstwhile.storage import Row, Transaction, column, value

# For queries over any table: the memories that meet a condition, which follows with AND.
IDS: Final = "SELECT id FROM memories WHERE space = :space"


async def of_kinds(
    tx: Transaction, kinds: Sequence[str], *, drafts: bool = False
) -> list[StoredMemory]:
    """List all memories of these kinds, also deleted ones, or only the drafts."""
    given = {"kinds": json.dumps(list(kinds)), "draft": int(drafts)}
    return await listed(tx, queries.of_kinds, **given)


async def times(tx: Transaction, kind: str) -> list[Row]:
    """Return id, category, channel and time of all memories of a kind, also of deleted ones."""
    return await tx.all(queries.times, kind=kind)


async def to_be_erased(tx: Transaction, kind: str) -> list[StoredMemory]:
    """Return the memories of a kind that are listed to be erased, also deleted ones."""
    return await listed(tx, queries.listed, kind=kind)


async def latest_notes(tx: Transaction, limit: int) -> list[StoredMemory]:
    """Return the notes of the last days, newest first, without topics."""
    return await listed(tx, queries.latest_notes, limit=limit)


async def loose_notes(tx: Transaction, day: str, *, redo: bool) -> list[Row]:
    """Return the notes up to a day that are in no topic; with `redo`, also those in a draft of one."""
    return await tx.all(queries.loose_notes, day=day, redo=int(redo))


async def topics_with(tx: Transaction, channel: str) -> list[str]:
    """Return the topics for everyone that have notes of a channel in them."""
    return await column(tx, queries.topics_with, channel=channel)


async def hold(tx: Transaction, ids: Sequence[str]) -> list[StoredMemory]:
    """Lock memories until the commit and return those that are not deleted."""
    return await listed(tx, queries.hold_all, ids=json.dumps(sorted(ids)))


async def places_in(tx: Transaction, kind: str, channel: str) -> list[Row]:
    """Return id and range of a channel's memories, also of deleted ones."""
    return await tx.all(queries.places_in, kind=kind, channel=channel)


async def starting_at(tx: Transaction, kind: str, channel: str, first: int) -> StoredMemory | None:
    """Return the memory that begins with this message."""
    row = await tx.first(queries.starting_at, kind=kind, channel=channel, first=first)
    return None if row is None else from_row(row)


async def first_draft(tx: Transaction, kind: str, starts: str, category: str) -> str | None:
    """Return a draft up to a category that begins with one of these messages: rows of channel and
    `first_seq`, as JSON."""
    row = await tx.first(queries.first_draft, kind=kind, rows=starts, category=category)
    return row["id"] if row else None


async def made_with(tx: Transaction, kind: str, sources: Sequence[str]) -> list[Row]:
    """Return for each of these (`id`) what of a kind rests on it (`made`), also deleted ones."""
    ids = json.dumps(list(sources))
    return await tx.all(queries.made_with, kind=kind, ids=ids) if sources else []


async def in_category(
    tx: Transaction, kind: str, channel: str, category: str, at: tuple[int, int]
) -> list[StoredMemory]:
    """List the memories of a category and channel by person. `at`: around when they are."""
    place = {"kind": kind, "channel": channel, "category": category}
    return await listed(tx, queries.in_category, **place, since=at[0], until=at[1])


async def of_person_since(
    tx: Transaction, kind: str, person: str, category: str
) -> list[StoredMemory]:
    """List the memories about a person from a category on, also deleted ones."""
    given = {"kind": kind, "person": person, "category": category}
    return await listed(tx, queries.of_person_since, **given)


async def before_category(
    tx: Transaction, kind: str, category: str, limit: int
) -> list[StoredMemory]:
    """List a page of the memories of earlier categories, the earliest first."""
    given = {"kind": kind, "category": category, "limit": limit}
    return await listed(tx, queries.before_category, **given)


async def count_before_category(tx: Transaction, kind: str, category: str) -> int:
    return int(await value(tx, queries.count_before_category, kind=kind, category=category))


async def old_unedited(tx: Transaction, kind: str, before: datetime, limit: int) -> list[Row]:
    """Return id and person of memories not said again for long enough, but for people's own."""
    return await tx.all(queries.old_unedited, kind=kind, before=micros(before), limit=limit)


async def count_old_unedited(tx: Transaction, kind: str, before: datetime) -> int:
    return int(await value(tx, queries.count_old_unedited, kind=kind, before=micros(before)))


@dataclass(frozen=True, slots=True)
class ValidityFilter:
    """Selects memories of a kind. None means any. `at`: only those valid at that time; `open`: only
    those that nothing has ended."""

    kind: str
    person: str | None = None
    category: str | None = None
    at: datetime | None = None
    open: bool = False
    limit: int = 100


async def find(tx: Transaction, filters: ValidityFilter) -> list[StoredMemory]:
    """List memories without repetitions, newest first."""
    given: dict[str, Any] = {"kind": filters.kind, "person": filters.person}
    given |= {"type": filters.category, "limit": filters.limit}
    if filters.at is None:
        return await listed(tx, queries.ever, **given, open=int(filters.open))
    return await listed(tx, queries.valid, **given, at=micros(filters.at))


async def repeated(tx: Transaction, memory: StoredMemory) -> list[StoredMemory]:
    """Return the memory and its repetitions while it is valid: to people they are one."""
    return await listed(tx, queries.repeated, head=memory.restates or memory.id)


async def messages_of(tx: Transaction, ids: Sequence[str]) -> list[Row]:
    """Return the messages of memories and of their repetitions, in the order they were said."""
    return await tx.all(queries.messages_of_repeated, ids=json.dumps(list(ids))) if ids else []


async def ended_in(tx: Transaction, kind: str, channels: Iterable[str]) -> list[StoredMemory]:
    """Return what no longer holds of what the messages of these channels say."""
    given = {"kind": kind, "channels": json.dumps(sorted(channels))}
    return await listed(tx, queries.ended_in, **given)


async def ended_of(tx: Transaction, kind: str, people: Iterable[str]) -> list[StoredMemory]:
    """Return what no longer holds of what these people said, or of what was said about them."""
    given = {"kind": kind, "people": json.dumps(sorted(people))}
    return await listed(tx, queries.ended_of, **given)


async def replaced(tx: Transaction, kind: str, person: str | None) -> list[StoredMemory]:
    """Return the memories that others replaced, in the order they ended."""
    return await listed(tx, queries.replaced_by_others, kind=kind, person=person)


async def contradicted_at(tx: Transaction, id: str, kinds: Sequence[str]) -> int | None:
    """Return when something else was said, if the memory is of these kinds and no longer holds."""
    given = {"id": id, "kinds": json.dumps(list(kinds))}
    at: int | None = await value(tx, queries.contradiction, **given)
    return at
