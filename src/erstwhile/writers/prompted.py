"""The writer that uses a model.

Every failure becomes one of erstwhile's errors, without keys or message texts.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

from erstwhile.base import tracing
from erstwhile.base.errors import BadAnswer, Error, ModelRefused, ModelUnavailable, SettingsError
from erstwhile.base.provider_errors import StatusFailure, quote_code, read_retry_after
from erstwhile.text.tokens import count
from erstwhile.writers import answers, hosted, memory_answers, transcript
from erstwhile.writers.port import Usage, Writer, WriterAnswer, WriterOutput, WriterQuestion, WriterRequest
from erstwhile.writers.providers import ModelChoice, ModelPool, ReadyModel, key_variable

if TYPE_CHECKING:
    from pydantic_ai.exceptions import ModelHTTPError
    from pydantic_ai.messages import ModelResponse

T = TypeVar("T")

# Raised by clients for a body that is cut off, not JSON, or of another protocol: pydantic-ai reads
# some unchecked, so that an empty `choices` is an IndexError.
_UNREADABLE = LookupError | AttributeError | TypeError | ValueError
_FOR_A_LIST = 1024  # output tokens: as JSON a memory takes 90 tokens, as a line of text 25


class PromptedWriter:
    draft = False

    def __init__(self, models: ModelChoice) -> None:
        self._choice = models
        self._models = ModelPool(models)

    async def summarise(self, request: WriterRequest) -> WriterOutput:
        return await self._write(request, answers.read_summary)

    async def condense(self, request: WriterRequest) -> WriterOutput:
        return await self._write(request, answers.read_summary)

    async def extract_facts(self, request: WriterRequest) -> WriterOutput:
        prompt = request.prompt.instructions
        return await self._write(request, lambda answer: answers.read_facts(answer, prompt))

    async def structure(self, request: WriterRequest) -> WriterOutput:
        ask = WriterQuestion(
            prompt=request.prompt,
            text=request.text or transcript.render(request.lines, numbered=True),
            read=lambda answer: memory_answers.read(answer, len(request.lines)),
            draft=_never,
            schema=memory_answers.schema(),
            cache_key=request.cache_key,
            room=_FOR_A_LIST,
        )
        found = await self.answer(ask)
        return WriterOutput(
            memory_answers.format_notes(found.value), found.writer, draft=False, usage=found.usage, noted=found.value
        )

    async def answer(self, ask: WriterQuestion[T]) -> WriterAnswer[T]:
        """Ask, and once more with what was wrong: a plain retry rarely fixes the same answer."""
        request = WriterRequest(ask.prompt, (), ask.cache_key, ask.text)
        spent, wrong = Usage(), ""
        for _ in range(2):
            text = f"{ask.text}\n\nYour last answer could not be used. {wrong} Answer again, in the right shape alone."
            written = await self._write(replace(request, text=text) if wrong else request, str, ask.schema, ask.room)
            spent += written.usage
            try:
                return WriterAnswer(ask.read(written.text), written.writer, draft=False, usage=spent)
            except answers.MalformedAnswer as error:
                wrong = str(error)
        raise BadAnswer(wrong)

    async def fold(self, request: WriterRequest) -> WriterOutput:
        if self._choice.hosted_fold and not request.prompt.custom:  # a prompt of the space or person has precedence
            with tracing.span("chat", "chat hosted", task=request.prompt.name, model=self._choice.hosted_fold) as span:
                written = await hosted.fold(self._models, self._choice, request)
                span.note(input_tokens=written.usage.input_tokens, output_tokens=written.usage.output_tokens)
                return written
        return await self._write(request, answers.read_summary)

    async def close(self) -> None:
        await self._models.close()

    async def _write(
        self, request: WriterRequest, read: Callable[[str], str], schema: dict[str, Any] | None = None, room: int = 0
    ) -> WriterOutput:
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
            return WriterOutput(
                text=read(answer),
                writer=f"{name}#{request.prompt.name}/{request.prompt.version}",
                draft=False,
                usage=Usage(usage.input_tokens, usage.output_tokens, usage.cache_read_tokens),
            )

    async def _ask(self, name: str, request: WriterRequest, schema: dict[str, Any] | None, room: int) -> ModelResponse:
        ready_model = await self._models.reach(name)
        from pydantic_ai.direct import model_request
        from pydantic_ai.messages import ModelRequest

        said = request.text or transcript.render(request.lines)
        tokens = count(request.prompt.instructions) + count(said)
        settings = ready_model.settings(self._choice, cache_key=request.cache_key, tokens=tokens)
        if room:
            settings["max_tokens"] = settings.get("max_tokens", 0) + room
        prompt = ModelRequest.user_text_prompt(said, instructions=request.prompt.instructions)
        try:
            return await model_request(
                ready_model.model, [prompt], model_settings=settings, model_request_parameters=ready_model.shape(schema)
            )
        except Exception as error:  # explained by type below; other errors propagate
            failure = explain_error(error, ready_model, self._choice)
            if failure is None:
                raise
        # Outside of the except block: the provider's error quotes bodies and headers.
        raise failure


async def _never(_writer: Writer) -> NoReturn:
    raise AssertionError("the extractive writer has its own way of noting")


def explain_error(error: Exception, ready_model: ReadyModel, choice: ModelChoice) -> Error | None:
    """Translate a provider's failure; None for a bug of ours."""
    import httpx2
    from pydantic_ai import exceptions as ai

    model = f"{ready_model.provider}:{ready_model.name}"
    if isinstance(error, ai.ModelHTTPError):
        return StatusFailure(
            model,
            error.status_code,
            _code(error),
            key=f"{key_variable(ready_model.provider)} or ERSTWHILE_API_KEY",
            address="base_url",
            retry_after=_retry_after(error),
        ).explain()
    if isinstance(error, ai.ModelRequestTimeout | ai.ModelTimeoutError | TimeoutError):
        return ModelUnavailable(f"{model} did not answer within {choice.timeout:g} seconds.")
    if isinstance(error, ai.ModelRequestRejectedError):
        return ModelRefused(f"{model} did not accept the request{_code(error)}.")
    if isinstance(error, ai.ModelConnectionError | httpx2.TransportError | OSError):
        return ModelUnavailable(f"{model} could not be reached, or the connection broke. Check base_url, or wait.")
    if isinstance(error, ai.ContentFilterError):
        return BadAnswer(f"{model} declined to answer, or its provider's filter did.")
    if isinstance(error, ai.ModelAPIError | ai.UnexpectedModelBehavior | _UNREADABLE):
        return ModelUnavailable(f"{model} sent an unreadable answer{_code(error)}. Check base_url, or wait.")
    if isinstance(error, ai.UserError):
        return SettingsError(f"{model} can't be called with these settings: check the model's name and its provider.")
    return None


def _code(error: Exception) -> str:
    return quote_code(getattr(error, "provider_error_code", None), getattr(error, "provider_error_type", None))


def _retry_after(error: ModelHTTPError) -> float | None:
    """Return the seconds to wait. pydantic-ai reads whole seconds and HTTP dates, not fractions."""
    if error.retry_after is not None:
        return error.retry_after
    return read_retry_after((error.headers or {}).get("retry-after", ""))
