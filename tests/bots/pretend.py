"""A chat platform in memory: everything that the port promises, with connections that break."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta

from erstwhile.bots.port import Event, Gone, Hear, Missed, Moved, Place, Platform, Retracted, Revised, Said, Unreadable

START = datetime(2026, 3, 1, 12, tzinfo=UTC)


@dataclass
class Server:
    """What stands on the platform; `said` by channel, in order."""

    places: dict[str, Place] = field(default_factory=dict)
    said: dict[str, list[Said]] = field(default_factory=dict)
    readers: dict[str, set[str]] = field(default_factory=dict)
    listeners: list[Pretend] = field(default_factory=list)
    number: int = 0

    def open(self, channel: str, *, open: bool = True, parent: str | None = None, direct: bool = False) -> Place:
        space = "pretend:direct" if direct else "pretend:1"
        place = Place(space, channel, f"#{channel}", open=open, direct=direct, parent=parent)
        self.places[channel] = place
        self.said.setdefault(channel, [])
        return place

    def now(self) -> datetime:
        return START + timedelta(seconds=self.number)

    def post(self, channel: str, person: str, text: str, *, bot: bool = False, to_us: bool = False) -> Said:
        self.number += 1
        key = f"pretend:{self.number}"
        said = Said(
            self.places[channel], key, person, person.title(), text, self.now(), bot=bot, addressed=to_us, answers=""
        )
        self.said[channel].append(replace(said, addressed=False))
        self._tell(said)
        return said

    def edit(self, channel: str, key: str, text: str) -> None:
        self.said[channel] = [replace(each, text=text) if each.key == key else each for each in self.said[channel]]
        self._tell(Revised(self.places[channel], key, text))

    def delete(self, channel: str, *keys: str) -> None:
        self.said[channel] = [each for each in self.said[channel] if each.key not in keys]
        self._tell(Retracted(self.places[channel], keys))

    def move(self, channel: str, *, open: bool, title: str) -> None:
        self.places[channel] = replace(self.places[channel], open=open, title=title)
        self._tell(Moved(self.places[channel]))

    def close(self, channel: str) -> None:
        place = self.places.pop(channel)
        del self.said[channel]
        self._tell(Gone(place))

    def _tell(self, event: Event) -> None:
        for each in self.listeners:
            each.tell(event)


class Pretend(Platform):
    """One bot's connection. While it is `away`, what happens is lost; when it comes back, it says so."""

    name = "pretend"
    longest = 200
    me = "bot"

    def __init__(self, server: Server, page: int = 3) -> None:
        self.server = server
        self.page = page
        self.away = False
        self.hear: Hear | None = None
        self.out: list[tuple[str, str, str]] = []
        self.whispers: list[tuple[str, str]] = []
        self.whispering = True
        self.unreadable: set[str] = set()
        self.failing = 0
        self.asked_for: list[str] = []
        self.spoken = asyncio.Event()

    async def run(self, hear: Hear) -> None:
        self.hear = hear
        self.server.listeners.append(self)
        hear(Missed())
        try:
            await asyncio.Event().wait()
        finally:
            self.server.listeners.remove(self)
            self.hear = None

    def tell(self, event: Event) -> None:
        if self.hear is not None and not self.away:
            self.hear(event)

    def drop(self) -> None:
        self.away = True

    def come_back(self) -> None:
        if self.away:
            self.away = False
            if self.hear is not None:
                self.hear(Missed())

    async def places(self) -> list[Place]:
        await asyncio.sleep(0)
        return list(self.server.places.values())

    async def history(self, place: Place, after: str) -> AsyncIterator[list[Said]]:
        self.asked_for.append(place.channel)
        last = self.place_in_time(after) or 0
        while True:
            await asyncio.sleep(0)
            if place.channel in self.unreadable:
                raise Unreadable(place.channel)
            if self.failing > 0:
                self.failing -= 1
                raise ConnectionError("the line broke")
            standing = self.server.said.get(place.channel, [])
            page = [each for each in standing if (self.place_in_time(each.key) or 0) > last][: self.page]
            if not page:
                return
            yield page
            last = self.place_in_time(page[-1].key) or 0

    async def say(self, place: Place, text: str, reply_to: str) -> None:
        assert len(text) <= self.longest
        self.out.append((place.channel, text, reply_to))
        self.spoken.set()

    async def whisper(self, place: Place, person: str, text: str) -> bool:
        if self.whispering:
            self.whispers.append((person, text))
        return self.whispering

    def typing(self, place: Place) -> AbstractAsyncContextManager[None]:
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

    def place_in_time(self, key: str) -> int | None:
        name, _, number = key.partition(":")
        return int(number) if name == "pretend" and number.isdigit() else None

    def unlisted(self, space: str, channel: str) -> Place | None:
        return Place(space, channel, "", open=False) if channel in self.unreadable else None

    def key_at(self, place: Place, at: datetime) -> str:
        return f"pretend:{max(0, int((at - START).total_seconds()))}"
