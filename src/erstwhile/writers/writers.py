"""The writer in force, with the extractive one behind it: when the model fails there is still a draft to read."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeVar

from erstwhile.base.errors import Error, ModelError, SettingsError
from erstwhile.writers.port import Answered, Ask, Request, Writer, Written

T = TypeVar("T")

_FAILED = (ModelError, SettingsError)


Write = Callable[[Request], Awaitable[Written]]


def _uncounted(_task: str, _written: Written) -> None:
    """Nobody counts."""


@dataclass(frozen=True, slots=True)
class Writers:
    """`spent` is told what each piece of work took."""

    best: Writer
    drafts: Writer
    spent: Callable[[str, Written], None] = _uncounted

    async def summarise(self, request: Request) -> tuple[Written, Error | None]:
        return await self._either(request, self.best.summarise, self.drafts.summarise)

    async def condense(self, request: Request) -> tuple[Written, Error | None]:
        return await self._either(request, self.best.condense, self.drafts.condense)

    async def extract_facts(self, request: Request) -> tuple[Written, Error | None]:
        return await self._either(request, self.best.extract_facts, self.drafts.extract_facts)

    async def structure(self, request: Request) -> tuple[Written, Error | None]:
        return await self._either(request, self.best.structure, self.drafts.structure)

    async def fold(self, request: Request) -> tuple[Written, Error | None]:
        return await self._either(request, self.best.fold, self.drafts.fold)

    async def answer(self, ask: Ask[T]) -> tuple[Answered[T], Error | None]:
        try:
            answered = await self.best.answer(ask)
        except _FAILED as error:
            return await self.drafts.answer(ask), error
        self.spent(ask.prompt.name, Written("", answered.writer, answered.draft, answered.usage))
        return answered, None

    async def _either(self, request: Request, best: Write, draft: Write) -> tuple[Written, Error | None]:
        try:
            written = await best(request)
        except _FAILED as error:
            return await draft(request), error
        self.spent(request.prompt.name, written)
        return written, None

    async def close(self) -> None:
        await self.best.close()
        await self.drafts.close()
