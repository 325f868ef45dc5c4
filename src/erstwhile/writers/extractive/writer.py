"""The writer that needs no model. Its patterns take a quarter of a second to load: whoever first writes loads them, in a thread."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Final, TypeVar

from erstwhile.writers.port import TranscriptLine, TypedNote, WriterAnswer, WriterOutput, WriterQuestion, WriterRequest

T = TypeVar("T")

NAME: Final = "extractive/1"


class ExtractiveWriter:
    """Picks what was said and leaves the words as they are. The same lines always give the same text."""

    draft = True

    async def summarise(self, request: WriterRequest) -> WriterOutput:
        return await self._written(_summarise, request)

    async def condense(self, request: WriterRequest) -> WriterOutput:
        return await self._written(_condense, request)

    async def extract_facts(self, request: WriterRequest) -> WriterOutput:
        return await self._written(_facts, request)

    async def structure(self, request: WriterRequest) -> WriterOutput:
        noted = await asyncio.to_thread(_note, request.lines)
        text = "\n".join(f"- {each.text}" for each in noted)
        return WriterOutput(text=text, writer=NAME, draft=self.draft, noted=noted)

    async def fold(self, request: WriterRequest) -> WriterOutput:
        return await self._written(lambda lines: _fold(lines, request.cap), request)

    async def answer(self, ask: WriterQuestion[T]) -> WriterAnswer[T]:
        return WriterAnswer(await ask.draft(self), NAME, draft=self.draft)

    async def close(self) -> None:
        """There is nothing to let go of."""

    async def _written(self, write: Callable[[Sequence[TranscriptLine]], str], request: WriterRequest) -> WriterOutput:
        text = await asyncio.to_thread(write, request.lines)
        return WriterOutput(text=text.strip(), writer=NAME, draft=self.draft)


def _summarise(lines: Sequence[TranscriptLine]) -> str:
    from erstwhile.writers.extractive import summary

    return summary.summarise(lines)


def _condense(lines: Sequence[TranscriptLine]) -> str:
    from erstwhile.writers.extractive import condense

    return condense.condense(lines)


def _facts(lines: Sequence[TranscriptLine]) -> str:
    from erstwhile.writers.extractive import facts

    return facts.extract(lines)


def _note(lines: Sequence[TranscriptLine]) -> tuple[TypedNote, ...]:
    from erstwhile.writers.extractive import structure

    return structure.note(lines)


def _fold(lines: Sequence[TranscriptLine], cap: int) -> str:
    from erstwhile.writers.extractive import fold

    return fold.fold(lines, cap)
