"""The real Claude Code and the real Codex, installed from npm, with a model and a memory on loopback."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from erstwhile.testing import ModelServer
from support.running import RunningServer
from support.serving import Served

MODULES = Path(__file__).parent / "node_modules"
CHANNEL = "code:acme/webshop"
SAID = "We deploy with fly, never with Docker."
PROVIDER = """\
model = "test-model"
model_provider = "loopback"
[model_providers.loopback]
name = "loopback"
base_url = "{url}"
wire_api = "responses"
env_key = "LOOPBACK_KEY"

"""


class Laptop:
    """A home folder with a project, both agents on the path, and nothing else of this machine."""

    def __init__(self, folder: Path) -> None:
        self.home, self.project, programs = folder / "home", folder / "acme" / "webshop", folder / "bin"
        for each in (self.home, self.project, programs):
            each.mkdir(parents=True)
        subprocess.run(["git", "init", "--quiet", str(self.project)], check=True)
        (claude,) = (MODULES / "@anthropic-ai").glob("claude-code-*/claude")
        (programs / "claude").symlink_to(claude)
        (programs / "codex").symlink_to(MODULES / ".bin" / "codex")
        self.environment = {
            "HOME": str(self.home),
            "USER": "alice",
            "PATH": f"{programs}:{os.environ['PATH']}",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "DISABLE_AUTOUPDATER": "1",
        }

    def run(self, *words: str, **environment: str) -> str:
        done = subprocess.run(
            words,
            cwd=self.project,
            env={**self.environment, **environment},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=180,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def erstwhile(self, *words: str) -> str:
        return self.run(sys.executable, "-m", "erstwhile", *words)


@pytest.fixture
def laptop(tmp_path: Path) -> Laptop:
    return Laptop(tmp_path)


@pytest.fixture
def model() -> Iterator[ModelServer]:
    with ModelServer("I see.") as running:
        yield running


@pytest.fixture
def server(tmp_path: Path, laptop: Laptop) -> Iterator[RunningServer]:
    """A server that asks for a key: the hooks and the MCP client both have to send it."""
    database = str(tmp_path / "memory.db")
    key = laptop.erstwhile("keys", "create", "--space", "default", "--database", database).strip()
    with Served(database, embedder="none") as served:
        yield RunningServer(served, key)


def install(laptop: Laptop, host: str, server: RunningServer) -> None:
    laptop.erstwhile("coding", "install", host, "--url", server.url, "--key", server.key, "--person", "alice")


def prompts(model: ModelServer) -> list[dict[str, Any]]:
    return [call.body for call in model.calls if call.path in ("/messages", "/responses")]


def test_claude_code(laptop: Laptop, server: RunningServer, model: ModelServer) -> None:
    install(laptop, "claude-code", server)
    laptop.run("claude", "plugin", "validate", str(laptop.home / ".erstwhile" / "coding"))
    ask = ("claude", "-p", "--model", "claude-sonnet-4-5")
    given = {"ANTHROPIC_BASE_URL": model.url, "ANTHROPIC_API_KEY": "none"}
    laptop.run(*ask, SAID, **given)
    assert server.said(CHANNEL) == [("user", SAID), ("assistant", "I see.")]
    laptop.run(*ask, "How do we deploy?", **given)
    last = prompts(model)[-1]
    assert "never with Docker" in json.dumps(last["messages"])
    tools = {str(tool["name"]).rpartition("__")[2] for tool in last["tools"]}
    assert {"search_memory", "add_memory", "forget_memory"} <= tools
    assert "erstwhile" in laptop.run("claude", "plugin", "list")
    laptop.erstwhile("coding", "remove", "claude-code")
    assert "erstwhile" not in laptop.run("claude", "plugin", "list")


def test_codex(laptop: Laptop, server: RunningServer, model: ModelServer) -> None:
    install(laptop, "codex", server)
    config = laptop.home / ".codex" / "config.toml"
    config.write_text(PROVIDER.format(url=model.base_url) + config.read_text())
    ask = ("codex", "exec", "--dangerously-bypass-hook-trust")
    laptop.run(*ask, SAID, LOOPBACK_KEY="none")
    assert server.said(CHANNEL) == [("user", SAID), ("assistant", "I see.")]
    laptop.run(*ask, "How do we deploy?", LOOPBACK_KEY="none")
    last = prompts(model)[-1]
    assert "never with Docker" in json.dumps(last["input"])
    assert "search_memory" in json.dumps(last["tools"])
    laptop.erstwhile("coding", "remove", "codex")
    assert "installed" not in laptop.run("codex", "plugin", "list").replace("not installed", "")
