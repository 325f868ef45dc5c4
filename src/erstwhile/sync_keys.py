"""The blocking door's verbs about keys."""

from __future__ import annotations

from collections.abc import Coroutine
from datetime import datetime
from typing import Any, TypeVar

from erstwhile.keys.model import Key, NewKey
from erstwhile.memory import Memory

T = TypeVar("T")


class SyncKeys:
    _memory: Memory

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
