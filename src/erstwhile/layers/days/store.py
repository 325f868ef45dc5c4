"""Days, weeks and portraits on disk; days that are over with their search documents and their history."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from erstwhile.base import ids
from erstwhile.base.clock import micros
from erstwhile.configuration.hearing import EVERYONE
from erstwhile.index import documents
from erstwhile.layers.days.model import Batch, Day, Moment, Week, batch_from_row, bounds, day_from_row
from erstwhile.memories import history
from erstwhile.memories.history import REPLACED, Change
from erstwhile.storage import Transaction
from erstwhile.storage.queries import load
from erstwhile.text import analyse

queries = load(__package__)

_BEFORE_ALL = -(2**62)


@dataclass(frozen=True, slots=True)
class Text:
    text: str
    writer: str


@dataclass(frozen=True, slots=True)
class Made:
    """The days of all people before one audience, as they have just been made: `texts` by person."""

    batch: Batch
    texts: dict[str, Text]
    writer: str
    moment: Moment


# Writing


async def put(tx: Transaction, made: Made, *, keep: bool) -> bool:
    """False when the day was over and made already, or a later reading is there. With `keep`, because a model failed, what a model wrote
    of someone earlier that day stands."""
    batch = made.batch
    place = {"day": batch.day.isoformat(), "audience": batch.audience}
    before = {row["person"]: day_from_row(row) for row in await tx.all(queries.of_batch, **place)}
    shared = {"writer": made.writer, "draft": int(batch.draft), "made_at": micros(made.moment.now)}
    if not await tx.run(queries.put_batch, **place, bucket=batch.bucket, messages=batch.messages, **shared):
        return False
    days = {person: _day(tx, made, person) for person in made.texts}
    if keep:
        days |= {person: day for person, day in before.items() if not day.draft}
    await tx.run(queries.drop_days, **place)
    await tx.run_many(queries.add_day, [_row(day) for day in days.values()]) if days else None
    if batch.over:
        await _publish(tx, list(days.values()), made.moment.now)
        gone = [before[person] for person in sorted(before.keys() - days.keys())]
        changes = [Change(day.id, day.text, made.writer, REPLACED) for day in gone]
        await documents.remove(tx, [day.id for day in gone])
        await history.record(tx, changes if await _known(tx, gone) else [], made.moment.now)
    return True


async def close(tx: Transaction, batch: Batch, now: datetime) -> bool:
    """The day is over, and what was made of it last says all."""
    place = {"day": batch.day.isoformat(), "audience": batch.audience}
    if not await tx.run(queries.close_batch, **place, messages=batch.messages):
        return False
    await _publish(tx, [day_from_row(row) for row in await tx.all(queries.of_batch, **place)], now)
    return True


async def drop(tx: Transaction, batch: Batch) -> None:
    """Today's of an audience that is one no more, because its channel has become open, or private."""
    place = {"day": batch.day.isoformat(), "audience": batch.audience}
    if await tx.run(queries.drop_batch, **place):
        await tx.run(queries.drop_days, **place)


async def withdraw(tx: Transaction, channel: str, now: datetime) -> None:
    """Where messages of the channel have expired, nobody can say any longer on which of the days before those that are left it spoke."""
    kept = await tx.first(queries.first_kept, channel=channel)
    before = (kept["at"] or micros(now)) if kept and kept["lost"] else _BEFORE_ALL
    gone: list[Day] = []
    for row in await tx.all(queries.days_with, channel=channel, before=before):
        place = {"day": row["day"], "audience": EVERYONE}
        gone += [day_from_row(each) for each in await tx.all(queries.of_batch, **place)]
        await tx.run(queries.withdraw_batch, day=row["day"])
        await tx.run(queries.drop_days, **place)
    for person in sorted({day.person for day in gone}):
        await tx.run(queries.withdraw_week, person=person)
        await tx.run(queries.withdraw_portraits, person=person)
    await documents.remove(tx, [day.id for day in gone])
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


