"""Compare a place's history with what is stored: store missed posts, follow edits and deletions.

After a gap the last weeks are compared, once a day everything. Messages up to `heard` were handled
before, stored or left out for a reason, and are only compared. So expired messages, and those of
people who were blocked then, are not stored again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from erstwhile.api.channel import Channel
from erstwhile.api.memory import Memory
from erstwhile.base.clock import Clock
from erstwhile.bots.capture import Capture, ListeningState, PlaceRegister
from erstwhile.bots.port import ChatPlace, Platform, Post

LOOK_BACK = timedelta(days=14)
MIN_MESSAGES = 1_000
_AUDIT_PAUSE = 2.0  # seconds between the pages of an audit

_COMPARE_ONLY = ListeningState(on=False, tracked=True, since="", heard="")  # store nothing new

Done = Callable[[str], Awaitable[None]]


@dataclass(slots=True)
class _StoredKeys:
    """Stored keys in order, each with a hash of its text. Messages after `start` are compared."""

    keys: list[tuple[int, str]]
    words: dict[str, int]
    start: str = ""
    passed: int = 0

    def gone(self, seen: set[str], up_to: int | None) -> list[str]:
        """Return stored keys up to this position that are not in `seen`."""
        found = []
        while self.passed < len(self.keys) and (
            up_to is None or self.keys[self.passed][0] <= up_to
        ):
            key = self.keys[self.passed][1]
            found += [] if key in seen else [key]
            self.passed += 1
        return found


class HistorySync:
    def __init__(
        self, memory: Memory, platform: Platform, register: PlaceRegister, clock: Clock
    ) -> None:
        self._memory, self._platform, self._register = memory, platform, register
        self._clock = clock
        self._capture = Capture(register, platform.name)

    async def catch_up(self, place: ChatPlace) -> None:
        """Store what was missed. If it raises, the next call continues."""
        if not (await self._register.load_state(place)).tracked:
            return
        await self._register.load(place.space)
        state = self._register.state_of(place)
        if state.on:
            await self._register.declare(place)
        if not self._platform.has_history:
            return
        chat = self._register.chat(place)
        stored = await self._stored(place, state, await self._recent_start(chat))

        async def done(key: str) -> None:
            if state.on and self._is_after(key, state.heard):
                await self._memory.channels.mark_read(chat, key)

        await self._compare(place, state, stored, done)

    async def audit(self, place: ChatPlace) -> None:
        """Compare everything, slowly. Continues where it was interrupted."""
        await self._register.load(place.space)
        state, chat = self._register.state_of(place), self._register.chat(place)
        stored = await self._stored(place, _COMPARE_ONLY)
        if state.audited:
            stored.start = state.audited
            begin = self._order(state.audited) or 0
            stored.keys = [each for each in stored.keys if each[0] > begin]

        async def done(key: str) -> None:
            await self._memory.channels.mark_checked(chat, key)
            await asyncio.sleep(_AUDIT_PAUSE)

        await self._compare(place, _COMPARE_ONLY, stored, done)
        await self._memory.channels.mark_checked(chat, "")

    async def _compare(
        self, place: ChatPlace, state: ListeningState, stored: _StoredKeys, done: Done
    ) -> None:
        chat = self._register.chat(place)
        if not stored.keys and not state.on:
            return
        async for page in self._platform.history(place, stored.start):
            new: list[Post] = []
            seen: set[str] = set()
            for post in page:
                known = stored.words.get(post.key)
                if known is None:
                    if state.accepts(post) and self._is_after(post.key, state.heard):
                        new.append(post)
                elif not post.bot and post.text.strip():
                    seen.add(post.key)
                    if known != hash(post.text):
                        await self._capture.edit(chat, post.key, post.text)
            await self._add(place, new)
            if page:
                await self._delete(chat, stored.gone(seen, self._order(page[-1].key)))
                await done(page[-1].key)
        await self._delete(chat, stored.gone(set(), None))

    async def _add(self, place: ChatPlace, new: list[Post]) -> None:
        """Store new posts. One that was stored meanwhile gets the current text."""
        stored = await self._capture.store(place, new) if new else []
        there = {message.key: message for message in stored}
        for post in new:
            message = there.get(post.key)
            if message is not None and message.seq and message.text != post.text:
                await self._capture.edit(self._register.chat(place), post.key, post.text)

    async def _delete(self, chat: Channel, keys: list[str]) -> None:
        if keys:
            await chat.delete(keys)

    async def _recent_start(self, chat: Channel) -> int:
        """Return the message after which the last weeks, and at least `MIN_MESSAGES`, begin."""
        after, since, found = await chat.size(), self._clock() - LOOK_BACK, 0
        while after > 0:
            first = max(0, after - MIN_MESSAGES)
            page = [each async for each in chat.messages(first, after - first) if each.seq <= after]
            found, after = found + len(page), first
            if found >= MIN_MESSAGES and page and page[0].at < since:
                break
        return after

    async def _stored(self, place: ChatPlace, state: ListeningState, after: int = 0) -> _StoredKeys:
        """Load the keys of stored messages after this one, with a hash of each text."""
        keys: list[tuple[int, str]] = []
        words: dict[str, int] = {}
        first: datetime | None = None
        async for message in self._register.chat(place).messages(after):
            at = self._order(message.key)
            if at is not None and message.key:
                keys.append((at, message.key))
                words[message.key] = hash(message.text)
                first = message.at if first is None else min(first, message.at)
        return _StoredKeys(sorted(keys), words, self._start(place, state, first))

    def _start(self, place: ChatPlace, state: ListeningState, first: datetime | None) -> str:
        """Return the key from which to compare: before the first stored message."""
        begins = None
        if state.on and not state.heard:
            if not state.since:
                return ""
            begins = datetime.fromisoformat(state.since)
        times = [each for each in (first, begins) if each is not None]
        if not times:
            return state.heard
        key = self._platform.key_at(place, min(times) - timedelta(seconds=1))
        later = bool(key and state.on and state.heard) and self._is_after(key, state.heard)
        return state.heard if later else key

    def _order(self, key: str | None) -> int | None:
        return None if not key else self._platform.key_order(key)

    def _is_after(self, key: str, other: str) -> bool:
        return not other or (self._order(key) or 0) > (self._order(other) or 0)
