"""The base class of every object of the API."""

from __future__ import annotations

import asyncio
from collections import UserDict
from collections.abc import Awaitable, Callable, Sequence
from copy import copy
from datetime import datetime
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar, cast

from erstwhile.base.errors import InvalidInput, NotFound
from erstwhile.log import check, people
from erstwhile.storage import Transaction, Unit
from erstwhile.text import suspect

if TYPE_CHECKING:
    from erstwhile.api.memory import Memory
    from erstwhile.wiring import Runtime

T = TypeVar("T")
Seen = Callable[[Transaction, Sequence[str]], Awaitable[Sequence[str]]]
_NOUNS = (
    *("archive", "channels", "events", "facts", "ids", "jobs", "keys"),
    *("memories", "notes", "people", "prompts", "requests", "spaces"),
)
_TOGETHER = frozenset({"ids", "jobs", "keys", "prompts"})  # in one module


class _Resources(UserDict[str, Any]):
    """Every object by its noun. Its module is imported when it is first asked for."""

    def __getitem__(self, noun: str) -> type[Resource]:
        if self.data[noun] is None:
            module = "administration" if noun in _TOGETHER else noun
            import_module(f"erstwhile.api.{module}")
        return cast("type[Resource]", self.data[noun])


RESOURCES = _Resources(dict.fromkeys(_NOUNS))


def in_space(memory: Memory, space: str) -> Memory:
    """Return an open memory with another space for verbs that name none."""
    made = copy(memory)
    for noun in _NOUNS:  # these belong to the other one
        made.__dict__.pop(noun, None)
    made._memory, made.settings = made, memory.settings.replace(space=space)
    return made


class Resource:
    """`memory.<noun>`."""

    noun: ClassVar[str] = ""

    def __init_subclass__(cls, noun: str = "", **more: Any) -> None:
        super().__init_subclass__(**more)
        if noun:
            cls.noun = noun
            RESOURCES[noun] = cls

    def __init__(self, memory: Memory) -> None:
        self._memory = memory

    @property
    def _runtime(self) -> Runtime:
        return self._memory._open_runtime

    def _now(self) -> datetime:
        return self._memory._clock()

    def _space(self, space: str | None) -> str:
        return check.identifier("space", self._memory.settings.space if space is None else space)

    async def _memory_text(self, text: object) -> str:
        """Check the text of a memory. A long one is checked for reasons to flag it here, on another
        thread, and not in the transaction that writes it."""
        words = check.memory_text(text)
        if len(words) > suspect.LONG:
            await asyncio.to_thread(suspect.reasons, words)
        return words

    def _remembered(self, space: str) -> bool:
        """Return whether messages of the space are stored (ERSTWHILE_SPACES)."""
        chosen = self._memory.settings.spaces
        return not chosen or space in chosen

    def _remembering(self, space: str | None) -> str:
        """Return the space. Raises InvalidInput if it is not remembered."""
        chosen = self._space(space)
        if not self._remembered(chosen):
            why = f"The space {chosen!r} is not among those remembered (ERSTWHILE_SPACES)."
            raise InvalidInput(why)
        return chosen

    async def _read(self, space: str | None, unit: Unit[T]) -> T:
        return await self._runtime.database.read(self._space(space), unit)

    async def _write(self, space: str | None, unit: Unit[T]) -> T:
        return await self._runtime.database.write(self._space(space), unit)

    async def _person(self, space: str | None, named: str, seen: Seen | None = None) -> str:
        """Resolve a person's id or name, for reading only. Writes take ids only, because anyone can
        use any name. `seen` leaves out people whom the reader may not know of."""

        async def unit(tx: Transaction) -> Sequence[str]:
            from erstwhile.layers.days import store as days

            known = await days.known(tx, named)
            found = [named] if known else await people.known_as(tx, named)
            return found if seen is None else await seen(tx, found)

        found = await self._read(space, unit)
        if seen is not None and not found:
            raise self._unknown(space, named)
        if len(found) > 1:
            those = f"Several people go by {named!r}: {', '.join(found)}."
            raise InvalidInput(f"{those} Name one of them by id.")
        return found[0] if found else named

    def _unknown(self, space: str | None, person: str) -> NotFound:
        why = "no messages, nothing remembered."
        return NotFound(f"Unknown person {person!r} in space {self._space(space)!r}: {why}")
