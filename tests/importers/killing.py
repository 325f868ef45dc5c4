"""Imports in processes of their own that can be killed, and that tell how much memory they took. One process forks for each.

For each line on stdin it forks an import, and kills it after so many seconds.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import erstwhile
from erstwhile.importers import load
from erstwhile.testing import FixedClock


@dataclass(frozen=True, slots=True)
class Ended:
    """`finished`: it came to its end before it was to be killed. `peak`: kilobytes."""

    finished: bool
    peak: int


class Importers:
    def __enter__(self) -> Self:
        self._process = subprocess.Popen(
            [sys.executable, __file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.kill()
        self._process.communicate()

    def run(self, url: str, path: Path, format: str, seconds: float | None = None, *, dry_run: bool = False) -> Ended:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        told = {"url": url, "path": str(path), "format": format, "seconds": seconds, "dry_run": dry_run}
        self._process.stdin.write(json.dumps(told) + "\n")
        self._process.stdin.flush()
        return Ended(**json.loads(self._process.stdout.readline()))


async def imported(told: dict[str, Any]) -> None:
    async with erstwhile.open(told["url"], clock=FixedClock(), worker=False) as memory:
        await load(memory, told["path"], format=told["format"], dry_run=told["dry_run"])


def _child(told: dict[str, Any]) -> None:
    code = 1
    try:
        asyncio.run(imported(told))
        code = 0
    finally:
        os._exit(code)


def _ended(child: int, seconds: float | None) -> Ended:
    until = None if seconds is None else time.monotonic() + seconds
    while True:
        done, status, used = os.wait4(child, 0 if until is None else os.WNOHANG)
        if done:
            assert os.WIFEXITED(status) or os.WTERMSIG(status) == signal.SIGKILL
            if os.WIFEXITED(status):
                assert os.WEXITSTATUS(status) == 0, "the import failed"
            return Ended(os.WIFEXITED(status), used.ru_maxrss)
        if until is not None and time.monotonic() > until:
            os.kill(child, signal.SIGKILL)
            until = None
        time.sleep(0.001)


def _serve() -> None:
    for name in ("api.memory", "storage.sqlite", "storage.postgres", "writers.extractive", "embedders.choose"):
        __import__(f"erstwhile.{name}")
    for line in sys.stdin:
        told = json.loads(line)
        child = os.fork()
        if not child:
            _child(told)
        ended = _ended(child, told["seconds"])
        print(json.dumps({"finished": ended.finished, "peak": ended.peak}), flush=True)


if __name__ == "__main__":
    _serve()
