"""The writer that uses a model.

Every failure becomes one of erstwhile's errors, without keys or message texts.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Awaitable, Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

from erstwhile.base import errors, tracing
from erstwhile.base.errors import BadAnswer, ContentRefused, Error, ModelError, ModelUnavailable
from erstwhile.base.provider_errors import StatusFailure, quote_code, read_retry_after
from erstwhile.text.tokens import count
from erstwhile.writers import answers, calls, checks, hosted, memory_answers, transcript
from erstwhile.writers.accounts import key_variable
from erstwhile.writers.calls import ModelCall
from erstwhile.writers.memory_answers import FactsAndNotes
from erstwhile.writers.port import (
    Usage,
    Writer,
    WriterAnswer,
    WriterOutput,
    WriterQuestion,
    WriterRequest,
)
from erstwhile.writers.providers import ModelChoice, ModelPool, ReadyModel
from erstwhile.writers.shared_answers import Half, Halves, SharedAnswers

if TYPE_CHECKING:
    from pydantic_ai.exceptions import ModelHTTPError
    from pydantic_ai.messages import ModelResponse

T = TypeVar("T")
Schema = dict[str, Any]
Write = Callable[[WriterRequest], Awaitable[WriterOutput]]
Read = Callable[[str], tuple[str, int]]  # from an answer to a text, and how many memories it lost

# Raised by clients for a body that is cut off, not JSON, or of another protocol: pydantic-ai reads
# some unchecked, so that an empty `choices` is an IndexError.
_UNREADABLE = LookupError | AttributeError | TypeError | ValueError
_SLOW = (
    "It gets more time, and one call at a time. If it is slow for good, raise ERSTWHILE_MODEL_TIMEOUT_SECONDS or choose "
    "a smaller model."
)
_DECLINED = "declined to answer, or its provider's filter did."
_FOR_A_LIST = 1024  # output tokens: as JSON a memory takes 90 tokens, as a line of text 25


class PromptedWriter:
    draft = False
    checks = True  # whether what it writes must be borne out by the messages

    def __init__(self, models: ModelChoice) -> None:
        self._choice = models
        self._models = ModelPool(models)
        self._shared = SharedAnswers()

    async def summarise(self, request: WriterRequest) -> WriterOutput:
        return await self._write(request, self._read_summary(request))

    async def condense(self, request: WriterRequest) -> WriterOutput:
        return await self.summarise(request)

    async def extract_facts(self, request: WriterRequest) -> WriterOutput:
        return await self._half("facts", request, self._extract_facts)

    async def structure(self, request: WriterRequest) -> WriterOutput:
        return await self._half("memories", request, self._structure)

    async def _half(self, half: Half, request: WriterRequest, write: Write) -> WriterOutput:
        """Return the facts or the memories with types, of a call for both where another job waits for the other half."""
        alone, models = partial(write, request), self._choice.per_task
        if request.joint is None or models.get("extract") != models.get("structure"):
            return await alone()
        # Messages may be edited or erased between the two jobs: then the other asks anew.
        digest = hashlib.sha256(repr(request.lines).encode()).hexdigest()
        joint = replace(request.joint, key=f"{request.joint.key}:{digest}")
        return await self._shared.half(half, joint, partial(self._both, half, request), alone)

    async def _extract_facts(self, request: WriterRequest) -> WriterOutput:
        prompt = request.prompt.instructions

        def read(answer: str) -> tuple[str, int]:
            return self._borne(answers.read_facts(answer, prompt), request)

        return await self._write(request, read)

    def _borne(self, facts: str, request: WriterRequest) -> tuple[str, int]:
        if not self.checks or not facts:
            return facts, 0
        prose = checks.check_prose(facts, _material(request), request.prompt.instructions)
        return checks.borne_facts(prose, request.lines)

    async def _structure(self, request: WriterRequest) -> WriterOutput:
        ask = WriterQuestion(
            prompt=request.prompt,
            text="\n\n".join(filter(None, (_numbered(request), _closing(request)))),
            read=lambda answer: memory_answers.read(answer, len(request.lines)),
            draft=_never,
            schema=memory_answers.schema(request.lines),
            cache_key=request.cache_key,
            room=_FOR_A_LIST,
            check=lambda noted: checks.borne_notes(noted, request.lines),
        )
        found = await self.answer(ask)
        text, lost = memory_answers.format_notes(found.value), found.unborne
        written = WriterOutput(text, found.writer, draft=False, usage=found.usage)
        return replace(written, noted=found.value, unborne=lost)

    async def _both(self, half: Half, request: WriterRequest) -> Halves:
        """Ask for facts and memories with types in one call, which is counted for `half` if the answer has it."""
        assert request.joint is not None
        lines = request.lines
        texts = [each.text for each in lines]
        closing = transcript.closing("Facts and memories as JSON, their texts", texts)
        ask = WriterQuestion(
            prompt=request.joint.prompt,
            text=f"{_numbered(request)}\n\n{closing}",
            read=lambda answer: memory_answers.read_both(answer, len(lines)),
            draft=_never,
            schema=memory_answers.schema(lines, facts=True),
            cache_key=f"facts:{request.cache_key.partition(':')[2]}",
            room=_FOR_A_LIST,
            tries=1,  # each half can be asked for alone
        )
        found = await self.answer(ask)
        halves = await asyncio.to_thread(self._halves, request, found)
        lost = sum(each.unborne for each in halves.values() if isinstance(each, WriterOutput))
        payer: Half = half if half in halves else "memories" if half == "facts" else "facts"
        own = halves[payer]
        if isinstance(own, WriterOutput):
            halves[payer] = replace(own, usage=found.usage, unborne=lost)
        else:
            _counted(own, found.writer.partition("#")[0], found.usage)
        return halves

    def _halves(self, request: WriterRequest, found: WriterAnswer[FactsAndNotes]) -> Halves:
        """Check each half of an answer by itself."""
        facts, noted = found.value
        written = WriterOutput("", found.writer, draft=False)
        halves: Halves = {}
        if facts is not None:
            try:
                text, lost = self._borne(facts, request)
                halves["facts"] = replace(written, text=text, unborne=lost)
            except ModelError as error:
                halves["facts"] = error
        if noted is not None:
            try:
                kept, lost = checks.borne_notes(noted, request.lines) if self.checks else (noted, 0)
                text = memory_answers.format_notes(kept)
                halves["memories"] = replace(written, text=text, noted=kept, unborne=lost)
            except ModelError as error:
                halves["memories"] = error
        return halves

    async def answer(self, ask: WriterQuestion[T]) -> WriterAnswer[T]:
        """Ask, and once more with what was wrong: a plain retry rarely fixes the same answer."""
        request = WriterRequest(ask.prompt, (), ask.cache_key, ask.text)
        spent, wrong = Usage(), ""
        for _ in range(ask.tries):
            text = f"{ask.text}\n\nYour last answer could not be used. {wrong} Answer again, in the right shape alone."
            asked = replace(request, text=text) if wrong else request
            written = await self._write(asked, lambda answer: (answer, 0), ask.schema, ask.room)
            spent += written.usage
            try:
                value, lost = await asyncio.to_thread(self._checked, ask, written.text)
                return WriterAnswer(value, written.writer, draft=False, usage=spent, unborne=lost)
            except answers.MalformedAnswer as error:
                wrong = str(error)
            except BadAnswer as error:
                raise _counted(error, written.writer.partition("#")[0], spent) from None
        raise _counted(BadAnswer(wrong), written.writer.partition("#")[0], spent)

    def _checked(self, ask: WriterQuestion[T], answer: str) -> tuple[T, int]:
        value = ask.read(answer)
        return ask.check(value) if ask.check and self.checks else (value, 0)

    async def fold(self, request: WriterRequest) -> WriterOutput:
        # A prompt of the space or person has precedence.
        if self._choice.hosted_fold and not request.prompt.custom:
            told = {"task": request.prompt.name, "model": self._choice.hosted_fold}
            with tracing.span("chat", "chat hosted", **told) as span:
                written = await hosted.fold(self._models, self._choice, request)
                used = written.usage
                span.note(input_tokens=used.input_tokens, output_tokens=used.output_tokens)
                return written
        return await self.summarise(request)

    def _read_summary(self, request: WriterRequest) -> Read:
        def read(answer: str) -> tuple[str, int]:
            summary = answers.read_summary(answer)
            if not self.checks:
                return summary, 0
            checks.check_prose(summary, _material(request), request.prompt.instructions)
            return checks.borne_summary(summary, request.lines)

        return read

    async def close(self) -> None:
        await self._models.close()

    async def _write(
        self, request: WriterRequest, read: Read, schema: Schema | None = None, room: int = 0
    ) -> WriterOutput:
        name, usage = self._choice.model_for(request.prompt), Usage()
        with tracing.span("chat", f"chat {name}", task=request.prompt.name, model=name) as span:
            try:
                response = await self._ask(name, request, schema, room)
                took = response.usage
                usage = Usage(took.input_tokens, took.output_tokens, took.cache_read_tokens)
                span.note(input_tokens=usage.input_tokens, output_tokens=usage.output_tokens)
                answer = _complete(name, response, listed=schema is not None)
                text, unborne = await asyncio.to_thread(read, answer)
            except ModelError as error:
                _counted(error, name, usage)
                raise
            writer = f"{name}#{request.prompt.name}/{request.prompt.version}"
            return WriterOutput(text, writer, draft=False, usage=usage, unborne=unborne)

    async def _ask(
        self, name: str, request: WriterRequest, schema: Schema | None, room: int
    ) -> ModelResponse:
        ready_model, traits = await self._models.reach(name), self._models.traits(name)
        from pydantic_ai.messages import ModelRequest

        said = "\n\n".join(filter(None, (_material(request), _closing(request))))
        tokens = count(request.prompt.instructions) + count(said)
        settings = ready_model.settings(self._choice, cache_key=request.cache_key, tokens=tokens)
        if room:
            settings["max_tokens"] = settings.get("max_tokens", 0) + room
        prompt = ModelRequest.user_text_prompt(said, instructions=request.prompt.instructions)
        patience = traits.patience
        try:
            return await calls.call(ready_model, ModelCall([prompt], settings, schema), traits)
        except Exception as error:  # explained by type below; other errors propagate
            failure = explain_error(error, ready_model, patience)
            if failure is None:
                raise
        # Outside of the except block: the provider's error quotes bodies and headers.
        raise failure


def _complete(name: str, response: ModelResponse, *, listed: bool) -> str:
    """Return the answer, or raise why it ended early. Of a list that was cut, the first items can be read."""
    answer = response.text or ""
    if response.finish_reason == "content_filter":
        raise ContentRefused(f"{name} {_DECLINED}")
    if response.finish_reason == "length" and not answer.strip():
        why = f"{name} used up its tokens before it wrote a word"
        raise BadAnswer(f"{why}: choose a model that reasons less.")
    if response.finish_reason == "length" and not listed:
        raise BadAnswer(f"{name} did not come to an end within its tokens. Choose a larger model.")
    return answer


def _counted(error: ModelError, model: str, usage: Usage) -> ModelError:
    """Note on a failure which model was asked and what it took, so that it is counted."""
    error.model = model
    error.tokens = usage.input_tokens, usage.output_tokens, usage.cached_tokens
    return error


def _closing(request: WriterRequest) -> str:
    """Return the last line of a request; none after a prompt that a space or person wrote."""
    prompt = request.prompt
    if not prompt.answer or prompt.custom or not request.lines:
        return ""
    return transcript.closing(prompt.answer, [each.text for each in request.lines])


def _numbered(request: WriterRequest) -> str:
    return request.text or transcript.render(request.lines, numbered=True, before=request.before)


def _material(request: WriterRequest) -> str:
    return request.text or transcript.render(request.lines, before=request.before)


async def _never(_writer: Writer) -> NoReturn:
    raise AssertionError("the extractive writer has its own way of noting")


def explain_error(error: Exception, ready_model: ReadyModel, patience: float) -> Error | None:
    """Translate a provider's failure; None for a bug of ours. `patience`: the seconds it was waited for."""
    import httpx2
    from pydantic_ai import exceptions as ai

    model = f"{ready_model.provider}:{ready_model.name}"
    if calls.too_long(error):
        why = "finds the request too long. Choose a model that reads more."
        return errors.RequestTooLong(f"{model} {why}")
    if calls.filtered(error):
        return ContentRefused(f"{model} {_DECLINED}")
    if isinstance(error, ai.ModelHTTPError):
        named = f"{key_variable(ready_model.provider)} or ERSTWHILE_API_KEY", "base_url"
        told = error.status_code, _code(error), *named, _retry_after(error)
        return StatusFailure(model, *told).explain()
    if isinstance(error, ai.ModelRequestTimeout | ai.ModelTimeoutError | TimeoutError):
        return ModelUnavailable(f"{model} did not answer within {patience:g} seconds. {_SLOW}")
    if isinstance(error, ai.ModelRequestRejectedError):
        return errors.ModelRefused(f"{model} did not accept the request{_code(error)}.")
    if isinstance(error, ai.ModelConnectionError | httpx2.TransportError | OSError):
        why = f"{model} could not be reached, or the connection broke."
        return ModelUnavailable(f"{why} Check base_url, or wait.")
    if isinstance(error, ai.ContentFilterError):
        return ContentRefused(f"{model} {_DECLINED}")
    if isinstance(error, ai.ModelAPIError | ai.UnexpectedModelBehavior | _UNREADABLE):
        why = f"{model} sent an unreadable answer{_code(error)}."
        return ModelUnavailable(f"{why} Check base_url, or wait.")
    if isinstance(error, ai.UserError):
        return errors.SettingsError(
            f"{model} can't be called with these settings: check the model's name and its provider."
        )
    return None


def _code(error: Exception) -> str:
    names = ("provider_error_code", "provider_error_type")
    return quote_code(*(getattr(error, name, None) for name in names))


def _retry_after(error: ModelHTTPError) -> float | None:
    """Return the seconds to wait. pydantic-ai reads whole seconds and HTTP dates, not fractions."""
    if error.retry_after is not None:
        return error.retry_after
    return read_retry_after((error.headers or {}).get("retry-after", ""))
