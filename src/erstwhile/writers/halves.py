"""Ask for less at once where a request is too long for the model.

Each step says how its question is divided, and how two answers become one. What can't be divided
further fails with a reason that says what to do.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import Final, Protocol, TypeVar

from erstwhile.base.errors import ModelError, RequestTooLong
from erstwhile.writers.port import (
    Halves,
    Usage,
    WriterAnswer,
    WriterOutput,
    WriterQuestion,
    WriterRequest,
)


class _Counted(Protocol):
    @property
    def usage(self) -> Usage: ...


Item = TypeVar("Item")
Q = TypeVar("Q")
R = TypeVar("R", bound=_Counted)
T = TypeVar("T")

_SHORTEST: Final = 400  # characters of a text that is worth dividing
_WHAT_TO_DO: Final = (
    "Nothing smaller can be asked. Give its server a larger context (llama.cpp: --ctx-size, "
    "vLLM: --max-model-len), then run `erstwhile jobs retry`."
)


async def write(
    request: WriterRequest, ask: Callable[[WriterRequest], Awaitable[WriterOutput]]
) -> WriterOutput:
    """Write; if the model can't read that much at once, write of each half."""
    return await _in_halves(request, ask, _of_request)


async def answer(
    question: WriterQuestion[T], ask: Callable[[WriterQuestion[T]], Awaitable[WriterAnswer[T]]]
) -> WriterAnswer[T]:
    """Ask; if the model can't read that much at once, ask for each half."""
    return await _in_halves(question, ask, _of_question)


def of(
    items: Sequence[Item],
    ask: Callable[[Sequence[Item]], WriterQuestion[T]],
    joined: Callable[[T, T], T],
) -> Halves[WriterQuestion[T], T] | None:
    """Return the halves of a question about several things, None of one about a single thing."""
    half = len(items) // 2
    if not half:
        return None
    rest = items[half:]
    return Halves(ask(items[:half]), lambda _: ask(rest), joined)


def middle(text: str) -> int:
    """Return where to divide a text: after the line, sentence or word nearest to its middle; 0 if it is too short."""
    half = len(text) // 2
    if half < _SHORTEST // 2:
        return 0
    for mark in ("\n", ". ", "。", " "):
        place = text.rfind(mark, half // 2, half + half // 2)
        if place >= 0:
            return place + len(mark)
    return half


async def _in_halves(
    asked: Q, ask: Callable[[Q], Awaitable[R]], divide: Callable[[Q], Halves[Q, R] | None]
) -> R:
    try:
        return await ask(asked)
    except RequestTooLong as error:
        halves = divide(asked)
        if halves is None:
            raise _smallest(error) from None
    first = await _in_halves(halves.first, ask, divide)
    rest = halves.rest(first)
    if rest is None:
        return first
    try:
        second = await _in_halves(rest, ask, divide)
    except ModelError as error:  # what the first took was taken, too
        given, used, cached = error.tokens
        spent = Usage(given, used, cached) + first.usage
        error.tokens = spent.input_tokens, spent.output_tokens, spent.cached_tokens
        raise
    return halves.joined(first, second)


def _smallest(error: RequestTooLong) -> RequestTooLong:
    why = RequestTooLong(f"{error} {_WHAT_TO_DO}")
    why.model, why.tokens = error.model, error.tokens
    return why


def _of_request(request: WriterRequest) -> Halves[WriterRequest, WriterOutput] | None:
    halves = _of_lines(request) if request.halves is None else request.halves()
    if halves is None:
        return None

    def joined(first: WriterOutput, second: WriterOutput) -> WriterOutput:
        lost, usage = first.unborne + second.unborne, first.usage + second.usage
        return replace(halves.joined(first, second), unborne=lost, usage=usage)

    return Halves(halves.first, halves.rest, joined)


def _of_lines(request: WriterRequest) -> Halves[WriterRequest, WriterOutput] | None:
    half = len(request.lines) // 2
    if not half or request.text:
        return None
    alone = replace(request, joint=None)
    rest = replace(alone, lines=request.lines[half:])

    def joined(first: WriterOutput, second: WriterOutput) -> WriterOutput:
        moved = (replace(each, message=each.message + half) for each in second.noted)
        text = "\n".join(filter(None, (first.text, second.text)))
        return replace(first, text=text, noted=(*first.noted, *moved))

    return Halves(replace(alone, lines=request.lines[:half]), lambda _: rest, joined)


def _of_question(ask: WriterQuestion[T]) -> Halves[WriterQuestion[T], WriterAnswer[T]] | None:
    """Half of a question takes half of the answer's tokens: some servers count these, too."""
    halves = ask.halves() if ask.halves else None
    room = ask.room // 2

    def smaller(part: WriterQuestion[T] | None) -> WriterQuestion[T] | None:
        return part and replace(part, room=min(part.room, room))

    def joined(first: WriterAnswer[T], second: WriterAnswer[T]) -> WriterAnswer[T]:
        assert halves is not None
        lost, usage = first.unborne + second.unborne, first.usage + second.usage
        value = halves.joined(first.value, second.value)
        return replace(first, value=value, unborne=lost, usage=usage)

    if halves is None:
        alone = replace(ask, room=0, halves=None) if ask.room else None
        return Halves(alone, lambda _: None, joined) if alone else None
    first = replace(halves.first, room=min(halves.first.room, room))
    rest = halves.rest
    return Halves(first, lambda answered: smaller(rest(answered.value)), joined)
