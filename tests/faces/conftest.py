"""The HTTP face, in this process: `http` calls the app itself; `server` is a real one on a free port, for clients with their own wire."""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import AsyncIterator, Callable, Iterator

import httpx2
import pytest
import uvicorn
from fastapi import FastAPI

import databases
import erstwhile
from erstwhile.http.app import create_app

BASE = "http://127.0.0.1"


def _listening() -> socket.socket:
    """As `erstwhile serve` opens it: a socket that says TCP, on which asyncio sends without waiting for more."""
    made = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    made.bind(("127.0.0.1", 0))
    made.listen()
    return made


@pytest.fixture(params=["sqlite", "postgres"] if os.environ.get("ERSTWHILE_SOAK") else ["sqlite"])
def cli_url(request: pytest.FixtureRequest) -> Iterator[str]:
    """A database for a few commands; in `make soak` also Postgres, on which test_cli.py, test_cli_tables.py and others
    run most commands anyway."""
    yield from databases.empty(request.param, request)


@pytest.fixture
def app(memory: erstwhile.Memory) -> FastAPI:
    return create_app(memory)


@pytest.fixture
async def http(app: FastAPI) -> AsyncIterator[httpx2.AsyncClient]:
    async with httpx2.AsyncClient(transport=httpx2.ASGITransport(app=app), base_url=BASE) as client:
        yield client


@pytest.fixture
async def serving() -> AsyncIterator[Callable[[FastAPI], str]]:
    """Serves an app in this loop and says where. A blocking client belongs in `asyncio.to_thread`."""
    running: list[tuple[uvicorn.Server, FastAPI, asyncio.Task[None]]] = []

    def serve(app: FastAPI) -> str:
        listening = _listening()  # connections wait in it until the server takes them
        server = uvicorn.Server(uvicorn.Config(app, log_config=None, lifespan="on", timeout_graceful_shutdown=5))
        running.append((server, app, asyncio.create_task(server.serve([listening]))))
        return f"{BASE}:{listening.getsockname()[1]}"

    yield serve
    for server, app, task in running:
        app.state.closing.set()
        server.should_exit = True
        await task


@pytest.fixture
async def server(app: FastAPI, serving: Callable[[FastAPI], str]) -> str:
    """The url of a real server over `memory`."""
    return serving(app)
