"""The commands for profiles: show, add, import, export, delete."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from test_cli import Shell


@pytest.fixture
def shell(cli_url: str, tmp_path: Path) -> Shell:
    return Shell(cli_url, tmp_path)


def test_a_profile_is_added_to_shown_and_deleted(shell: Shell) -> None:
    assert "Unknown person 'alice'" in shell.run("people", "profile", "show", "alice", code=1).stderr
    shell.run("add", "hall", "user", "Hello.", "--person", "alice")
    assert "No profile" in shell.run("people", "profile", "show", "alice").stderr
    fact = shell.json("people", "profile", "add", "alice", "bio", "Alice is a nurse.", "--by", "carol")
    assert (fact["section"], fact["said_by"], fact["writer"]) == ("bio", "carol", "hand:carol")
    assert (
        "Added as prf_"
        in shell.run("people", "profile", "add", "alice", "skills", "Alice can knit.", "--by", "alice").stderr
    )
    shown = shell.run("people", "profile", "show", "alice").stdout
    assert "Alice is a nurse." in shown
    assert "hand:carol" in shown
    told = shell.json("people", "profile", "show", "alice")
    assert [each["text"] for each in told["sections"]["bio"]] == ["Alice is a nurse."]
    shell.run("memories", "edit", fact["id"], "Alice is a head nurse.", "--by", "carol")
    assert shell.json("people", "profile", "show", "alice")["sections"]["bio"][0]["text"] == "Alice is a head nurse."
    assert [each["action"] for each in shell.json("memories", "history", fact["id"])] == ["written", "edited"]
    assert shell.json("people", "profile", "delete", "alice", "--by", "alice", "--yes") == {"deleted": 2}
    assert "0 facts?" in shell.run("people", "profile", "delete", "alice", "--by", "alice", code=1).stderr
    assert not any(shell.json("people", "profile", "show", "alice", "--all")["sections"].values())
    assert (
        "Use one of bio"
        in shell.run("people", "profile", "add", "alice", "gossip", "x", "--by", "carol", code=2).stderr
    )


def test_legacy_facts_are_imported_as_lines_or_json_and_exported(shell: Shell, tmp_path: Path) -> None:
    lines = tmp_path / "old.txt"
    lines.write_text('- Likes RPG games\n\nLives in Austin\n{"text": "Dog named Bento", "section": "relationships"}\n')
    assert shell.json("people", "profile", "import", "alice", str(lines), "--by", "carol") == {"imported": 3}
    again = shell.run("people", "profile", "import", "alice", str(lines), "--by", "carol")
    assert "0 imported, 3 skipped" in again.stderr
    listed = json.dumps(["Speaks French", {"text": "Prefers tea over coffee", "at": "2025-05-01T00:00:00Z"}])
    assert "2 imported" in shell.run("people", "profile", "import", "alice", "-", "--by", "carol", text=listed).stderr
    exported = json.loads(shell.run("people", "profile", "export", "alice").stdout)
    assert {section: [each["text"] for each in facts] for section, facts in exported["sections"].items()} == {
        "bio": ["Lives in Austin"],
        "interests": ["Likes RPG games"],
        "skills": ["Speaks French"],
        "opinions": ["Prefers tea over coffee"],
        "relationships": ["Dog named Bento"],
        "other": [],
    }
    assert exported == shell.json("people", "profile", "export", "alice")
    assert (
        "can't be read"
        in shell.run("people", "profile", "import", "alice", "nowhere.txt", "--by", "carol", code=2).stderr
    )
    for wrong in ("[1", "{nothing", "[[1]]"):
        shell.run("people", "profile", "import", "alice", "-", "--by", "carol", text=wrong, code=2)
