"""The commands for what people do by hand: facts, history, regenerate, realign, backfill."""

from __future__ import annotations

from pathlib import Path

import pytest
from test_cli import Shell, conversation


@pytest.fixture
def shell(database_url: str, tmp_path: Path) -> Shell:
    made = Shell(database_url, tmp_path)
    made.run("import", str(conversation(tmp_path / "c.jsonl", 20)))
    made.run("settle")
    return made


def test_facts_are_listed_added_edited_and_deleted(shell: Shell) -> None:
    found = shell.json("facts", "list", "c")
    assert {"id", "text", "seq", "person", "at", "category", "importance", "links", "edited_by"} <= found[0].keys()
    added = shell.json("facts", "add", "c", "Mina is allergic to buckwheat", "--by", "jun", "--person", "mina")
    assert (added["writer"], added["importance"]) == ("hand:jun", 5)
    edited = shell.json("facts", "edit", found[0]["id"], "Mina moved to Oslo", "--by", "jun")
    assert (edited["version"], edited["action"], edited["by"]) == (2, "edited", "jun")
    shell.run("facts", "delete", found[1]["id"], "--by", "jun")
    now = {fact["id"]: fact["text"] for fact in shell.json("facts", "list", "c")}
    assert now[found[0]["id"]] == "Mina moved to Oslo"
    assert found[1]["id"] not in now
    assert [fact["id"] for fact in shell.json("facts", "list", "c", "--min-importance", "5")] == [added["id"]]
    assert "Oslo" in shell.run("facts", "list", "c", "--category", "place").stdout
    versions = shell.json("history", found[1]["id"])
    assert [(each["version"], each["action"]) for each in versions] == [(1, "written"), (2, "deleted")]
    assert "deleted" in shell.run("history", found[1]["id"]).stdout
    assert "never changes" in shell.run("facts", "edit", "msg_1", "x", code=2).stderr
    shell.run("facts", "delete", found[1]["id"], code=1)
    assert "restored by jun" in shell.run("restore", found[1]["id"], "--by", "jun").stderr
    assert "is not deleted" in shell.run("restore", found[1]["id"], code=2).stderr
    shell.run("facts", "list", "c", "--category", "gossip", code=2)


def test_a_range_is_made_again_and_metas_realigned(shell: Shell) -> None:
    made = shell.json("regenerate", "c", "11", "20")
    assert (made["what"], made["first"], made["last"], made["kept"]) == ("chunk", 11, 20, [])
    assert made["replaced"]
    assert "made anew" in shell.run("regenerate", "c", "1", "10", "--what", "embeddings").stderr
    assert "1–10, 11–20" in shell.run("regenerate", "c", "5", "15", code=1).stderr
    shell.run("regenerate", "c", "1", "10", "--what", "all", code=2)
    fact = shell.json("facts", "list", "c")[0]["id"]
    shell.run("facts", "edit", fact, "By hand", "--by", "jun")
    assert shell.json("regenerate", "c", "1", "10", "--what", "facts")["kept"] == [fact]
    assert shell.json("regenerate", "c", "1", "10", "--what", "facts", "--overwrite")["kept"] == []
    assert shell.json("realign", "c") == {"realigned": 0}


def test_backfill_says_what_it_did(shell: Shell) -> None:
    assert shell.json("backfill") == {"processed": 0, "created": 0, "skipped": 2, "errors": 0}
    assert "0 processed, 0 created, 2 skipped, 0 errors" in shell.run("backfill").stderr
