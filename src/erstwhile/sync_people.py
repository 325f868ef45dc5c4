"""The blocking door's verbs about people."""

from __future__ import annotations

from collections.abc import Coroutine, Sequence
from datetime import date
from typing import Any, TypeVar

from erstwhile.by_hand import Conversation
from erstwhile.log.people import Person
from erstwhile.memory import Memory
from erstwhile.rooms.notes.model import Buffer, Night, Note

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

    # Notes and topics

    def notes(
        self,
        *,
        space: str | None = None,
        channel: str | None = None,
        person: str | None = None,
        day: date | str | None = None,
        kind: str | None = None,
        limit: int = 50,
    ) -> list[Note]:
        return self._call(
            self._memory.notes(space=space, channel=channel, person=person, day=day, kind=kind, limit=limit)
        )

    def buffers(self, *, space: str | None = None) -> list[Buffer]:
        return self._call(self._memory.buffers(space=space))

    def nightly(self, *, space: str | None = None) -> Night:
        return self._call(self._memory.nightly(space=space))
