"""Store posts, edits and deletions as they happen, or later by comparing the history with what is stored.

After a gap the last weeks are compared, once a day everything. Messages up to `last_key` were handled
before, stored or left out for a reason, and are only compared. So expired messages, and those of
people who were blocked then, are not stored again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from datetime import datetime, timedelta

from erstwhile.api.channel import Channel
from erstwhile.api.memory import Memory
from erstwhile.api.resource import in_space
from erstwhile.base.clock import Clock
from erstwhile.base.errors import InvalidInput
from erstwhile.base.logs import Log
from erstwhile.base.page import every
from erstwhile.base.records import dataclass
from erstwhile.bots.port import ChatPlace, Deletion, Edit, Platform, Post
from erstwhile.log.listening import ListenedChannel
from erstwhile.log.model import Message, NewMessage


@dataclass(frozen=True, slots=True)
class ListeningState:
    """Whether a place is listened to, since when, and the key up to which it was handled (`last_key`).
    `tracked`: someone made a choice, or something was stored there."""

    on: bool
    tracked: bool
    since: str
    last_key: str
    audited: str = ""
    audited_at: datetime | None = None

    def accepts(self, post: Post) -> bool:
        since = datetime.fromisoformat(self.since) if self.since else None
        on_time = since is None or post.at >= since
        return self.on and not post.bot and bool(post.text.strip()) and on_time


class PlaceRegister:
    """`places`: as the platform last listed them."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        self._chosen: dict[str, dict[str, ListenedChannel]] = {}
        self._declared: dict[str, dict[str, tuple[str | None, str]]] = {}
        self.places: dict[tuple[str, str], ChatPlace] = {}

    @property
    def spaces(self) -> list[str]:
        return sorted(self._chosen)

    def is_enabled(self, space: str) -> bool:
        allowed = self._memory.settings.spaces
        return not allowed or space in allowed

    def memory(self, place: ChatPlace) -> Memory:
        return in_space(self._memory, place.space)

    def chat(self, place: ChatPlace) -> Channel:
        return self._memory.channel(place.channel, place.space)

    async def load(self, space: str) -> None:
        """Reload a space: choices can also be made on the command line or over HTTP."""
        declared = await every(self._memory.channels.list, space=space)
        chosen = await self._memory.channels.listening(space=space)
        self._chosen[space] = {each.channel: each for each in chosen}
        self._declared[space] = {each.channel: (each.privacy, each.title) for each in declared}

    async def load_state(self, place: ChatPlace) -> ListeningState:
        if place.space not in self._chosen:
            await self.load(place.space)
        return self.state_of(place)

    def state_of(self, place: ChatPlace) -> ListeningState:
        """Return the state of a place. A thread follows its channel by default."""
        chosen = self._chosen.get(place.space, {})
        own = chosen.get(place.channel)
        decides = own if own is not None and own.on is not None else chosen.get(place.parent or "")
        on = decides is not None and bool(decides.on) and self.is_enabled(place.space)
        tracked = own is not None or decides is not None
        since = decides.since if decides is not None else ""
        if own is None:
            return ListeningState(on, tracked, since, "")
        return ListeningState(on, tracked, since, own.heard, own.audited, own.audited_at)

    def is_ignored(self, place: ChatPlace) -> bool:
        return place.space in self._chosen and not place.direct and not self.state_of(place).tracked

    def own_choice(self, place: ChatPlace) -> ListenedChannel | None:
        own = self._chosen.get(place.space, {}).get(place.channel)
        return own if own is not None and own.on is not None else None

    def update(self, places: Iterable[ChatPlace], gone: Iterable[tuple[str, str]] = ()) -> None:
        """Add or replace places. `gone` are removed unless they are listed again."""
        for each in gone:
            self.places.pop(each, None)
        self.places.update({(place.space, place.channel): place for place in places})

    def missing_places(self, space: str, *, direct: bool) -> list[ChatPlace]:
        """Return places with a choice that the platform does not list."""
        chosen = self._chosen.get(space, {}).values()
        missing = [each for each in chosen if (space, each.channel) not in self.places]
        return [ChatPlace(space, each.channel, each.title, False, direct) for each in missing]

    def missing_channels(self, space: str) -> list[str]:
        declared = self._declared.get(space, {})
        return [channel for channel in declared if (space, channel) not in self.places]

    def forget(self, place: ChatPlace) -> None:
        self.places.pop((place.space, place.channel), None)

    def open_channels(self, space: str) -> frozenset[str]:
        seen = {place.channel: place.open for (of, _), place in self.places.items() if of == space}
        stored = self._declared.get(space, {}).items()
        declared = {channel: privacy == "open" for channel, (privacy, _) in stored}
        return frozenset(channel for channel, is_open in (declared | seen).items() if is_open)

    def is_declared(self, place: ChatPlace) -> bool:
        return self._declared.get(place.space, {}).get(place.channel, (None, ""))[0] is not None

    async def declare(self, place: ChatPlace) -> None:
        """Store who can read the place and its title, if they changed."""
        privacy = "direct" if place.direct else "open" if place.open else "private"
        declared = self._declared.setdefault(place.space, {})
        title = place.title or declared.get(place.channel, (None, ""))[1]
        if self.is_enabled(place.space) and declared.get(place.channel) != (privacy, title):
            await self._memory.channels.set_privacy(self.chat(place), privacy, title=title)
            declared[place.channel] = (privacy, title)


