"""What the room does: take away what has been kept long enough, in one space or in all of them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import asdict
from datetime import datetime

from erstwhile.base.clock import Clock
from erstwhile.base.logs import Log
from erstwhile.log import store as log_store
from erstwhile.rooms.retention import counting, memories, messages
from erstwhile.rooms.retention.messages import Old
from erstwhile.rooms.retention.model import PAGE, Expired, Keeping
from erstwhile.storage import Database, Transaction, Unit

log = Log(__name__)

_WITH_HISTORY = ("profile", "topic", "note", "told", "day")

Kept = Callable[[Transaction], Awaitable[Keeping]]
Uses = Callable[[Transaction], Awaitable[bool]]


class Retention:
    def __init__(self, database: Database, clock: Clock, kept: Kept, cuts: Uses) -> None:
        """`kept`: how long the space of a transaction keeps what; `cuts`: whether its messages are cut into chunks."""
        self._database = database
        self._clock = clock
        self._kept = kept
        self._cuts = cuts

    async def expire_everywhere(self, _now: datetime) -> None:
        """A worker's chore."""
        for space in await log_store.spaces(self._database):
            await self.expire(space)

    async def expiring(self, space: str) -> Expired:
        """What `expire` would take away now."""

        async def unit(tx: Transaction) -> Expired:
            keeping = await self._kept(tx)
            return await counting.counted(tx, keeping, self._clock(), cut=await self._cuts(tx))

        return await self._database.read(space, unit)

    async def expire(self, space: str) -> Expired:
        """First what leans on others, then what is leaned on, so that one run finds everything."""
        keeping = await self._database.read(space, self._kept)
        if not keeping.days:
            return Expired()
        now = self._clock()
        gone = Expired(
            profile=await self._profile_facts(space, keeping, now),
            topic=await self._notes(space, "topic", keeping, now),
            note=await self._notes(space, "note", keeping, now),
            told=await self._told(space, keeping, now),
            day=await self._days(space, keeping, now),
            message=await self._messages(space, keeping, now),
        )
        while await self._database.write(space, memories.stubs):  # a topic that goes lets go of its notes
            pass
        for kind in _WITH_HISTORY:
            await self._words(space, kind, keeping.before(kind, now))
        if gone != Expired():
            log.info("retention.expired", space=space, **asdict(gone))
        return gone

    async def _profile_facts(self, space: str, keeping: Keeping, now: datetime) -> int:
        before = keeping.before("profile", now)
        return await self._all(space, lambda tx: memories.profile_facts(tx, before, now)) if before else 0

    async def _notes(self, space: str, kind: str, keeping: Keeping, now: datetime) -> int:
        before = keeping.before(kind, now)
        return await self._all(space, lambda tx: memories.notes(tx, kind, before, now)) if before else 0

    async def _told(self, space: str, keeping: Keeping, now: datetime) -> int:
        before = keeping.before("told", now)
        if before is None:
            return 0
        gone = await self._all(space, lambda tx: memories.told(tx, before, now))
        await self._all(space, lambda tx: memories.tellings(tx, before))
        return gone

    async def _days(self, space: str, keeping: Keeping, now: datetime) -> int:
        before = keeping.before("day", now)
        if before is None:
            return 0
        first, today = before.astimezone(keeping.zone).date(), now.astimezone(keeping.zone).date()
        gone = await self._all(space, lambda tx: memories.days(tx, first, now))
        await self._database.write(space, lambda tx: memories.made_of_days(tx, first, before, today))
        return gone

    async def _messages(self, space: str, keeping: Keeping, now: datetime) -> int:
        before = keeping.before("message", now)
        if before is None:
            return 0
        cut = await self._database.read(space, self._cuts)
        gone = await messages.expire(self._database, space, Old(before, keeping.recent, cut), now)
        if gone:
            first = before.astimezone(keeping.zone).date()
            await self._database.write(space, lambda tx: memories.settle_days(tx, first))
        return gone

    async def _words(self, space: str, kind: str, before: datetime | None) -> None:
        if before is not None:
            await self._all(space, lambda tx: memories.words(tx, kind, before))

    async def _all(self, space: str, page: Unit[int]) -> int:
        """Page by page, until one is not full."""
        gone = 0
        while True:
            count = await self._database.write(space, page)
            gone += count
            if count < PAGE:
                return gone
