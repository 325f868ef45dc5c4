"""The writer without a model. The first call loads its patterns in a thread, in 0.25 seconds."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from importlib import import_module
from typing import Any, Final, TypeVar

from erstwhile.writers.port import (
    TypedNote,
    WriterAnswer,
    WriterOutput,
    WriterQuestion,
    WriterRequest,
)

T = TypeVar("T")

NAME: Final = "extractive/1"


class ExtractiveWriter:
    """Selects sentences and does not change them. The same lines always give the same text."""

    draft = True

    def __init__(self) -> None:
        # One thread: patterns hold the interpreter's lock anyway, and the steps of a chunk, one
        # after the other, find what the first of them has read.
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="erstwhile-extractive")

    async def summarise(self, request: WriterRequest) -> WriterOutput:
        return await self._write("summary", "summarise", request.lines)

    async def condense(self, request: WriterRequest) -> WriterOutput:
        return await self._write("condense", "condense", request.lines)

    async def extract_facts(self, request: WriterRequest) -> WriterOutput:
        return await self._write("facts", "extract", request.lines)

    async def fold(self, request: WriterRequest) -> WriterOutput:
        return await self._write("condense", "fold", request.lines, request.cap)

    async def structure(self, request: WriterRequest) -> WriterOutput:
        noted: tuple[TypedNote, ...] = await self._run("structure", "note", request.lines)
        text = "\n".join(f"- {each.text}" for each in noted)
        return WriterOutput(text=text, writer=NAME, draft=self.draft, noted=noted)

    async def answer(self, ask: WriterQuestion[T]) -> WriterAnswer[T]:
        return WriterAnswer(await ask.draft(self), NAME, draft=self.draft)

    async def close(self) -> None:
        self._thread.shutdown(wait=False)

    async def _write(self, module: str, function: str, *arguments: object) -> WriterOutput:
        text = await self._run(module, function, *arguments)
        return WriterOutput(text=text.strip(), writer=NAME, draft=self.draft)

    async def _run(self, module: str, function: str, *arguments: object) -> Any:
        work = partial(_run, module, function, *arguments)
        return await asyncio.get_running_loop().run_in_executor(self._thread, work)


def _run(module: str, function: str, *arguments: object) -> Any:
    return getattr(import_module(f"{__package__}.{module}"), function)(*arguments)
