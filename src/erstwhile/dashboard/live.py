"""Keep pages up to date: one event feed per space that is looked at, passed on to the open pages."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Collection, Sequence

from erstwhile.api.memory import Memory
from erstwhile.base.errors import Error, StorageError
from erstwhile.base.logs import Log
from erstwhile.events.model import Event

log = Log(__name__)

Told = Callable[[Sequence[Event]], Awaitable[None]]

_GATHER_SECONDS = 0.1  # what happens at once is passed on at once
_AGAIN_SECONDS = 1.0
_LONGEST_PAUSE = 0.5
_MOST = 500  # events passed on at once; a page that is further behind reads everything again anyway


class PageWatcher:
    """The events one page wants: of these kinds (None is all), of one channel or person if named."""

    def __init__(
        self, told: Told, kinds: Collection[str] | None, channel: str | None, person: str | None, pause: float = 0.0
    ) -> None:
        self._told, self._kinds, self._channel, self._person, self._pause = told, kinds, channel, person, pause
        self._news: list[Event] = []
        self._arrived = asyncio.Event()

    def hear(self, event: Event) -> None:
        if self._concerns(event):
            self._news = [*self._news[-_MOST:], event]
            self._arrived.set()

    async def run(self) -> None:
        while True:
            await self._arrived.wait()
            await asyncio.sleep(_GATHER_SECONDS)
            news, self._news = self._news, []
            self._arrived.clear()
            began = time.monotonic()
            try:
                await self._told(news)
            except StorageError as error:  # the database is away for a while: try again, or the page falls behind
                log.warning("dashboard.tell_failed", error=type(error).__name__)
                self._news = [*news, *self._news][-_MOST:]
                self._arrived.set()
                await asyncio.sleep(_AGAIN_SECONDS)
            except Error as error:  # the next change shows it all
                log.warning("dashboard.refresh_failed", error=type(error).__name__)
            else:  # a page that takes long to read leaves the server as much time for other work
                await asyncio.sleep(max(self._pause, min(_LONGEST_PAUSE, time.monotonic() - began)))

    def _concerns(self, event: Event) -> bool:
        if event.kind == "space" or event.action == "erased":  # whom it was about is not said
            return True
        return (
            (self._kinds is None or event.kind in self._kinds)
            and self._channel in (None, event.channel)
            and self._person in (None, event.person)
        )


class EventHub:
    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        self._watchers: dict[str, set[PageWatcher]] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}

    def enter(self, space: str, watcher: PageWatcher) -> None:
        self._watchers.setdefault(space, set()).add(watcher)
        if space not in self._tasks or self._tasks[space].done():
            self._tasks[space] = asyncio.create_task(self._watch(space), name=f"erstwhile-dashboard-{space}")

    def leave(self, space: str, watcher: PageWatcher) -> None:
        watchers = self._watchers.get(space, set())
        watchers.discard(watcher)
        if not watchers:
            self._watchers.pop(space, None)
            if task := self._tasks.pop(space, None):
                task.cancel()

    async def close(self) -> None:
        for task in self._tasks.values():
            task.cancel()
        await asyncio.gather(*self._tasks.values(), return_exceptions=True)

    async def _watch(self, space: str) -> None:
        cursor: str | None = None
        while True:
            try:
                async for event in self._memory.events.watch(space=space, after=cursor):
                    cursor = event.cursor
                    for watcher in list(self._watchers.get(space, ())):
                        watcher.hear(event)
                return
            except Error as error:  # the database is away for a while: what was missed is read from the cursor on
                log.warning("dashboard.watch_failed", space=space, error=type(error).__name__)
                await asyncio.sleep(_AGAIN_SECONDS)
