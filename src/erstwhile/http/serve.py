"""Run the server until it is stopped; then finish open requests, log replies and release jobs.

The first SIGTERM or Ctrl-C ends streams and waits for open requests, the second does not wait, the
third ends the process.
"""

from __future__ import annotations

import asyncio
import errno
import gc
import multiprocessing
import os
import signal
import socket
import sys
import time
from asyncio import Transport
from asyncio.events import TimerHandle
from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from contextlib import contextmanager
from multiprocessing.connection import wait
from multiprocessing.process import BaseProcess
from types import FrameType
from typing import Any

import uvicorn
from fastapi import FastAPI
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from erstwhile.api.memory import Memory
from erstwhile.api.memory import open as open_memory
from erstwhile.base.errors import Error, SettingsError
from erstwhile.base.logs import Log, to_stderr
from erstwhile.base.settings import Settings
from erstwhile.http.app import create_app
from erstwhile.http.authentication import loopback
from erstwhile.http.routes.server import has_guide

_GRACE_SECONDS = 20
# After which a thread that computes lets another go on. With the usual 5 ms, an answer that waits for the
# database also waits for whatever is derived meanwhile: first words came 1.8 ms later.
_SWITCH_SECONDS = 0.0005
_BACKLOG = 2048


Told = Callable[[int], None]


class Stop:
    """Count the stop signals and call back for each."""

    def __init__(self) -> None:
        self.signals = 0
        self._told: Told = lambda _count: None

    def tell(self, remembered: Told) -> None:
        """Set the callback. It is also called for signals received before."""
        self._told = remembered
        if self.signals:
            remembered(self.signals)

    @contextmanager
    def listening(self) -> Iterator[None]:
        kept = {
            each: signal.signal(each, self._on_signal) for each in (signal.SIGTERM, signal.SIGINT)
        }
        try:
            yield
        finally:
            for each, handler in kept.items():
                signal.signal(each, handler)

    def _on_signal(self, _number: int, _frame: FrameType | None) -> None:
        self.signals += 1
        if self.signals > 2:
            os._exit(1)
        self._told(self.signals)


class _Server(uvicorn.Server):
    """Uvicorn without its signal handling, which would end before the memory is closed."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


Create = Callable[[Memory], FastAPI]
Sockets = Sequence[socket.socket]


async def serve(memory: Memory, sockets: Sockets, stop: Stop, create: Create = create_app) -> None:
    """Serve on listening sockets until stopped."""
    app, loop = create(memory), asyncio.get_running_loop()
    quiet: Any = {"log_config": None, "log_level": "warning", "access_log": False}
    quiet |= {"server_header": False, "timeout_graceful_shutdown": _GRACE_SECONDS}
    ws: Any = "wsproto" if getattr(app.state, "websockets", False) else "none"
    server = _Server(uvicorn.Config(app, http=LimitedHttp, ws=ws, lifespan="on", **quiet))

    def told(count: int) -> None:
        server.should_exit = True
        server.force_exit = count > 1
        loop.call_soon_threadsafe(app.state.closing.set)

    stop.tell(told)
    last_traces = start_telemetry()
    sys.setswitchinterval(_SWITCH_SECONDS)
    gc.collect()
    gc.freeze()  # what is loaded stays, and need not be looked through again and again
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
    """Create one listening socket per process, or one for all where that is not supported."""
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
        why = f"Can't listen on {host}, port {port}: {error.strerror or error}."
        advice = "Choose another with --host and --port."
        if error.errno == errno.EADDRINUSE:
            why = f"Port {port} of {host} is in use."
            advice = "Stop what listens there, or choose another with --port (0: any)."
        raise Error(f"{why} {advice}") from error
    return sockets


def _listen(family: socket.AddressFamily, host: str, port: int, *, shared: bool) -> socket.socket:
    # asyncio sets TCP_NODELAY only on sockets with this protocol.
    made = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
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


def address(settings: Settings, sockets: Sequence[socket.socket]) -> str:
    """Return the server's URL for this machine."""
    host = "localhost" if settings.host in ("0.0.0.0", "::") else settings.host
    return f"http://{f'[{host}]' if ':' in host else host}:{sockets[0].getsockname()[1]}"


