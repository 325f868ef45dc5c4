"""Replace extractive drafts once a model is available."""

from __future__ import annotations

from typing import TYPE_CHECKING

from erstwhile.base.clock import Clock
from erstwhile.base.settings import Settings
from erstwhile.configuration import space as choices
from erstwhile.log import store as log
from erstwhile.storage import Transaction

if TYPE_CHECKING:
    from erstwhile.wiring import Runtime


class DraftRefresh:
    def __init__(self, runtime: Runtime, settings: Settings, clock: Clock) -> None:
        self._runtime, self._settings, self._clock = runtime, settings, clock
        self._asked = False

    async def ask(self) -> None:
        """Enqueue the work for every space, once per process. Start nightly and retention jobs."""
        if self._asked:
            return
        self._asked = True
        await self._runtime.layers.start()
        await self._runtime.retention.start(self._clock())
        drafting = self._settings.chosen_model == "extractive"
        listed = choices.with_a_model if drafting else log.spaces
        for space in await listed(self._runtime.database):
            await self.ask_in(space)

    async def ask_in(self, space: str) -> None:
        runtime = self._runtime
        if (await runtime.writers.for_space(space)).best.draft:
            return

        async def unit(tx: Transaction) -> None:
            for layer in runtime.layers:
                await layer.redraft(tx)

        await runtime.database.write(space, unit)
