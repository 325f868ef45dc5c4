"""Measure every request and continue the caller's trace."""

from __future__ import annotations

import time
from typing import Any

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from erstwhile.base import tracing
from erstwhile.http.metrics import Metrics

_NO_ROUTE = "none"
_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


class MetricsMiddleware:
    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self._app = app
        self._metrics = metrics

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
