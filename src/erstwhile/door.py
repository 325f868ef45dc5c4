"""What every part of the door stands on."""

from __future__ import annotations

from typing import TypeVar

from erstwhile import wiring
from erstwhile.base.clock import Clock
from erstwhile.base.errors import InvalidInput
from erstwhile.base.settings import Settings
from erstwhile.log import check
from erstwhile.storage import Unit

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

    async def _read(self, space: str, unit: Unit[T]) -> T:
        return await self.house.database.read(space, unit)
