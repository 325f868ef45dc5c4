"""The layer: days for all people of a space at once, the week before, and what told, today and history come to."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass, replace
from datetime import date, datetime, timedelta

from erstwhile.base.clock import micros
from erstwhile.base.errors import Error
from erstwhile.configuration.visibility import EVERYONE
from erstwhile.erasures import store as erasures
from erstwhile.jobs import store as jobs
from erstwhile.jobs.model import Job, NewJob, Outcome, Step
from erstwhile.layers.contract import Layer, Parts, Remake
from erstwhile.layers.days import making, planning, portray, showing, store, week
from erstwhile.layers.days.kind import KIND
from erstwhile.layers.days.making import DayWork
from erstwhile.layers.days.model import WEEK, Day, Moment, Portrait, View, Week
from erstwhile.layers.days.store import MadeDays
from erstwhile.layers.erasure.model import Subject
from erstwhile.layers.retention.model import PAGE, Keeping
from erstwhile.layers.retention.run import Run
from erstwhile.log import people
from erstwhile.storage import Transaction

REFRESH = "days.refresh"
REDRAFT = "days.redraft"
_TRIES = 3  # of a day whose messages change while it is made


@dataclass(frozen=True, slots=True)
class Lengths:
    """Characters, about: of one person's day, and of the days before it."""

    day: int = 300
    week: int = 500