log = Log(__name__)

MessageEvent = Post | Edit | Deletion


class Capture:
    """`refused`: places with a post that was not stored. Their position must be saved at once."""

    def __init__(self, register: PlaceRegister, source: str) -> None:
        self.refused: set[tuple[str, str]] = set()
        self._register, self._source = register, source

    async def take(self, place: ChatPlace, events: Sequence[MessageEvent]) -> str:
        """Apply events and return the key of the last post. Edits apply even while it is off."""
        state = await self._register.load_state(place)
        chat, last = self._register.chat(place), ""
        if not state.tracked:
            return last
        waiting: list[Post] = []
        for event in events:
            if isinstance(event, Post):
                waiting += [event] if state.accepts(event) else []
                last = event.key if state.on else last
            else:
                await self._flush(place, waiting)
                if isinstance(event, Edit):
                    await self.edit(chat, event.key, event.text)
                else:
                    await chat.delete(list(event.keys))
        await self._flush(place, waiting)
        return last

    async def store(self, place: ChatPlace, post: Sequence[Post]) -> list[Message]:
        """Store posts. A post that the log refuses is logged and left out."""
        await self._register.declare(place)
        chat, meta, new = self._register.chat(place), {"source": self._source}, list[NewMessage]()
        for each in post:
            who = {"person": each.person, "name": each.name or None}
            new.append(NewMessage("user", each.text, **who, at=each.at, key=each.key, meta=meta))
        try:
            return await chat.add_many(new)
        except InvalidInput as error:
            if len(new) > 1:
                return [message for each in post for message in await self.store(place, [each])]
            log.warning("bot.message_refused", key=post[0].key, reason=str(error))
            return []

    async def edit(self, chat: Channel, key: str, text: str) -> None:
        """Edit a stored message. An edit to an empty text deletes it."""
        if not text.strip():
            await chat.delete([key])
            return
        try:
            await chat.edit(key, text)
        except InvalidInput as error:
            log.warning("bot.message_refused", key=key, reason=str(error))
            await chat.delete([key])

    async def _flush(self, place: ChatPlace, waiting: list[Post]) -> None:
        if waiting:
            stored = await self.store(place, waiting)
            if len(stored) < len(waiting) or not all(message.seq for message in stored):
                self.refused.add((place.space, place.channel))
            waiting.clear()


LOOK_BACK = timedelta(days=14)
MIN_MESSAGES = 1_000
_AUDIT_PAUSE = 2.0  # seconds between the pages of an audit

_COMPARE_ONLY = ListeningState(on=False, tracked=True, since="", last_key="")  # store nothing new

Done = Callable[[str], Awaitable[None]]


@dataclass(slots=True)
class _StoredKeys:
    """Stored keys in order, each with a hash of its text. Messages after `start` are compared."""

    keys: list[tuple[int, str]]
    words: dict[str, int]
    start: str = ""
    passed: int = 0

    def gone(self, seen: set[str], up_to: int | None) -> list[str]:
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
        after, since, found = await chat.size(), self._clock() - LOOK_BACK, 0
        while after > 0:
            first = max(0, after - MIN_MESSAGES)
            page = [each async for each in chat.messages(first, after - first) if each.seq <= after]
            found, after = found + len(page), first
            if found >= MIN_MESSAGES and page and page[0].at < since:
                break
        stored = await self._stored(place, state, after)

        async def done(key: str) -> None:
            if state.on and self._is_after(key, state.last_key):
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
                    if state.accepts(post) and self._is_after(post.key, state.last_key):
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

    async def _stored(self, place: ChatPlace, state: ListeningState, after: int = 0) -> _StoredKeys:
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
        if state.on and not state.last_key:
            if not state.since:
                return ""
            begins = datetime.fromisoformat(state.since)
        times = [each for each in (first, begins) if each is not None]
        if not times:
            return state.last_key
        key = self._platform.key_at(place, min(times) - timedelta(seconds=1))
        later = bool(key and state.on and state.last_key) and self._is_after(key, state.last_key)
        return state.last_key if later else key

    def _order(self, key: str | None) -> int | None:
        return None if not key else self._platform.key_order(key)

    def _is_after(self, key: str, other: str) -> bool:
        return not other or (self._order(key) or 0) > (self._order(other) or 0)
