"""Run the server until it is stopped; then finish open requests, log replies and release jobs.

The first SIGTERM or Ctrl-C ends streams and waits for open requests, the second does not wait, the
third ends the process.
"""

from __future__ import annotations

import asyncio
import errno
import os
import signal
import socket
import sys
from collections.abc import Callable, Coroutine, Iterator, Sequence
from contextlib import contextmanager
from types import FrameType
from typing import Any

import uvicorn
from fastapi import FastAPI

from erstwhile.api.memory import Memory
from erstwhile.base.errors import Error, SettingsError
from erstwhile.base.settings import Settings
from erstwhile.http import telemetry
from erstwhile.http.app import create_app
from erstwhile.http.authentication import loopback

_GRACE_SECONDS = 20
_BACKLOG = 2048


class Stop:
    """Count the stop signals and call back for each."""

    def __init__(self) -> None:
        self.signals = 0
        self._told: Callable[[int], None] = lambda _count: None

    def tell(self, told: Callable[[int], None]) -> None:
        """Set the callback. It is also called for signals received before."""
        self._told = told
        if self.signals:
            told(self.signals)

    @contextmanager
    def listening(self) -> Iterator[None]:
        kept = {each: signal.signal(each, self._heard) for each in (signal.SIGTERM, signal.SIGINT)}
        try:
            yield
        finally:
            for each, handler in kept.items():
                signal.signal(each, handler)

    def _heard(self, _number: int, _frame: FrameType | None) -> None:
        self.signals += 1
        if self.signals > 2:
            os._exit(1)
        self._told(self.signals)


class _Server(uvicorn.Server):
    """Uvicorn without its signal handling, which would end the process before the memory is
    closed."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


Create = Callable[[Memory], FastAPI]


async def serve(memory: Memory, sockets: Sequence[socket.socket], stop: Stop, create: Create = create_app) -> None:
    """Serve on listening sockets until stopped."""
    app, loop = create(memory), asyncio.get_running_loop()
    config = uvicorn.Config(
        app,
        log_config=None,
        log_level="warning",
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=_GRACE_SECONDS,
        ws="wsproto" if getattr(app.state, "websockets", False) else "none",
        lifespan="on",
    )
    server = _Server(config)

    def told(count: int) -> None:
        server.should_exit = True
        server.force_exit = count > 1
        loop.call_soon_threadsafe(app.state.closing.set)

    stop.tell(told)
    last_traces = telemetry.start()
    try:
        await server.serve(list(sockets))
    finally:
        await asyncio.to_thread(last_traces)
        stop.tell(lambda _count: None)  # further signals are ignored while closing


def run(work: Coroutine[Any, Any, None]) -> None:
    """Run on uvloop if it is installed (the `server` extra)."""
    with asyncio.Runner(loop_factory=uvicorn.Config("").get_loop_factory()) as runner:
        runner.run(work)


@contextmanager
def listening(settings: Settings, *, count: int = 1) -> Iterator[list[socket.socket]]:
    sockets = bind(settings, count=count)
    try:
        yield sockets
    finally:
        for each in sockets:
            each.close()


def bind(settings: Settings, *, count: int = 1) -> list[socket.socket]:
    """Create one listening socket per process, or one for all where the system does not distribute
    connections."""
    host, port = settings.host, settings.port
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    spread = count > 1 and sys.platform == "linux"
    try:
        # The first socket does not share the port, so that a port in use is noticed.
        sockets = [_listen(family, host, port, shared=False)]
        if spread:
            with sockets.pop() as first:
                port = first.getsockname()[1]
            sockets = [_listen(family, host, port, shared=True) for _ in range(count)]
    except OSError as error:
        raise _cannot_listen(error, host, port) from error
    return sockets


def _listen(family: socket.AddressFamily, host: str, port: int, *, shared: bool) -> socket.socket:
    made = socket.socket(
        family, socket.SOCK_STREAM, socket.IPPROTO_TCP
    )  # asyncio sets TCP_NODELAY only on sockets with this protocol
    try:
        if os.name == "posix":
            made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if shared:
            made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        made.bind((host.strip("[]"), port))
        made.listen(_BACKLOG)
    except OSError:
        made.close()
        raise
    return made


def _cannot_listen(error: OSError, host: str, port: int) -> Error:
    if error.errno == errno.EADDRINUSE:
        return Error(
            f"Port {port} of {host} is in use. Stop what listens there, or choose another with --port (0: any)."
        )
    return Error(
        f"Can't listen on {host}, port {port}: {error.strerror or error}. Choose another with --host and --port."
    )


def address(settings: Settings, sockets: Sequence[socket.socket]) -> str:
    """Return the server's URL for this machine."""
    host = "localhost" if settings.host in ("0.0.0.0", "::") else settings.host
    return f"http://{f'[{host}]' if ':' in host else host}:{sockets[0].getsockname()[1]}"


async def welcome(memory: Memory, sockets: Sequence[socket.socket], processes: int = 1) -> list[str]:
    """Return the startup messages. Raises SettingsError if the server would be open to everyone."""
    settings, keys = memory.settings, await memory.keys.store.any()
    if not keys and not loopback(settings.host):
        raise SettingsError(
            f"There is no key yet, so anyone who can reach {settings.host} would have access. "
            "Run `erstwhile keys create --admin` first, or listen on 127.0.0.1."
        )
    where = address(settings, sockets)
    shown = f"[{settings.host}]" if ":" in settings.host else settings.host
    listens = f"http://{shown}:{sockets[0].getsockname()[1]}"
    lines = [f"erstwhile listens on {listens}; database: {memory.describe()}."]
    if keys:
        lines.append("Callers need a key: `erstwhile keys create`, then `Authorization: Bearer er_…`.")
    else:
        lines.append(
            "There is no key yet: only this machine has access. After the first `erstwhile keys create`, a key is required."
        )
    lines.append(f"API reference: {where}/docs. Press Ctrl-C to stop.")
    if processes > 1 and not settings.database.startswith("postgres"):
        lines.append(
            "With SQLite, use one process: it shares commits between writers. More processes only help with Postgres."
        )
    return lines
