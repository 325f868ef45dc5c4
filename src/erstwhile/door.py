"""What every part of the door stands on."""

from __future__ import annotations

from typing import TypeVar

from erstwhile import wiring
from erstwhile.base.clock import Clock
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

    async def _read(self, space: str, unit: Unit[T]) -> T:
        return await self.house.database.read(space, unit)
