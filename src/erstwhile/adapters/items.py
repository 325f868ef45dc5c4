"""A conversation as a list that a framework adds to, takes back from and clears."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from typing import Any, Generic, TypeVar, cast
from uuid import uuid4

from erstwhile.api.blocking import SyncChannel
from erstwhile.api.channel import Channel
from erstwhile.base.errors import InvalidInput
from erstwhile.log.model import Message, NewMessage

T = TypeVar("T")

MARK = "erstwhile"
_HIDES, _CLEARS, _NONCE = "hides", "clears", "nonce"
_FEWEST = 32  # messages read at a time when the newest are asked for


class Items(Generic[T]):
    """`read` makes an item of a message, or None of one that the framework can't take."""

    def __init__(self, chat: Channel | SyncChannel, read: Callable[[Message], T | None]) -> None:
        self._chat = awaited(chat)
        self._read = read

    async def add(self, messages: Sequence[NewMessage]) -> None:
        """All of them or none, in order."""
        await self._chat.add_many(messages)

    async def newest(self, limit: int | None = None) -> list[T]:
        """The newest `limit`, oldest first; a marker is always later than what it marks, so the end of the log tells."""
        return [item for _, item in await self._shown(limit)]

    async def pop(self) -> T | None:
        """Takes the newest back. Of two who do so at the same time, each gets another: the marker's key is that of what it hides."""
        while shown := await self._shown(1):
            message, item = shown[0]
            mine = uuid4().hex
            mark = {_HIDES: message.id, _NONCE: mine}
            marker = await self._mark("[taken back]", mark, f"{MARK}:{_HIDES}:{message.id}")
            if marker.meta[MARK][_NONCE] == mine:
                return item
        return None

    async def clear(self) -> None:
        if await self._chat.size():
            await self._mark("[cleared]", {_CLEARS: True}, None)

    async def _mark(self, text: str, mark: dict[str, Any], key: str | None) -> Message:
        (marker,) = await self._chat.add_many([NewMessage("system", text, key=key, meta={MARK: mark})])
        return marker

    async def _shown(self, limit: int | None) -> list[tuple[Message, T]]:
        size = await self._chat.size()
        window = size if limit is None else max(_FEWEST, 2 * limit)
        while True:
            after = max(0, size - window)
            page = [message async for message in self._chat.messages(after)]
            shown, cleared = self._visible(page)
            if after == 0 or cleared or (limit is not None and len(shown) >= limit):
                return shown if limit is None else shown[max(0, len(shown) - limit) :]
            window *= 4

    def _visible(self, page: Sequence[Message]) -> tuple[list[tuple[Message, T]], bool]:
        hidden: set[str] = set()
        shown: list[tuple[Message, T]] = []
        for message in reversed(page):
            mark = message.meta.get(MARK)
            if mark and mark.get(_CLEARS):
                return shown[::-1], True
            if mark:
                hidden.add(mark[_HIDES])
            elif message.id not in hidden and (item := self._read(message)) is not None:
                shown.append((message, item))
        return shown[::-1], False


def readable(text: str, otherwise: str) -> str:
    """What a message may say: no database stores NUL or halves of surrogate pairs. The item itself is kept as it is."""
    clean = text.replace("\0", "").encode("utf-8", "replace").decode()
    return clean if clean.strip() else otherwise


def blocking(door: object) -> bool:
    """Whether it is the door for scripts without async."""
    verb = getattr(door, "add_many", None) or getattr(door, "search", None)
    return not inspect.iscoroutinefunction(verb)


def awaited(chat: Channel | SyncChannel) -> Channel:
    return cast(Channel, _AtOnce(cast(SyncChannel, chat)) if blocking(chat) else chat)


class _AtOnce:
    """A blocking conversation, awaited: its answers are there at once, so a coroutine over it never pauses."""

    def __init__(self, chat: SyncChannel) -> None:
        self._chat = chat

    async def add_many(self, messages: Sequence[NewMessage]) -> list[Message]:
        return self._chat.add_many(messages)

    async def size(self) -> int:
        return self._chat.size()

    async def messages(self, after: int = 0, limit: int | None = None) -> AsyncIterator[Message]:
        for message in self._chat.messages(after, limit):
            yield message


def at_once(door: object, work: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """Runs to its end, here and now, what stands on a blocking door."""
    if not blocking(door):
        raise InvalidInput(
            "This memory is awaited: use the framework's async methods, or open it with erstwhile.open_sync."
        )
    try:
        work().send(None)
    except StopIteration as done:
        return cast(T, done.value)
    raise AssertionError("a blocking door never pauses")


async def beside(door: object, work: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """The same for async callers: a blocking door waits in a thread of its own."""
    return await (asyncio.to_thread(at_once, door, work) if blocking(door) else work())
