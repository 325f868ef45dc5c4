"""Watch the feed. Readers are woken by writes of this process, and by polling."""

from __future__ import annotations

import asyncio
from collections import deque
from datetime import datetime, timedelta
from typing import Any, Self, TypeVar
from weakref import WeakSet

from erstwhile.base.clock import utc_now
from erstwhile.base.logs import Log
from erstwhile.events import reading, store
from erstwhile.events.model import Event
from erstwhile.events.reading import CursorKey, FeedPosition
from erstwhile.storage import EVERYWHERE, Database, Unit

log = Log(__name__)

T = TypeVar("T")

_POLL_SECONDS = 0.25
_KEPT = timedelta(days=7)


class Feed:
    def __init__(self, database: Database) -> None:
        self._database = database
        self._watches: WeakSet[Watch] = WeakSet()  # a watch that is no longer referenced is dropped
        self._polling: asyncio.Task[None] | None = None
        self._reads: set[asyncio.Task[Any]] = set()
        self.closed = False
        database.written = self.wake

    def watch(self, space: str, after: str | None) -> Watch:
        return Watch(self, space, after)

    def wake(self, space: str) -> None:
        """Wake watches of this space, or (EVERYWHERE) all."""
        for watch in list(self._watches):
            if space in (watch.space, EVERYWHERE):
                watch.woken.set()

    async def prune(self, _now: datetime) -> None:
        """Delete old events by the database's clock. Called by the worker."""
        while await self._database.write(EVERYWHERE, lambda tx: store.prune(tx, _KEPT)):
            pass

    async def close(self) -> None:
        """End every watch."""
        self.closed = True
        self.wake(EVERYWHERE)
        if self._polling is not None:
            self._polling.cancel()
            await asyncio.gather(self._polling, return_exceptions=True)
        await asyncio.gather(*self._reads, return_exceptions=True)

    # For watches

    def enter(self, watch: Watch) -> None:
        self._watches.add(watch)
        if self._polling is None or self._polling.done():
            self._polling = asyncio.create_task(self._poll(), name="erstwhile-feed")

    def leave(self, watch: Watch) -> None:
        self._watches.discard(watch)

    async def read(self, space: str, unit: Unit[T]) -> T:
        """Read from the database; `close` waits for it."""

        async def work() -> T:
            return await self._database.read(space, unit)

        task = asyncio.create_task(work())
        self._reads.add(task)
        task.add_done_callback(self._reads.discard)
        return await task

    async def _poll(self) -> None:
        """Poll once for all watches, while there are any."""
        since = 0
        while spaces := sorted({watch.space for watch in list(self._watches)}):
            try:
                found, since = await self._database.read(
                    EVERYWHERE,
                    lambda tx: store.news(tx, spaces, since),  # noqa: B023
                )
            except Exception as error:  # noqa: BLE001 - watches rely on the next poll
                log.warning("feed.poll_failed", error=type(error).__name__)
                found = set()
            for space in found:
                self.wake(space)
            await asyncio.sleep(_POLL_SECONDS)


class Watch:
    """The events of a space in order, until the memory closes. Holds one page; waiting for the next
    can be cancelled and resumed."""

    def __init__(self, feed: Feed, space: str, after: str | None) -> None:
        self._feed, self.space = feed, space
        self.woken = asyncio.Event()
        self._after = after
        self._place: tuple[FeedPosition, CursorKey] | None = None
        self._ready: deque[Event] = deque()

    def __aiter__(self) -> Self:
        return self

    async def start(self) -> tuple[FeedPosition, CursorKey]:
        """Start watching: from here on nothing is missed. `anext` calls it too."""
        if self._place is not None:
            return self._place
        self._feed.enter(self)
        key = await self._feed.read(self.space, reading.key)
        place, there = await self._feed.read(
            self.space, lambda tx: reading.start(tx, self._after, key)
        )
        if not there:
            self._ready.append(Event(reading.OLDEST, utc_now(), "space", "reset", self.space))
        self._place = place, key
        return self._place

    @property
    def ended(self) -> bool:
        return self._feed.closed

    async def __anext__(self) -> Event:
        while not self.ended:
            place, key = await self.start()
            if self._ready:
                return self._ready.popleft()
            self.woken.clear()
            events, place, more = await self._feed.read(
                self.space,
                lambda tx: reading.page(tx, place, key),  # noqa: B023
            )
            self._place = place, key
            self._ready.extend(events)
            if not self._ready and not more:
                await self.woken.wait()
        self._feed.leave(self)
        raise StopAsyncIteration

    async def aclose(self) -> None:
        self._feed.leave(self)
