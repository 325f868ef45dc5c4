"""The blocking door's verbs for looking through a space."""

from __future__ import annotations

from collections.abc import AsyncIterator, Coroutine, Iterator, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from erstwhile.by_hand import Conversation
from erstwhile.configuration.space import Choice
from erstwhile.configuration.trying import Tried
from erstwhile.events.model import Event
from erstwhile.looking import BriefShown, ChannelShown, Summary
from erstwhile.memory import Memory
from erstwhile.search.counted import Counted
from erstwhile.search.flagged import Flagged
from erstwhile.search.model import Browsed, Hit, Source
from erstwhile.search.period import Time

if TYPE_CHECKING:
    from erstwhile.client.memory import RemoteMemory

T = TypeVar("T")


class SyncLooking:
    _memory: Memory | RemoteMemory

    def _call(self, work: Coroutine[Any, Any, T]) -> T:
        raise AssertionError(f"the memory has it, not {work}")

    def spaces(self) -> list[str]:
        return self._call(self._memory.spaces())

    def channels(
        self,
        *,
        space: str | None = None,
        matching: str | None = None,
        order: str = "name",
        limit: int | None = None,
        skip: int = 0,
        counts: bool = False,
    ) -> list[ChannelShown]:
        return self._call(
            self._memory.channels(space=space, matching=matching, order=order, limit=limit, skip=skip, counts=counts)
        )

    def counts(self, *, space: str | None = None, days: int = 30) -> Counted:
        return self._call(self._memory.counts(space=space, days=days))

    def outline(self, chat: Conversation) -> ChannelShown:
        return self._call(self._memory.outline(chat))

    def summaries(
        self,
        chat: Conversation,
        *,
        level: int | None = None,
        first: int | None = None,
        last: int | None = None,
        limit: int | None = None,
    ) -> list[Summary]:
        return self._call(self._memory.summaries(chat, level=level, first=first, last=last, limit=limit))

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

    def browse(
        self,
        words: str = "",
        *,
        space: str | None = None,
        channel: str | None = None,
        person: str | None = None,
        kinds: Sequence[str] | None = None,
        since: Time | None = None,
        until: Time | None = None,
        writer: str | None = None,
        offset: int = 0,
        limit: int = 20,
    ) -> Browsed:
        return self._call(
            self._memory.browse(
                words,
                space=space,
                channel=channel,
                person=person,
                kinds=kinds,
                since=since,
                until=until,
                writer=writer,
                offset=offset,
                limit=limit,
            )
        )

    def said(self, person: str, *, space: str | None = None, before: str | None = None, limit: int = 50) -> list[Hit]:
        return self._call(self._memory.said(person, space=space, before=before, limit=limit))

    def get(self, id: str, *, space: str | None = None) -> Source:
        return self._call(self._memory.get(id, space=space))

    def flagged(
        self,
        *,
        space: str | None = None,
        reason: str | None = None,
        reviewed: bool = False,
        before: str | None = None,
        limit: int = 50,
    ) -> list[Flagged]:
        return self._call(
            self._memory.flagged(space=space, reason=reason, reviewed=reviewed, before=before, limit=limit)
        )

    def flag_counts(self, *, space: str | None = None) -> dict[str, int]:
        return self._call(self._memory.flag_counts(space=space))

    def review(self, id: str, *, by: str, decision: str = "keep", space: str | None = None) -> int:
        return self._call(self._memory.review(id, by=by, decision=decision, space=space))

    def events(self, *, space: str | None = None, after: str | None = None) -> Iterator[Event]:
        watch = self._memory.events(space=space, after=after)
        while not watch.ended and (event := self._call(_next(watch))) is not None:
            yield event

    def configuration(self, *, space: str | None = None) -> list[Choice]:
        return self._call(self._memory.configuration(space=space))

    def try_model(self, role: str = "light", *, space: str | None = None) -> Tried:
        return self._call(self._memory.try_model(role, space=space))


async def _next(watch: AsyncIterator[Event]) -> Event | None:
    return await anext(watch, None)
