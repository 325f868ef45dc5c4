"""The commands about people: remember, forget."""

from __future__ import annotations

from pathlib import Path

import pytest
from test_cli import Shell


@pytest.fixture
def shell(cli_url: str, tmp_path: Path) -> Shell:
    return Shell(cli_url, tmp_path)


def test_facts_are_remembered_and_forgotten(shell: Shell) -> None:
    shell.run("remember", "alice", "I live in Seoul")
    shell.run("remember", "alice", "plays the guitar", "--by", "bob")
    told = shell.json("remember", "alice", "lives in Busan")
    assert told["text"] == "alice lives in Busan.\nAccording to bob, alice plays the guitar."
    assert (told["person"], told["audience"], told["draft"]) == ("alice", "", True)
    assert "alice likes [red] tea." in shell.run("remember", "alice", "likes [red] tea").stdout
    gone = shell.json("forget", "alice", "plays the guitar")
    assert (gone["found"], gone["removed"]) == (True, "According to bob, alice plays the guitar.")
    assert shell.json("forget", "alice", "likes pizza")["found"] is False
    assert "Nothing like that is remembered about alice" in shell.run("forget", "alice", "likes pizza").stderr
    assert "Forgotten: alice lives in Busan." in shell.run("forget", "alice", "lives in Busan").stderr
    assert "nothing to remember" in shell.run("remember", "alice", " ", code=2).stderr


def test_what_is_told_in_a_private_channel_is_a_text_of_its_own(shell: Shell) -> None:
    told = shell.json("remember", "alice", "is shy", "--channel", "direct", "--by", "alice")
    assert told["audience"] == "direct"
    assert shell.json("memories", "history", told["id"])[0]["text"] == "alice is shy."
