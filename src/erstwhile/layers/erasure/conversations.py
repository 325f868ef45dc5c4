"""What was made of conversations: buffers, notes, topics, profiles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime

from erstwhile.base.clock import moment
from erstwhile.layers.erasure.listing import queries
from erstwhile.layers.erasure.model import Subject
from erstwhile.layers.notes.model import Buffer
from erstwhile.layers.profiles import merge, withdraw
from erstwhile.layers.profiles import store as profiles
from erstwhile.layers.profiles.model import ProfileFact
from erstwhile.memories.history import RETENTION
from erstwhile.storage import Transaction


@dataclass(frozen=True, slots=True)
class Noted:
    """What is to be noted again, and the days whose topics are to be made again."""

    conversations: tuple[Buffer, ...]
    days: tuple[date, ...]


# Buffers, notes and topics, and the profiles made from notes


async def notes(tx: Transaction, subject: Subject, counts: dict[str, int], now: datetime) -> Noted:
    person = subject.person
    await buffers(tx)
    await tx.run(queries.list_notes, person=person)
    await tx.run(queries.list_profile, person=person)
    await _profiles(tx, subject, counts, now)
    await tx.run(queries.list_topics, person=person)
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
    return Noted(found, days)


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


async def _profiles(tx: Transaction, subject: Subject, counts: dict[str, int], now: datetime) -> None:
    """Others' are looked at twice: what goes may also have been said in other notes, which are then read again too."""
    for other in await _touched(tx, subject):
        held = await profiles.read(tx, other)
        left = {fact.id for fact in await _left(tx, held, subject)}
        await _list(tx, [fact.id for fact in held.facts if fact.id not in left])
    await tx.run(queries.list_notes_beside, person=subject.person)
    gone = 0
    for other in await _touched(tx, subject):
        held = await profiles.hold(tx, other)
        left_over = await _left(tx, held, subject)
        lost = [fact.id for fact in held.facts if fact.id not in {each.id for each in left_over}]
        await profiles.save(tx, held, merge.settled(left_over, held.begun), RETENTION, now)
        await _list(tx, lost)
        gone += len(lost)
    await tx.run(queries.drop_profile_sources, person=subject.person)
    counts["profile_facts"] = gone + await tx.run(queries.drop_profile_facts, person=subject.person)
    await tx.run(queries.drop_profile, person=subject.person)


async def _touched(tx: Transaction, subject: Subject) -> list[str]:
    return [row["person"] for row in await tx.all(queries.profiles_touched, person=subject.person)]


async def _left(tx: Transaction, held: profiles.Held, subject: Subject) -> list[ProfileFact]:
    rows = await tx.all(queries.profile_facts_gone, other=held.person, person=subject.person)
    listed = frozenset(row["id"] for row in await tx.all(queries.notes_listed))
    return withdraw.erased(held.facts, {row["id"] for row in rows}, listed)


async def _list(tx: Transaction, ids: Sequence[str]) -> None:
    if ids:
        await tx.run_many(queries.list_memory, [{"id": id} for id in ids])
