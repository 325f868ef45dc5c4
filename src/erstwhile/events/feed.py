"""Watching: whoever reads the feed is woken by what this process writes, and by a look every quarter of a second for what others write."""

from __future__ import annotations

import asyncio
from collections import deque
from datetime import datetime, timedelta
from typing import Any, Self, TypeVar
from weakref import WeakSet

from erstwhile.base.clock import utc_now
from erstwhile.base.logs import Log
from erstwhile.events import store
from erstwhile.events.model import Event
from erstwhile.events.store import Place
from erstwhile.storage import EVERYWHERE, Database, Unit

log = Log(__name__)

T = TypeVar("T")

_LOOK_SECONDS = 0.25


class Feed:
    def __init__(self, database: Database, keep: timedelta) -> None:
        self._database = database
        self._keep = keep
        self._watches: WeakSet[Watch] = WeakSet()  # one that is no longer held watches no longer
        self._looking: asyncio.Task[None] | None = None
        self._reads: set[asyncio.Task[Any]] = set()
        self.closed = False
        database.written = self.wake

    def watch(self, space: str, after: str | None) -> Watch:
        return Watch(self, space, after)

    def wake(self, space: str) -> None:
        """Something was written in this space or (EVERYWHERE) in any."""
        for watch in list(self._watches):
            if space in (watch.space, EVERYWHERE):
                watch.woken.set()

    async def prune(self, _now: datetime) -> None:
        """A worker's chore; by the database's clock, which wrote the times too."""
        while await self._database.write(EVERYWHERE, lambda tx: store.prune(tx, self._keep)):
            pass

    async def close(self) -> None:
        """Every watch ends, and none reads any longer."""
        self.closed = True
        self.wake(EVERYWHERE)
        if self._looking is not None:
            self._looking.cancel()
            await asyncio.gather(self._looking, return_exceptions=True)
        await asyncio.gather(*self._reads, return_exceptions=True)

    # For watches

    def enter(self, watch: Watch) -> None:
        self._watches.add(watch)
        if self._looking is None or self._looking.done():
            self._looking = asyncio.create_task(self._look(), name="erstwhile-feed")

    def leave(self, watch: Watch) -> None:
        self._watches.discard(watch)

    async def read(self, space: str, unit: Unit[T]) -> T:
        """What closing waits for."""

        async def work() -> T:
            return await self._database.read(space, unit)

        task = asyncio.create_task(work())
        self._reads.add(task)
        task.add_done_callback(self._reads.discard)
        return await task

    async def _look(self) -> None:
        """One look for all who watch, as long as anyone does."""
        since = 0
        while spaces := sorted({watch.space for watch in list(self._watches)}):
            try:
                found, since = await self._database.read(EVERYWHERE, lambda tx: store.news(tx, spaces, since))  # noqa: B023
            except Exception as error:  # noqa: BLE001 - whatever it was, those who watch rely on the next look
                log.warning("feed.look_failed", error=type(error).__name__)
                found = set()
            for space in found:
                self.wake(space)
            await asyncio.sleep(_LOOK_SECONDS)


class Watch:
    """The events of a space one after the other, without end until the memory closes. Holds a page at most; waiting for the next one may be
    given up and taken up again."""

    def __init__(self, feed: Feed, space: str, after: str | None) -> None:
        self._feed = feed
        self.space = space
        self.woken = asyncio.Event()
        self._after = after
        self._place: Place | None = None
        self._ready: deque[Event] = deque()

    def __aiter__(self) -> Self:
        return self

    async def start(self) -> Place:
        """From here on nothing is missed. The first `anext` does it, if nobody has."""
        if self._place is not None:
            return self._place
        self._feed.enter(self)
        place, there = await self._feed.read(self.space, lambda tx: store.start(tx, self._after))
        if not there:
            self._ready.append(Event(store.OLDEST, utc_now(), "space", "reset", self.space))
        self._place = place
        return place

    @property
    def ended(self) -> bool:
        return self._feed.closed

    async def __anext__(self) -> Event:
        while not self.ended:
            place = await self.start()
            if self._ready:
                return self._ready.popleft()
            self.woken.clear()
            events, self._place, more = await self._feed.read(self.space, lambda tx: store.page(tx, place))  # noqa: B023
            self._ready.extend(events)
            if not self._ready and not more:
                await self.woken.wait()
        self._feed.leave(self)
        raise StopAsyncIteration

    async def aclose(self) -> None:
        self._feed.leave(self)