async def welcome(memory: Memory, sockets: Sockets, processes: int = 1) -> list[str]:
    """Return the startup messages. Raises SettingsError if the server would be open to everyone."""
    settings, keys = memory.settings, await memory.keys.store.any()
    if not keys and not loopback(settings.host):
        why = f"There is no key yet, so anyone who can reach {settings.host} would have access."
        advice = "Run `erstwhile keys create --admin` first, or listen on 127.0.0.1."
        raise SettingsError(f"{why} {advice}")
    where = address(settings, sockets)
    shown = f"[{settings.host}]" if ":" in settings.host else settings.host
    listens = f"http://{shown}:{sockets[0].getsockname()[1]}"
    needed = "Callers need a key: `erstwhile keys create`, then `Authorization: Bearer er_…`."
    after = "After the first `erstwhile keys create`, a key is required."
    guide = f"; guide: {where}/docs/guide" if has_guide() else ""
    lines = [
        f"erstwhile listens on {listens}; database: {memory.describe()}.",
        needed if keys else f"There is no key yet: only this machine has access. {after}",
        f"API reference: {where}/docs{guide}. Press Ctrl-C to stop.",
    ]
    if processes > 1 and not settings.database.startswith("postgres"):
        one = "With SQLite, use one process: it shares commits between writers."
        lines.append(f"{one} More processes only help with Postgres.")
    return lines


log = Log(__name__)


def start_telemetry() -> Callable[[], None]:
    """Start sending traces. Returns a function that flushes them."""
    names = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
    wanted = any(map(os.environ.get, names))
    if not wanted or os.environ.get("OTEL_SDK_DISABLED", "").lower() == "true":
        return lambda: None
    try:
        from opentelemetry import trace
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
    except ImportError:
        log.warning(
            "traces.not_sent", reason="the extra is not installed: pip install 'erstwhile[otel]'"
        )
        return lambda: None
    name = {} if os.environ.get("OTEL_SERVICE_NAME") else {"service.name": "erstwhile"}
    provider = TracerProvider(resource=Resource.create(name))
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    trace.set_tracer_provider(provider)
    return provider.shutdown


_YOUNG = 5.0  # seconds
_TRIES = 3  # a process that dies early this often is not restarted
_LAST = 30.0  # seconds that processes have to end


class Processes:
    def __init__(self, sockets: Sockets, level: str, given: Mapping[str, Any]) -> None:
        self._sockets, self._level, self._given = sockets, level, dict(given)
        self._context = multiprocessing.get_context("spawn")
        self._running: dict[int, tuple[BaseProcess, float]] = {}
        self._young: dict[int, int] = {}

    def run(self, count: int, stop: Stop) -> None:
        """Run until stopped. Children ignore Ctrl-C and get signals from here."""
        stop.tell(lambda _count: self._pass_on())
        try:
            for number in range(count):
                self._start(number)
            while not stop.signals:
                self._look_after(stop)
        finally:
            self._end(stop)

    def _start(self, number: int) -> None:
        mine = self._sockets[number % len(self._sockets)]
        process = self._context.Process(
            target=child, args=(mine, self._level, self._given), name=f"erstwhile-{number}"
        )
        process.start()
        self._running[number] = (process, time.monotonic())

    def _look_after(self, stop: Stop) -> None:
        wait([process.sentinel for process, _ in self._running.values()], timeout=0.5)
        for number, (process, since) in list(self._running.items()):
            if process.is_alive() or stop.signals:
                continue
            young = time.monotonic() - since < _YOUNG
            self._young[number] = self._young.get(number, 0) + 1 if young else 0
            if self._young[number] >= _TRIES:
                why = f"A server process can't start: exit code {process.exitcode}."
                raise Error(f"{why} Its output is above.")
            log.error("serve.process_died", process=process.pid, exit=process.exitcode)
            self._start(number)

    def _pass_on(self) -> None:
        for process, _ in self._running.values():
            if process.is_alive():
                process.terminate()

    def _end(self, stop: Stop) -> None:
        if not stop.signals:
            self._pass_on()
        until = time.monotonic() + _LAST
        for process, _ in self._running.values():
            process.join(max(0.1, until - time.monotonic()))
            if process.is_alive():
                process.kill()
                process.join()


