"""Spans for OpenTelemetry, if the program uses it, and for the server's metrics.

`with tracing.span("search_memory", space=…, query=…) as span: …; span.note(count=…)`. The names on
a trace are those of the GenAI memory conventions. OpenTelemetry is not imported here: without it
and without listeners, a span does nothing. Message content is recorded only with
OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=true; errors are recorded by type, because their
message may quote content.
"""

from __future__ import annotations

import os
import sys
import time
from contextlib import AbstractContextManager
from functools import cache
from typing import Any, Final, Protocol, Self
from weakref import WeakSet

_CONTENT: Final = frozenset({"query", "records"})
_NAMES: Final = {
    "space": "gen_ai.memory.store.id",
    "id": "gen_ai.memory.record.id",
    "count": "gen_ai.memory.record.count",
    "query": "gen_ai.memory.query.text",
    "records": "gen_ai.memory.records",
    "channel": "gen_ai.conversation.id",
    "provider": "gen_ai.provider.name",
    "model": "gen_ai.request.model",
    "input_tokens": "gen_ai.usage.input_tokens",
    "output_tokens": "gen_ai.usage.output_tokens",
    "task": "erstwhile.task",
    "job": "erstwhile.job.kind",
    "attempt": "erstwhile.job.attempt",
}


class SpanListener(Protocol):
    def record(self, span: Span) -> None: ...


_listeners: WeakSet[SpanListener] = WeakSet()


def listen(listener: SpanListener) -> None:
    """Register a listener for ended spans. It is held by a weak reference."""
    _listeners.add(listener)


class Span:
    """One operation. `what` are its attributes; `error` is its failure, if any."""

    __slots__ = ("_current", "_traced", "error", "name", "operation", "seconds", "what")

    def __init__(self, operation: str, name: str, what: dict[str, Any]) -> None:
        self.operation, self.name, self.what = operation, name, what
        self.error: BaseException | None = None
        self.seconds = 0.0
        self._traced: Any = None
        self._current: AbstractContextManager[Any] | None = None

    def __enter__(self) -> Self:
        self.begin()
        if self._traced is not None:
            trace = sys.modules["opentelemetry.trace"]
            own = {"record_exception": False, "set_status_on_exception": False}
            self._current = trace.use_span(self._traced, **own)
            self._current.__enter__()
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if self._current is not None:
            self._current.__exit__(None, None, None)
        self.end(error)

    def note(self, **what: Any) -> None:
        self.what.update(what)

    def begin(self) -> None:
        """Begin a span that covers several calls and so is not the current span."""
        self.seconds = -time.perf_counter()
        trace = opentelemetry()
        if trace is not None:
            kind = trace.SpanKind.CLIENT if self.operation == "chat" else trace.SpanKind.INTERNAL
            self._traced = tracer(trace).start_span(self.name, kind=kind)

    def end(self, error: BaseException | None = None) -> None:
        self.seconds += time.perf_counter()
        self.error = error
        for listener in _listeners:
            listener.record(self)
        traced, self._traced = self._traced, None
        if traced is not None:
            if traced.is_recording():
                what = {"gen_ai.operation.name": self.operation, **_shown(self.what)}
                traced.set_attributes(what)
                if error is not None:
                    traced.set_attribute("error.type", type(error).__name__)
                    traced.set_status(sys.modules["opentelemetry.trace"].StatusCode.ERROR)
            traced.end()


class _Nothing(Span):
    """A span that does nothing."""

    __slots__ = ()

    def note(self, **what: Any) -> None:
        pass

    def begin(self) -> None:
        pass

    def end(self, error: BaseException | None = None) -> None:
        pass


_NOTHING: Final = _Nothing("", "", {})


def span(operation: str, name: str = "", /, **what: Any) -> Span:
    """Start a span. `operation` is one of the conventions (search_memory, create_memory, …, chat);
    `name` is the span's name."""
    if not _listeners and opentelemetry() is None:
        return _NOTHING
    return Span(operation, name or operation, what)


def opentelemetry() -> Any:
    """Return OpenTelemetry's trace module, if the program has imported it and said where traces go."""
    found = sys.modules.get("opentelemetry.trace")
    if found is None or getattr(found.__spec__, "_initializing", False):
        return None
    return None if isinstance(found.get_tracer_provider(), found.ProxyTracerProvider) else found


@cache
def tracer(trace: Any) -> Any:
    """Return the tracer. It also works if the provider is set later."""
    return trace.get_tracer("erstwhile")


def _shown(what: dict[str, Any]) -> dict[str, Any]:
    named = os.environ.get("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT", "")
    content = named.lower() == "true"
    told = {name: value for name, value in what.items() if value is not None}
    return {_NAMES[name]: value for name, value in told.items() if content or name not in _CONTENT}
