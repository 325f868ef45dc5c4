"""After a gap: what was said meanwhile is stored, and what was edited or deleted is found by comparing what stands there with what is
stored. Soon after, over the last weeks; once a day, over everything.

`heard` is what it turns on: all before it was dealt with, stored or left out for a reason, and is only compared. So nothing comes back that
has expired, or that was said while its sender was blocked.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from erstwhile.api.channel import Channel
from erstwhile.api.memory import Memory
from erstwhile.base.clock import Clock
from erstwhile.bots.capture import Capture
from erstwhile.bots.listened import Ear, Register
from erstwhile.bots.port import Place, Platform, Said

LOOK_BACK = timedelta(days=14)
AT_LEAST = 1_000  # messages
_BREATH = 2.0  # seconds between the pages of an audit

_SILENT = Ear(on=False, known=True, since="", heard="")  # compares, and takes nothing in

Done = Callable[[str], Awaitable[None]]


@dataclass(slots=True)
class _Stored:
    """Keys in their order, each with what its words come to. `start`: compared is what comes after the message with this key."""

    keys: list[tuple[int, str]]
    words: dict[str, int]
    start: str = ""
    passed: int = 0

    def gone(self, seen: set[str], up_to: int | None) -> list[str]:
        """Up to here, what is stored and was not seen."""
        found = []
        while self.passed < len(self.keys) and (up_to is None or self.keys[self.passed][0] <= up_to):
            key = self.keys[self.passed][1]
            found += [] if key in seen else [key]
            self.passed += 1
        return found


class CatchingUp:
    def __init__(self, memory: Memory, platform: Platform, register: Register, clock: Clock) -> None:
        self._memory = memory
        self._platform = platform
        self._register = register
        self._clock = clock
        self._capture = Capture(register, platform.name)

    async def catch_up(self, place: Place) -> None:
        """Raises what the platform or the database raises; what was stored until then stays, and the rest is looked up next time."""
        if not (await self._register.ear(place)).known:
            return
        await self._register.load(place.space)
        ear = self._register.now(place)
        if ear.on:
            await self._register.declare(place)
        chat = self._register.chat(place)
        stored = await self._stored(place, ear, await self._tail(chat))

        async def done(key: str) -> None:
            if ear.on and self._later(key, ear.heard):
                await self._memory.channels.mark_read(chat, key)

        await self._compare(place, ear, stored, done)

    async def audit(self, place: Place) -> None:
        """Compares everything, slowly; goes on where it was broken off."""
        await self._register.load(place.space)
        ear, chat = self._register.now(place), self._register.chat(place)
        stored = await self._stored(place, _SILENT)
        if ear.audited:
            stored.start = ear.audited
            begin = self._place(ear.audited) or 0
            stored.keys = [each for each in stored.keys if each[0] > begin]

        async def done(key: str) -> None:
            await self._memory.channels.mark_checked(chat, key)
            await asyncio.sleep(_BREATH)

        await self._compare(place, _SILENT, stored, done)
        await self._memory.channels.mark_checked(chat, "")

    async def _compare(self, place: Place, ear: Ear, stored: _Stored, done: Done) -> None:
        chat = self._register.chat(place)
        if not stored.keys and not ear.on:
            return
        async for page in self._platform.history(place, stored.start):
            new: list[Said] = []
            seen: set[str] = set()
            for said in page:
                known = stored.words.get(said.key)
                if known is None:
                    new += [said] if ear.wants(said) and self._later(said.key, ear.heard) else []
                elif not said.bot and said.text.strip():
                    seen.add(said.key)
                    if known != hash(said.text):
                        await self._capture.edit(chat, said.key, said.text)
            await self._add(place, new)
            if page:
                await self._retract(chat, stored.gone(seen, self._place(page[-1].key)))
                await done(page[-1].key)
        await self._retract(chat, stored.gone(set(), None))

    async def _add(self, place: Place, new: list[Said]) -> None:
        """What was stored meanwhile, as by an import, may have other words."""
        there = {message.key: message for message in await self._capture.store(place, new)} if new else {}
        for said in new:
            message = there.get(said.key)
            if message is not None and message.seq and message.text != said.text:
                await self._capture.edit(self._register.chat(place), said.key, said.text)

    async def _retract(self, chat: Channel, keys: list[str]) -> None:
        if keys:
            await chat.delete(keys)

    async def _tail(self, chat: Channel) -> int:
        """After which message the last weeks begin, and no fewer than so many messages."""
        after, since, found = await chat.size(), self._clock() - LOOK_BACK, 0
        while after > 0:
            first = max(0, after - AT_LEAST)
            page = [each async for each in chat.messages(first, after - first) if each.seq <= after]
            found, after = found + len(page), first
            if found >= AT_LEAST and page and page[0].at < since:
                break
        return after

    async def _stored(self, place: Place, ear: Ear, after: int = 0) -> _Stored:
        """What is stored after this message; of its words, only what is needed to tell whether they are others."""
        keys: list[tuple[int, str]] = []
        words: dict[str, int] = {}
        first: datetime | None = None
        async for message in self._register.chat(place).messages(after):
            at = self._place(message.key)
            if at is not None and message.key:
                keys.append((at, message.key))
                words[message.key] = hash(message.text)
                first = message.at if first is None else min(first, message.at)
        return _Stored(sorted(keys), words, self._start(place, ear, first))

    def _start(self, place: Place, ear: Ear, first: datetime | None) -> str:
        """Just before the first of what is stored, and no later than what was heard."""
        begins = None
        if ear.on and not ear.heard:
            if not ear.since:
                return ""
            begins = datetime.fromisoformat(ear.since)
        times = [each for each in (first, begins) if each is not None]
        if not times:
            return ear.heard
        key = self._platform.key_at(place, min(times) - timedelta(seconds=1))
        return ear.heard if key and ear.on and ear.heard and self._later(key, ear.heard) else key

    def _place(self, key: str | None) -> int | None:
        return None if not key else self._platform.place_in_time(key)

    def _later(self, key: str, other: str) -> bool:
        return not other or (self._place(key) or 0) > (self._place(other) or 0)
