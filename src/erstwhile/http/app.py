"""Create the HTTP application for an open memory."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Protocol

from fastapi import FastAPI
from fastapi.telemetry import TelemetryConfig
from starlette.middleware.cors import CORSMiddleware
from starlette.types import ASGIApp

import erstwhile
from erstwhile.api.memory import Memory
from erstwhile.http import openapi, problems, verbs
from erstwhile.http.authentication import Authenticator
from erstwhile.http.caller import RawPathMiddleware
from erstwhile.http.chat import routes as routes
from erstwhile.http.host_checks import HostMiddleware
from erstwhile.http.metrics import Metrics, MetricsMiddleware
from erstwhile.http.problems import MethodMiddleware
from erstwhile.http.request_checks import EntryMiddleware, PlainMiddleware
from erstwhile.http.routes import ROUTERS

# Response headers that web pages of allowed origins can read.
_EXPOSED = ("X-Request-Id", "ETag", "Retry-After", "Location", "Link", "X-Erstwhile-Memory")
# FastAPI's own telemetry would put queries and errors on traces; metrics.py is used instead.
_NO_TELEMETRY = TelemetryConfig(tracing=False, metrics=False, logs=False, operation_spans=False)


class OuterApp(Protocol):
    """An application in front of the routes, with paths of its own (the dashboard)."""

    def __call__(self, app: ASGIApp, /, memory: Memory, gate: Authenticator) -> ASGIApp: ...


def create_app(memory: Memory, front: OuterApp | None = None) -> FastAPI:
    """Create the application. Requests that `front` handles do not reach the routes."""
    settings = memory.settings
    named: Any = {"title": "erstwhile", "version": erstwhile.__version__}
    named["summary"] = "Long-term memory for conversations."
    own: Any = {"docs_url": None, "redoc_url": None, "telemetry": _NO_TELEMETRY}
    app = FastAPI(**named, **own, lifespan=_lifespan)
    app.state.memory = memory
    app.state.gate = Authenticator(memory)
    app.state.metrics = Metrics(memory)
    app.state.closing = asyncio.Event()
    app.state.watchers = Counter()  # open event streams, by key
    problems.handle(app)
    # include_router would make every route and its models again at the first request. Routers have no lifespan.
    for router in (*ROUTERS, *verbs.routers(), openapi.router):
        app.router.routes.extend(router.routes)
    openapi.describe(app)
    # The last one added is the outermost.
    app.add_middleware(MethodMiddleware)
    app.add_middleware(PlainMiddleware, app.router.routes)
    app.add_middleware(EntryMiddleware, settings, app.state.gate)
    if front is not None:
        app.add_middleware(front, memory, app.state.gate)
    if settings.origins:
        every: Any = {"allow_methods": ["*"], "allow_headers": ["*"], "expose_headers": _EXPOSED}
        app.add_middleware(CORSMiddleware, allow_origins=settings.origins, **every)
    app.add_middleware(HostMiddleware, settings)
    app.add_middleware(RawPathMiddleware)
    app.add_middleware(MetricsMiddleware, metrics=app.state.metrics)
    return app


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    async with routes.running(app):
        yield
    app.state.closing.set()
    await app.state.gate.close()
