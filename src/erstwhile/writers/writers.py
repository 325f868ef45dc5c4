"""The writer in use, with the extractive one as a fallback that writes drafts."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import TypeVar

from erstwhile.base.errors import Error, ModelError, SettingsError
from erstwhile.base.records import dataclass
from erstwhile.text import secrets
from erstwhile.writers import halves
from erstwhile.writers.port import (
    Usage,
    Writer,
    WriterAnswer,
    WriterOutput,
    WriterQuestion,
    WriterRequest,
)

T = TypeVar("T")

_FAILED = (ModelError, SettingsError)
_LONG = 20_000  # characters that take as long to mask as it takes to have another thread do it


Write = Callable[[WriterRequest], Awaitable[WriterOutput]]


def _uncounted(_task: str, _written: WriterOutput) -> None:
    """Count nothing."""


@dataclass(frozen=True, slots=True)
class Writers:
    """All language work of the layers. Secrets are masked in what writers get and in what they write, unless
    `keeps_secrets`. `spent` is called with the usage of each step."""

    best: Writer
    drafts: Writer
    spent: Callable[[str, WriterOutput], None] = _uncounted
    keeps_secrets: bool = False

    def masked(self, value: T) -> T:
        """Return a text, or a value with texts, without the secrets in it."""
        return value if self.keeps_secrets else secrets.masked(value)

    async def _masked(self, value: T) -> T:
        """Mask on another thread: messages may be long, and other jobs go on."""
        return value if self.keeps_secrets else await asyncio.to_thread(secrets.masked, value)

    async def without_secrets(self, request: WriterRequest) -> WriterRequest:
        given = (request.text, list(request.lines), list(request.before))
        long = len(request.text) + sum([len(each.text) for each in request.lines]) > _LONG
        masked = await self._masked(given) if long else self.masked(given)
        if masked is given:
            return request
        text, lines, before = masked
        return replace(request, text=text, lines=lines, before=before)

    @property
    def drafting(self) -> Writers:
        """The extractive writer alone."""
        return Writers(self.drafts, self.drafts, keeps_secrets=self.keeps_secrets)

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
            answered = await halves.answer(ask, self._answer)
        except _FAILED as error:
            self._count_failure(ask.prompt.name, error)
            return self.masked(await self.drafts.answer(ask)), error
        usage, lost = answered.usage, answered.unborne
        took = WriterOutput("", answered.writer, answered.draft, usage, unborne=lost)
        self.spent(ask.prompt.name, took)
        return self.masked(answered), None

    async def _answer(self, ask: WriterQuestion[T]) -> WriterAnswer[T]:
        # A draft is made from the messages, not from the text.
        given = ask if self.best.draft else replace(ask, text=await self._masked(ask.text))
        return await self.best.answer(given)

    async def written(self, request: WriterRequest, write: Write) -> WriterOutput:
        """Return what the model writes of a request, of each half if it is too long."""

        async def masked(part: WriterRequest) -> WriterOutput:
            return await write(await self.without_secrets(part))

        return self.masked(await halves.write(request, masked))

    async def _either(
        self, request: WriterRequest, best: Write, draft: Write
    ) -> tuple[WriterOutput, Error | None]:
        try:
            written = await self.written(request, best)
        except _FAILED as error:
            self._count_failure(request.prompt.name, error)
            return self.masked(await draft(await self.without_secrets(request))), error
        # Of a call for two tasks, the prompt that was asked.
        _, named, prompt = written.writer.rpartition("#")
        self.spent(prompt.partition("/")[0] if named else request.prompt.name, written)
        return written, None

    def _count_failure(self, task: str, error: Error) -> None:
        if isinstance(error, ModelError) and error.model:
            used = Usage(*error.tokens)
            self.spent(task, WriterOutput("", error.model, draft=False, usage=used, failed=True))

    async def close(self) -> None:
        await self.best.close()
        await self.drafts.close()
