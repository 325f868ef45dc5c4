"""One turn of `ask`: context, model, log. The first word of the reply waits for nothing else."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from erstwhile.base.errors import Error
from erstwhile.base.logs import Log
from erstwhile.context.model import PREFACE, Context, joined
from erstwhile.context.recipes import STEADY
from erstwhile.log.model import Message
from erstwhile.requests.model import LOG, MODEL
from erstwhile.requests.recorder import RequestRecord
from erstwhile.writers.chat import ChatModel, ChatReply
from erstwhile.writers.port import Usage

if TYPE_CHECKING:
    from erstwhile.api.memory import Memory

log = Log(__name__)

Store = Callable[..., Coroutine[Any, Any, Message | None]]


async def store_nothing(*_said: str, **_more: object) -> None:
    """Store nothing: for turns that are not logged."""


def prompt(
    context: Context, question: str, *, system: str = "", sources: str = ""
) -> list[dict[str, str]]:
    """Build the prompt of a turn. What changes least comes first, so that providers' caches hit:
    instructions, standing summaries, recent turns, then search results, sources and the question.
    """
    standing = [part.text for part in context.parts if part.name in STEADY]
    shown = (*STEADY, "recent", "turns")
    found = joined([each for each in context.parts if each.name not in shown])
    head = "\n\n".join(filter(None, [system, PREFACE if context.parts else "", *standing]))
    chat = [message for message in context.messages if message["role"] != "system"]
    asked = "\n\n".join(filter(None, [found, sources, question]))
    instructed = [{"role": "system", "content": head}] if head else []
    return [*instructed, *chat, {"role": "user", "content": asked}]


def nothing_said(failure: Error | str | None) -> str:
    """Say why there is no reply. It is stored as a system message, because nobody said it."""
    if failure:
        return f"[The model failed: {failure}]"
    return "[The reply was cut off before its first word.]"


class Stoppable(Protocol):
    """A turn under way that can be stopped."""

    def leave(self) -> None: ...


async def chat_model(memory: Memory, space: str) -> ChatModel:
    """Return the chat model of a space. Raises SettingsError if it has none."""
    return await memory._runtime.writers.chat_for(space)


def finish(memory: Memory, turn: Stoppable, logged: asyncio.Task[None]) -> None:
    """Register a reply that is under way, so that closing the memory logs what there is of it."""
    memory._replies[logged] = turn
    logged.add_done_callback(lambda done: memory._replies.pop(done, None))


def record(
    context: Context, usage: Usage, cache_key: str, seconds: tuple[float | None, float]
) -> dict[str, Any]:
    """Describe how a reply was made, for its `meta`. `seconds`: to the first word, and in total."""
    first, whole = seconds
    cached, parts = usage.cached_tokens, {part.name: part.tokens for part in context.parts}
    first_word = None if first is None else round(first, 3)
    return {
        "request": context.request,
        "tokens": {"input": usage.input_tokens, "output": usage.output_tokens, "cached": cached},
        "prompt_cache": cache_key,
        "cache_hit": cached > 0,
        "context": {"tokens": context.tokens, "parts": parts},
        "sources": [source.id for source in context.sources],
        "seconds": {"first_word": first_word, "all": round(whole, 3)},
    }


@dataclass(slots=True)
class AskTurn:
    """One question and its reply. A separate task logs the reply, so that it is logged even if the
    caller has gone."""

    store: Store
    reply: ChatReply
    question: Awaitable[Message | None]
    context: Context
    cache_key: str
    asked: RequestRecord
    started: float = field(default_factory=time.monotonic)
    first_word: float | None = None
    ended: float | None = None
    said: list[str] = field(default_factory=list)
    streaming: asyncio.Task[None] | None = None

    async def pieces(
        self, keep: Callable[[AskTurn, asyncio.Task[None]], None]
    ) -> AsyncIterator[str]:
        queue: asyncio.Queue[str | None] = asyncio.Queue()
        self.streaming = asyncio.create_task(self._stream(queue), name="erstwhile-reply")
        logged = asyncio.create_task(self._log(queue), name="erstwhile-log")
        keep(self, logged)
        try:
            while (piece := await queue.get()) is not None:
                yield piece
            await asyncio.shield(logged)  # the reply is on disk when the last piece has been taken
        finally:
            self.leave()

    def leave(self) -> None:
        """Stop the model. What was said so far is logged."""
        if self.streaming is not None:
            self.streaming.cancel()

    async def _stream(self, queue: asyncio.Queue[str | None]) -> None:
        async for piece in self.reply:
            self.first_word = self.first_word or time.monotonic()
            self.said.append(piece)
            queue.put_nowait(piece)

    async def _log(self, queue: asyncio.Queue[str | None]) -> None:
        """Log the reply. Never cancelled, so that nothing that was said is lost."""
        stage: str | None = MODEL
        logged: Message | None = None
        try:
            failure, interrupted = await self._answered(queue)
            stage = LOG
            question = await self.question
            role, text = "assistant", "".join(self.said)
            if not text:
                role, text = "system", nothing_said(failure)
            meta = self._record(failure, interrupted)
            more = {"model": self.reply.model, "meta": meta, "question": question}
            logged = await self.store(role, text, **more)
            stage = MODEL if failure is not None else None
        finally:  # also if it could not be logged: the reader must not wait for ever
            self._note(stage, logged.id if logged is not None and logged.seq else None)
            queue.put_nowait(None)

    async def _answered(self, queue: asyncio.Queue[str | None]) -> tuple[Error | None, bool]:
        """Wait for the end of the reply. Return its failure, if any, and whether it was cut off."""
        assert self.streaming is not None
        try:
            await self.streaming
        except Error as error:
            queue.put_nowait(("\n\n" if self.said else "") + nothing_said(error))
            return error, False
        except asyncio.CancelledError:
            return None, True
        finally:
            self.ended = time.monotonic()
        return None, False

    def _note(self, stage: str | None, reply: str | None) -> None:
        """Record the request with the model's usage."""
        took = ((self.ended or time.monotonic()) - self.started) * 1000
        used = {"model": self.reply.model, "model_ms": took, **asdict(self.reply.usage)}
        self.asked.end(**used, error_stage=stage, reply=reply)

    def _record(self, failure: Error | None, interrupted: bool) -> dict[str, Any]:
        first = self.first_word - self.started if self.first_word else None
        seconds = first, (self.ended or time.monotonic()) - self.started
        made = record(self.context, self.reply.usage, self.cache_key, seconds)
        if failure is not None:
            made["error"] = {"stage": "model", "reason": str(failure)}
            log.warning("ask.failed", model=self.reply.model, reason=str(failure))
        if interrupted:
            made["interrupted"] = True
        return {"debug": made}
