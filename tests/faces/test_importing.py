"""Imports from the command line, and over HTTP."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from fastapi import FastAPI
from test_cli import Shell, conversation

import erstwhile
from erstwhile.http.app import create_app
from erstwhile.importers import load
from support import forks


@pytest.fixture
def database_url(tmp_path: Path) -> str:
    """One database will do: what imports do in each is told in tests/importers."""
    return f"{tmp_path}/test.db"


@pytest.fixture
def shell(database_url: str, tmp_path: Path) -> Shell:
    return Shell(database_url, tmp_path)


def test_people_are_told_in_a_few_lines(shell: Shell, tmp_path: Path) -> None:
    file = conversation(tmp_path / "my chats.jsonl", 9, at="2026-03-01T09:00:00Z")
    with file.open("a") as more:
        more.write("\nrubbish")
    planned = shell.json("import", "my chats.jsonl", "--dry-run")
    assert (planned["messages"], planned["dry_run"], planned["first"]) == (9, True, "2026-03-01T09:00:00+00:00")
    assert "9  messages would be imported" in shell.run("import", "my chats.jsonl", "--dry-run").stderr
    done = shell.run("import", "my chats.jsonl")
    assert done.stdout == ""
    assert "9  messages imported (jsonl), 1 channel, 1 person" in done.stderr
    assert "erstwhile erase --origin 'import:my chats.jsonl'" in done.stderr
    assert "line 10: not JSON" in done.stderr
    again = shell.run("import", ".", "--format", "jsonl")
    assert "9  already there" in again.stderr


def test_what_is_no_source_is_wrong_usage(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "notes.md").write_text("# Notes")
    (tmp_path / "none").mkdir()
    assert "unknown format 'soup': use" in shell.run("import", "notes.md", "--format", "soup", code=2).stderr
    refused = shell.run("import", "notes.md", code=2).stderr
    assert "in no known format" in refused
    assert "discord: JSON of DiscordChatExporter" in refused
    assert "nothing to import" in shell.run("import", "none", code=2).stderr


def test_ctrl_c_says_how_to_go_on(shell: Shell, tmp_path: Path) -> None:
    source = conversation(tmp_path / "long.jsonl", 8_000)
    words = [sys.executable, "-m", "erstwhile", "import", str(source)]
    environment = {**os.environ, **shell.environment}
    process = forks.Popen(words, env=environment, stderr=subprocess.PIPE, text=True, cwd=tmp_path)
    deadline = time.monotonic() + 120
    while not list(tmp_path.glob("test.db-wal")) and time.monotonic() < deadline:
        time.sleep(0.02)
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=180)
    assert process.returncode == 130, said
    assert "the same command again continues" in said
    assert "Traceback" not in said


async def test_an_import_over_http(memory: erstwhile.Memory, tmp_path: Path, serving: Callable[[FastAPI], str]) -> None:
    """The same as at home; also where the server takes less than the import knows."""
    file = conversation(tmp_path / "c.jsonl", 700)
    with file.open("a") as more:
        line = {
            "channel": "c",
            "role": "user",
            "text": "x" * (memory.settings.limits.message_bytes + 1),
            "key": "large",
        }
        more.write("\n" + json.dumps(line) + "\n" + json.dumps({**line, "text": "after", "key": "after"}))
    async with erstwhile.connect(serving(create_app(memory))) as remote:
        planned, done = await load(remote, file, dry_run=True), await load(remote, file)
        assert planned.messages == 702
        assert (done.messages, [problem.where for problem in done.problems]) == (701, ["line 701"])
        assert "the largest taken" in done.problems[0].reason
        assert (await load(remote, file)).already == 701
    assert await memory.channel("c").size() == 701
