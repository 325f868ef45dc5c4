"""Log a chat turn in the background, even if the client has disconnected."""

from __future__ import annotations

import asyncio
import json
import re
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from typing import Any

from erstwhile.api import ask_turn as asks
from erstwhile.api import message_store
from erstwhile.api.memory import Memory
from erstwhile.base import ids
from erstwhile.base.errors import InvalidInput, StorageError
from erstwhile.base.logs import Log
from erstwhile.http import permissions
from erstwhile.http.chat.protocol import ChatInput, ResponseReader
from erstwhile.http.chat.recall import ChatOptions, RecallResult, is_logged
from erstwhile.http.problems import Problem
from erstwhile.log import check
from erstwhile.log.model import Message
from erstwhile.requests.model import LOG, MODEL
from erstwhile.text import tokens
from erstwhile.writers.port import Usage

log = Log(__name__)

_FIRST_PAUSE, _LONGEST_PAUSE = 0.5, 30.0  # seconds between attempts to log
_TRIES = 16  # about five minutes


@dataclass(slots=True)
class TurnLog:
    """Shared by all turns: counts of chats, degraded chats, retries and lost turns, and the
    `latest` turn of each channel that is being logged."""

    counts: dict[str, int] = field(
        default_factory=lambda: dict.fromkeys(("chats", "degraded", "retried", "lost"), 0)
    )
    latest: dict[tuple[str, str], asyncio.Future[None]] = field(default_factory=dict)

    def logging(self, place: tuple[str, str], logged: asyncio.Future[None]) -> None:
        self.latest[place] = logged
        logged.add_done_callback(
            lambda done: self.latest.pop(place) if self.latest.get(place) is done else None
        )


