"""The commands for notes: list, nightly."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from test_cli import Shell

SAID = (("alice", "I moved to Busan."), ("bob", "The garden needs water."), ("alice", "Dinner is pasta on Friday."))


@pytest.fixture
def shell(cli_url: str, tmp_path: Path) -> Shell:
    """Three conversations of one day, long ago."""
    told = [
        {"channel": "chat", "role": "user", "person": person, "text": text, "at": f"2026-03-02T{hour:02}:00:00Z"}
        for hour, (person, text) in enumerate(SAID, start=9)
    ]
    file = tmp_path / "said.jsonl"
    file.write_text("\n".join(json.dumps(each) for each in told))
    made = Shell(cli_url, tmp_path)
    made.run("import", str(file))
    made.run("settle")
    return made


def test_notes_and_topics_are_listed(shell: Shell) -> None:
    notes = shell.json("notes", "list", "--kind", "note")
    assert [note["first_seq"] for note in notes] == [3, 2, 1]
    assert {note["day"] for note in notes} == {"2026-03-02"}
    assert len(shell.json("notes", "list", "--person", "alice", "--kind", "note")) == 2
    assert len(shell.json("notes", "list", "--kind", "note", "--limit", "1")) == 1
    assert len(shell.json("notes", "list", "--kind", "topic")) == 3, "their night has long passed"
    shown = shell.run("notes", "list", "--channel", "chat").stdout
    assert "Busan" in shown
    assert "draft" in shown
    assert "No notes" in shell.run("notes", "list", "--day", "2026-03-03").stderr
    assert "not a day" in shell.run("notes", "list", "--day", "then", code=2).stderr
    assert "Use one of note, topic" in shell.run("notes", "list", "--kind", "diary", code=2).stderr


def test_the_night_by_hand(shell: Shell) -> None:
    night = shell.json("notes", "nightly")
    assert (night["notes"], night["topics"], night["people"]) == (0, 0, 0)
    assert "0 notes grouped into 0 topics" in shell.run("notes", "nightly").stderr
