"""The record of one request while it runs."""

from __future__ import annotations

import time
from dataclasses import replace
from types import TracebackType
from typing import Any, Self

from erstwhile.base.errors import InvalidInput, NotFound, SettingsError
from erstwhile.context.model import BuiltContext, Context
from erstwhile.requests.model import RETRIEVAL, Request
from erstwhile.requests.recorder import Recorder
from erstwhile.search.model import Hit, TracedHits
from erstwhile.search.trace import BUDGET, Trace

_OF_THE_CALLER = (InvalidInput, NotFound, SettingsError)


class RequestRecord:
    """`with asked:` measures the retrieval and records a failure. `end` records the request once,
    unless `kept` is False."""

    def __init__(self, recorder: Recorder, space: str, request: Request, *, kept: bool = True) -> None:
        self._recorder = recorder
        self._space = space
        self._started = 0.0
        self._kept = kept
        self._ended = not kept
        self.request = request

    @property
    def id(self) -> str:
        """Empty when requests are not recorded."""
        return self.request.id if self._recorder.on and self._kept else ""

    def __enter__(self) -> Self:
        self._started = time.perf_counter()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.request = replace(self.request, retrieval_ms=(time.perf_counter() - self._started) * 1000)
        if isinstance(error, Exception) and not isinstance(error, _OF_THE_CALLER):
            self.end(error_stage=RETRIEVAL)

    def built(self, made: BuiltContext, budget: int, recipe: str) -> Context:
        parts = {part.name: part.tokens for part in made.context.parts}
        items = sum(len(part.items) for part in made.context.parts)
        tokens = made.context.tokens
        self.request = replace(self.request, items=items, tokens=tokens, budget=budget, parts=parts, recipe=recipe)
        self._traced(made.trace)
        return replace(made.context, request=self.id)

    def unrecorded(self) -> Context:
        """Discard the record and return an empty context."""
        self._ended = True
        return Context(text="", messages=(), parts=(), sources=(), tokens=0)

    def found(self, found: TracedHits) -> list[Hit]:
        self.request = replace(self.request, items=len(found.hits))
        self._traced(found.trace)
        return found.hits

    def end(self, **more: Any) -> None:
        if not self._ended:
            self._ended = True
            self._recorder.add(self._space, replace(self.request, **more))

    def _traced(self, trace: Trace) -> None:
        self.request = replace(
            self.request,
            searched=bool(trace.query),
            hits=trace.hits,
            path=trace.path,
            fallback=trace.fallback,
            scope=trace.scope,
            widened=trace.widened,
            when=trace.when,
            truncated=any(each.fate == BUDGET for each in trace.candidates),
            candidates=trace.candidates,
        )
