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


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Nursery:
    """A process that has the server imported and forks one whenever asked: a start costs milliseconds, not a second of imports."""

    def __enter__(self) -> Self:
        self._process = subprocess.Popen(
            [sys.executable, __file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.communicate(timeout=180)

    def start(self, words: list[str], settings: dict[str, str]) -> int:
        """The id of the new process."""
        if self._process.stdin is None or self._process.stdout is None:
            raise RuntimeError("the nursery has no pipes")
        self._process.stdin.write(json.dumps([words, settings]) + "\n")
        self._process.stdin.flush()
        return int(self._process.stdout.readline())


def written(value: object) -> str:
    """Write a setting as the environment takes it."""
    return json.dumps(value) if isinstance(value, dict) else str(value)


class Served:
    """`with Served(database) as server`: ready when entered, gone afterwards. Settings as in the environment, without the prefix.
    `program` is what Python runs, `erstwhile` by default."""

    program: tuple[str, ...] = ("-m", "erstwhile")

    def __init__(
        self, database: str, *words: str, nursery: Nursery | None = None, port: int = 0, **settings: Any
    ) -> None:
        self.port = port or free_port()
        self.pid = 0
        self._words = ["serve", "--port", str(self.port), "--database", database, *words]
        self._settings = {f"ERSTWHILE_{name.upper()}": written(value) for name, value in settings.items()}
        self._nursery = nursery
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
        if self._nursery is not None:
            self.pid = self._nursery.start(self._words, self._settings)
        else:
            words = [sys.executable, *self.program, *self._words]
            self._process = subprocess.Popen(words, env={**os.environ, **self._settings})
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
        if self._process is not None:
            return self._process.poll() is None
        try:
            os.kill(self.pid, 0)
        except ProcessLookupError:
            return False
        return True


def _nursery() -> None:
    from importlib import import_module

    for name in (
        "http.serve",
        "storage.sqlite",
        "dashboard.pages",
        "storage.postgres",
        "writers.extractive",
        "index.space_index",
    ):
        import_module(f"erstwhile.{name}")
    import_module("erstwhile.http.verbs").routers()
    main = import_module("erstwhile.cli").main
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # whoever is killed is gone at once
    for line in sys.stdin:
        words, settings = json.loads(line)
        child = os.fork()
        if child == 0:
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            os.dup2(os.open(os.devnull, os.O_RDWR), 0)
            os.dup2(2, 1)
            os.environ.update(settings)
            sys.argv = ["erstwhile", *words]
            try:
                main()
            finally:
                os._exit(0)
        sys.stdout.write(f"{child}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    _nursery()
