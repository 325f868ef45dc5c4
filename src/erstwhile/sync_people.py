"""The blocking door's verbs about people."""

from __future__ import annotations

from collections.abc import Coroutine, Sequence
from typing import Any, TypeVar

from erstwhile.by_hand import Conversation
from erstwhile.log.people import Person
from erstwhile.memory import Memory
from erstwhile.portraying import About

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

    # What is known of a person

    def about(
        self, person: str, *, space: str | None = None, channel: str | None = None, asker: str | None = None
    ) -> About:
        return self._call(self._memory.about(person, space=space, channel=channel, asker=asker))
