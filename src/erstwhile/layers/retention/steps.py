"""Expire memories, by hand or with an hourly job of each space that has a retention."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from functools import partial
from typing import Final, TypeVar

from erstwhile.base import crash
from erstwhile.base.clock import Clock
from erstwhile.base.errors import InvalidInput
from erstwhile.base.logs import Log
from erstwhile.base.records import dataclass
from erstwhile.jobs import store as jobs
from erstwhile.jobs.model import DONE, Job, NewJob, Outcome, Step
from erstwhile.layers.contract import Layer
from erstwhile.layers.retention.model import ExpiryReport, RetentionPolicy
from erstwhile.log import store as log_store
from erstwhile.log.model import ChannelMessages
from erstwhile.memories.expire import PAGE, forget_replaced, tidy
from erstwhile.storage import Database, Transaction, Unit

log = Log(__name__)

EXPIRE: Final = "retention.expire"
EVERY: Final = timedelta(hours=1)
_ONE: Final = ""  # the key of the only job of a space

Kept = Callable[[Transaction], Awaitable[RetentionPolicy]]
Uses = Callable[[Transaction], Awaitable[bool]]


T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Run:
    """One run through a space. Each page is a transaction, so that it can be interrupted. With a
    `job`, a worker that has lost it stops at the next page."""

    database: Database
    space: str
    job: Job | None = None

    async def read(self, unit: Unit[T]) -> T:
        return await self.database.read(self.space, unit)

    async def write(self, unit: Unit[T]) -> T:
        async def ours(tx: Transaction) -> T:
            if self.job is not None:
                await jobs.check_held(tx, self.job)
            return await unit(tx)

        done = await self.database.write(self.space, ours)
        crash.point("retention.after_page")
        return done

    async def all(self, page: Unit[int]) -> int:
        """Run until a page is not full. Return how many expired."""
        gone = 0
        while True:
            count = await self.write(page)
            gone += count
            if count < PAGE:
                return gone


class Retention:
    def __init__(
        self, database: Database, layers: Iterable[Layer], clock: Clock, space: tuple[Kept, Uses]
    ) -> None:
        """`kept`: how long a space keeps each kind; `cuts`: whether it makes chunks."""
        self._database, self._clock, self._layers = database, clock, layers
        self._kept, self._cuts = space

    # The timer

    @property
    def steps(self) -> Mapping[str, Step]:
        return {EXPIRE: self.step}

    async def wind(self, tx: Transaction, now: datetime, *, revive: bool = True) -> None:
        """Start or stop the space's timer, as its settings say. A running timer keeps its time."""
        if (await self._kept(tx)).days:
            job = NewJob(EXPIRE, _ONE, {}, due=now + EVERY, limit=now + EVERY)
            await jobs.enqueue(tx, job, now, revive=revive)
        else:
            await jobs.mark_done(tx, EXPIRE, _ONE, now)

    async def appended(
        self, tx: Transaction, added: Sequence[ChannelMessages], now: datetime
    ) -> None:
        """Start the timer with the first message of a channel: the space may be new."""
        if any(each.messages[0].seq == 1 for each in added):
            await self.wind(tx, now, revive=False)

    async def start(self, now: datetime) -> None:
        """Start or stop the timer of each space by its settings. Parked jobs stay parked."""
        for space in await log_store.spaces(self._database):
            try:
                if await self._database.read(space, self._is_off):
                    await self._database.write(space, lambda tx: self.wind(tx, now, revive=False))
            except InvalidInput as error:  # the settings of one space are damaged; the others go on
                log.warning("retention.not_started", space=space, reason=str(error))

    async def _is_off(self, tx: Transaction) -> bool:
        found = (await jobs.states(tx, EXPIRE, [_ONE])).get(_ONE)
        on = found is not None and found["state"] != DONE
        return bool((await self._kept(tx)).days) != on

    async def step(self, job: Job) -> Outcome:
        await self._expire(Run(self._database, job.space, job))
        return Outcome(lambda tx: self.wind(tx, self._clock()))

    # Expiring

    async def expiring(self, space: str) -> ExpiryReport:
        """Count what `expire` would expire now."""
        return await self._database.read(space, self._count)

    async def _count(self, tx: Transaction) -> ExpiryReport:
        from erstwhile.layers.retention import messages

        keeping, now = await self._kept(tx), self._clock()
        found: dict[str, int] = {}
        for layer, kind, until in self._old(keeping, now):
            found[kind] = await layer.count_old(tx, kind, until)
        if (before := keeping.before("message", now)) is not None:
            old = messages.OldMessages(before, keeping.recent, await self._cuts(tx))
            found["message"] = await messages.count(tx, self._layers, old)
        return ExpiryReport.of(found)

    async def expire(self, space: str) -> ExpiryReport:
        """Expire now, whatever the timer says. The next run is in an hour."""
        gone = await self._expire(Run(self._database, space))

        async def unit(tx: Transaction) -> None:
            now = self._clock()
            await jobs.mark_done(tx, EXPIRE, _ONE, now)
            await self.wind(tx, now)

        await self._database.write(space, unit)
        return gone

    async def _expire(self, run: Run) -> ExpiryReport:
        """Expire memories before what they rest on, so that one run finds everything."""
        keeping = await run.read(self._kept)
        if not keeping.days:
            return ExpiryReport()
        now = self._clock()
        found: dict[str, int] = {}
        for layer, name, until in self._old(keeping, now):
            found[name] = await layer.expire(run, name, until, now)
        found["message"] = await self._messages(run, keeping, now)
        old = {kind: keeping.before(kind, now) for kind in keeping.days if kind != "message"}
        for kind, before in old.items():
            if before is not None:
                await run.all(partial(forget_replaced, kind=kind, before=before))
        for layer in self._layers:
            while await run.write(partial(tidy, owner=layer)):  # a topic that goes releases notes
                pass
        gone = ExpiryReport.of(found)
        if gone != ExpiryReport():
            log.info("retention.expired", space=run.space, **gone.by_kind)
        return gone

    def _old(
        self, keeping: RetentionPolicy, now: datetime
    ) -> Iterator[tuple[Layer, str, datetime]]:
        """Yield kinds kept for a limited time, each with the time before which it expires."""
        for layer in self._layers:
            for kind in layer.kinds:
                before = keeping.before(kind.name, now) if kind.expires else None
                if before is not None:
                    yield layer, kind.name, before

    async def _messages(self, run: Run, keeping: RetentionPolicy, now: datetime) -> int:
        from erstwhile.layers.retention import messages

        before = keeping.before("message", now)
        if before is None:
            return 0
        cut = await run.read(self._cuts)
        gone = await messages.expire(
            run, self._layers, messages.OldMessages(before, keeping.recent, cut)
        )

        async def settle(tx: Transaction) -> None:
            for layer in self._layers:
                await layer.days_expired(tx, keeping.day(before))

        if gone:
            await run.write(settle)
        return gone
