"""Store days in the table of memories; weeks and portraits have tables of their own.

Only a day that is over can be found by a search and has a history.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta

from erstwhile.base import ids
from erstwhile.base.clock import micros
from erstwhile.base.records import dataclass
from erstwhile.configuration.visibility import EVERYONE
from erstwhile.layers.days.model import DAY, Day, DayBatch, Moment, Week, batch_from_row, bounds, day_of
from erstwhile.memories import erase, history
from erstwhile.memories import store as memories
from erstwhile.memories.history import REPLACED, VersionEntry
from erstwhile.memories.hooks import Hooks
from erstwhile.memories.model import StoredMemory, from_row
from erstwhile.storage import Transaction
from erstwhile.storage.queries import load

queries = load(__package__)

IS_OVER = "over"
_EARLIEST = -(2**62)
_NO_HOOKS = Hooks()
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
    batch, place = made.batch, _place(made.batch)
    before = {each.person or "": each for each in await _of_batch(tx, batch.day, batch.audience)}
    shared = {"writer": made.writer, "draft": int(batch.draft), "made_at": micros(made.moment.now)}
    shared |= {"bucket": batch.bucket, "messages": batch.messages}
    if not await tx.run(queries.put_batch, **place, **shared):
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
    await history.record(tx, changes if await _known(tx, gone) else [], made.moment.now)
    return True


async def close(tx: Transaction, batch: DayBatch, now: datetime) -> bool:
    """Mark a day as over. Its last version has all its messages."""
    if not await tx.run(queries.close_batch, **_place(batch), messages=batch.messages):
        return False
    await _publish(tx, await _of_batch(tx, batch.day, batch.audience), now)
    return True


async def delete(tx: Transaction, batch: DayBatch) -> None:
    """Delete today's batch of an audience that changed: its channel became public, or private."""
    if await tx.run(queries.delete_batch, **_place(batch)):
        await _delete(tx, await _of_batch(tx, batch.day, batch.audience))


def _place(batch: DayBatch) -> dict[str, str]:
    return {"day": batch.day.isoformat(), "audience": batch.audience}


async def make_private(tx: Transaction, channel: str, now: datetime) -> None:
    """Delete the public days with words of a channel, and what was made of them. If messages of the
    channel have expired, delete all days before its first message: it is not known on which of them
    the channel was used."""
    kept = await tx.first(queries.first_kept, channel=channel)
    before = (kept["at"] or micros(now)) if kept and kept["lost"] else _EARLIEST
    gone: list[StoredMemory] = []
    for row in await tx.all(queries.days_with, channel=channel, before=before):
        gone += await _of_batch(tx, date.fromisoformat(row["day"]), EVERYONE)
        await tx.run(queries.delete_public_batch, day=row["day"])
    for person in sorted({day.person or "" for day in gone}):
        await tx.run(queries.delete_public_week, person=person)
        await delete_portraits(tx, person)
    await _delete(tx, gone)
    await history.expire(tx, [day.id for day in gone], now)


async def put_week(tx: Transaction, person: str, week: Week, writer: str, now: datetime) -> None:
    await tx.run(
        queries.put_week,
        person=person,
        audience=week.audience,
        until=week.until.isoformat(),
        hash=week.hash,
        text=week.text,
        writer=writer,
        draft=int(week.draft),
        made_at=micros(now),
    )


async def delete_portraits(tx: Transaction, person: str) -> int:
    return await tx.run(queries.delete_portraits, person=person)


async def empty(tx: Transaction) -> None:
    """Delete everything but days whose messages have expired: they can't be made again."""
    await memories.drop(tx, _NO_HOOKS, [row["id"] for row in await tx.all(queries.makeable)])
    for query in (queries.empty_batches, queries.empty_weeks, queries.empty_portraits):
        await tx.run(query)


async def _publish(tx: Transaction, days: Sequence[StoredMemory], now: datetime) -> None:
    """Make days that are over searchable, and start their history."""
    await memories.add(tx, [replace(day, data={IS_OVER: True}) for day in days], now)


async def _delete(tx: Transaction, days: Iterable[StoredMemory]) -> None:
    await memories.drop(tx, _NO_HOOKS, [day.id for day in days])


