"""The commands for structured memories and their changes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from test_cli import Shell

SAID = ("I live in Seoul", "I like jazz", "I need to renew my passport", "I moved to Busan", *("ok",) * 6)


@pytest.fixture
def shell(cli_url: str, tmp_path: Path) -> Shell:
    """Alice moved, likes jazz and has something to do."""
    told = [
        {"channel": "chat", "role": "user", "person": "alice", "text": text, "at": f"2026-03-{day:02}T09:00:00Z"}
        for day, text in enumerate(SAID, start=1)
    ]
    file = tmp_path / "said.jsonl"
    file.write_text("\n".join(json.dumps(each) for each in told))
    made = Shell(cli_url, tmp_path)
    made.run("import", str(file))
    made.run("settle")
    return made


def test_what_holds_is_listed_and_what_held(shell: Shell) -> None:
    found = shell.json("memories", "structured", "--person", "alice")
    assert {each["value"] for each in found} == {"Busan", "jazz", "renew their passport"}
    assert all(each["sources"] for each in found)
    (todo,) = shell.json("memories", "structured", "--open")
    assert (todo["type"], todo["text"]) == ("todo", "alice has to renew their passport.")
    assert len(shell.json("memories", "structured", "--all")) == 4
    (home,) = shell.json("memories", "structured", "--type", "fact", "--at", "2026-03-02T00:00:00Z")
    assert home["value"] == "Seoul"
    assert "alice lives in Busan." in shell.run("memories", "structured").stdout
    assert "No structured memories" in shell.run("memories", "structured", "--person", "bob").stderr
    assert "Use one of fact" in shell.run("memories", "structured", "--type", "rumour", code=2).stderr


def test_changes_are_listed_with_both_sources(shell: Shell) -> None:
    (change,) = shell.json("memories", "changes", "--person", "alice")
    assert (change["before"]["value"], change["after"]["value"]) == ("Seoul", "Busan")
    assert change["before"]["sources"] != change["after"]["sources"]
    assert "chat #4" in shell.run("memories", "changes").stdout
    assert "No changes" in shell.run("memories", "changes", "--person", "bob").stderr
