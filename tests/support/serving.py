"""A real `erstwhile serve`, in a process of its own, to be put under load and killed."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from contextlib import suppress
from types import TracebackType
from typing import Any, Self

from support import forks


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


# What every server imports or reads as it starts: a fifth of its CPU time, where each would do it again.
_SERVER = (
    "erstwhile.http.serve",
    "erstwhile.http.verbs:routers",
    "erstwhile.base.tls:trusted",
    "erstwhile.dashboard.app",
    "erstwhile.dashboard.pages:_read",
    "nicegui.ui_run_with",
    "uvicorn.lifespan.on",
    "uvicorn.loops.uvloop",
    "uvicorn.protocols.websockets.wsproto_impl",
    "httpcore2",
    "anyio._backends._asyncio",
)
_MODEL = ("erstwhile.writers.prompted", "pydantic_ai.models.openai", "pydantic_ai.providers.openai_compatible")


def prepare(*, model: bool = False) -> None:
    """Import ahead what every server needs, or every server with a model."""
    forks.ahead(*_SERVER, *(_MODEL if model else ()))


def written(value: object) -> str:
    """Write a setting as the environment takes it."""
    return json.dumps(value) if isinstance(value, dict) else str(value)


class Served:
    """`with Served(database) as server`: ready when entered, gone afterwards. Settings as in the environment, without the prefix.
    `program` is what Python runs, `erstwhile` by default."""

    program: tuple[str, ...] = ("-m", "erstwhile")

    def __init__(self, database: str, *words: str, port: int = 0, **settings: Any) -> None:
        self.port = port or free_port()
        self.pid = 0
        self._words = ["serve", "--port", str(self.port), "--database", database, *words]
        self._settings = {f"ERSTWHILE_{name.upper()}": written(value) for name, value in settings.items()}
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        self.start()
        try:
            self.ready()
        except BaseException:  # also when interrupted: no process may be left behind
            self.kill()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def start(self) -> None:
        prepare(model="ERSTWHILE_MODEL" in self._settings)
        words = [sys.executable, *self.program, *self._words]
        self._process = forks.Popen(words, env={**os.environ, **self._settings}, stdin=subprocess.DEVNULL)
        self.pid = self._process.pid

    def ready(self, seconds: float = 60.0) -> float:
        """Waits until the server says it is ready; how long that took."""
        started = time.perf_counter()
        while time.perf_counter() < started + seconds:
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/readyz", timeout=5):
                    return time.perf_counter() - started
            except (urllib.error.URLError, OSError):
                if not self._lives():
                    raise RuntimeError("the server ended before it was ready") from None
                time.sleep(0.005)
        raise TimeoutError("the server did not become ready")

    def kill(self) -> None:
        """As the machine would: no goodbye."""
        self._end(signal.SIGKILL, 10)

    def stop(self) -> None:
        """As systemd does: asked first."""
        self._end(signal.SIGTERM, 30)
        self.kill()

    def _end(self, how: signal.Signals, seconds: float) -> None:
        if self.pid:
            with suppress(ProcessLookupError):
                os.kill(self.pid, how)
            until = time.perf_counter() + seconds
            while self._lives() and time.perf_counter() < until:
                time.sleep(0.002)
            if not self._lives():
                self.pid = 0

    def _lives(self) -> bool:
        return self._process is not None and self._process.poll() is None
