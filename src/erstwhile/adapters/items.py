"""A conversation as a list that a framework adds to, removes from and clears."""

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
_FEWEST = 32  # messages read at a time


class ItemList(Generic[T]):
    """`read` makes an item from a message, or returns None if the framework cannot use it."""

    def __init__(self, chat: Channel | SyncChannel, read: Callable[[Message], T | None]) -> None:
        self._chat = awaitable(chat)
        self._read = read

    async def add(self, messages: Sequence[NewMessage]) -> None:
        """Add all messages or none, in order."""
        await self._chat.add_many(messages)

    async def newest(self, limit: int | None = None) -> list[T]:
        """Return the newest `limit` items, oldest first. Markers come after what they mark, so
        reading the end of the log is enough."""
        return [item for _, item in await self._shown(limit)]

    async def pop(self) -> T | None:
        """Remove and return the newest item. Concurrent calls get different items: a marker's key
        is that of the hidden message."""
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
        new = NewMessage("system", text, key=key, meta={MARK: mark})
        (marker,) = await self._chat.add_many([new])
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


def storable_text(text: str, otherwise: str) -> str:
    """Return text that every database can store: no NUL, no surrogates."""
    clean = text.replace("\0", "").encode("utf-8", "replace").decode()
    return clean if clean.strip() else otherwise


def is_blocking(api: object) -> bool:
    """Return whether this is the blocking API."""
    verb = getattr(api, "add_many", None) or getattr(api, "search", None)
    return not inspect.iscoroutinefunction(verb)


def awaitable(chat: Channel | SyncChannel) -> Channel:
    return cast(Channel, _AwaitableChannel(cast(SyncChannel, chat)) if is_blocking(chat) else chat)


class _AwaitableChannel:
    """A blocking channel with an async interface; its coroutines never pause."""

    def __init__(self, chat: SyncChannel) -> None:
        self._chat = chat

    async def add_many(self, messages: Sequence[NewMessage]) -> list[Message]:
        return self._chat.add_many(messages)

    async def size(self) -> int:
        return self._chat.size()

    async def messages(self, after: int = 0, limit: int | None = None) -> AsyncIterator[Message]:
        for message in self._chat.messages(after, limit):
            yield message


def run_blocking(api: object, work: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """Run a coroutine over the blocking API to its end."""
    if not is_blocking(api):
        raise InvalidInput(
            "This memory is async: use the framework's async methods, or open it with erstwhile.open_sync."
        )
    try:
        work().send(None)
    except StopIteration as done:
        return cast(T, done.value)
    raise AssertionError("the blocking API never pauses")


async def run_either(api: object, work: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """Run a coroutine from async code; over the blocking API, in a thread."""
    return await (asyncio.to_thread(run_blocking, api, work) if is_blocking(api) else work())
