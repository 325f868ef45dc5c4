"""Append messages to the log and tell the layers that the space uses."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from erstwhile.base.settings import Settings
from erstwhile.configuration import space as choices
from erstwhile.log import append
from erstwhile.log.model import ChannelMessages, Message
from erstwhile.storage import Transaction

if TYPE_CHECKING:
    from erstwhile.layers import Layers
    from erstwhile.layers.retention.steps import Retention


class AppendedLayers:
    def __init__(self, layers: Layers, retention: Retention, settings: Settings) -> None:
        self._layers = layers.listening
        self._recipe = settings.recipe
        # Retention of a single space starts its timer when it is set.
        self._retention = retention if settings.retention else None

    async def append(
        self, tx: Transaction, additions: Sequence[append.Addition]
    ) -> list[list[Message] | Exception]:
        return await append.append(tx, additions, self)

    async def before_append(
        self, tx: Transaction, channels: Sequence[str]
    ) -> tuple[str, list[Any]]:
        """Return the recipe of the space and what each layer needs to know."""
        held = (layer.before_append(tx, channels) for layer in self._layers)
        recipe, *found = await tx.together(choices.recipe(tx), *held)
        return recipe or self._recipe, found

    async def appended(
        self,
        tx: Transaction,
        added: Sequence[ChannelMessages],
        held: tuple[str, list[Any]],
        now: datetime,
    ) -> None:
        for layer, found in zip(self._layers, held[1], strict=True):
            if layer.serves(held[0]):
                await layer.appended(tx, added, found, now)
        if self._retention is not None:
            await self._retention.appended(tx, added, now)
