"""What was made of conversations: buffers, notes, topics."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from erstwhile.base.clock import moment
from erstwhile.layers.erasure.listing import queries
from erstwhile.layers.erasure.model import Subject
from erstwhile.layers.notes import store as note_store
from erstwhile.layers.notes.model import Buffer
from erstwhile.storage import Transaction


@dataclass(frozen=True, slots=True)
class NoteWork:
    """What is to be noted again, and the days whose topics are to be made again."""

    conversations: tuple[Buffer, ...]
    days: tuple[date, ...]


async def notes(tx: Transaction, subject: Subject) -> NoteWork:
    await buffers(tx)
    await note_store.list_erased(tx, subject.person)
    await tx.run(queries.list_topics, person=subject.person)
    days = tuple(date.fromisoformat(row["day"]) for row in await tx.all(queries.topic_days))
    await tx.run(queries.let_go)
    found = tuple(
        Buffer(
            row["channel"],
            row["first_seq"],
            row["last_seq"],
            row["messages"],
            moment(row["started_at"]),
            moment(row["updated_at"]),
            closed=True,
        )
        for row in await tx.all(queries.conversations)
    )
    return NoteWork(found, days)


async def drop_notes(tx: Transaction, subject: Subject, counts: dict[str, int]) -> None:
    """Once the messages are gone, so that what has none left keeps no place."""
    counts["notes"] = await tx.run(queries.drop_notes)
    await tx.run(queries.blank_notes)
    await tx.run(queries.drop_note_people, person=subject.person)


async def buffers(tx: Transaction) -> None:
    """Hold only what stays; one that is left with nothing goes."""
    await tx.run(queries.drop_buffers)
    for row in await tx.all(queries.buffers):
        place = {"channel": row["channel"], "first": row["first_seq"]}
        if row["messages"]:
            await tx.run(queries.shrink_buffer, **place, messages=row["messages"])
        else:
            await tx.run(queries.drop_buffer, **place)
