"""The layer: make the days of all people of a space, their history, and portraits."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import asdict, replace
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING

from erstwhile.base.clock import micros
from erstwhile.base.errors import Error
from erstwhile.configuration.visibility import EVERYONE
from erstwhile.jobs import store as jobs
from erstwhile.jobs.model import Job, NewJob, Outcome, Step
from erstwhile.layers.contract import Layer, LayerParts, Remake
from erstwhile.layers.days import make_days, planning, portrait, store, week
from erstwhile.layers.days.make_days import DayWork
from erstwhile.layers.days.model import DAY, WEEK, Day, Moment, Portrait, View, Week, day_of
from erstwhile.layers.days.portrait import PersonMaterial
from erstwhile.layers.days.store import MadeDays, queries
from erstwhile.log import message_counts, people
from erstwhile.memories import erase, history, kinds, select
from erstwhile.memories import store as memories
from erstwhile.memories.expire import PAGE
from erstwhile.memories.kinds import Kind, Sources
from erstwhile.memories.model import StoredMemory
from erstwhile.receipts import store as receipts
from erstwhile.storage import Transaction, column
from erstwhile.tables.model import Subject, Table

if TYPE_CHECKING:
    from erstwhile.layers.retention.steps import Run

REFRESH = "days.refresh"
REDRAFT = "days.redraft"
_EARLIEST = -(2**62)
_TRIES = 3  # for a day whose messages change while it is made


async def _sources(tx: Transaction, days: Sequence[StoredMemory]) -> Sources:
    found = {each.id: await store.messages_of(tx, day_of(each)) for each in days}
    return {id: tuple(dict.fromkeys(messages)) for id, messages in found.items()}


KIND = kinds.register(
    Kind(
        DAY,
        label="Day",
        plural="days",
        ranged=False,
        sources=_sources,
        # Only a day that is over is searched.
        searched=lambda day: day.text if day.data.get(store.IS_OVER) else None,
        colour="told",
        page="person",
        by_hand=False,
    )
)


class Days(Layer):
    name = "days"
    kinds = (KIND,)
    recipes = ("person", "full")
    tables = (
        Table("day_batches", channel=("audience",)),
        Table("weeks", ("person",), ("audience",), counted=True),
        Table("portraits", ("person",), ("audience",), counted=True),
    )

    def __init__(self, parts: LayerParts) -> None:
        super().__init__(parts)
        self._zone, given = parts.zone, parts.settings.days
        self._length, self._week_length = given.characters, given.week_characters
        self._busy: dict[tuple[str, str], tuple[asyncio.Lock, list[None]]] = {}

    @property
    def steps(self) -> Mapping[str, Step]:
        return {REFRESH: self.refresh, REDRAFT: self.remake}

    async def about(self, space: str, view: View) -> Portrait:
        """Return what is known about a person; make what is missing. If the model fails, return
        drafts and enqueue a job to try again."""
        found, failure = await self._about(space, view)
        if failure is not None:

            async def unit(tx: Transaction) -> None:
                await self._enqueue(tx, view, self._clock(), revive=False)

            await self._database.write(space, unit)
        return found

    async def shown(self, tx: Transaction, view: View) -> Portrait:
        """Return what is known about a person from what is stored."""
        return await portrait.read(tx, self._visibility, view, self._moment())

    async def ask(self, tx: Transaction, view: View, now: datetime) -> bool:
        """Enqueue what `about` would make, if anything is missing. Return whether something is."""
        moment = Moment(now, self._zone)
        if view.person in await people.blocked(tx):
            return False
        days, visibility = _last_days(moment.today), self._visibility
        wanted = [
            await planning.needs(tx, visibility, day, moment, view, redo=True) for day in days
        ]
        new = any(each.new for each in wanted)
        if not any(wanted):
            found = await portrait.read(tx, self._visibility, view, moment)
            if found.merged or len(found.known) < 2:
                return False
        await self._enqueue(tx, view, now, revive=new)
        return True

    async def _enqueue(self, tx: Transaction, view: View, now: datetime, *, revive: bool) -> None:
        key = view.person if view.here is None else f"{view.person}@{view.here}"
        job = NewJob(kind=REFRESH, key=key, payload=asdict(view), pace="model")
        await jobs.enqueue(tx, job, now, revive=revive)

    async def redraft(self, tx: Transaction) -> int:
        """Enqueue the drafts among the last days again. Parked jobs stay parked."""
        first = self._moment().today - timedelta(days=WEEK)
        drafted = await column(tx, queries.drafted_days, first=first.isoformat())
        for day in drafted:
            await jobs.enqueue(tx, _redraft(day), self._clock(), revive=False)
        return len(drafted)

    async def make_private(self, tx: Transaction, channel: str, now: datetime) -> None:
        """Delete the public days with words of a channel, and what was made of them; the last days
        are made again, without it, when someone asks. If messages of the channel have expired,
        delete all days before its first message: it is not known on which of them the channel was
        used."""
        kept = await message_counts.first_kept(tx, channel)
        before = (kept["at"] or micros(now)) if kept and kept["lost"] else _EARLIEST
        gone: list[StoredMemory] = []
        for day in await store.days_with(tx, channel, before):
            gone += await store.of_batch(tx, date.fromisoformat(day), EVERYONE)
            await tx.run(queries.delete_public_batch, day=day)
        for person in sorted({day.person or "" for day in gone}):
            await tx.run(queries.delete_public_week, person=person)
            await store.delete_portraits(tx, person)
        await memories.drop(tx, [day.id for day in gone])
        await history.expire(tx, [day.id for day in gone], now)

    # Steps. What they make is keyed by its sources, so a second run changes nothing.

    async def refresh(self, job: Job) -> Outcome:
        _, failure = await self._about(job.space, View(**job.payload))
        return Outcome(failure=failure)

    async def remake(self, job: Job) -> Outcome:
        work = DayWork(await self._writers.for_space(job.space))
        await self._make_day(job.space, date.fromisoformat(job.payload["day"]), work, None)
        return Outcome(failure=work.failure)

    # Hooks

    async def leave_out(self, tx: Transaction) -> bool:
        return await erase.covers_listed(tx, DAY)

    async def list_erased(self, tx: Transaction, person: str | None) -> None:
        await store.list_erased(tx, person)

    async def erased(self, tx: Transaction, _subject: Subject) -> Remake | None:
        """Delete the listed batches. Their days are made again."""
        days = await column(tx, queries.marked_batches)
        await tx.run(queries.delete_marked_batches)

        async def remake(tx: Transaction, now: datetime) -> None:
            for day in days:
                await jobs.enqueue(tx, _redraft(day), now)

        return remake

    async def expire(self, run: Run, _kind: str, before: datetime, now: datetime) -> int:
        first, today = (Moment(at, self._zone).today for at in (before, now))
        gone = await run.all(lambda tx: store.expire(tx, first, PAGE, now))
        await run.write(lambda tx: store.expire_derived(tx, first, before, today))
        return gone

    async def count_old(self, tx: Transaction, _kind: str, before: datetime) -> int:
        today = Moment(before, self._zone).today.isoformat()
        return await select.count_before_category(tx, DAY, today)

    async def days_expired(self, tx: Transaction, first: date) -> None:
        drafts = await select.of_kinds(tx, [DAY], drafts=True)
        old = [day for day in drafts if day.category < first.isoformat()]
        await memories.save(tx, [replace(day, draft=False) for day in old])
        await tx.run(queries.settle_batches, day=first.isoformat())

    async def emptied(self, tx: Transaction) -> None:
        """Delete everything but days whose messages have expired: they can't be made again. The
        others are made again when someone asks."""
        makeable = await message_counts.spoken_in(tx, await select.times(tx, DAY))
        await memories.drop(tx, sorted(makeable))
        for query in (queries.empty_batches, queries.empty_weeks, queries.empty_portraits):
            await tx.run(query)

    # Making

    async def _about(self, space: str, view: View) -> tuple[Portrait, Error | None]:
        work = DayWork(await self._writers.for_space(space))
        if view.person in await self._database.read(space, people.blocked):
            return Portrait(view.person, view.person), None
        days = [self._make_day(space, day, work, view) for day in _last_days(self._moment().today)]
        for failed in await asyncio.gather(*days, return_exceptions=True):
            if failed is not None:
                raise failed
        async with self._one_at_a_time(space, f"person {view.person}"):
            await self._make_weeks(space, work, view)
            return await self._make_portrait(space, work, view), work.failure

    async def _make_day(self, space: str, day: date, work: DayWork, view: View | None) -> None:
        """Make a day. Try again if messages are edited or erased while it is made."""
        async with self._one_at_a_time(space, f"day {day}"):
            for _ in range(_TRIES):
                if await self._made_day(space, day, work, view):
                    return

    async def _made_day(self, space: str, day: date, work: DayWork, view: View | None) -> bool:
        """Make a day; return False if a message changed meanwhile."""
        moment = self._moment()

        async def reading(tx: Transaction) -> tuple[planning.DayPlan, int]:
            erased = await receipts.number(tx)  # first, to notice erasures while we read
            redo = not work.drafting
            wanted = await planning.needs(tx, self._visibility, day, moment, view, redo=redo)
            return await planning.plan(tx, wanted, moment), erased

        plan, erased = await self._database.read(space, reading)
        if not plan.needs:
            return True
        made = await make_days.make(work, plan, self._length)
        read = {message.id for section in plan.sections for message in section.said}

        async def writing(tx: Transaction) -> bool:
            if not await receipts.unchanged(tx, erased, receipts.these(read)):
                return False
            for batch in plan.needs.drop:
                await store.delete(tx, batch)
            for batch in plan.needs.close:
                await store.close(tx, batch, moment.now)
            for each in await self._still_public(tx, plan, made):
                await store.put(tx, each, keep=each.batch.draft and work.failure is not None)
            return True

        return await self._database.write(space, writing)

    async def _still_public(
        self, tx: Transaction, plan: planning.DayPlan, made: Sequence[MadeDays]
    ) -> list[MadeDays]:
        """Leave out public days if one of their channels has become private meanwhile."""
        _, parts = plan.needs.make.get(EVERYONE, (None, ()))
        audiences = await self._visibility.audiences(tx, [part.channel for part in parts])
        private = any(audiences.of(part.channel, part.since) for part in parts)
        return [each for each in made if each.batch.audience != EVERYONE or not private]

    async def _make_weeks(self, space: str, work: DayWork, view: View) -> None:
        moment = self._moment()

        def gather(tx: Transaction) -> Awaitable[PersonMaterial]:
            return portrait.gather(tx, self._visibility, view, moment)

        found = await self._database.read(space, gather)
        until = moment.today - timedelta(days=1)
        for audience, days in found.before.items():
            was, hash = found.weeks.get(audience), week.hash_of(days)
            current = was is not None and was.hash == hash and (work.drafting or not was.draft)
            if was is not None and current:
                if was.until == until:
                    continue
                made, writer = replace(was, until=until), found.writers[audience]
            else:
                made, writer = await self._week(work, (audience, until), days, found.name)

            async def writing(tx: Transaction, made: Week = made, writer: str = writer) -> None:
                """Write it, unless its days were deleted meanwhile."""
                await receipts.hold(tx)  # an erasure waits, and then finds this week
                there = await gather(tx)
                if week.hash_of(there.before.get(made.audience, [])) == made.hash:
                    await store.put_week(tx, view.person, made, writer, moment.now)

            await self._database.write(space, writing)

    async def _week(
        self, work: DayWork, place: tuple[str, date], days: list[Day], name: str
    ) -> tuple[Week, str]:
        """Make one text of several days. Without a model if one is a draft: it will be replaced."""
        hash = week.hash_of(days)
        if len(days) == 1:
            (day,) = days
            return Week(*place, hash, week.dated(day.day, day.text), day.draft), day.writer
        ask = week.ask(days, name, self._week_length)
        if any(day.draft for day in days):
            answered = await work.writers.drafts.answer(ask)
        else:
            answered = await work.answer(ask)
        return Week(*place, hash, answered.value, answered.draft), answered.writer

    async def _make_portrait(self, space: str, work: DayWork, view: View) -> Portrait:
        moment = self._moment()

        async def reading(tx: Transaction) -> tuple[Portrait, int]:
            erased = await receipts.number(tx)
            return await portrait.read(tx, self._visibility, view, moment), erased

        found, erased = await self._database.read(space, reading)
        if found.merged or len(found.known) < 2 or work.drafting:
            return found
        answered = await work.answer(portrait.ask(found))
        if answered.draft:
            return found

        async def writing(tx: Transaction) -> None:
            if not await receipts.unchanged(tx, erased, receipts.no_message):
                return
            now = await portrait.read(tx, self._visibility, view, moment)
            hash = portrait.hash_of(found)
            if portrait.hash_of(now) == hash:
                made = {"hash": hash, "text": answered.value, "writer": answered.writer, "draft": 0}
                place = {"person": view.person, "view": found.view, "made_at": micros(moment.now)}
                await tx.run(queries.put_portrait, **place, **made)

        await self._database.write(space, writing)
        return replace(found, text=answered.value, merged=True)

    def _moment(self) -> Moment:
        return Moment(self._clock(), self._zone)

    @asynccontextmanager
    async def _one_at_a_time(self, space: str, what: str) -> AsyncIterator[None]:
        """Make the same thing once: others wait for it. A lock exists only while it is held."""
        lock, holders = self._busy.setdefault((space, what), (asyncio.Lock(), []))
        holders.append(None)
        try:
            async with lock:
                yield
        finally:
            holders.pop()
            if not holders:
                del self._busy[space, what]


def _redraft(day: str) -> NewJob:
    return NewJob(kind=REDRAFT, key=day, payload={"day": day}, pace="model")


def _last_days(today: date) -> list[date]:
    """Return today and the days of its history, the newest first."""
    return [today - timedelta(days=back) for back in range(WEEK + 1)]
