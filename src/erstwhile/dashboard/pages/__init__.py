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
from starlette.datastructures import Headers, MutableHeaders
from starlette.middleware.gzip import GZipMiddleware
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from erstwhile.api.memory import Memory
from erstwhile.dashboard import shell, viewer
from erstwhile.dashboard.viewer import EventHub
from erstwhile.http.authentication import Authenticator

_POLICY = (
    "default-src 'none'; script-src 'self' 'nonce-{nonce}' 'unsafe-eval'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data:; font-src 'self' data:; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; "
    "form-action 'self'"
)


class ContentPolicy:
    """Adds the policy to NiceGUI's pages. They escape content: every `<script` is theirs."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        nonce = scope.get("state", {}).get("nonce") if scope["type"] == "http" else None
        if nonce is None:
            await self._app(scope, receive, send)
            return
        start: Message = {}
        body = b""

        async def marked(message: Message) -> None:
            nonlocal start, body
            if message["type"] == "http.response.start":
                start = message
            if not Headers(raw=start["headers"]).get("content-type", "").startswith("text/html"):
                await send(message)
            elif message["type"] == "http.response.body":
                body += message.get("body", b"")
                if not message.get("more_body", False):
                    body = body.replace(b"<script", f'<script nonce="{nonce}"'.encode())
                    headers = MutableHeaders(raw=start["headers"])
                    headers["Content-Security-Policy"] = _POLICY.format(nonce=nonce)
                    headers["Content-Length"] = str(len(body))
                    await send(start)
                    await send({"type": "http.response.body", "body": body})

        await self._app(scope, receive, marked)


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
        backend = viewer.Backend
        backend.memory, backend.gate, backend.hub = memory, gate, hub
        await asyncio.to_thread(_read)
        made = cls()
        ui.run_with(
            made.app,
            title="erstwhile",
            favicon=files("erstwhile.dashboard")
            .joinpath("static", "mark.svg")
            .read_text(encoding="utf-8"),
            language="en-US",
            dark=None,
            binding_refresh_interval=None,  # nothing here is bound to plain objects
            reconnect_timeout=10.0,
            message_history_length=200,
            tailwind=False,
            show_welcome_message=False,
            gzip_middleware_factory=None,
        )
        shell.guard()
        shell.take_over()
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
