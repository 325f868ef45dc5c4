"""The callback in the real LiteLLM proxy, with a model and a memory on loopback."""

from __future__ import annotations

import json
import os
import secrets
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from erstwhile.testing import ModelServer
from support.hanging import HangingServer
from support.running import RunningServer
from support.serving import Served, free_port

FOLDER = Path(__file__).parent
KEY = f"sk-{secrets.token_hex(32)}"
PROGRAM = FOLDER.parents[1] / ".venv-integrations" / "litellm" / "bin" / "litellm"


@pytest.fixture(scope="module")
def model() -> Iterator[ModelServer]:
    with ModelServer("I see.") as running:
        yield running


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    with Served(str(tmp_path_factory.mktemp("server") / "memory.db"), embedder="none") as served:
        yield RunningServer(served)


@pytest.fixture(scope="module")
def proxy(model: ModelServer, server: RunningServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with started(model, server.url, tmp_path_factory.mktemp("home")) as url:
        yield url


@contextmanager
def started(model: ModelServer, memory: str, home: Path) -> Iterator[str]:
    """The proxy as the page says to start it."""
    port = free_port()
    environment = {
        "PATH": f"{PROGRAM.parent}:{os.environ['PATH']}",
        "HOME": str(home),
        "OPENAI_API_KEY": "none",
        "OPENAI_BASE_URL": model.base_url,
        "ERSTWHILE_URL": memory,
        "LITELLM_MASTER_KEY": KEY,
        "LITELLM_LOCAL_MODEL_COST_MAP": "True",
        "NO_PROXY": "127.0.0.1",
    }
    words = [
        PROGRAM,
        "--config",
        FOLDER / "config.yaml",
        "--host",
        "127.0.0.1",
        "--port",
        str(port),
        "--telemetry",
        "False",
    ]
    with (home / "log").open("w") as log:
        process = subprocess.Popen(words, env=environment, cwd=FOLDER, stdout=log, stderr=log)
    try:
        until = time.monotonic() + 180
        while True:
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{port}/health/liveliness", timeout=5).close()
                break
            except OSError:
                assert process.poll() is None, (home / "log").read_text()[-3000:]
                assert time.monotonic() < until, (home / "log").read_text()[-3000:]
                time.sleep(0.5)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(30)


def ask(proxy: str, text: str, headers: dict[str, str] | None = None, **more: Any) -> str:
    body = {"model": "chat", "messages": [{"role": "user", "content": text}], **more}
    headers = {"Content-Type": "application/json", "Authorization": f"Bearer {KEY}", **(headers or {})}
    request = urllib.request.Request(f"{proxy}/v1/chat/completions", json.dumps(body).encode(), headers)
    with urllib.request.urlopen(request, timeout=60) as answer:
        return str(answer.read().decode())


def until_said(server: RunningServer, channel: str, wanted: list[tuple[str, str]]) -> None:
    """The reply is stored after the proxy has answered."""
    found: list[tuple[str, str]] = []
    for _ in range(100):
        try:
            found = server.said(channel)
        except urllib.error.HTTPError:
            found = []
        if found == wanted:
            return
        time.sleep(0.1)
    assert found == wanted


def test_a_session_is_stored_and_recalled_in_the_next(proxy: str, server: RunningServer, model: ModelServer) -> None:
    ask(proxy, "I moved to Busan.", user="alice", metadata={"session_id": "monday"})
    until_said(server, "litellm:monday", [("user", "I moved to Busan."), ("assistant", "I see.")])
    brief = {"role": "system", "content": "Be brief."}
    asked = {"role": "user", "content": "Where do I live now?"}
    more = {"user": "alice", "metadata": {"session_id": "friday"}, "stream": True, "messages": [brief, asked]}
    ask(proxy, "", **more)
    until_said(server, "litellm:friday", [("user", "Where do I live now?"), ("assistant", "I see.")])
    sent = model.calls[-1].body["messages"]
    assert [each["role"] for each in sent] == ["system", "user"]
    assert sent[0]["content"].startswith("Be brief.\n\n")
    assert "Busan" in sent[0]["content"]


def test_a_call_that_names_no_user_gets_no_memory(proxy: str, server: RunningServer, model: ModelServer) -> None:
    before = len(server.get("default/channels")["channels"])
    ask(proxy, "Where does alice live?")
    assert [each["role"] for each in model.calls[-1].body["messages"]] == ["user"]
    assert len(server.get("default/channels")["channels"]) == before


def test_a_retry_stores_its_question_once_and_the_same_words_later_once_more(proxy: str, server: RunningServer) -> None:
    """As OpenAI's client retries: the same body, and the number of the attempt in a header."""
    more = {"user": "bo", "metadata": {"session_id": "again"}}
    for attempt in ("0", "1", "2", "0"):
        ask(proxy, "Yes.", {"x-stainless-retry-count": attempt}, **more)
    for _ in range(2):
        ask(proxy, "No.", {"Idempotency-Key": "mine"}, **more)
    reply = ("assistant", "I see.")
    answered = [("user", "Yes."), reply, reply, reply, ("user", "Yes."), reply, ("user", "No."), reply, reply]
    until_said(server, "litellm:again", answered)


@pytest.mark.parametrize("trickle", [False, True], ids=["silent", "a byte now and then"])
def test_a_memory_that_hangs_delays_a_call_by_three_seconds(trickle: bool, model: ModelServer, tmp_path: Path) -> None:
    with HangingServer(trickle=trickle) as hanging, started(model, hanging.url, tmp_path) as proxy:
        ask(proxy, "Warm up.")
        begun = time.monotonic()
        ask(proxy, "Hello?", user="alice")
        took = time.monotonic() - begun
    assert 2.9 < took < 5
    assert "no memory now" in (tmp_path / "log").read_text()
