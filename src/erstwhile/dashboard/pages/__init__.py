"""The pages, one file each. Importing this imports NiceGUI."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from importlib import import_module
from importlib.resources import files
from pkgutil import iter_modules
from typing import Self

from fastapi import FastAPI
from nicegui import app as nicegui_app
from nicegui import ui
from starlette.middleware.gzip import GZipMiddleware

from erstwhile.api.memory import Memory
from erstwhile.dashboard import errors, shell, sockets, viewer
from erstwhile.dashboard.live import EventHub
from erstwhile.dashboard.policy import ContentPolicy
from erstwhile.http.authentication import Authenticator


class Pages:
    """The pages. NiceGUI has one app per process, so this is made once."""

    def __init__(self) -> None:
        self.app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None)
        self.app.add_middleware(ContentPolicy)
        self.app.add_middleware(GZipMiddleware, minimum_size=1024)
        self._stack = AsyncExitStack()

    @classmethod
    async def started(cls, memory: Memory, gate: Authenticator) -> Self:
        hub = EventHub(memory)
        viewer.Backend.open(memory, gate, hub)
        await asyncio.to_thread(_read)
        made = cls()
        ui.run_with(
            made.app,
            title="erstwhile",
            favicon=files("erstwhile.dashboard").joinpath("static", "mark.svg").read_text(encoding="utf-8"),
            language="en-US",
            dark=None,
            binding_refresh_interval=None,  # nothing here is bound to plain objects
            reconnect_timeout=10.0,
            message_history_length=200,
            tailwind=False,
            show_welcome_message=False,
            gzip_middleware_factory=None,
        )
        sockets.guard()
        errors.take_over()
        nicegui_app.on_page_exception(shell.broken)
        await made._stack.enter_async_context(made.app.router.lifespan_context(made.app))
        made._stack.push_async_callback(hub.close)
        return made

    async def close(self) -> None:
        await self._stack.aclose()


def _read() -> None:
    """Import every page, which registers itself."""
    for module in iter_modules(__path__):
        import_module(f"{__name__}.{module.name}")
