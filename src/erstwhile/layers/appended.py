"""Tell the layers of a space about the messages that are appended to it."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Sequence
from datetime import datetime
from typing import Any

from erstwhile.base.settings import Settings
from erstwhile.layers.contract import Layer
from erstwhile.layers.retention.steps import Retention
from erstwhile.log.model import ChannelMessages
from erstwhile.storage import Transaction


class AppendedLayers:
    def __init__(
        self,
        layers: Sequence[Layer],
        retention: Retention,
        settings: Settings,
        recipe: Callable[[Transaction], Coroutine[Any, Any, str]],
    ) -> None:
        self._layers = layers
        self._recipe = recipe
        # Retention of a single space starts its timer when it is set.
        self._retention = retention if settings.retention else None

    async def before_append(self, tx: Transaction, channels: Sequence[str]) -> tuple[str, list[Any]]:
        """Return the recipe of the space and what each layer needs to know."""
        recipe, *held = await tx.together(
            self._recipe(tx), *(layer.before_append(tx, channels) for layer in self._layers)
        )
        return recipe, held

    async def appended(
        self, tx: Transaction, added: Sequence[ChannelMessages], held: tuple[str, list[Any]], now: datetime
    ) -> None:
        recipe, each_held = held
        for layer, found in zip(self._layers, each_held, strict=True):
            if layer.serves(recipe):
                await layer.appended(tx, added, found, now)
        if self._retention is not None:
            await self._retention.appended(tx, added, now)
