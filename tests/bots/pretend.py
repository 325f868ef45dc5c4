"""A chat platform in memory: everything that the port promises, with connections that break."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta

from erstwhile.bots.port import (
    ChatPlace,
    Deletion,
    Edit,
    EventHandler,
    Gap,
    PlaceChange,
    PlaceDeletion,
    Platform,
    PlatformEvent,
    Post,
    UnreadablePlace,
)

START = datetime(2026, 3, 1, 12, tzinfo=UTC)


@dataclass
class Server:
    """What stands on the platform; `said` by channel, in order."""

    places: dict[str, ChatPlace] = field(default_factory=dict)
    said: dict[str, list[Post]] = field(default_factory=dict)
    readers: dict[str, set[str]] = field(default_factory=dict)
    listeners: list[Pretend] = field(default_factory=list)
    number: int = 0

    def open(self, channel: str, *, open: bool = True, parent: str | None = None, direct: bool = False) -> ChatPlace:
        space = "pretend:direct" if direct else "pretend:1"
        place = ChatPlace(space, channel, f"#{channel}", open=open, direct=direct, parent=parent)
        self.places[channel] = place
        self.said.setdefault(channel, [])
        return place

    def now(self) -> datetime:
        return START + timedelta(seconds=self.number)

    def post(self, channel: str, person: str, text: str, *, bot: bool = False, to_us: bool = False) -> Post:
        self.number += 1
        key = f"pretend:{self.number}"
        said = Post(
            self.places[channel], key, person, person.title(), text, self.now(), bot=bot, addressed=to_us, answers=""
        )
        self.said[channel].append(replace(said, addressed=False))
        self._tell(said)
        return said

    def edit(self, channel: str, key: str, text: str) -> None:
        self.said[channel] = [replace(each, text=text) if each.key == key else each for each in self.said[channel]]
        self._tell(Edit(self.places[channel], key, text))

    def delete(self, channel: str, *keys: str) -> None:
        self.said[channel] = [each for each in self.said[channel] if each.key not in keys]
        self._tell(Deletion(self.places[channel], keys))

    def move(self, channel: str, *, open: bool, title: str) -> None:
        self.places[channel] = replace(self.places[channel], open=open, title=title)
        self._tell(PlaceChange(self.places[channel]))

    def close(self, channel: str) -> None:
        place = self.places.pop(channel)
        del self.said[channel]
        self._tell(PlaceDeletion(place))

    def _tell(self, event: PlatformEvent) -> None:
        for each in self.listeners:
            each.tell(event)


class Pretend(Platform):
    """One bot's connection. While it is `away`, what happens is lost; when it comes back, it says so."""

    name = "pretend"
    max_length = 200
    me = "bot"

    def __init__(self, server: Server, page: int = 3) -> None:
        self.server = server
        self.page = page
        self.away = False
        self.handle: EventHandler | None = None
        self.out: list[tuple[str, str, str]] = []
        self.whispers: list[tuple[str, str]] = []
        self.whispering = True
        self.unreadable: set[str] = set()
        self.failing = 0
        self.asked_for: list[str] = []
        self.spoken = asyncio.Event()

    async def run(self, handle: EventHandler) -> None:
        self.handle = handle
        self.server.listeners.append(self)
        handle(Gap())
        try:
            await asyncio.Event().wait()
        finally:
            self.server.listeners.remove(self)
            self.handle = None

    def tell(self, event: PlatformEvent) -> None:
        if self.handle is not None and not self.away:
            self.handle(event)

    def drop(self) -> None:
        self.away = True

    def come_back(self) -> None:
        if self.away:
            self.away = False
            if self.handle is not None:
                self.handle(Gap())

    async def places(self) -> list[ChatPlace]:
        await asyncio.sleep(0)
        return list(self.server.places.values())

    async def history(self, place: ChatPlace, after: str) -> AsyncIterator[list[Post]]:
        self.asked_for.append(place.channel)
        last = self.key_order(after) or 0
        while True:
            await asyncio.sleep(0)
            if place.channel in self.unreadable:
                raise UnreadablePlace(place.channel)
            if self.failing > 0:
                self.failing -= 1
                raise ConnectionError("the line broke")
            standing = self.server.said.get(place.channel, [])
            page = [each for each in standing if (self.key_order(each.key) or 0) > last][: self.page]
            if not page:
                return
            yield page
            last = self.key_order(page[-1].key) or 0

    async def send(self, place: ChatPlace, text: str, reply_to: str) -> None:
        assert len(text) <= self.max_length
        self.out.append((place.channel, text, reply_to))
        self.spoken.set()

    async def send_private(self, place: ChatPlace, person: str, text: str) -> bool:
        if self.whispering:
            self.whispers.append((person, text))
        return self.whispering

    def typing(self, place: ChatPlace) -> AbstractAsyncContextManager[None]:
        @asynccontextmanager
        async def shown() -> AsyncIterator[None]:
            yield

        return shown()

    async def readable(self, space: str, person: str) -> frozenset[str]:
        places = self.server.places.values()
        return frozenset(
            each.channel
            for each in places
            if each.space == space and (each.open or person in self.server.readers.get(each.channel, set()))
        )

    def key_order(self, key: str) -> int | None:
        name, _, number = key.partition(":")
        return int(number) if name == "pretend" and number.isdigit() else None

    def unlisted(self, space: str, channel: str) -> ChatPlace | None:
        return ChatPlace(space, channel, "", open=False) if channel in self.unreadable else None

    def key_at(self, place: ChatPlace, at: datetime) -> str:
        return f"pretend:{max(0, int((at - START).total_seconds()))}"
