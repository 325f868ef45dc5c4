"""Store days in the table of memories; weeks and portraits have tables of their own.

Only a day that is over can be found by a search and has a history.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta

from erstwhile.base import ids, records
from erstwhile.base.clock import micros
from erstwhile.base.records import dataclass
from erstwhile.layers.days.model import DAY, Day, DayBatch, Moment, Week, bounds, day_of
from erstwhile.log import message_counts, people
from erstwhile.memories import erase, history, select
from erstwhile.memories import store as memories
from erstwhile.memories.history import REPLACED, VersionEntry
from erstwhile.memories.model import StoredMemory
from erstwhile.storage import Transaction, column
from erstwhile.storage.queries import load
from erstwhile.tables import listed

queries = load(__package__)

IS_OVER = "over"
_REMEMBERED = ("told", "profile")  # kinds of what is remembered of a person
_DAY_LENGTH = 86_400_000_000  # microseconds
_SLACK = 600_000_000  # microseconds by which the clocks of two machines may differ
_REMADE = timedelta(days=8)  # days that are made again when someone asks about a person


@dataclass(frozen=True, slots=True)
class DayText:
    text: str
    writer: str


@dataclass(frozen=True, slots=True)
class MadeDays:
    """New days of all people for one audience: `texts` by person."""

    batch: DayBatch
    texts: dict[str, DayText]
    writer: str
    moment: Moment


# Writing


async def put(tx: Transaction, made: MadeDays, *, keep: bool) -> bool:
    """Store days. Return False if the day was over and made already, or there is a newer version.
    With `keep` (a model failed), what a model wrote earlier that day stays."""
    batch = made.batch
    before = {each.person or "": each for each in await of_batch(tx, batch.day, batch.audience)}
    row = records.to_row(batch, writer=made.writer, made_at=micros(made.moment.now))
    if not await tx.run(queries.put_batch, **row):
        return False
    days = {person: _memory(tx, made, person) for person in made.texts}
    if keep:
        days |= {person: day for person, day in before.items() if not day.draft}
    await _delete(tx, before.values())
    if not batch.over:
        await memories.save(tx, list(days.values()))
        return True
    await _publish(tx, list(days.values()), made.moment.now)
    gone = [before[person] for person in sorted(before.keys() - days.keys())]
    changes = [VersionEntry(day.id, day.text, made.writer, REPLACED) for day in gone]
    if gone and await history.versions(tx, gone[0].id):  # these days have a history already
        await history.record(tx, changes, made.moment.now)
    return True


async def close(tx: Transaction, batch: DayBatch, now: datetime) -> bool:
    """Mark a day as over. Its last version has all its messages."""
    if not await tx.run(queries.close_batch, **_place(batch), messages=batch.messages):
        return False
    await _publish(tx, await of_batch(tx, batch.day, batch.audience), now)
    return True


async def delete(tx: Transaction, batch: DayBatch) -> None:
    """Delete today's batch of an audience that changed: its channel became public, or private."""
    if await tx.run(queries.delete_batch, **_place(batch)):
        await _delete(tx, await of_batch(tx, batch.day, batch.audience))


def _place(batch: DayBatch) -> dict[str, str]:
    return {"day": batch.day.isoformat(), "audience": batch.audience}


async def put_week(tx: Transaction, person: str, week: Week, writer: str, now: datetime) -> None:
    row = records.to_row(week, person=person, writer=writer, made_at=micros(now))
    await tx.run(queries.put_week, **row)


async def delete_portraits(tx: Transaction, person: str) -> int:
    return await tx.run(queries.delete_portraits, person=person)


async def _publish(tx: Transaction, days: Sequence[StoredMemory], now: datetime) -> None:
    """Make days that are over searchable, and start their history."""
    await memories.add(tx, [replace(day, data={IS_OVER: True}) for day in days], now)


async def _delete(tx: Transaction, days: Iterable[StoredMemory]) -> None:
    await memories.drop(tx, [day.id for day in days])


