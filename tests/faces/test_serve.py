"""`erstwhile serve` as a process: what it says, how it starts, and how it ends."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx2
import pytest
from fastapi import FastAPI
from fastapi.responses import StreamingResponse

import erstwhile
from erstwhile.base.settings import load
from erstwhile.http.app import create_app
from erstwhile.http.routes import server
from erstwhile.http.serve import Stop, bind, serve, welcome
from inside import runtime
from support import forks

MESSAGES = "/v1/spaces/s/channels/c/messages"
SAID = {"role": "user", "text": "hello"}


class Served:
    """A server process and what it has said so far."""

    def __init__(self, folder: Path, *words: str) -> None:
        self._said = folder / f"said-{time.monotonic_ns()}"
        with self._said.open("w") as said:
            self.process = forks.Popen(
                [sys.executable, "-m", "erstwhile", "serve", "--port", "0", *words],
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=said,
                env={**os.environ, "PYTHONWARNINGS": "error"},
                cwd=folder,
            )

    @property
    def said(self) -> str:
        return self._said.read_text()

    def ready(self) -> str:
        """Its url, once it answers."""
        deadline = time.monotonic() + 120
        while time.monotonic() < deadline and self.process.poll() is None:
            found = re.search(r"listens on (http://[\d.]+:\d+)", self.said)
            if found and self._answers(found[1]):
                return found[1]
            time.sleep(0.05)
        raise AssertionError(self.said)

    def _answers(self, url: str) -> bool:
        try:
            return httpx2.get(f"{url}/readyz").status_code == 200
        except httpx2.TransportError:
            return False

    def end(self, number: signal.Signals) -> int:
        self.process.send_signal(number)
        return self.process.wait(60)


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Callable[..., Served]]:
    started: list[Served] = []

    def start(*words: str) -> Served:
        started.append(Served(tmp_path, *words))
        return started[-1]

    yield start
    for each in started:
        if each.process.poll() is None:
            each.process.kill()
            each.process.wait()


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_it_says_where_it_is_and_ends_when_told(served: Callable[..., Served], database_url: str) -> None:
    one = served("--database", database_url)
    url = one.ready()
    assert httpx2.post(f"{url}{MESSAGES}", json=SAID).status_code == 201
    assert one.end(signal.SIGTERM) == 0
    assert "There is no key yet: only this machine has access" in one.said
    assert "API reference: http" in one.said
    assert "event=request method=POST" in one.said
    assert "Traceback" not in one.said


@pytest.mark.parametrize("database_url", ["postgres"], indirect=True)
def test_several_processes_share_a_port_and_end_together(served: Callable[..., Served], database_url: str) -> None:
    both = served("--database", database_url, "--processes", "2", "--log-level", "warning")
    url = both.ready()
    for _ in range(20):  # each over a connection of its own, so both take part
        assert httpx2.post(f"{url}{MESSAGES}", json=SAID).status_code == 201
    assert len(httpx2.get(f"{url}{MESSAGES}").json()["messages"]) == 20
    assert both.end(signal.SIGINT) == 0
    assert "Traceback" not in both.said
    with pytest.raises(httpx2.TransportError):
        httpx2.get(f"{url}/healthz")


# The rest needs no process


async def test_beyond_this_machine_it_always_needs_a_key(database_url: str) -> None:
    async with erstwhile.open(database_url, worker=False, host="0.0.0.0", port=0) as memory:
        (listening,) = bind(memory.settings)
        with listening, pytest.raises(erstwhile.SettingsError, match="keys create --admin"):
            await welcome(memory, [listening])
        transport = httpx2.ASGITransport(app=create_app(memory))
        async with httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1") as http:
            assert (await http.get(MESSAGES)).status_code == 401
            key = await memory.keys.create(admin=True)
            assert (await http.get(MESSAGES, headers={"x-api-key": key.key})).status_code == 200
            assert (await http.get("/healthz", headers={"Host": "192.0.2.1:8765"})).status_code == 200
            assert (await http.get("/healthz", headers={"Host": "erstwhile.example"})).status_code == 421
        with socket.create_server(("127.0.0.1", 0)) as other:
            said = "\n".join(await welcome(memory, [other], 2))
            assert "Callers need a key" in said
            assert ("use one process" in said) is (runtime(memory).database.dialect == "sqlite")


@pytest.mark.parametrize("built", [True, False])
async def test_the_guide_is_named_where_it_is_built(
    built: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "_site", lambda: tmp_path if built else tmp_path / "site")
    async with erstwhile.open(str(tmp_path / "m.db"), worker=False, port=0) as memory:
        (listening,) = bind(memory.settings)
        with listening:
            said = "\n".join(await welcome(memory, [listening]))
    assert ("/docs/guide" in said) is built


def test_each_process_has_a_socket_on_the_same_port() -> None:
    sockets = bind(load(port=0), count=3)
    assert len({each.getsockname()[1] for each in sockets}) == 1
    assert len(sockets) == (3 if sys.platform == "linux" else 1)
    with pytest.raises(erstwhile.Error, match="is in use"):
        bind(load(port=sockets[0].getsockname()[1]), count=3)
    for each in sockets:
        each.close()
    with pytest.raises(erstwhile.Error, match="Can't listen on"):
        bind(load(host="no.such.host.invalid"))


async def test_what_is_being_answered_is_finished_and_streams_end(memory: erstwhile.Memory) -> None:
    """A request is under way and a stream is open when the server is told to stop."""
    begun, stop, apps = asyncio.Event(), Stop(), []

    def with_slow_routes(of: erstwhile.Memory) -> FastAPI:
        app = create_app(of)
        apps.append(app)

        @app.get("/v1/slow")
        async def slow() -> str:
            begun.set()
            await app.state.closing.wait()
            await asyncio.sleep(0.3)
            return "finished"

        @app.get("/v1/stream")
        async def stream() -> StreamingResponse:
            async def pieces():  # type: ignore[no-untyped-def]
                yield "one "
                await app.state.closing.wait()
                yield "end"

            return StreamingResponse(pieces())

        return app

    (listening,) = bind(load(port=0))
    url = f"http://127.0.0.1:{listening.getsockname()[1]}"
    running = asyncio.create_task(serve(memory, [listening], stop, with_slow_routes))
    async with httpx2.AsyncClient(base_url=url) as http:
        answers = [asyncio.create_task(http.get(path)) for path in ("/v1/slow", "/v1/stream")]
        await begun.wait()
        stop._on_signal(signal.SIGTERM, None)
        assert [(await each).text for each in answers] == ['"finished"', "one end"]
        await running
        assert apps[0].state.closing.is_set()
        with pytest.raises(httpx2.TransportError):
            await http.get("/healthz")


async def test_a_second_signal_does_not_wait(memory: erstwhile.Memory) -> None:
    begun, stop = asyncio.Event(), Stop()

    def with_a_stuck_route(of: erstwhile.Memory) -> FastAPI:
        app = create_app(of)

        @app.get("/v1/stuck")
        async def stuck() -> None:
            begun.set()
            await asyncio.sleep(3600)

        return app

    (listening,) = bind(load(port=0))
    url = f"http://127.0.0.1:{listening.getsockname()[1]}"
    running = asyncio.create_task(serve(memory, [listening], stop, with_a_stuck_route))
    async with httpx2.AsyncClient(base_url=url, timeout=None) as http:
        stuck = asyncio.create_task(http.get("/v1/stuck"))
        await begun.wait()
        stop._on_signal(signal.SIGTERM, None)
        stop._on_signal(signal.SIGTERM, None)
        await running
        stuck.cancel()