@dataclass(slots=True)
class ChatTurn:
    """One question and its reply. `key` makes retries idempotent."""

    memory: Memory
    asking: ChatOptions
    said: ChatInput
    recalled: RecallResult
    model: str
    ear: ResponseReader
    cache_key: str = ""
    key: str = ""
    started: float = field(default_factory=time.monotonic)
    first_word: float | None = None
    failure: str = ""
    interrupted: bool = False
    ledger: TurnLog = field(default_factory=TurnLog)
    before: asyncio.Future[None] | None = None  # the previous turn, which is logged first
    _question: asyncio.Task[None] | None = None
    _asked: Message | None = None
    _streaming: asyncio.Task[None] | None = None
    _logged: asyncio.Future[None] | None = None
    _closing: asyncio.Event = field(default_factory=asyncio.Event)

    def __post_init__(self) -> None:
        self.key = self.key or self.asking.key or ids.new("turn")

    def streaming(self, task: asyncio.Task[None]) -> None:
        self._streaming = task

    def begin(self) -> None:
        """Log the question while the response is under way."""
        if self._question is None and self._logs and self.said.fresh and self.said.question:
            self._question = asyncio.create_task(self._log_question(), name="erstwhile-question")
            asks.finish(self.memory, self, self._question)

    def ending(self) -> None:
        """Announce the end of the response, so that the next question waits for this turn."""
        if self._logged is None and self._logs:
            self._logged = asyncio.get_running_loop().create_future()
            self.ledger.logging((self.asking.space, self.asking.channel), self._logged)

    def end(self) -> None:
        """Log the turn after its end. Called once."""
        self.ear.end()
        if not (self.failure or self.interrupted or self.ear.understood):
            self.failure = f"{self.model} sent a response that can't be parsed."
        self.begin()
        self.ending()
        logged = asyncio.create_task(self._log(time.monotonic()), name="erstwhile-log")
        asks.finish(self.memory, self, logged)

    def leave(self) -> None:
        """Stop the model because the memory closes, and log what was said so far."""
        self._closing.set()
        if self._streaming is not None:
            self._streaming.cancel()

    @property
    def _logs(self) -> bool:
        return self.asking.mode == "on" and self.recalled.is_logged is not False

    async def _log_question(self) -> None:
        if self.before is not None:
            await asyncio.wait({self.before})
        said, asking = self.said, self.asking
        chat, name = self.memory.channel(asking.channel, asking.space), _storable_name(said.name)
        text = _storable_text(said.question, self.memory.settings.limits.message_bytes, "question")

        async def add() -> None:
            self._asked = await chat.add(
                "user", text, person=asking.person, name=name, key=self.key
            )

        await self._surely(add)

    async def _log(self, ended: float) -> None:
        stage: str | None = MODEL if self.failure else None
        try:
            if self._question is not None:
                await self._question
            await self._log_reply(ended)
            with suppress(Problem):  # the next question is refused
                await permissions.take_texts(self.memory, self.asking.space, [self.ear.answer.text])
        except Exception as error:  # noqa: BLE001 - a background task logs its failures here
            stage = LOG
            self.ledger.counts["lost"] += 1
            log.error("chat.not_logged", channel=self.asking.channel, reason=type(error).__name__)
        finally:
            if self._logged is not None and not self._logged.done():
                self._logged.set_result(None)
            self._note(stage, ended)

    async def _log_reply(self, ended: float) -> None:
        role, text = "assistant", self.ear.answer.text
        if not text and (self.failure or self.interrupted):
            role, text = "system", asks.nothing_said(self.failure)
        if not text or not self._logs:
            return  # a tool call: the reply comes later
        asking, largest = self.asking, self.memory.settings.limits.message_bytes
        text = _storable_text(text, largest, "reply")
        meta = {"debug": _storable_record(self._record(ended), largest // 2)}
        chat = self.memory.channel(asking.channel, asking.space)
        key = f"{self.key}/{'failed' if self.failure else 'reply'}"
        if not self.said.fresh:
            key = f"{self.key}/{ids.new('turn')}"  # one of several replies to the same question
        more: dict[str, Any] = {"key": key, "model": self.model, "meta": meta}
        more["question"] = self._asked
        await self._surely(lambda: message_store.say(chat, role, text, **more))

    async def _surely(self, add: Callable[[], Awaitable[object]]) -> None:
        """Run `add`, with retries and growing pauses while the database fails."""
        pause = _FIRST_PAUSE
        for left in reversed(range(_TRIES)):
            try:
                if self.recalled.is_logged or await is_logged(self.memory, self.asking):
                    await add()
                return
            except StorageError as error:
                if not left or self._closing.is_set():
                    raise
                self.ledger.counts["retried"] += 1
                channel, reason = self.asking.channel, type(error).__name__
                log.warning("chat.log_again", channel=channel, reason=reason, seconds=pause)
            try:
                async with asyncio.timeout(pause):
                    await self._closing.wait()
            except TimeoutError:
                pause = min(_LONGEST_PAUSE, 2 * pause)

    @property
    def usage(self) -> Usage:
        """Token usage as the provider counted it, else as estimated here."""
        answer = self.ear.answer
        if answer.input_tokens or answer.output_tokens or self.failure:
            return Usage(answer.input_tokens, answer.output_tokens, answer.cached_tokens)
        given = self.recalled.context.tokens + sum(map(tokens.count, self.said.texts))
        return Usage(given, tokens.count(answer.text), 0)

    def _note(self, stage: str | None, ended: float) -> None:
        if self.recalled.asked is not None:
            asked, took = self.recalled.asked, (ended - self.started) * 1000
            stage = stage or asked.request.error_stage
            asked.end(model=self.model, model_ms=took, **asdict(self.usage), error_stage=stage)

    def _record(self, ended: float) -> dict[str, Any]:
        answer, context = self.ear.answer, self.recalled.context
        first = None if self.first_word is None else self.first_word - self.started
        made = asks.record(context, self.usage, self.cache_key, (first, ended - self.started))
        made |= {"upstream": {"model": answer.model, "id": answer.id, "finish": answer.finish}}
        if answer.tools:
            made["tools"] = list(answer.tools.values())
        if self.recalled.reason:
            made["degraded"] = self.recalled.reason
        if self.failure:
            made["error"] = {"stage": "model", "reason": self.failure}
            log.warning("chat.failed", model=self.model, reason=self.failure)
        if self.interrupted:
            made["interrupted"] = True
        return made


_UNSTORABLE = re.compile("[\0\ud800-\udfff]")


def _storable_text(text: str, largest: int, what: str) -> str:
    text = _storable(text)
    whole = text.encode()
    if len(whole) <= largest:
        return text
    mark = f"\n\n[Cut here: the {what} has {len(whole):,} bytes.]"
    return whole[: largest - len(mark)].decode(errors="ignore") + mark


def _storable_name(given: str | None) -> str | None:
    """Return the name, or None if it is not valid."""
    try:
        return None if given is None else check.identifier("name", given)
    except InvalidInput:
        return None


def _storable_record(made: dict[str, Any], largest: int) -> dict[str, Any]:
    """Return the record without invalid text, and a number for tool calls that are too large."""
    kept: dict[str, Any] = _cleaned(made)
    if len(json.dumps(kept)) > largest:
        kept["tools_not_kept"] = len(kept.pop("tools", ()))
    return kept


def _storable(text: str) -> str:
    """Replace unstorable characters. Surrogate pairs split over two pieces are joined."""
    if not _UNSTORABLE.search(text):
        return text
    units = text.encode("utf-16-le", "surrogatepass")
    return units.decode("utf-16-le", "replace").replace("\0", "\ufffd")


def _cleaned(value: Any) -> Any:
    if isinstance(value, str):
        return _storable(value)
    if isinstance(value, dict):
        return {_cleaned(name): _cleaned(each) for name, each in value.items()}
    return [_cleaned(each) for each in value] if isinstance(value, list | tuple) else value
