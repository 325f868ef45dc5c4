"""Puts the HTTP face together over an open memory."""

from __future__ import annotations

from fastapi import FastAPI

import erstwhile
from erstwhile.api import problems
from erstwhile.api.caller import Gate
from erstwhile.api.paths import RawPath
from erstwhile.api.routes import ROUTERS
from erstwhile.memory import Memory


def create_app(memory: Memory) -> FastAPI:
    app = FastAPI(
        title="erstwhile", version=erstwhile.__version__, summary="Long-term memory for conversations.", redoc_url=None
    )
    app.state.memory = memory
    app.state.gate = Gate(memory)
    problems.handle(app)
    app.add_middleware(RawPath)
    for router in ROUTERS:
        app.include_router(router)
    return app
