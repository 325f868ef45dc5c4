"""The writer that asks a model.

Every failure comes out as one of erstwhile's own errors; keys, and what people said, are in none of them.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

from erstwhile.base import tracing
from erstwhile.base.errors import BadAnswer, Error, ModelRefused, ModelUnavailable, SettingsError
from erstwhile.text.tokens import count
from erstwhile.writers import answers, hosted, noting, transcript
from erstwhile.writers.port import Answered, Ask, Request, Usage, Writer, Written
from erstwhile.writers.providers import ModelChoice, Models, Reached, key_variable

if TYPE_CHECKING:
    from pydantic_ai.exceptions import ModelHTTPError
    from pydantic_ai.messages import ModelResponse

T = TypeVar("T")

_WORTH_TRYING_AGAIN = frozenset({408, 409, 425, 429})
# How a body that is cut, not JSON, or of another protocol comes out of the clients: pydantic-ai takes some of them
# apart unchecked, so that an empty `choices` is an IndexError.
_UNREADABLE = LookupError | AttributeError | TypeError | ValueError
_FOR_A_LIST = 1024  # output tokens: ten keys a memory say in 90 tokens what a line of text says in 25
# Only what looks like a code is repeated from a provider's error: its free text may quote the key or the prompt.
_CODE = re.compile(r"[a-z][a-z_.]{2,40}", re.IGNORECASE)


class PromptedWriter:
    draft = False

    def __init__(self, models: ModelChoice) -> None:
        self._choice = models
        self._models = Models(models)

    async def summarise(self, request: Request) -> Written:
        return await self._write(request, answers.read_summary)

    async def condense(self, request: Request) -> Written:
        return await self._write(request, answers.read_summary)

    async def extract_facts(self, request: Request) -> Written:
        prompt = request.prompt.instructions
        return await self._write(request, lambda answer: answers.read_facts(answer, prompt))

    async def structure(self, request: Request) -> Written:
        ask = Ask(
            prompt=request.prompt,
            text=request.text or transcript.render(request.lines, numbered=True),
            read=lambda answer: noting.read(answer, len(request.lines)),
            draft=_never,
            schema=noting.schema(),
            cache_key=request.cache_key,
            room=_FOR_A_LIST,
        )
        found = await self.answer(ask)
        return Written(noting.shown(found.value), found.writer, draft=False, usage=found.usage, noted=found.value)

    async def answer(self, ask: Ask[T]) -> Answered[T]:
        """Asked once more, with what was wrong, before the job is put off: a model seldom mends the same answer by itself."""
        request = Request(ask.prompt, (), ask.cache_key, ask.text)
        spent, wrong = Usage(), ""
        for _ in range(2):
            text = f"{ask.text}\n\nYour last answer could not be used. {wrong} Answer again, in the right shape alone."
            written = await self._write(replace(request, text=text) if wrong else request, str, ask.schema, ask.room)
            spent += written.usage
            try:
                return Answered(ask.read(written.text), written.writer, draft=False, usage=spent)
            except answers.Misshapen as error:
                wrong = str(error)
        raise BadAnswer(wrong)

    async def fold(self, request: Request) -> Written:
        if self._choice.hosted_fold and not request.prompt.custom:  # what a space or a person chose comes first
            with tracing.span("chat", "chat hosted", task=request.prompt.name, model=self._choice.hosted_fold) as span:
                written = await hosted.fold(self._models, self._choice, request)
                span.note(input_tokens=written.usage.input_tokens, output_tokens=written.usage.output_tokens)
                return written
        return await self._write(request, answers.read_summary)

    async def close(self) -> None:
        await self._models.close()

    async def _write(
        self, request: Request, read: Callable[[str], str], schema: dict[str, Any] | None = None, room: int = 0
    ) -> Written:
        name = self._choice.model_for(request.prompt)
        with tracing.span("chat", f"chat {name}", task=request.prompt.name, model=name) as span:
            response = await self._ask(name, request, schema, room)
            usage = response.usage
            span.note(input_tokens=usage.input_tokens, output_tokens=usage.output_tokens)
            if response.finish_reason == "content_filter":
                raise BadAnswer(f"{name} declined to answer, or its provider's filter did.")
            answer = response.text or ""
            if response.finish_reason == "length" and not answer.strip():
                raise BadAnswer(f"{name} used up its tokens before it wrote a word: choose a model that reasons less.")
            return Written(
                text=read(answer),
                writer=f"{name}#{request.prompt.name}/{request.prompt.version}",
                draft=False,
                usage=Usage(usage.input_tokens, usage.output_tokens, usage.cache_read_tokens),
            )

    async def _ask(self, name: str, request: Request, schema: dict[str, Any] | None, room: int) -> ModelResponse:
        reached = await self._models.reach(name)
        from pydantic_ai.direct import model_request
        from pydantic_ai.messages import ModelRequest

        said = request.text or transcript.render(request.lines)
        tokens = count(request.prompt.instructions) + count(said)
        settings = reached.settings(self._choice, cache_key=request.cache_key, tokens=tokens)
        if room:
            settings["max_tokens"] = settings.get("max_tokens", 0) + room
        prompt = ModelRequest.user_text_prompt(said, instructions=request.prompt.instructions)
        try:
            return await model_request(
                reached.model, [prompt], model_settings=settings, model_request_parameters=reached.shape(schema)
            )
        except Exception as error:  # sorted out by type below; what is not a provider's failure goes on as it is
            failure = explained(error, reached, self._choice)
            if failure is None:
                raise
        # Raised out here so that the provider's error, which quotes bodies and headers, is not chained to it.
        raise failure


async def _never(_writer: Writer) -> NoReturn:
    raise AssertionError("the extractive writer has its own way of noting")


def explained(error: Exception, reached: Reached, choice: ModelChoice) -> Error | None:
    """What a provider's failure means to us; None for what is no failure of a provider but a fault of ours."""
    import httpx2
    from pydantic_ai import exceptions as ai

    model = f"{reached.provider}:{reached.name}"
    if isinstance(error, ai.ModelHTTPError):
        return _status(error, model, reached.provider)
    if isinstance(error, ai.ModelRequestTimeout | ai.ModelTimeoutError | TimeoutError):
        return ModelUnavailable(f"{model} did not answer within {choice.timeout:g} seconds.")
    if isinstance(error, ai.ModelRequestRejectedError):
        return ModelRefused(f"{model} did not accept the request{_code(error)}.")
    if isinstance(error, ai.ModelConnectionError | httpx2.TransportError | OSError):
        return ModelUnavailable(f"{model} could not be reached, or the connection broke. Check base_url, or wait.")
    if isinstance(error, ai.ContentFilterError):
        return BadAnswer(f"{model} declined to answer, or its provider's filter did.")
    if isinstance(error, ai.ModelAPIError | ai.UnexpectedModelBehavior | _UNREADABLE):
        return ModelUnavailable(f"{model} sent what can't be read as an answer{_code(error)}. Check base_url, or wait.")
    if isinstance(error, ai.UserError):
        return SettingsError(f"{model} can't be called with these settings: check the model's name and its provider.")
    return None


