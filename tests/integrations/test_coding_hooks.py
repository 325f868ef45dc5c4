"""The hook of Claude Code, Codex and Cursor, run as they run it: one event on stdin, one answer on stdout."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import erstwhile_coding
from support.hanging import HangingServer
from support.running import RunningServer
from support.serving import free_port

MARKETPLACE = Path(erstwhile_coding.__file__).parent / "marketplace"
HOOK = MARKETPLACE / "plugin" / "hooks" / "memory_hook.py"


class Desk:
    """A home folder and a project, and a coding agent that runs the hook there."""

    def __init__(self, folder: Path, **config: str) -> None:
        self.home, self.project = folder / "home", folder / "acme" / "webshop"
        (self.project / ".git").mkdir(parents=True)
        (self.project / "src").mkdir()
        (self.home / ".erstwhile").mkdir(parents=True)
        self.configure(json.dumps(config))
        self.channel = "code:acme/webshop"

    def configure(self, text: str) -> None:
        (self.home / ".erstwhile" / "coding.json").write_text(text)

    def run(self, event: dict[str, Any] | str) -> tuple[Any, str]:
        """What the hook answers, and what it says on stderr. It always ends with 0."""
        given = event if isinstance(event, str) else json.dumps(event)
        done = subprocess.run(
            [sys.executable, "-I", str(HOOK)],
            input=given,
            capture_output=True,
            text=True,
            timeout=60,
            env={"HOME": str(self.home), "USERPROFILE": str(self.home), "USER": "alice", "PATH": os.environ["PATH"]},
        )
        assert done.returncode == 0, done.stderr
        return (json.loads(done.stdout) if done.stdout else None), done.stderr

    def claude(self, name: str, **more: Any) -> dict[str, Any]:
        """An event as Claude Code writes it."""
        return {
            "session_id": "0d5a1c7e-43a7-4d0c-9a58-2f1f4f6f8a01",
            "transcript_path": str(self.home / "transcript.jsonl"),
            "cwd": str(self.project / "src"),
            "permission_mode": "default",
            "hook_event_name": name,
            **more,
        }

    def codex(self, name: str, **more: Any) -> dict[str, Any]:
        """An event as Codex writes it."""
        return {
            "session_id": "0198c0de-7a11-7f1c-b4f2-1c58d1ad4b77",
            "turn_id": "turn-3",
            "transcript_path": None,
            "cwd": str(self.project),
            "hook_event_name": name,
            "model": "gpt-5-codex",
            "permission_mode": "default",
            **more,
        }

    def cursor(self, name: str, **more: Any) -> dict[str, Any]:
        """An event as Cursor writes it."""
        return {
            "conversation_id": "c-1",
            "generation_id": "g-1",
            "model": "auto",
            "hook_event_name": name,
            "cursor_version": "3.7.21",
            "workspace_roots": [str(self.project)],
            "user_email": None,
            **more,
        }


@pytest.fixture
def desk(tmp_path: Path, server: RunningServer) -> Desk:
    return Desk(tmp_path, url=server.url, space=f"desk-{time.monotonic_ns()}", person="alice")


def space_of(desk: Desk) -> str:
    return str(json.loads((desk.home / ".erstwhile" / "coding.json").read_text())["space"])


def test_claude_code_recalls_before_a_prompt_and_stores_both_sides(desk: Desk, server: RunningServer) -> None:
    assert desk.run(desk.claude("SessionStart", source="startup")) == (None, "")
    assert desk.run(desk.claude("UserPromptSubmit", prompt="We deploy with fly, never with Docker.")) == (None, "")
    assert desk.run(desk.claude("Stop", stop_hook_active=False, last_assistant_message="Noted: fly.")) == (None, "")
    assert server.said(desk.channel, space_of(desk)) == [
        ("user", "We deploy with fly, never with Docker."),
        ("assistant", "Noted: fly."),
    ]
    assert server.messages(desk.channel, space_of(desk))[0]["person"] == "alice"

    answer, _ = desk.run(desk.claude("UserPromptSubmit", prompt="How do we deploy?"))
    told = answer["hookSpecificOutput"]
    assert told["hookEventName"] == "UserPromptSubmit"
    assert "never with Docker" in told["additionalContext"]
    assert "How do we deploy?" not in told["additionalContext"], "the prompt itself is no memory of it"

    answer, _ = desk.run(desk.claude("SessionStart", source="startup"))
    assert answer["hookSpecificOutput"]["hookEventName"] == "SessionStart"
    assert "Noted: fly." in answer["hookSpecificOutput"]["additionalContext"]


def test_an_older_claude_code_has_the_reply_in_its_transcript(desk: Desk, server: RunningServer) -> None:
    lines = [
        {"type": "user", "message": {"role": "user", "content": "hi"}},
        {"type": "assistant", "message": {"content": [{"type": "text", "text": "Earlier."}]}},
        {"type": "assistant", "message": {"content": [{"type": "text", "text": "The last one."}]}},
        {"type": "assistant", "message": {"content": [{"type": "tool_use", "name": "Bash", "input": {}}]}},
    ]
    written = "\n".join(json.dumps(each) for each in lines) + "\nno json\n"
    (desk.home / "transcript.jsonl").write_text(written)
    desk.run(desk.claude("Stop", stop_hook_active=False))
    assert server.said(desk.channel, space_of(desk)) == [("assistant", "The last one.")]


def test_codex_reports_a_turn_twice_and_it_is_stored_once(desk: Desk, server: RunningServer) -> None:
    for _ in range(2):
        desk.run(desk.codex("UserPromptSubmit", prompt="Use tabs in Go."))
        desk.run(desk.codex("Stop", stop_hook_active=False, last_assistant_message="I will."))
    assert server.said(desk.channel, space_of(desk)) == [("user", "Use tabs in Go."), ("assistant", "I will.")]
    answer, _ = desk.run(desk.codex("UserPromptSubmit", turn_id="turn-4", prompt="Tabs or spaces in Go?"))
    assert "Use tabs in Go." in answer["hookSpecificOutput"]["additionalContext"]


def test_cursor_goes_on_with_its_prompt_and_hears_at_the_start_of_a_session(desk: Desk, server: RunningServer) -> None:
    said = desk.cursor("beforeSubmitPrompt", prompt="The tests need Postgres 18.", attachments=[])
    assert desk.run(said) == ({"continue": True}, "")
    assert desk.run(desk.cursor("afterAgentResponse", text="I start one.")) == (None, "")
    assert desk.run(desk.cursor("stop", status="completed", loop_count=0)) == (None, "")
    stored = [("user", "The tests need Postgres 18."), ("assistant", "I start one.")]
    assert server.said(desk.channel, space_of(desk)) == stored
    answer, _ = desk.run(desk.cursor("sessionStart", session_id="c-2", is_background_agent=False))
    assert "Postgres 18" in answer["additional_context"]


# Memory that is away never stops the work


@pytest.mark.parametrize("name", ["SessionStart", "UserPromptSubmit", "Stop"])
def test_a_server_that_is_away_is_said_on_stderr(name: str, tmp_path: Path) -> None:
    desk = Desk(tmp_path, url=f"http://127.0.0.1:{free_port()}")
    answer, complaint = desk.run(desk.claude(name, prompt="hello", last_assistant_message="hi"))
    assert answer is None
    assert complaint.startswith("erstwhile: no memory now")


def test_cursor_goes_on_without_a_server(tmp_path: Path) -> None:
    desk = Desk(tmp_path, url=f"http://127.0.0.1:{free_port()}")
    answer, complaint = desk.run(desk.cursor("beforeSubmitPrompt", prompt="hello"))
    assert (answer, bool(complaint)) == ({"continue": True}, True)


@pytest.mark.parametrize("trickle", [False, True], ids=["silent", "a byte now and then"])
def test_a_server_that_hangs_is_given_up_within_seconds(trickle: bool, tmp_path: Path) -> None:
    with HangingServer(trickle=trickle) as hanging:
        desk = Desk(tmp_path, url=hanging.url)
        started = time.monotonic()
        answer, complaint = desk.run(desk.claude("UserPromptSubmit", prompt="hello"))
        took = time.monotonic() - started
    assert answer is None
    assert complaint
    assert took < 9, "the host itself waits for ten seconds"


def test_a_refusal_is_said_with_its_reason(desk: Desk, server: RunningServer) -> None:
    desk.configure(json.dumps({"url": server.url, "key": "er_wrong"}))
    _, complaint = desk.run(desk.claude("UserPromptSubmit", prompt="hello"))
    assert "the server refused: 401" in complaint


@pytest.mark.parametrize("event", ["", "no json", "[]", '{"hook_event_name": 7}'])
def test_what_is_no_event_is_ignored(event: str, desk: Desk) -> None:
    answer, _ = desk.run(event)
    assert answer is None


def test_a_configuration_that_is_no_json_is_said(desk: Desk) -> None:
    desk.configure("{")
    answer, complaint = desk.run(desk.claude("UserPromptSubmit", prompt="hello"))
    assert answer is None
    assert "coding.json cannot be read" in complaint


# Installing


def installed(home: Path, *words: str, path: str = "/nowhere") -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "HOME": str(home), "USERPROFILE": str(home), "USER": "alice", "PATH": path}
    command = [sys.executable, "-m", "erstwhile", "coding", *words]
    return subprocess.run(command, capture_output=True, text=True, env=env, timeout=120)


def test_cursor_keeps_what_else_is_in_its_files(tmp_path: Path, server: RunningServer) -> None:
    (tmp_path / ".cursor").mkdir()
    theirs = {"version": 1, "hooks": {"stop": [{"command": "./mine.sh"}]}}
    (tmp_path / ".cursor" / "hooks.json").write_text(json.dumps(theirs))
    (tmp_path / ".cursor" / "mcp.json").write_text('{"mcpServers": {"other": {"command": "other"}}}')
    for _ in range(2):  # a second time changes nothing
        done = installed(tmp_path, "install", "cursor", "--url", server.url, "--key", "er_x", "--person", "alice")
        assert done.returncode == 0, done.stderr
    hooks = json.loads((tmp_path / ".cursor" / "hooks.json").read_text())
    assert hooks["version"] == 1
    assert {name: len(entries) for name, entries in hooks["hooks"].items()} == {
        "stop": 1,
        "sessionStart": 1,
        "beforeSubmitPrompt": 1,
        "afterAgentResponse": 1,
    }
    servers = json.loads((tmp_path / ".cursor" / "mcp.json").read_text())["mcpServers"]
    assert servers["erstwhile"] == {
        "url": f"{server.url}/mcp",
        "headers": {"Authorization": "Bearer er_x", "X-Erstwhile-Person": "alice"},
    }
    for name in ("coding.json", "coding/plugin/.mcp.json"):
        assert stat.S_IMODE((tmp_path / ".erstwhile" / name).stat().st_mode) == 0o600
    assert installed(tmp_path, "remove", "cursor").returncode == 0
    assert json.loads((tmp_path / ".cursor" / "hooks.json").read_text()) == theirs
    assert list(json.loads((tmp_path / ".cursor" / "mcp.json").read_text())["mcpServers"]) == ["other"]


def test_the_hooks_that_cursor_was_given_run(tmp_path: Path, server: RunningServer) -> None:
    space = "cursor-installed"
    installed(tmp_path, "install", "cursor", "--url", server.url, "--space", space, "--person", "alice")
    hooks = json.loads((tmp_path / ".cursor" / "hooks.json").read_text())["hooks"]
    desk = Desk(tmp_path / "desk")
    done = subprocess.run(
        hooks["beforeSubmitPrompt"][0]["command"],
        shell=True,
        input=json.dumps(desk.cursor("beforeSubmitPrompt", prompt="We use uv.")),
        capture_output=True,
        text=True,
        env={"HOME": str(tmp_path), "PATH": os.environ["PATH"]},
    )
    assert (done.returncode, json.loads(done.stdout), done.stderr) == (0, {"continue": True}, "")
    assert server.said(desk.channel, space) == [("user", "We use uv.")]


def test_a_broken_file_of_cursor_is_left_as_it_is(tmp_path: Path) -> None:
    (tmp_path / ".cursor").mkdir()
    (tmp_path / ".cursor" / "hooks.json").write_text("{ // mine\n}")
    done = installed(tmp_path, "install", "cursor")
    assert done.returncode == 1
    assert "hooks.json is not as Cursor writes it" in done.stderr
    assert (tmp_path / ".cursor" / "hooks.json").read_text() == "{ // mine\n}"


@pytest.mark.parametrize(("host", "program"), [("claude-code", "claude"), ("codex", "codex")])
def test_an_agent_that_is_not_here_is_told_what_to_run(host: str, program: str, tmp_path: Path) -> None:
    done = installed(tmp_path, "install", host)
    folder = tmp_path / ".erstwhile" / "coding"
    assert done.returncode == 0
    assert f"{program} plugin marketplace add {folder}" in done.stderr
    hooks = json.loads((folder / "plugin" / "hooks" / "hooks.json").read_text())["hooks"]
    assert set(hooks) == {"SessionStart", "UserPromptSubmit", "Stop"}
    assert hooks["Stop"][0]["hooks"][0]["command"].startswith(f'"{sys.executable}" "${{CLAUDE_PLUGIN_ROOT}}')


def test_an_unknown_agent_and_an_address_that_is_none_are_refused(tmp_path: Path) -> None:
    assert "Unknown agent 'vim'" in installed(tmp_path, "install", "vim").stderr
    assert installed(tmp_path, "install", "cursor", "--url", "memory.example.com").returncode == 2
    assert not (tmp_path / ".erstwhile").exists()


PAGE = Path(__file__).parents[2] / "docs" / "integrations" / "coding.md"


@pytest.mark.parametrize("host", ["claude-code", "codex", "cursor"])
def test_the_commands_of_the_page_work(host: str, tmp_path: Path) -> None:
    """Each as it is written, for every agent; programs stand in for the agents that it runs."""
    programs = tmp_path / "bin"
    programs.mkdir()
    for name in ("claude", "codex"):
        (programs / name).write_text('#!/bin/sh\necho "$0 $*" >> "$HOME/calls"\n')
        (programs / name).chmod(0o755)
    lines = [line for line in PAGE.read_text().splitlines() if line.startswith("erstwhile coding ")]
    assert len(lines) == 3
    for line in lines:
        words = line.partition("#")[0].split()[2:]
        words[1] = host
        done = installed(tmp_path, *words, path=f"{programs}:/usr/bin:/bin")
        assert done.returncode == 0, done.stderr
    if host != "cursor":
        assert (tmp_path / "calls").read_text().count("plugin") == 5, "two commands for each install, one to remove"