def _memory(tx: Transaction, made: MadeDays, person: str) -> StoredMemory:
    day, audience = made.batch.day, made.batch.audience
    from_at, to_at = bounds(day, made.moment.zone)
    return StoredMemory(
        id=ids.derived(DAY, tx.space, day.isoformat(), audience, person),
        kind=DAY,
        text=made.texts[person].text,
        writer=made.texts[person].writer,
        draft=made.batch.draft,
        channel=audience,
        person=person,
        category=day.isoformat(),
        from_at=from_at,
        to_at=to_at,
        at=from_at + timedelta(hours=12),
        created_at=made.moment.now,
    )


# Erasure and retention


async def list_erased(tx: Transaction, person: str | None) -> None:
    """List the days to erase: all people's, on each day on which the person spoke or was mentioned.
    They are made again without the person. Delete their weeks and portraits now."""
    whole = person is not None or await tx.first(queries.whole_channels) is not None
    if whole:
        touched = await erase.listed_times(tx, DAY, person)
    else:
        touched = await erase.listed_times_made_of(tx, DAY, _SLACK)
    concerned: set[str] = set() if person is None else {person}
    for row in touched:
        days = await of_batch(tx, date.fromisoformat(row["category"]), row["channel"])
        await listed.add(tx, [day.id for day in days])
        await tx.run(queries.mark_batch, day=row["category"], audience=row["channel"])
        concerned |= {day.person or "" for day in days}
    for each in sorted(concerned):
        await delete_derived(tx, each)


async def delete_derived(tx: Transaction, person: str) -> None:
    """Delete the weeks and portraits of a person."""
    await tx.run(queries.delete_weeks, person=person)
    await delete_portraits(tx, person)


async def expire(tx: Transaction, first: date, limit: int, now: datetime) -> int:
    """Delete one page of days before `first`, with their weeks and portraits."""
    days = await select.before_category(tx, DAY, first.isoformat(), limit)
    await _delete(tx, days)
    for person in sorted({day.person or "" for day in days}):
        await delete_derived(tx, person)
    await history.expire(tx, [day.id for day in days], now)
    return len(days)


async def expire_derived(tx: Transaction, first: date, before: datetime, today: date) -> None:
    """Delete old batches, weeks and portraits. A batch stays while its day could be made again."""
    await tx.run(queries.delete_old_batches, day=min(first, today - _REMADE).isoformat())
    await tx.run(queries.delete_old_weeks, before=micros(before))
    await tx.run(queries.delete_old_portraits, before=micros(before))


# Reading


async def batches(tx: Transaction, first: date, last: date) -> list[DayBatch]:
    rows = await tx.all(queries.batches, first=first.isoformat(), last=last.isoformat())
    return [records.from_row(DayBatch, row) for row in rows]


async def by_ids(tx: Transaction, ids: Sequence[str]) -> list[Day]:
    return [day_of(each) for each in (await memories.by_ids(tx, ids)).values()]


async def of_person(tx: Transaction, person: str, since: date) -> list[Day]:
    found = await select.of_person_since(tx, DAY, person, since.isoformat())
    return [day_of(each) for each in found]


async def of_batch(tx: Transaction, day: date, audience: str) -> list[StoredMemory]:
    noon = micros(datetime.combine(day, time(12), UTC))
    around = noon - _DAY_LENGTH, noon + _DAY_LENGTH
    return await select.in_category(tx, DAY, audience, day.isoformat(), around)


async def messages_of(tx: Transaction, day: Day) -> list[str]:
    """Return the ids of what the person said that day to that audience."""
    time = {"from_at": micros(day.from_at), "to_at": micros(day.to_at)}
    place = {"audience": day.audience, "day": day.day.isoformat()}
    return await column(tx, queries.messages_of, person=day.person, **place, **time)


async def known(tx: Transaction, person: str) -> bool:
    """Return whether the person ever wrote here, or something is remembered about them."""
    return await people.exists(tx, person) or not await unknown(tx, [person])


async def unknown(tx: Transaction, named: Sequence[str]) -> list[str]:
    """Return those of whom nothing is remembered."""
    return [each for each in named if not await memories.any_about(tx, each, _REMEMBERED)]


async def days_with(tx: Transaction, channel: str, before: int) -> list[str]:
    """Return the public days on which people wrote in a channel, or which began before a time."""
    days = [row for row in await select.times(tx, DAY) if not row["channel"]]
    spoken = await message_counts.spoken_in(tx, days, channel)
    found = (row for row in days if row["from_at"] <= before or row["id"] in spoken)
    return sorted({row["category"] for row in found})
