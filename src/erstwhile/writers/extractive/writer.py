"""The writer that needs no model."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Final, TypeVar

from erstwhile.writers.extractive import condense, facts, fold, structure, summary
from erstwhile.writers.port import Answered, Ask, Line, Request, Written

T = TypeVar("T")

NAME: Final = "extractive/1"


class ExtractiveWriter:
    """Picks what was said and leaves the words as they are. The same lines always give the same text."""

    draft = True

    async def summarise(self, request: Request) -> Written:
        return await self._written(summary.summarise, request)

    async def condense(self, request: Request) -> Written:
        return await self._written(condense.condense, request)

    async def extract_facts(self, request: Request) -> Written:
        return await self._written(facts.extract, request)

    async def structure(self, request: Request) -> Written:
        noted = await asyncio.to_thread(structure.note, request.lines)
        text = "\n".join(f"- {each.text}" for each in noted)
        return Written(text=text, writer=NAME, draft=self.draft, noted=noted)

    async def fold(self, request: Request) -> Written:
        return await self._written(lambda lines: fold.fold(lines, request.cap), request)

    async def answer(self, ask: Ask[T]) -> Answered[T]:
        return Answered(await ask.draft(self), NAME, draft=self.draft)

    async def close(self) -> None:
        """There is nothing to let go of."""

    async def _written(self, write: Callable[[Sequence[Line]], str], request: Request) -> Written:
        text = await asyncio.to_thread(write, request.lines)
        return Written(text=text.strip(), writer=NAME, draft=self.draft)
