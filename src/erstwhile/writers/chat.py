"""The chat model: replies as a stream."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any

from erstwhile.base import tracing
from erstwhile.base.errors import BadAnswer
from erstwhile.text.tokens import count
from erstwhile.writers import prompted
from erstwhile.writers.calls import patient
from erstwhile.writers.port import Usage
from erstwhile.writers.providers import ModelAddress, ModelChoice, ModelPool, ReadyModel, address

Talk = Sequence[dict[str, str]]  # messages with role and content


class ChatReply:
    """Iterate over it for the pieces; afterwards `usage` and `model` are set."""

    def __init__(
        self, models: tuple[ModelPool, ModelChoice], model: str, messages: Talk, cache_key: str
    ) -> None:
        self._models, self._choice = models
        self._messages, self._cache_key = messages, cache_key
        self.model = model
        self.usage = Usage()

    async def __aiter__(self) -> AsyncIterator[str]:
        ready_model, traits = await self._models.reach(self.model), self._models.traits(self.model)
        span = tracing.span("chat", f"chat {self.model}", task="chat", model=self.model)
        span.begin()
        # Unless it completes: the listener has gone.
        failure: BaseException | None = GeneratorExit()
        try:
            async for piece in self._pieces(ready_model, traits.patience):
                yield piece
            failure = None
        except Exception as error:  # explained by type; other errors propagate
            failure = prompted.explain_error(error, ready_model, traits.patience)
            if isinstance(error, TimeoutError):
                traits.timed_out()
            if failure is None:
                failure = error
                raise
        finally:
            span.note(input_tokens=self.usage.input_tokens, output_tokens=self.usage.output_tokens)
            span.end(failure)
        if failure is not None:
            raise failure

    async def _pieces(self, ready_model: ReadyModel, patience: float) -> AsyncIterator[str]:
        """Yield the words. A stream goes on for as long as words come."""
        from pydantic_ai.direct import model_request_stream
        from pydantic_ai.messages import PartDeltaEvent, PartStartEvent, TextPart, TextPartDelta

        history, tokens = _history(self._messages)
        chosen = ready_model.settings(self._choice, cache_key=self._cache_key, tokens=tokens)
        settings: Any = dict(chosen)
        for ours in ("max_tokens", "temperature"):  # length and style are up to the model
            settings.pop(ours, None)
        said = False
        async with (
            patient(patience) as heard,
            model_request_stream(ready_model.model, history, model_settings=settings) as stream,
        ):
            async for event in stream:
                heard()
                text = ""
                if isinstance(event, PartStartEvent) and isinstance(event.part, TextPart):
                    text = event.part.content
                elif isinstance(event, PartDeltaEvent) and isinstance(event.delta, TextPartDelta):
                    text = event.delta.content_delta
                if text:
                    said = True
                    yield text
            usage = stream.usage() if callable(stream.usage) else stream.usage
            self.usage = Usage(usage.input_tokens, usage.output_tokens, usage.cache_read_tokens)
        if not said:
            raise BadAnswer(f"{self.model} answered with nothing.")


def alternating(talk: Talk) -> list[dict[str, str]]:
    """Join messages of one role in a row, and make what the assistant said first a part of the
    user's first message: many servers refuse anything but user and assistant by turns."""
    first = next((n for n, each in enumerate(talk) if each["role"] != "assistant"), len(talk))
    opening = [("user", f"assistant: {each['content']}") for each in talk[:first]]
    rest = [(each["role"], each["content"]) for each in talk[first:]]
    turns = groupby([*opening, *rest], key=itemgetter(0))
    joined = ((role, "\n\n".join(text for _, text in said)) for role, said in turns)
    return [{"role": role, "content": content} for role, content in joined]


def _history(messages: Talk) -> tuple[list[Any], int]:
    """Convert messages for pydantic-ai. System messages become instructions."""
    from pydantic_ai.messages import ModelRequest, ModelResponse, TextPart

    system = "\n\n".join(each["content"] for each in messages if each["role"] == "system") or None
    history: list[Any] = []
    for turn in alternating([each for each in messages if each["role"] != "system"]):
        if turn["role"] == "assistant":
            history.append(ModelResponse(parts=[TextPart(turn["content"])]))
        else:
            history.append(ModelRequest.user_text_prompt(turn["content"], instructions=system))
    return history, sum(count(each["content"]) for each in messages)


class ChatModel:
    def __init__(self, choice: ModelChoice) -> None:
        self._choice = choice
        self._models = ModelPool(choice)

    def reply(self, messages: Talk, *, model: str | None, cache_key: str) -> ChatReply:
        models = self._models, self._choice
        return ChatReply(models, model or self._choice.light, messages, cache_key)

    def address(self) -> ModelAddress:
        """Return the address, for callers that use the provider's protocol directly."""
        return address(self._choice)

    async def warm(self) -> None:
        """Import and build what the first reply needs."""
        await self._models.reach(self._choice.light)

    async def close(self) -> None:
        await self._models.close()
