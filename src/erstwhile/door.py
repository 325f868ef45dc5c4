"""What every part of the door stands on."""

from __future__ import annotations

from typing import TypeVar

from erstwhile import wiring
from erstwhile.base.clock import Clock
from erstwhile.base.errors import InvalidInput
from erstwhile.base.settings import Settings
from erstwhile.layers.days import store as days
from erstwhile.log import check, people
from erstwhile.storage import Transaction, Unit

T = TypeVar("T")


class Door:
    settings: Settings
    _clock: Clock

    @property
    def house(self) -> wiring.House:
        raise AssertionError("the memory has it")

    def _space(self, space: str | None) -> str:
        return check.identifier("space", self.settings.space if space is None else space)

    def _remembered(self, space: str) -> bool:
        """Whether the space is one of those that are remembered and recalled."""
        return not self.settings.spaces or space in self.settings.spaces

    def _remembering(self, space: str | None) -> str:
        """For what is told by hand."""
        chosen = self._space(space)
        if not self._remembered(chosen):
            raise InvalidInput(f"The space {chosen!r} is not among those remembered. Add it to ERSTWHILE_SPACES.")
        return chosen

    async def _who(self, space: str, person: str) -> str:
        """The id of a person, who may also be called by name, for looking things up; whoever is not known is called as given. What is
        written goes by ids alone: anyone can take any name."""
        called = check.identifier("person", person)

        async def unit(tx: Transaction) -> list[str]:
            return [called] if await days.known(tx, called) else await people.known_as(tx, called)

        found = await self._read(space, unit)
        if len(found) > 1:
            raise InvalidInput(f"Several people go by {called!r}: {', '.join(found)}. Name one of them by id.")
        return found[0] if found else called

    async def _read(self, space: str, unit: Unit[T]) -> T:
        return await self.house.database.read(space, unit)
