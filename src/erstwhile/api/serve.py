"""Runs the server until it is told to stop; then requests under way are finished, replies logged and jobs handed back."""

from __future__ import annotations

import uvicorn

from erstwhile.api.app import create_app
from erstwhile.memory import Memory

_GRACE_SECONDS = 20


async def serve(memory: Memory) -> None:
    settings = memory.settings
    config = uvicorn.Config(
        create_app(memory),
        host=settings.host,
        port=settings.port,
        log_level="warning",
        server_header=False,
        timeout_graceful_shutdown=_GRACE_SECONDS,
    )
    await uvicorn.Server(config).serve()
