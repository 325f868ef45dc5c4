"""Puts the HTTP face together over an open memory."""

from __future__ import annotations

from typing import Final

from fastapi import FastAPI
from fastapi.telemetry import TelemetryConfig

import erstwhile
from erstwhile.api import openapi, problems
from erstwhile.api.caller import Gate
from erstwhile.api.methods import Methods
from erstwhile.api.metrics import Metrics
from erstwhile.api.paths import RawPath
from erstwhile.api.routes import ROUTERS
from erstwhile.api.watching import Watching
from erstwhile.memory import Memory

# FastAPI's own would put questions (they are in the address) and the messages of errors on the trace; ours is watching.py.
_NO_TELEMETRY: Final[TelemetryConfig] = {"tracing": False, "metrics": False, "logs": False, "operation_spans": False}


def create_app(memory: Memory) -> FastAPI:
    app = FastAPI(
        title="erstwhile",
        version=erstwhile.__version__,
        summary="Long-term memory for conversations.",
        redoc_url=None,
        telemetry=_NO_TELEMETRY,
    )
    app.state.memory = memory
    app.state.gate = Gate(memory)
    problems.handle(app)
    app.add_middleware(Methods)
    app.add_middleware(RawPath)
    for router in ROUTERS:
        app.include_router(router)
    openapi.describe(app)
    app.state.metrics = Metrics(memory)
    app.add_middleware(Watching, metrics=app.state.metrics)  # last, and so around the others
    return app
