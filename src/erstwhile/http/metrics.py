"""Metrics for Prometheus. Counters follow spans and responses; the job queue is read on each
scrape.

No label contains user data: no space, no person and no path, only the route.
"""

from __future__ import annotations

import asyncio
import time
from typing import Any, Final

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, ProcessCollector, generate_latest
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
        trace = tracing.opentelemetry()
        span = _span(scope, trace) if trace is not None else None
        try:
            if trace is None or span is None:
                await self._app(scope, receive, seen.send)
            else:
                with trace.use_span(span, record_exception=False, set_status_on_exception=False):
                    await self._app(scope, receive, seen.send)
        finally:
            seen.end()
            if trace is not None and span is not None:
                _end(span, trace, seen)


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


def _span(scope: Scope, trace: Any) -> Any:
    from opentelemetry import propagate

    carrier = dict(Headers(scope=scope).items())
    started = tracing.tracer(trace).start_span(
        scope["method"], context=propagate.extract(carrier), kind=trace.SpanKind.SERVER
    )
    return started if started.is_recording() else None


def _end(span: Any, trace: Any, seen: _Seen) -> None:
    span.update_name(f"{seen.method} {seen.route}")
    span.set_attributes(
        {"http.request.method": seen.method, "http.route": seen.route, "http.response.status_code": seen.status}
    )
    if seen.status >= 500:
        span.set_attribute("error.type", str(seen.status))
        span.set_status(trace.StatusCode.ERROR)
    span.end()


__all__ = ["MEDIA_TYPE", "Metrics"]

_READ_EVERY: Final = 1.0  # seconds the queue's counts are cached
_SECONDS: Final = (0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30)
_OUTCOMES: Final = ((ModelUnavailable, "unavailable"), (ModelRefused, "refused"), (BadAnswer, "bad_answer"))


class Metrics:
    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        self._read_at = float("-inf")
        self._reading = asyncio.Lock()
        self.registry = registry = CollectorRegistry()
        ProcessCollector(registry=registry)
        self.accepted = Counter("erstwhile_messages_accepted", "Messages stored.", registry=registry)
        self.jobs = Gauge("erstwhile_jobs", "Jobs by state.", ["state"], registry=registry)
        self.job_age = Gauge("erstwhile_job_age_seconds", "How long the oldest job has been due.", registry=registry)
        self.parked = Gauge("erstwhile_parked", "Parked jobs.", registry=registry)
        self.calls = Counter("erstwhile_llm_calls", "Model calls.", ["outcome"], registry=registry)
        self.tokens = Counter("erstwhile_llm_tokens", "Model tokens.", ["direction"], registry=registry)
        self.recall = Histogram(
            "erstwhile_recall_seconds", "Duration of searches.", buckets=_SECONDS, registry=registry
        )
        self.requests = Counter(
            "erstwhile_http_requests", "Requests answered.", ["method", "route", "status"], registry=registry
        )
        self.http = Histogram(
            "erstwhile_http_seconds",
            "Duration of requests; of streams until the first byte.",
            ["route"],
            buckets=_SECONDS,
            registry=registry,
        )
        self.watchers = Gauge("erstwhile_events_watchers", "Open event streams.", registry=registry)
        self.degraded = Counter("erstwhile_chat_degraded", "Chats answered without their memory.", registry=registry)
        self.lost = Gauge("erstwhile_chat_lost", "Turns of chats that could not be logged.", registry=registry)
        for outcome in ("ok", "unavailable", "refused", "bad_answer", "other"):
            self.calls.labels(outcome)
        for direction in ("input", "output"):
            self.tokens.labels(direction)
        tracing.listen(self)

    def heard(self, span: tracing.Span) -> None:
        if span.operation == "search_memory":
            self.recall.observe(span.seconds)
        elif span.operation == "create_memory" and "channel" in span.what:
            self.accepted.inc(span.what.get("count", 0))
        elif span.operation == "chat":
            self.calls.labels(_outcome(span.error)).inc()
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


def _outcome(error: BaseException | None) -> str:
    if error is None:
        return "ok"
    return next((outcome for kind, outcome in _OUTCOMES if isinstance(error, kind)), "other")
