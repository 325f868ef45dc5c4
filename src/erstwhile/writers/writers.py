"""The writer in use, with the extractive one as a fallback that writes drafts."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TypeVar

from erstwhile.base.errors import Error, ModelError, SettingsError
from erstwhile.base.records import dataclass
from erstwhile.writers.port import Writer, WriterAnswer, WriterOutput, WriterQuestion, WriterRequest

T = TypeVar("T")

_FAILED = (ModelError, SettingsError)


Write = Callable[[WriterRequest], Awaitable[WriterOutput]]


def _uncounted(_task: str, _written: WriterOutput) -> None:
    """Count nothing."""


@dataclass(frozen=True, slots=True)
class Writers:
    """`spent` is called with the usage of each step."""

    best: Writer
    drafts: Writer
    spent: Callable[[str, WriterOutput], None] = _uncounted

    async def summarise(self, request: WriterRequest) -> tuple[WriterOutput, Error | None]:
        return await self._either(request, self.best.summarise, self.drafts.summarise)

    async def condense(self, request: WriterRequest) -> tuple[WriterOutput, Error | None]:
        return await self._either(request, self.best.condense, self.drafts.condense)

    async def extract_facts(self, request: WriterRequest) -> tuple[WriterOutput, Error | None]:
        return await self._either(request, self.best.extract_facts, self.drafts.extract_facts)

    async def structure(self, request: WriterRequest) -> tuple[WriterOutput, Error | None]:
        return await self._either(request, self.best.structure, self.drafts.structure)

    async def fold(self, request: WriterRequest) -> tuple[WriterOutput, Error | None]:
        return await self._either(request, self.best.fold, self.drafts.fold)

    async def answer(self, ask: WriterQuestion[T]) -> tuple[WriterAnswer[T], Error | None]:
        try:
            answered = await self.best.answer(ask)
        except _FAILED as error:
            return await self.drafts.answer(ask), error
        self.spent(ask.prompt.name, WriterOutput("", answered.writer, answered.draft, answered.usage))
        return answered, None

    async def _either(self, request: WriterRequest, best: Write, draft: Write) -> tuple[WriterOutput, Error | None]:
        try:
            written = await best(request)
        except _FAILED as error:
            return await draft(request), error
        self.spent(request.prompt.name, written)
        return written, None

    async def close(self) -> None:
        await self.best.close()
        await self.drafts.close()
