"""The HTTP app with the dashboard.

NiceGUI is imported with the first page: until then it costs nothing.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import FastAPI

from erstwhile.api.memory import Memory
from erstwhile.dashboard.middleware import DashboardMiddleware
from erstwhile.http.app import create_app as create_api


def create_app(memory: Memory) -> FastAPI:
    app = create_api(memory, front=DashboardMiddleware)
    app.state.websockets = True
    inner = app.router.lifespan_context

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        async with inner(app):
            yield
            if app.state.pages is not None:
                await app.state.pages.close()

    app.state.pages = None
    app.router.lifespan_context = lifespan
    return app
