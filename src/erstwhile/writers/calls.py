"""Call a model: wait for it while it is alive, and do with what its server can do.

What was learnt of a model is kept for the process: whether it is slow, and which shapes of answers its server accepts.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, Literal

from erstwhile.base.later import late_pattern
from erstwhile.base.records import dataclass

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelMessage, ModelResponse
    from pydantic_ai.settings import ModelSettings

    from erstwhile.writers.providers import ReadyModel

Shape = Literal["schema", "object", "plain"]
SHAPES: Final[tuple[Shape, ...]] = ("schema", "object", "plain")
_MOST: Final = 16  # times the usual time-out that a slow model gets
_QUICK: Final = 10  # calls in a row, each within half of the usual time-out, that end slowness
_REFUSED: Final = frozenset({400, 415, 422, 501})  # by servers that don't know a response format
# Times the tokens it was given: a server that goes on after that ignores its limit.
_OVERRUN: Final = 2
_FAULTS: Final = 2  # errors 500 in a row, from which on the format may be the reason
_FILTERED: Final = frozenset({"content_filter", "content_policy_violation"})
_TOO_LONG: Final = late_pattern(
    r"context[ _-]?(?:length|size|window)|maximum context|(?:prompt|request|input) (?:is )?too long|too many tokens"
    r"|exceeds? the (?:available|maximum|model)|max_new_tokens`? must be",
    re.IGNORECASE,
)


class ModelTraits:
    """What was learnt of a model. `patience`: seconds of silence, or before the first word, that it is given."""

    def __init__(self, timeout: float) -> None:
        self._timeout = self.patience = timeout
        self._alone: asyncio.Lock | None = None
        self._quick = 0
        self._shape = 0
        self._faults = 0

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        """Wait for the model's turn: a slow one is asked one thing at a time."""
        if self._alone is None:
            yield
        else:
            async with self._alone:
                yield

    def timed_out(self) -> None:
        self._alone = self._alone or asyncio.Lock()
        self.patience = min(2 * self.patience, _MOST * self._timeout)
        self._quick = 0

    def answered(self, seconds: float) -> None:
        self._faults = 0
        self._quick = self._quick + 1 if seconds < self._timeout / 2 else 0
        if self._quick >= _QUICK:
            self._alone, self.patience = None, self._timeout

    def shapes(self, *, listed: bool) -> tuple[Shape, ...]:
        """Return the shapes of answers to try, in order."""
        return SHAPES[self._shape :] if listed else ("plain",)

    def accepted(self, shape: Shape, *, listed: bool) -> None:
        if listed:
            self._shape = SHAPES.index(shape)

    def blames_shape(self, error: Exception) -> bool:
        """Return whether a failure may come from the shape that was asked for."""
        status = getattr(error, "status_code", 0)
        if too_long(error) or filtered(error):
            return False
        self._faults = self._faults + 1 if status == 500 else 0
        return status in _REFUSED or self._faults >= _FAULTS


def too_long(error: Exception) -> bool:
    """Return whether a server says that the request has more tokens than the model reads."""
    status = getattr(error, "status_code", 0)
    said = str(getattr(error, "body", "") or "")
    return status == 413 or (400 <= status <= 500 and bool(_TOO_LONG.search(said)))


def filtered(error: Exception) -> bool:
    """Return whether a provider's filter rejects what the request says."""
    return getattr(error, "provider_error_code", None) in _FILTERED


@dataclass(frozen=True, slots=True)
class ModelCall:
    """One request, in every shape in which it may have to be asked."""

    history: Sequence[ModelMessage]
    settings: ModelSettings
    schema: dict[str, Any] | None


async def call(model: ReadyModel, asked: ModelCall, traits: ModelTraits) -> ModelResponse:
    """Ask. Raises TimeoutError after a silence that is longer than the model's patience."""
    loop = asyncio.get_running_loop()
    async with traits.turn():
        began = loop.time()
        try:
            response = await _in_some_shape(model, asked, traits)
        except TimeoutError:
            traits.timed_out()
            raise
        traits.answered(loop.time() - began)
        return response


async def _in_some_shape(model: ReadyModel, asked: ModelCall, traits: ModelTraits) -> ModelResponse:
    from pydantic_ai.exceptions import ModelHTTPError

    listed = asked.schema is not None
    shapes = traits.shapes(listed=listed) if model.own_server else SHAPES[:1]
    for shape in shapes[:-1]:
        try:
            response = await _once(model, asked, traits.patience, shape)
        except ModelHTTPError as error:
            if not traits.blames_shape(error):
                raise
        else:
            traits.accepted(shape, listed=listed)
            return response
    response = await _once(model, asked, traits.patience, shapes[-1])
    traits.accepted(shapes[-1], listed=listed)
    return response


async def _once(
    model: ReadyModel, asked: ModelCall, patience: float, shape: Shape
) -> ModelResponse:
    from pydantic_ai.direct import model_request, model_request_stream

    settings: Any = dict(asked.settings)
    parameters = None
    if shape == "object":
        settings["extra_body"] = {"response_format": {"type": "json_object"}}
    elif shape == "schema" and model.own_server and asked.schema is not None:
        settings["extra_body"] = model.body(asked.schema)
    elif shape == "schema":
        parameters = model.shape(asked.schema)
    given = {"model_settings": settings, "model_request_parameters": parameters}
    async with patient(patience) as heard:
        if not model.own_server:
            return await model_request(model.model, asked.history, **given)
        async with model_request_stream(model.model, asked.history, **given) as stream:
            pieces = 0
            async for _ in stream:
                heard()
                pieces += 1
                if pieces > _OVERRUN * settings["max_tokens"]:
                    return replace(stream.get(), finish_reason="length")
            return stream.get()


@asynccontextmanager
async def patient(seconds: float) -> AsyncIterator[Any]:
    """Raise TimeoutError after so many seconds in which the given function was not called."""
    loop = asyncio.get_running_loop()
    async with asyncio.timeout(seconds) as limit:
        yield lambda: limit.reschedule(loop.time() + seconds)
