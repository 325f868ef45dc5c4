"""Several server processes on one port: start them, restart those that die, stop them together."""

from __future__ import annotations

import asyncio
import multiprocessing
import signal
import socket
import time
from collections.abc import Mapping, Sequence
from multiprocessing.connection import wait
from multiprocessing.process import BaseProcess
from typing import Any

from erstwhile.api.memory import open as open_memory
from erstwhile.base.errors import Error
from erstwhile.base.logs import Log, to_stderr
from erstwhile.http.serve import Stop, run, serve

log = Log(__name__)

_YOUNG = 5.0  # seconds
_TRIES = 3  # a process that dies early this often is not restarted
_LAST = 30.0  # seconds that processes have to end


class Processes:
    def __init__(self, sockets: Sequence[socket.socket], level: str, given: Mapping[str, Any]) -> None:
        self._sockets, self._level, self._given = sockets, level, dict(given)
        self._context = multiprocessing.get_context("spawn")
        self._running: dict[int, tuple[BaseProcess, float]] = {}
        self._young: dict[int, int] = {}

    def run(self, count: int, stop: Stop) -> None:
        """Run until stopped. Children ignore Ctrl-C and get signals from here, so that they count
        them right."""
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
        process = self._context.Process(target=child, args=(mine, self._level, self._given), name=f"erstwhile-{number}")
        process.start()
        self._running[number] = (process, time.monotonic())

    def _look_after(self, stop: Stop) -> None:
        wait([process.sentinel for process, _ in self._running.values()], timeout=0.5)
        for number, (process, since) in list(self._running.items()):
            if process.is_alive() or stop.signals:
                continue
            self._young[number] = self._young.get(number, 0) + 1 if time.monotonic() - since < _YOUNG else 0
            if self._young[number] >= _TRIES:
                raise Error(f"A server process can't start: exit code {process.exitcode}. Its output is above.")
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
