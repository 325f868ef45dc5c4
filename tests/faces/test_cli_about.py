"""The command `about`."""

from __future__ import annotations

from pathlib import Path

import pytest
from test_cli import Shell


@pytest.fixture
def shell(cli_url: str, tmp_path: Path) -> Shell:
    made = Shell(cli_url, tmp_path)
    for channel, person, text in (
        ("general", "alice", "I adopted a dog called Rufus"),
        ("general", "bob", "congratulations"),
        ("alice-alone", "alice", "I am going to quit my job"),
    ):
        made.run("add", channel, "user", text, "--person", person, "--name", person.title())
    return made


def test_what_is_known_of_a_person_is_shown(shell: Shell) -> None:
    found = shell.json("about", "alice")
    assert set(found) == {"person", "name", "told", "today", "history", "facts", "standing", "text", "profile"}
    assert (found["person"], found["name"], found["told"], found["history"]) == ("alice", "Alice", "", "")
    assert "Rufus" in found["today"]
    assert "quit my job" in found["today"]
    assert list(found["profile"]) == ["bio", "interests", "skills", "opinions", "relationships", "other"]
    shown = shell.run("about", "Alice").stdout
    assert shown.startswith("Alice (alice)\n\nToday\n  ")
    assert "Rufus" in shown


def test_in_a_channel_and_of_nobody(shell: Shell) -> None:
    assert "quit" not in shell.json("about", "alice", "--channel", "general", "--asker", "bob")["text"]
    assert "Unknown person 'zoe'" in shell.run("about", "zoe", code=1).stderr