def child(listening: socket.socket, level: str, given: Mapping[str, Any]) -> None:
    """Run one of several server processes."""
    stop = Stop()
    with stop.listening():
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        to_stderr(level)
        run(_child(listening, given, stop))


async def _child(listening: socket.socket, given: Mapping[str, Any], stop: Stop) -> None:
    loop, parent = asyncio.get_running_loop(), multiprocessing.parent_process()
    if parent is not None and hasattr(parent, "sentinel"):

        def orphaned() -> None:
            loop.remove_reader(parent.sentinel)
            signal.raise_signal(signal.SIGTERM)

        loop.add_reader(parent.sentinel, orphaned)
    async with open_memory(**given) as memory:
        await serve(memory, [listening], stop)


HEADER_BYTES = 65_536  # of a request: its line and all its headers
# From the connection, or from the first byte of a further request; and from the headers to the end
# of the body, if the request has no caller.
HEADER_SECONDS = 20.0
_TOO_LARGE = (
    b"HTTP/1.1 431 Request Header Fields Too Large\r\ncontent-type: text/plain; charset=utf-8\r\n"
    b"connection: close\r\ncontent-length: 42\r\n\r\nThe headers of the request are too large.\n"
)


class LimitedHttp(HttpToolsProtocol):
    """Uvicorn's HTTP with limits on what comes beside bodies, and on the time it takes."""

    _timer: TimerHandle | None = None
    _header_bytes = 0
    _in_headers = True
    _beside = 0  # bytes since the last piece of the body

    def connection_made(self, transport: Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._start_timer()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_timer()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        while data and not self.transport.is_closing():
            if not self._in_headers:
                self._beside += len(data)
                super().data_received(data)
                if not self._in_headers and self._beside > HEADER_BYTES:
                    self._refuse()
                return
            self._start_timer()
            head = data[: HEADER_BYTES - self._header_bytes]
            data = data[HEADER_BYTES - self._header_bytes :]
            self._header_bytes += len(head)
            super().data_received(head)
            if self._in_headers and self._header_bytes >= HEADER_BYTES:
                self._refuse()

    def _refuse(self) -> None:
        self._stop_timer()
        if self._in_headers or self.cycle is None or not self.cycle.response_started:
            self.transport.write(_TOO_LARGE)
        self.transport.close()

    def on_headers_complete(self) -> None:
        self._in_headers, self._beside = False, 0
        self._stop_timer()
        super().on_headers_complete()
        self._start_timer()

    def on_body(self, body: bytes) -> None:
        self._beside = 0
        super().on_body(body)

    def on_message_complete(self) -> None:
        super().on_message_complete()
        self._stop_timer()
        self._in_headers, self._header_bytes = True, 0

    def handle_websocket_upgrade(self) -> None:
        self._stop_timer()  # the connection is another protocol's from now on
        super().handle_websocket_upgrade()

    def _start_timer(self) -> None:
        if self._timer is None:
            self._timer = self.loop.call_later(HEADER_SECONDS, self._too_late)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _too_late(self) -> None:
        self._timer = None
        if not self._in_headers and "caller" in self.scope["state"]:
            return  # a known client may take its time
        if not self._in_headers or self.cycle is None or self.cycle.response_complete:
            self.transport.close()
        else:  # an earlier request of the connection is still being answered
            self._start_timer()
