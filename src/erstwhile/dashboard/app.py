"""The HTTP app with the dashboard. NiceGUI is imported with the first page."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta

from fastapi import FastAPI

from erstwhile.api.memory import Memory
from erstwhile.dashboard import paths
from erstwhile.dashboard.middleware import DashboardMiddleware
from erstwhile.http.app import create_app as create_api
from erstwhile.keys.store import Session


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


_MINUTES = 15


async def welcome_line(memory: Memory, where: str, *, terminal: bool) -> str:
    """Write the welcome, with a link that signs in once. Whoever reads this terminal may make a key as well.

    Logs get no link, unless no key was ever made and the machine is open anyway.
    """
    if not terminal and await memory.keys.store.any():
        return f"The dashboard: {where}/"
    token = await memory.keys.sessions.link(Session(), timedelta(minutes=_MINUTES))
    return f"The dashboard: {where}{paths.url(paths.LOGIN, link=token)} (signs in once, for {_MINUTES} minutes)"