async def _known(tx: Transaction, days: Sequence[StoredMemory]) -> bool:
    """Return whether these days have a history already."""
    return bool(days) and bool(await history.versions(tx, days[0].id))


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
        touched = await tx.all(queries.touched, person=person)
    else:
        touched = await tx.all(queries.made_of, slack=_SLACK)
    people: set[str] = set() if person is None else {person}
    for row in touched:
        days = await _of_batch(tx, date.fromisoformat(row["day"]), row["audience"])
        await erase.list_ids(tx, [day.id for day in days])
        await tx.run(queries.mark_batch, day=row["day"], audience=row["audience"])
        people |= {day.person or "" for day in days}
    await tx.run(queries.delete_weeks_of_channel)
    await tx.run(queries.delete_portraits_of_channel)
    for each in sorted(people):
        await delete_derived(tx, each)


async def delete_derived(tx: Transaction, person: str) -> None:
    """Delete the weeks and portraits of a person."""
    await tx.run(queries.delete_weeks, person=person)
    await delete_portraits(tx, person)


async def take_erased(tx: Transaction) -> list[str]:
    """Delete the listed batches. Return the days that are to be made again."""
    rows = await tx.all(queries.marked_batches)
    await tx.run(queries.delete_marked_batches)
    await tx.run(queries.delete_batches_of_channel)
    return [row["day"] for row in rows]


async def expire(tx: Transaction, first: date, limit: int, now: datetime) -> int:
    """Delete one page of days before `first`, with their weeks and portraits."""
    days = [from_row(row) for row in await tx.all(queries.old, day=first.isoformat(), limit=limit)]
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


async def count_old(tx: Transaction, first: date) -> int:
    row = await tx.first(queries.count_old, day=first.isoformat())
    return int(row["number"]) if row else 0


async def settle(tx: Transaction, first: date) -> None:
    """Keep drafts of days whose messages have expired: they can't be made again."""
    drafts = [from_row(row) for row in await tx.all(queries.old_drafts, day=first.isoformat())]
    await memories.save(tx, [replace(day, draft=False) for day in drafts])
    await tx.run(queries.settle_batches, day=first.isoformat())


# Reading


async def batches(tx: Transaction, first: date, last: date) -> list[DayBatch]:
    rows = await tx.all(queries.batches, first=first.isoformat(), last=last.isoformat())
    return [batch_from_row(row) for row in rows]


async def counts(tx: Transaction, since: datetime, until: datetime) -> dict[str, int]:
    """Count the messages of people, by channel."""
    rows = await tx.all(queries.counts, since=micros(since), until=micros(until))
    return {row["channel"]: row["messages"] for row in rows}


async def count_before(tx: Transaction, channel: str, seq: int, day: tuple[datetime, datetime]) -> int:
    """Count the messages of people in a channel on a day, before one of its messages."""
    since, until = map(micros, day)
    row = await tx.first(queries.count_before, channel=channel, seq=seq, since=since, until=until)
    return int(row["messages"]) if row else 0


async def private_channels(tx: Transaction) -> frozenset[str]:
    return frozenset(row["channel"] for row in await tx.all(queries.private_channels))


async def by_ids(tx: Transaction, ids: Sequence[str]) -> list[Day]:
    return [day_of(each) for each in (await memories.by_ids(tx, ids)).values()]


async def of_person(tx: Transaction, person: str, since: date) -> list[Day]:
    rows = await tx.all(queries.of_person, person=person, first=since.isoformat())
    return [day_of(from_row(row)) for row in rows]


async def _of_batch(tx: Transaction, day: date, audience: str) -> list[StoredMemory]:
    noon = micros(datetime.combine(day, time(12), UTC))
    around = {"since": noon - _DAY_LENGTH, "until": noon + _DAY_LENGTH}
    rows = await tx.all(queries.of_batch, day=day.isoformat(), audience=audience, **around)
    return [from_row(row) for row in rows]


async def messages_of(tx: Transaction, day: Day) -> list[str]:
    """Return the ids of what the person said that day to that audience."""
    time = {"from_at": micros(day.from_at), "to_at": micros(day.to_at)}
    place = {"audience": day.audience, "day": day.day.isoformat()}
    rows = await tx.all(queries.messages_of, person=day.person, **place, **time)
    return [row["id"] for row in rows]


async def drafted_days(tx: Transaction, first: date) -> list[date]:
    rows = await tx.all(queries.drafted_days, first=first.isoformat())
    return [date.fromisoformat(row["day"]) for row in rows]


async def known(tx: Transaction, person: str) -> bool:
    """Return whether the person ever wrote here, or something is remembered about them."""
    return await tx.first(queries.known, person=person) is not None
