"""Metrics for Prometheus. Counters follow spans and responses; the job queue is read on each
scrape.

No label contains user data: no space, no person and no path, only the route.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Final

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    ProcessCollector,
    generate_latest,
)
from prometheus_client.exposition import CONTENT_TYPE_LATEST as MEDIA_TYPE
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from erstwhile.api.memory import Memory
from erstwhile.base import tracing
from erstwhile.base.errors import BadAnswer, ModelRefused, ModelUnavailable

_NO_ROUTE = "none"
_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


class MetricsMiddleware:
    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self._app, self._metrics = app, metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        seen = _Seen(scope, send, self._metrics)
        with _traced(scope, seen):
            try:
                await self._app(scope, receive, seen.send)
            finally:
                seen.end()


class _Seen:
    """One request being measured."""

    def __init__(self, scope: Scope, send: Send, metrics: Metrics) -> None:
        self._scope, self._send, self._metrics = scope, send, metrics
        self._started = time.perf_counter()
        self._took: float | None = None
        self._watcher = False
        self.status = 500  # if no response is sent
        self.method = scope["method"] if scope["method"] in _METHODS else "other"

    @property
    def route(self) -> str:
        """The route's template, known once the request was routed."""
        path: str | None = getattr(self._scope.get("route"), "path", None)
        return _NO_ROUTE if path is None else path.replace(":id}", "}")

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            headers = Headers(raw=message.get("headers", []))
            if headers.get("content-type", "").startswith("text/event-stream"):
                self._took = time.perf_counter() - self._started
                self._watcher = self.route.endswith("/events")
                self._metrics.watchers.inc(self._watcher)
            if headers.get("x-erstwhile-memory", "").startswith("degraded"):
                self._metrics.degraded.inc()
        await self._send(message)

    def end(self) -> None:
        took = time.perf_counter() - self._started if self._took is None else self._took
        self._metrics.watchers.dec(self._watcher)
        self._metrics.requests.labels(self.method, self.route, str(self.status)).inc()
        self._metrics.http.labels(self.route).observe(took)


@contextmanager
def _traced(scope: Scope, seen: _Seen) -> Iterator[None]:
    """Put the request on a trace, if the program sends traces."""
    trace = tracing.opentelemetry()
    if trace is None:
        yield
        return
    from opentelemetry import propagate

    came_from = propagate.extract(dict(Headers(scope=scope).items()))
    kind = trace.SpanKind.SERVER
    span = tracing.tracer(trace).start_span(scope["method"], context=came_from, kind=kind)
    if not span.is_recording():
        yield
        return
    try:
        with trace.use_span(span, record_exception=False, set_status_on_exception=False):
            yield
    finally:
        told = {"http.request.method": seen.method, "http.route": seen.route}
        told["http.response.status_code"] = seen.status
        if seen.status >= 500:
            told["error.type"] = str(seen.status)
            span.set_status(trace.StatusCode.ERROR)
        span.update_name(f"{seen.method} {seen.route}")
        span.set_attributes(told)
        span.end()


__all__ = ["MEDIA_TYPE", "Metrics"]

_READ_EVERY: Final = 1.0  # seconds the queue's counts are cached
_SECONDS: Final = (0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30)
_OUTCOMES: Final = (
    (ModelUnavailable, "unavailable"),
    (ModelRefused, "refused"),
    (BadAnswer, "bad_answer"),
)


class Metrics:
    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        self._read_at = float("-inf")
        self._reading = asyncio.Lock()
        self.registry = registry = CollectorRegistry()
        ProcessCollector(registry=registry)
        counter, gauge = partial(Counter, registry=registry), partial(Gauge, registry=registry)
        histogram = partial(Histogram, buckets=_SECONDS, registry=registry)
        self.accepted = counter("erstwhile_messages_accepted", "Messages stored.")
        self.jobs = gauge("erstwhile_jobs", "Jobs by state.", ["state"])
        self.job_age = gauge("erstwhile_job_age_seconds", "How long the oldest job has been due.")
        self.parked = gauge("erstwhile_parked", "Parked jobs.")
        self.calls = counter("erstwhile_llm_calls", "Model calls.", ["outcome"])
        self.tokens = counter("erstwhile_llm_tokens", "Model tokens.", ["direction"])
        self.recall = histogram("erstwhile_recall_seconds", "Duration of searches.")
        answered = ["method", "route", "status"]
        self.requests = counter("erstwhile_http_requests", "Requests answered.", answered)
        took = "Duration of requests; of streams until the first byte."
        self.http = histogram("erstwhile_http_seconds", took, ["route"])
        self.watchers = gauge("erstwhile_events_watchers", "Open event streams.")
        self.degraded = counter("erstwhile_chat_degraded", "Chats answered without their memory.")
        self.lost = gauge("erstwhile_chat_lost", "Turns of chats that could not be logged.")
        for outcome in ("ok", "unavailable", "refused", "bad_answer", "other"):
            self.calls.labels(outcome)
        for direction in ("input", "output"):
            self.tokens.labels(direction)
        tracing.listen(self)

    def record(self, span: tracing.Span) -> None:
        if span.operation == "search_memory":
            self.recall.observe(span.seconds)
        elif span.operation == "create_memory" and "channel" in span.what:
            self.accepted.inc(span.what.get("count", 0))
        elif span.operation == "chat":
            known = [outcome for kind, outcome in _OUTCOMES if isinstance(span.error, kind)]
            self.calls.labels("ok" if span.error is None else [*known, "other"][0]).inc()
            self.tokens.labels("input").inc(span.what.get("input_tokens", 0))
            self.tokens.labels("output").inc(span.what.get("output_tokens", 0))

    async def text(self) -> bytes:
        async with self._reading:
            if time.monotonic() - self._read_at >= _READ_EVERY:
                counted, age = await self._memory.jobs.worker.queue()
                for state, number in counted.items():
                    self.jobs.labels(state).set(number)
                self.parked.set(counted["parked"])
                self.job_age.set(age)
                self._read_at = time.monotonic()
        return generate_latest(self.registry)
