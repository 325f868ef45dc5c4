"""Run tests in several processes that fork once everything is imported and collected: `pytest --processes 5`.

Each process has a share of consecutive tests, so that they use the same fixtures. One that has done its share takes the
second half of the largest that is left, so that all end together. What they report goes through the process that
collected, which prints it.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections import deque
from multiprocessing import Pipe
from multiprocessing.connection import Connection, wait
from typing import Any

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--processes", type=int, default=1, help="how many processes share the tests")


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session: pytest.Session) -> bool | None:
    config = session.config
    processes = min(config.option.processes, len(session.items))
    if processes < 2 or config.option.collectonly or session.testsfailed:
        return None
    ends: dict[Connection, Worker] = {}
    for share in _shares(list(range(len(session.items))), processes):
        ours, theirs = Pipe()
        process = os.fork()
        if not process:
            for each in (ours, *ends):
                each.close()
            _work(session, theirs)
            return True
        theirs.close()
        ends[ours] = Worker(process, share)
    _listen(session, ends)
    if session.shouldfail:
        raise session.Failed(session.shouldfail)
    if session.shouldstop:
        raise session.Interrupted(session.shouldstop)
    return True


class Worker:
    """A process and its share, as the process that collected sees them."""

    def __init__(self, process: int, share: deque[int]) -> None:
        self.process = process
        self.share = share
        self.begun: deque[int] = deque()  # the test that runs, and the next one, for which fixtures are kept

    def next(self, others: list[Worker]) -> int | None:
        if not self.share:
            largest = max((each.share for each in others), key=len)
            self.share.extend(reversed([largest.pop() for _ in range((len(largest) + 1) // 2)]))
        if not self.share:
            return None
        self.begun.append(self.share.popleft())
        return self.begun[-1]


def _shares(numbers: list[int], processes: int) -> list[deque[int]]:
    size = -(-len(numbers) // processes)
    return [deque(numbers[start : start + size]) for start in range(0, len(numbers), size)]


def _listen(session: pytest.Session, ends: dict[Connection, Worker]) -> None:
    """Hand out tests and take in reports, until every process has ended."""
    hook, workers = session.config.hook, list(ends.values())
    try:
        while ends:
            for end in wait(list(ends)):
                assert isinstance(end, Connection)
                worker = ends[end]
                try:
                    what, told = end.recv()
                except EOFError:
                    del ends[end]
                    _, status = os.waitpid(worker.process, 0)
                    if worker.begun and not _ending(session):
                        _died(session, worker, os.waitstatus_to_exitcode(status))
                    continue
                if what == "next":
                    end.send(None if _ending(session) else worker.next(workers))
                elif what == "done":
                    worker.begun.popleft()
                else:
                    report = hook.pytest_report_from_serializable(config=session.config, data=told)
                    hook.pytest_runtest_logreport(report=report)
    finally:  # interrupted: they find nobody to ask any more
        for end in ends:
            end.close()
    for number in [number for each in workers for number in each.share]:
        if not _ending(session):
            _fail(session, number, "no process was left to run it")


def _ending(session: pytest.Session) -> bool:
    return bool(session.shouldfail or session.shouldstop)


def _died(session: pytest.Session, worker: Worker, code: int) -> None:
    """Report the test that a process ran when it died as failed. The one that it had taken already goes to the others."""
    running, *taken = worker.begun
    _fail(session, running, f"the process that ran it ended with {code}")
    worker.share.extendleft(taken)


def _fail(session: pytest.Session, number: int, reason: str) -> None:
    item = session.items[number]
    report = pytest.TestReport(item.nodeid, item.location, {}, "failed", reason, "call")
    session.config.hook.pytest_runtest_logreport(report=report)


class _Teller:
    """Passes on what a test's phases reported."""

    def __init__(self, config: pytest.Config, end: Connection) -> None:
        self._config, self._end = config, end

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        data = self._config.hook.pytest_report_to_serializable(config=self._config, report=report)
        self._end.send(("report", data))


def _capture_apart(config: pytest.Config) -> None:
    """Give this process files of its own for what tests print: all would write to those of the first one."""
    if config.option.capture != "fd":
        return
    capture: Any = config.pluginmanager.getplugin("capturemanager")
    capture.resume_global_capture()
    for stream in (sys.stdout, sys.stderr):
        with tempfile.TemporaryFile() as file:
            os.dup2(file.fileno(), stream.fileno())
    capture.suspend_global_capture()


def _work(session: pytest.Session, end: Connection) -> None:
    """Run tests until none is left, in a process of its own."""
    config = session.config
    plugins: Any = config.pluginmanager
    config.workerinput = {}  # type: ignore[attr-defined]  # by this pytest knows that another process keeps what is kept of a run
    plugins.unregister(name="terminalreporter")
    plugins.register(_Teller(config, end))
    _capture_apart(config)

    def ask() -> pytest.Item | None:
        end.send(("next", None))
        number = end.recv()
        return None if number is None else session.items[number]

    item = ask()
    while item is not None and not _ending(session):
        following = ask()
        config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        end.send(("done", None))
        item = following