def _status(error: ModelHTTPError, model: str, provider: str) -> Error:
    status, code = error.status_code, _code(error)
    if status in _WORTH_TRYING_AGAIN or status >= 500:
        return ModelUnavailable(f"{model} can't answer now ({status}{code}).", retry_after=_retry_after(error))
    if status in (401, 403):
        return ModelRefused(
            f"{model} does not accept the key ({status}{code}). Check {key_variable(provider)} or ERSTWHILE_API_KEY, "
            "and that the key may use this model."
        )
    if status == 402:
        return ModelRefused(f"{model}: the account has no credit left ({status}{code}). Top it up, then retry.")
    if status == 404:
        return ModelRefused(f"{model} was not found ({status}{code}). Check the model's name and base_url.")
    if status == 413:
        return ModelRefused(f"{model} finds the request too long ({status}{code}). Choose a model that reads more.")
    return ModelRefused(
        f"{model} did not accept the request ({status}{code}). Check the model's name and the settings."
    )


def _code(error: Exception) -> str:
    for value in (getattr(error, "provider_error_code", None), getattr(error, "provider_error_type", None)):
        if isinstance(value, str) and _CODE.fullmatch(value):
            return f", {value}"
    return ""


def _retry_after(error: ModelHTTPError) -> float | None:
    """Seconds to wait. pydantic-ai reads whole seconds and HTTP dates; some gateways send fractions."""
    if error.retry_after is not None:
        return error.retry_after
    try:
        seconds = float((error.headers or {}).get("retry-after", ""))
    except ValueError:
        return None
    return seconds if math.isfinite(seconds) and seconds >= 0 else None
