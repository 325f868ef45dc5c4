"""`erstwhile chat`, typed at through a pipe."""

from __future__ import annotations

from pathlib import Path

import pytest
from test_cli import Shell

from erstwhile.testing import ModelServer


@pytest.fixture
def shell(cli_url: str, tmp_path: Path) -> Shell:
    return Shell(cli_url, tmp_path)


def test_a_talk_in_the_terminal_is_remembered_and_explained(shell: Shell) -> None:
    typed = "I live in Busan\n/help\nWhere do I live?\n/explain\n/sources\n/context Busan\n/remember likes tea\n/nonsense\n/quit\n"
    with ModelServer(answer="By the sea, in Busan.") as server:
        shell.environment |= {"ERSTWHILE_MODEL": "openai-compatible:x", "ERSTWHILE_BASE_URL": server.base_url}
        done = shell.run("chat", "hall", "--person", "mina", text=typed)
        assert done.stdout.count("By the sea, in Busan.") >= 2
        for shown in ("/remember TEXT", "tokens:", "=== Recent Conversation ===", "mina likes tea.", "hall #1"):
            assert shown in done.stdout
        again = shell.run("chat", "hall", "--person", "mina", text="")
        assert "4 messages so far" in again.stdout
    assert [hit["kind"] for hit in shell.json("search", "tea", "--channel", "hall")] == ["told"]


def test_without_a_model_it_says_what_to_do(shell: Shell) -> None:
    assert "no chat model" in shell.run("chat", text="hello\n", code=2).stderr
