"""The blocking door's verbs about people."""

from __future__ import annotations

from collections.abc import Coroutine, Sequence
from typing import Any, TypeVar

from erstwhile.by_hand import Conversation
from erstwhile.log.people import Person
from erstwhile.memory import Memory
from erstwhile.rooms.retention.model import Expired
from erstwhile.rooms.told.model import Forgotten, Told

T = TypeVar("T")


class SyncPeople:
    _memory: Memory

    def _call(self, work: Coroutine[Any, Any, T]) -> T:
        raise AssertionError(f"the memory has it, not {work}")

    # Who is remembered, and who may hear what

    def people(self, *, space: str | None = None) -> list[Person]:
        return self._call(self._memory.people(space=space))

    def block(self, person: str, *, space: str | None = None) -> None:
        self._call(self._memory.block(person, space=space))

    def unblock(self, person: str, *, space: str | None = None) -> None:
        self._call(self._memory.unblock(person, space=space))

    def share(self, person: str, shares: bool = True, *, space: str | None = None) -> None:
        self._call(self._memory.share(person, shares, space=space))

    def declare(self, chat: Conversation, privacy: str, *, people: Sequence[str] = ()) -> None:
        self._call(self._memory.declare(chat, privacy, people=people))

    def expire(self, *, space: str | None = None) -> Expired:
        return self._call(self._memory.expire(space=space))

    # What was told

    def remember(
        self, person: str, fact: str, *, space: str | None = None, by: str | None = None, channel: str | None = None
    ) -> Told:
        return self._call(self._memory.remember(person, fact, space=space, by=by, channel=channel))

    def forget(
        self, person: str, fact: str, *, space: str | None = None, by: str | None = None, channel: str | None = None
    ) -> Forgotten:
        return self._call(self._memory.forget(person, fact, space=space, by=by, channel=channel))

    def told(self, person: str, *, space: str | None = None) -> list[Told]:
        return self._call(self._memory.told(person, space=space))
