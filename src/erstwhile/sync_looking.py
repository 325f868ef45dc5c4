"""The blocking door's verbs for looking through a space."""

from __future__ import annotations

from collections.abc import AsyncIterator, Coroutine, Iterator, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from erstwhile.by_hand import Conversation
from erstwhile.events.model import Event
from erstwhile.looking import BriefShown, ChannelShown, Summary
from erstwhile.memory import Memory
from erstwhile.recall.model import Hit, Source

if TYPE_CHECKING:
    from erstwhile.client.memory import RemoteMemory

T = TypeVar("T")


class SyncLooking:
    _memory: Memory | RemoteMemory

    def _call(self, work: Coroutine[Any, Any, T]) -> T:
        raise AssertionError(f"the memory has it, not {work}")

    def spaces(self) -> list[str]:
        return self._call(self._memory.spaces())

    def channels(self, *, space: str | None = None) -> list[ChannelShown]:
        return self._call(self._memory.channels(space=space))

    def summaries(self, chat: Conversation, *, level: int | None = None) -> list[Summary]:
        return self._call(self._memory.summaries(chat, level=level))

    def brief(self, chat: Conversation) -> BriefShown | None:
        return self._call(self._memory.brief(chat))

    def memories(
        self,
        *,
        space: str | None = None,
        channel: str | None = None,
        person: str | None = None,
        kinds: Sequence[str] | None = None,
        before: str | None = None,
        limit: int = 50,
    ) -> list[Hit]:
        return self._call(
            self._memory.memories(space=space, channel=channel, person=person, kinds=kinds, before=before, limit=limit)
        )

    def said(self, person: str, *, space: str | None = None, before: str | None = None, limit: int = 50) -> list[Hit]:
        return self._call(self._memory.said(person, space=space, before=before, limit=limit))

    def get(self, id: str, *, space: str | None = None) -> Source:
        return self._call(self._memory.get(id, space=space))

    def events(self, *, space: str | None = None, after: str | None = None) -> Iterator[Event]:
        watch = self._memory.events(space=space, after=after)
        while not watch.ended and (event := self._call(_next(watch))) is not None:
            yield event


async def _next(watch: AsyncIterator[Event]) -> Event | None:
    return await anext(watch, None)