async def drop_portraits(tx: Transaction, person: str) -> int:
    return await tx.run(queries.withdraw_portraits, person=person)


async def empty(tx: Transaction) -> None:
    for query in (queries.empty_days, queries.empty_batches, queries.empty_weeks, queries.empty_portraits):
        await tx.run(query)


async def index(tx: Transaction, days: Sequence[Day]) -> None:
    """Makes their search documents anew."""
    await documents.remove(tx, [day.id for day in days])
    if days:
        await documents.add(tx, [_document(day) for day in days])


async def _publish(tx: Transaction, days: Sequence[Day], now: datetime) -> None:
    """A day is found by searches, and has a history, from when it is over."""
    await index(tx, days)
    await history.record(tx, [Change(day.id, day.text, day.writer) for day in days], now)


async def _known(tx: Transaction, days: Sequence[Day]) -> bool:
    """Whether these were over before, so that they have a history that goes on."""
    return bool(days) and bool(await history.versions(tx, days[0].id))


def _day(tx: Transaction, made: Made, person: str) -> Day:
    day, audience = made.batch.day, made.batch.audience
    from_at, to_at = bounds(day, made.moment.zone)
    id = ids.derived("day", tx.space, day.isoformat(), audience, person)
    text = made.texts[person]
    return Day(id, day, audience, person, from_at, to_at, text.text, text.writer, made.batch.draft, made.moment.now)


def _row(day: Day) -> dict[str, object]:
    return {
        "day": day.day.isoformat(),
        "audience": day.audience,
        "person": day.person,
        "id": day.id,
        "from_at": micros(day.from_at),
        "to_at": micros(day.to_at),
        "text": day.text,
        "writer": day.writer,
        "draft": int(day.draft),
        "made_at": micros(day.made_at),
    }


def _document(day: Day) -> documents.Document:
    return documents.Document(
        id=day.id,
        kind="day",
        at=micros(day.from_at + timedelta(hours=12)),
        terms=analyse.terms(day.text),
        words=day.text,
        channel=day.audience or None,
        person=day.person,
    )


# Reading


async def batches(tx: Transaction, first: date, last: date) -> list[Batch]:
    rows = await tx.all(queries.batches, first=first.isoformat(), last=last.isoformat())
    return [batch_from_row(row) for row in rows]


async def counts(tx: Transaction, since: datetime, until: datetime) -> dict[str, int]:
    """How many messages people said, by channel."""
    rows = await tx.all(queries.counts, since=micros(since), until=micros(until))
    return {row["channel"]: row["messages"] for row in rows}


async def declared(tx: Transaction) -> frozenset[str]:
    return frozenset(row["channel"] for row in await tx.all(queries.declared))


async def by_ids(tx: Transaction, ids: Sequence[str]) -> list[Day]:
    rows = await tx.all(queries.by_ids, ids=json.dumps(list(ids))) if ids else []
    return [day_from_row(row) for row in rows]


async def of_person(tx: Transaction, person: str, since: date) -> list[Day]:
    return [day_from_row(row) for row in await tx.all(queries.of_person, person=person, first=since.isoformat())]


async def over(tx: Transaction) -> list[Day]:
    return [day_from_row(row) for row in await tx.all(queries.over)]


async def messages_of(tx: Transaction, day: Day) -> list[str]:
    """The ids of what the person said that day before that audience."""
    rows = await tx.all(
        queries.messages_of,
        person=day.person,
        audience=day.audience,
        day=day.day.isoformat(),
        from_at=micros(day.from_at),
        to_at=micros(day.to_at),
    )
    return [row["id"] for row in rows]


async def drafted_days(tx: Transaction, first: date) -> list[date]:
    rows = await tx.all(queries.drafted_days, first=first.isoformat())
    return [date.fromisoformat(row["day"]) for row in rows]


async def known(tx: Transaction, person: str) -> bool:
    """Whether the person ever spoke here, or something was told of them."""
    return await tx.first(queries.known, person=person) is not None
