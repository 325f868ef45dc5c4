"""The blocking door's verbs about keys and prompts."""

from __future__ import annotations

from collections.abc import Coroutine
from datetime import datetime
from typing import TYPE_CHECKING, Any, TypeVar

from erstwhile.configuration.prompts import Shown
from erstwhile.keys.model import Key, NewKey
from erstwhile.memory import Memory

if TYPE_CHECKING:
    from erstwhile.client.memory import RemoteMemory

T = TypeVar("T")


class SyncKeys:
    _memory: Memory | RemoteMemory

    def _call(self, work: Coroutine[Any, Any, T]) -> T:
        raise AssertionError(f"the memory has it, not {work}")

    def create_key(
        self,
        *,
        space: str | None = None,
        admin: bool = False,
        name: str = "",
        read_only: bool = False,
        expires: datetime | str | None = None,
    ) -> NewKey:
        return self._call(
            self._memory.create_key(space=space, admin=admin, name=name, read_only=read_only, expires=expires)
        )

    def keys(self, *, space: str | None = None, admin: bool = False) -> list[Key]:
        return self._call(self._memory.keys(space=space, admin=admin))

    def revoke_key(self, id: str, *, space: str | None = None, admin: bool = False) -> None:
        self._call(self._memory.revoke_key(id, space=space, admin=admin))

    def prompts(self, *, space: str | None = None, person: str | None = None) -> list[Shown]:
        return self._call(self._memory.prompts(space=space, person=person))

    def set_prompt(self, name: str, instructions: str, *, space: str | None = None, person: str | None = None) -> None:
        self._call(self._memory.set_prompt(name, instructions, space=space, person=person))

    def reset_prompt(self, name: str, *, space: str | None = None, person: str | None = None) -> bool:
        return self._call(self._memory.reset_prompt(name, space=space, person=person))
