"""The filter in the real Open WebUI, installed, switched on and used over the requests of its own pages."""

from __future__ import annotations

import json
import os
import subprocess
import time
import urllib.request
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from erstwhile.testing import ModelServer
from support.running import RunningServer
from support.serving import Served, free_port

FOLDER = Path(__file__).parent
PROGRAM = FOLDER.parents[1] / ".venv-integrations" / "open-webui" / "bin" / "open-webui"
Json = dict[str, Any]


class WebUI:
    """A running Open WebUI, as its administrator."""

    def __init__(self, url: str) -> None:
        self.url, self._token = url, ""
        who = {"name": "Alice", "email": "alice@example.com", "password": "correct-horse-7"}
        self._token = self.send("api/v1/auths/signup", who)["token"]

    def send(self, path: str, body: Json | None = None) -> Any:
        headers = {"Content-Type": "application/json"}
        if self._token:
            headers["Authorization"] = f"Bearer {self._token}"
        data = None if body is None else json.dumps(body).encode()
        with urllib.request.urlopen(urllib.request.Request(f"{self.url}/{path}", data, headers), timeout=60) as answer:
            return json.load(answer)

    def install(self, server: str) -> None:
        """Do as the page of the documentation says: paste, set the valves, switch on, for all models."""
        function = f"api/v1/functions/id/{ID}"
        content = (FOLDER / "erstwhile_memory.py").read_text(encoding="utf-8")
        new = {"id": ID, "name": "Memory", "content": content, "meta": {"description": "memory"}}
        assert self.send("api/v1/functions/create", new)["type"] == "filter"
        self.send(f"{function}/valves/update", {"url": server, "space": "default"})
        assert self.send(f"{function}/toggle", {})["is_active"]
        assert self.send(f"{function}/toggle/global", {})["is_global"]

    def ask(self, text: str) -> str:
        """Begin a chat, as the page does, and return its id."""
        question, reply = str(uuid.uuid4()), str(uuid.uuid4())
        said = {"id": question, "parentId": None, "childrenIds": [reply], "role": "user", "content": text}
        self.send("api/models")
        body = {
            "model": "scripted",
            "messages": [{"role": "user", "content": text}],
            "parent_id": None,
            "user_message": said,
            "id": reply,
            "session_id": "test",
            "stream": True,
        }
        return str(self.send("api/chat/completions", body)["chat_id"])


ID = "erstwhile_memory"


@pytest.fixture(scope="module")
def model() -> Iterator[ModelServer]:
    with ModelServer("I see.") as running:
        yield running


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    with Served(str(tmp_path_factory.mktemp("server") / "memory.db"), embedder="none") as served:
        yield RunningServer(served)


@pytest.fixture(scope="module")
def webui(model: ModelServer, server: RunningServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[WebUI]:
    port, home = free_port(), tmp_path_factory.mktemp("home")
    environment = {
        "PATH": f"{PROGRAM.parent}:{os.environ['PATH']}",
        "HOME": str(home),
        "DATA_DIR": str(home),
        "WEBUI_SECRET_KEY": "test",
        "OFFLINE_MODE": "true",
        "RAG_EMBEDDING_ENGINE": "openai",  # no model of its own
        "ENABLE_OLLAMA_API": "false",
        "OPENAI_API_BASE_URL": model.base_url,
        "OPENAI_API_KEY": "none",
        "OPENAI_API_CONFIGS": '{"0": {"enable": true, "model_ids": ["scripted"]}}',
        "NO_PROXY": "127.0.0.1",
    }
    words = [PROGRAM, "serve", "--host", "127.0.0.1", "--port", str(port)]
    with (home / "log").open("w") as log:
        process = subprocess.Popen(words, env=environment, cwd=home, stdout=log, stderr=log)
    try:
        until = time.monotonic() + 300
        while True:
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=5).close()
                break
            except OSError:
                assert process.poll() is None, (home / "log").read_text()[-3000:]
                assert time.monotonic() < until, (home / "log").read_text()[-3000:]
                time.sleep(0.5)
        found = WebUI(f"http://127.0.0.1:{port}")
        found.install(server.url)
        yield found
    finally:
        process.terminate()
        process.wait(30)


def until_said(server: RunningServer, channel: str, wanted: list[tuple[str, str]]) -> None:
    """Open WebUI answers in the background."""
    found: list[tuple[str, str]] = []
    for _ in range(300):
        known = [each["channel"] for each in server.get("default/channels")["channels"]]
        found = server.said(channel) if channel in known else []
        if found == wanted:
            return
        time.sleep(0.1)
    assert found == wanted


def test_a_chat_is_stored_and_recalled_in_the_next(webui: WebUI, server: RunningServer, model: ModelServer) -> None:
    first = webui.ask("I moved to Busan.")
    until_said(server, f"open-webui:{first}", [("user", "I moved to Busan."), ("assistant", "I see.")])
    second = webui.ask("Where do I live now?")
    until_said(server, f"open-webui:{second}", [("user", "Where do I live now?"), ("assistant", "I see.")])
    sent = [call.body["messages"] for call in model.calls if "messages" in (call.body or {})]
    (told,) = [each for each in sent if each[-1]["content"] == "Where do I live now?"]
    assert [each["role"] for each in told] == ["system", "user"]
    assert "Busan" in told[0]["content"]
    question, reply = server.messages(f"open-webui:{first}")
    assert question["name"] == "Alice"
    assert question["key"].startswith("open-webui:")
    assert reply["key"].startswith("open-webui:")