class Days(Layer):
    name = "days"
    kinds = (KIND,)
    recipes = ("person", "full")
    counted = ("weeks", "portraits")

    def __init__(self, parts: Parts) -> None:
        super().__init__(parts)
        self._zone, given = parts.zone, parts.settings.days
        self._lengths = Lengths(given.characters, given.week_characters)
        self._busy: dict[tuple[str, str], tuple[asyncio.Lock, list[None]]] = {}

    @property
    def steps(self) -> Mapping[str, Step]:
        return {REFRESH: self.refresh, REDRAFT: self.remake}

    # Asking

    async def about(self, space: str, view: View) -> Portrait:
        """What is known of a person, with whatever is missing made now. A model that fails leaves drafts, and a job to try again."""
        portrait, failure = await self._about(space, view)
        if failure is not None:
            await self._database.write(space, lambda tx: self._enqueue(tx, view, self._clock(), revive=False))
        return portrait

    async def shown(self, tx: Transaction, view: View) -> Portrait:
        """The same from what is stored alone."""
        return await showing.portrait(tx, self._visibility, view, self._moment())

    async def ask(self, tx: Transaction, view: View, now: datetime) -> bool:
        """Asks for what `about` would make, if anything is missing; says whether."""
        moment = Moment(now, self._zone)
        if view.person in await people.blocked(tx):
            return False
        wanted = [
            await planning.needs(tx, self._visibility, day, moment, view, redo=True) for day in _last_days(moment.today)
        ]
        new = any(each.new for each in wanted)
        if not any(wanted):
            found = await showing.portrait(tx, self._visibility, view, moment)
            if found.merged or len(found.known) < 2:
                return False
        await self._enqueue(tx, view, now, revive=new)
        return True

    async def _enqueue(self, tx: Transaction, view: View, now: datetime, *, revive: bool) -> None:
        key = view.person if view.here is None else f"{view.person}@{view.here}"
        await jobs.enqueue(tx, NewJob(kind=REFRESH, key=key, payload=asdict(view), pace="model"), now, revive=revive)

    async def redraft(self, tx: Transaction) -> int:
        """Asks for the drafts among the last days again, for when a model has become available. What was parked stays parked."""
        now = self._clock()
        drafted = await store.drafted_days(tx, self._moment().today - timedelta(days=WEEK))
        for day in drafted:
            key = day.isoformat()
            await jobs.enqueue(tx, NewJob(kind=REDRAFT, key=key, payload={"day": key}, pace="model"), now, revive=False)
        return len(drafted)

    async def withdraw(self, tx: Transaction, channel: str, now: datetime) -> None:
        """The channel has become private: what everyone could hear of the days it spoke on goes. The last days are made again when someone
        asks, without it."""
        await store.withdraw(tx, channel, now)

    # Steps. What they make is keyed by what it is made from, so doing it twice does nothing.

    async def refresh(self, job: Job) -> Outcome:
        _, failure = await self._about(job.space, View(**job.payload))
        return Outcome(_nothing, failure)

    async def remake(self, job: Job) -> Outcome:
        work = DayWork(await self._writers.for_space(job.space))
        await self._make_day(job.space, date.fromisoformat(job.payload["day"]), work, None)
        return Outcome(_nothing, work.failure)

    # What is done to messages

    async def list_erased(self, tx: Transaction, person: str | None) -> None:
        await store.list_erased(tx, person)

    async def erased(self, tx: Transaction, subject: Subject) -> Remake | None:
        """What was made of these days is gone: it is made again of what people still say in them."""
        del subject
        days = await store.take_erased(tx)

        async def remake(tx: Transaction, now: datetime) -> None:
            for day in days:
                await jobs.enqueue(tx, NewJob(kind=REDRAFT, key=day, payload={"day": day}, pace="model"), now)

        return remake

    async def expire(self, run: Run, keeping: Keeping, now: datetime) -> dict[str, int]:
        before = keeping.before(KIND.name, now)
        if before is None:
            return {}
        first, today = keeping.day(before), keeping.day(now)
        gone = await run.all(lambda tx: store.expire(tx, first, PAGE, now))
        await run.write(lambda tx: store.expire_made_of(tx, first, before, today))
        return {KIND.name: gone}

    async def count_old(self, tx: Transaction, keeping: Keeping, now: datetime) -> dict[str, int]:
        before = keeping.before(KIND.name, now)
        return {} if before is None else {KIND.name: await store.count_old(tx, keeping.day(before))}

    async def settle(self, tx: Transaction, first: date) -> None:
        await store.settle(tx, first)

    async def emptied(self, tx: Transaction) -> None:
        """Made again when someone asks."""
        await store.empty(tx)

    # Making

    async def _about(self, space: str, view: View) -> tuple[Portrait, Error | None]:
        work = DayWork(await self._writers.for_space(space))
        if not await self._database.read(space, lambda tx: _asked_about(tx, view.person)):
            return Portrait(view.person, view.person), None
        days = [self._make_day(space, day, work, view) for day in _last_days(self._moment().today)]
        for failed in await asyncio.gather(*days, return_exceptions=True):
            if failed is not None:
                raise failed
        async with self._one_at_a_time(space, f"person {view.person}"):
            await self._make_weeks(space, work, view)
            return await self._make_portrait(space, work, view), work.failure

    async def _make_day(self, space: str, day: date, work: DayWork, view: View | None) -> None:
        """What someone took back or reworded while it was made is made again at once; the next to ask sees to it where that goes on."""
        async with self._one_at_a_time(space, f"day {day}"):
            for _ in range(_TRIES):
                if await self._made_day(space, day, work, view):
                    return

    async def _made_day(self, space: str, day: date, work: DayWork, view: View | None) -> bool:
        """False if a message that was read is no longer what it was."""
        moment = self._moment()

        async def reading(tx: Transaction) -> tuple[planning.DayPlan, int]:
            erased = await erasures.number(tx)  # first, so that what is erased while we read is noticed
            wanted = await planning.needs(tx, self._visibility, day, moment, view, redo=not work.drafting)
            return await planning.plan(tx, wanted, moment), erased

        plan, erased = await self._database.read(space, reading)
        if not plan.needs:
            return True
        made = await making.make(work, plan, self._lengths.day)
        read = {message.id for section in plan.sections for message in section.said}

        async def writing(tx: Transaction) -> bool:
            if not await erasures.unchanged(tx, erased, erasures.these(read)):
                return False
            for batch in plan.needs.drop:
                await store.drop(tx, batch)
            for batch in plan.needs.close:
                await store.close(tx, batch, moment.now)
            for each in await self._still_for_them(tx, plan, made):
                await store.put(tx, each, keep=each.batch.draft and work.failure is not None)
            return True

        return await self._database.write(space, writing)

    async def _still_for_them(
        self, tx: Transaction, plan: planning.DayPlan, made: Sequence[MadeDays]
    ) -> list[MadeDays]:
        """Not what was made for everyone of a channel that has become private meanwhile."""
        audiences = await self._visibility.audiences(tx, plan.needs.make.get(EVERYONE, (None, ()))[1])
        return [each for each in made if each.batch.audience != EVERYONE or not any(audiences.values())]

    async def _make_weeks(self, space: str, work: DayWork, view: View) -> None:
        moment = self._moment()
        found = await self._database.read(space, lambda tx: showing.gather(tx, self._visibility, view, moment))
        until = moment.today - timedelta(days=1)
        for audience, days in found.before.items():
            was, hash = found.weeks.get(audience), week.hash_of(days)
            standing = was is not None and was.hash == hash and not (was.draft and not work.drafting)
            if was is not None and standing and was.until == until:
                continue
            if was is not None and standing:
                made, writer = replace(was, until=until), found.writers[audience]
            else:
                made, writer = await self._week(work, (audience, until), days, found.name)

            async def writing(tx: Transaction, made: Week = made, writer: str = writer) -> None:
                """Unless its days have gone meanwhile."""
                await erasures.hold(tx)  # whoever erases waits, and then sees it
                there = await showing.gather(tx, self._visibility, view, moment)
                if week.hash_of(there.before.get(made.audience, [])) == made.hash:
                    await store.put_week(tx, view.person, made, writer, moment.now)

            await self._database.write(space, writing)

    async def _week(self, work: DayWork, place: tuple[str, date], days: list[Day], name: str) -> tuple[Week, str]:
        """Drafts are put together by whoever drafted them: a model's time is not spent on what will be replaced."""
        hash = week.hash_of(days)
        if len(days) == 1:
            return Week(*place, hash, week.alone(days[0]), days[0].draft), days[0].writer
        ask = week.ask(days, name, self._lengths.week)
        if any(day.draft for day in days):
            answered = await work.writers.drafts.answer(ask)
        else:
            answered = await work.answer(ask)
        return Week(*place, hash, answered.value, answered.draft), answered.writer

    async def _make_portrait(self, space: str, work: DayWork, view: View) -> Portrait:
        moment = self._moment()

        async def reading(tx: Transaction) -> tuple[Portrait, int]:
            erased = await erasures.number(tx)
            return await showing.portrait(tx, self._visibility, view, moment), erased

        found, erased = await self._database.read(space, reading)
        if found.merged or len(found.known) < 2 or work.drafting:
            return found
        answered = await work.answer(portray.ask(found))
        if answered.draft:
            return found

        async def writing(tx: Transaction) -> None:
            if not await erasures.unchanged(tx, erased, erasures.no_message):
                return
            if portray.hash_of(await showing.portrait(tx, self._visibility, view, moment)) != portray.hash_of(found):
                return
            await tx.run(
                store.queries.put_portrait,
                person=view.person,
                view=found.view,
                hash=portray.hash_of(found),
                text=answered.value,
                writer=answered.writer,
                draft=0,
                made_at=micros(moment.now),
            )

        await self._database.write(space, writing)
        return replace(found, text=answered.value, merged=True)

    def _moment(self) -> Moment:
        return Moment(self._clock(), self._zone)

    @asynccontextmanager
    async def _one_at_a_time(self, space: str, what: str) -> AsyncIterator[None]:
        """Whoever asks for the same at the same time waits for it to be made once. A lock is there only as long as someone holds it."""
        lock, holders = self._busy.setdefault((space, what), (asyncio.Lock(), []))
        holders.append(None)
        try:
            async with lock:
                yield
        finally:
            holders.pop()
            if not holders:
                del self._busy[space, what]


async def _nothing(tx: Transaction) -> None:
    del tx


async def _asked_about(tx: Transaction, person: str) -> bool:
    """Blocked people are not spoken of."""
    return person not in await people.blocked(tx)


def _last_days(today: date) -> list[date]:
    """Today and the days of its history, the newest first."""
    return [today - timedelta(days=back) for back in range(WEEK + 1)]
