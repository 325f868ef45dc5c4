"""Who looks at a page, at which space, and what they may do. Checked before every use."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Collection, Iterable, Sequence
from dataclasses import field
from datetime import timedelta
from typing import Any, ClassVar

from nicegui import Client, background_tasks, ui
from starlette.datastructures import QueryParams
from starlette.requests import HTTPConnection, Request

from erstwhile.api.memory import Memory
from erstwhile.api.resource import in_space
from erstwhile.base.errors import Error, InvalidInput, NotFound, StorageError
from erstwhile.base.logs import Log
from erstwhile.base.page import every
from erstwhile.base.records import dataclass
from erstwhile.dashboard import login, paths
from erstwhile.events.model import Event
from erstwhile.http.authentication import Authenticator
from erstwhile.http.caller import Caller
from erstwhile.http.problems import Problem
from erstwhile.keys.model import Session
from erstwhile.log import check

log = Log(__name__)

EventHandler = Callable[[Sequence[Event]], Awaitable[None]]

_GATHER_SECONDS = 0.1  # what happens at once is passed on at once
_AGAIN_SECONDS = 1.0
_LONGEST_PAUSE = 0.5
_TITLES = 500  # channels that are looked up at once
_MOST = 500  # events passed on at once; a page that is further behind reads everything again anyway


@dataclass(slots=True, eq=False)
class PageWatcher:
    """Events of these kinds (None is all), one channel or person, `pause` seconds apart."""

    told: EventHandler
    kinds: Collection[str] | None = None
    channel: str | None = None
    person: str | None = None
    pause: float = 0.0
    _news: list[Event] = field(default_factory=list)
    _arrived: asyncio.Event = field(default_factory=asyncio.Event)

    def hear(self, event: Event) -> None:
        here = self.channel in (None, event.channel) and self.person in (None, event.person)
        wanted = here and (self.kinds is None or event.kind in self.kinds)
        if (
            wanted or event.kind == "space" or event.action == "erased"
        ):  # whom it was about is not said
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
                await self.told(news)
            except StorageError as error:  # the database is away: try again
                log.warning("dashboard.tell_failed", error=type(error).__name__)
                self._news = [*news, *self._news][-_MOST:]
                self._arrived.set()
                await asyncio.sleep(_AGAIN_SECONDS)
            except Error as error:  # the next change shows it all
                log.warning("dashboard.refresh_failed", error=type(error).__name__)
            else:  # a page that takes long to read leaves the server as much time for other work
                await asyncio.sleep(max(self.pause, min(_LONGEST_PAUSE, time.monotonic() - began)))


class EventHub:
    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        self._watchers: dict[str, set[PageWatcher]] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}

    def enter(self, space: str, watcher: PageWatcher) -> None:
        self._watchers.setdefault(space, set()).add(watcher)
        if space not in self._tasks or self._tasks[space].done():
            watching = self._watch(space)
            self._tasks[space] = asyncio.create_task(watching, name=f"erstwhile-dashboard-{space}")

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
            except Error as error:  # the database is away: go on from the cursor
                log.warning("dashboard.watch_failed", space=space, error=type(error).__name__)
                await asyncio.sleep(_AGAIN_SECONDS)


class Backend:
    """What every page of this process uses."""

    memory: ClassVar[Memory]
    gate: ClassVar[Authenticator]
    hub: ClassVar[EventHub]


@dataclass(frozen=True, slots=True)
class Viewer:
    """`space` is the one shown; `spaces` are those to choose from."""

    caller: Caller
    space: str
    spaces: tuple[str, ...]
    given: QueryParams
    token: str | None
    request: Request
    client: Client
    titles: dict[str, str] = field(default_factory=dict)

    @classmethod
    async def of(cls, request: Request) -> Viewer:
        caller: Caller = request.state.caller
        default = Backend.memory.settings.space
        if caller.space is not None:
            spaces: tuple[str, ...] = (caller.space,)
        else:
            spaces = tuple(await every(Backend.memory.spaces.list)) or (default,)
        wanted = request.query_params.get("space") or (default if default in spaces else spaces[0])
        caller.reads(wanted)
        if wanted not in (*spaces, default):
            raise NotFound(f"There is no space “{wanted}” yet. It is made with its first message.")
        given, token = request.query_params, request.state.token
        return cls(caller, wanted, spaces, given, token, request, ui.context.client)

    @property
    def may_write(self) -> bool:
        return not self.caller.read_only

    @property
    def by(self) -> str:
        """The name beside a change in the history."""
        return self.caller.name

    def url(self, path: str, **values: str | int | None) -> str:
        named = len(self.spaces) > 1 or self.given.get("space")
        return paths.url(path, space=self.space if named else None, **values)

    def asked(self, name: str, default: str = "") -> str:
        return self.given.get(name, default)

    def needs(self, name: str) -> str:
        found = self.given.get(name)
        if not found:
            raise NotFound(f"This page needs `{name}` in its address. Come here from a list.")
        return found

    def number(self, name: str, default: int) -> int:
        written = self.given.get(name)
        if written is None:
            return default
        if not written.isdecimal() or len(written) > 12:
            raise InvalidInput(f"`{name}` in the address must be a number.")
        return int(written)

    @property
    def page_number(self) -> int:
        """Return the number of the page shown, from 1. It is counted along with the cursor."""
        return max(1, self.number("page", 1)) if self.asked("cursor") else 1

    async def read_titles(self, channels: Iterable[str | None]) -> None:
        """Look up what channels are called, for `title_of`."""
        unknown = sorted({each for each in channels if each} - self.titles.keys())
        memory = await self.reading()
        for first in range(0, len(unknown), _TITLES):
            some = unknown[first : first + _TITLES]
            found = await memory.channels.list(channels=some)
            self.titles.update({each.channel: each.title for each in found if each.title})

    def title_of(self, channel: str) -> str:
        """Return the title of a channel, or its id."""
        return self.titles.get(channel, channel)

    async def reading(self) -> Memory:
        """Return the memory of this space, if it may still be read. Call after every wait."""
        (await still(self.request)).reads(self.space)
        return in_space(Backend.memory, self.space)

    async def writing(self) -> Memory:
        """Return the memory of this space, if this session may still change it."""
        (await still(self.request)).writes(self.space)
        return in_space(Backend.memory, self.space)

    def live(self, told: EventHandler, **of: Any) -> Callable[[], None]:
        """Call `told` with the events of a PageWatcher. The result, or the page, ends it."""

        async def still_told(news: Sequence[Event]) -> None:
            if self.client.is_deleted:
                return
            with self.client:
                try:
                    await self.reading()
                except Problem:
                    ui.navigate.to(paths.LOGIN)
                    return
                await told(news)

        watcher = PageWatcher(still_told, **of)
        Backend.hub.enter(self.space, watcher)
        task: asyncio.Task[None] = background_tasks.create(
            watcher.run(), name="dashboard page", context=self.client
        )

        def leave() -> None:
            Backend.hub.leave(self.space, watcher)
            task.cancel()

        self.client.on_delete(leave)
        return leave

    def again(self, draw: Callable[[], Awaitable[None]], **of: Any) -> Callable[[], None]:
        """Draw again after events that concern this page, as with `live`."""

        async def told(_news: Sequence[Event]) -> None:
            await draw()

        return self.live(told, **of)

    async def link_for(self, person: str) -> str:
        """Make a link that shows a person what is known about them. It works once, within a day."""
        await self.writing()
        if self.caller.person is not None:
            raise Problem(403, "This link shows what is known about you, and nothing else.")
        session = Session(self.caller.key, self.space, check.identifier("person", person))
        token = await Backend.memory.keys.sessions.link(session, timedelta(days=1))
        return login.address(self.request, token)


async def still(connection: HTTPConnection) -> Caller:
    """Whoever was shown a page, if they may still see it."""
    token: str | None = connection.state.token
    return await login.session_or_key(token, connection, Backend.memory, Backend.gate)
