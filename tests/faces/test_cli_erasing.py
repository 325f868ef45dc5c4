"""The commands for erasing and exporting."""

from __future__ import annotations

import zipfile

from test_cli import Shell, shell  # noqa: F401 - a fixture


def test_a_person_is_exported_and_erased(shell: Shell) -> None:  # noqa: F811
    shell.run("add", "hall", "user", "I live in Busan.", "--person", "mina", "--name", "Mina")
    shell.run("add", "hall", "user", "I bake bread.", "--person", "jun")
    file = shell.folder / "mina.zip"
    assert "1 messages" in shell.run("export", str(file), "--person", "mina").stderr
    assert "messages.jsonl" in zipfile.ZipFile(file).namelist()

    shell.run("erase", "--person", "mina", code=1)  # nobody said yes
    assert [each["person"] for each in shell.json("people", "list")] == ["jun", "mina"]
    assert "Nothing of it is left" in shell.run("erase", "--person", "mina", "--yes").stderr
    assert [each["person"] for each in shell.json("people", "list")] == ["jun"]
    assert shell.json("erase", "--person", "mina", "--yes")["counts"] == {}
    assert shell.json("erase", "--channel", "hall", "--yes", "--by", "jun")["checked"] is True
    assert "Nobody called 'eve'" in shell.run("erase", "--person", "eve", "--yes", code=1).stderr
    assert "one of the two" in shell.run("erase", "--yes", code=2).stderr
    kinds = [each["kind"] for each in shell.json("receipts")]
    assert kinds == ["channel", "person", "person"]
    assert len(shell.json("receipts", "--person", "mina", "--limit", "1")) == 1
    assert "channel" in shell.run("receipts").stdout


def test_a_space_is_erased_once_its_name_was_typed(shell: Shell) -> None:  # noqa: F811
    shell.run("add", "hall", "user", "I bake bread.", "--person", "jun", "--space", "guild")
    shell.run("erase", "--everything", "--space", "guild", code=1)  # nobody typed anything
    assert shell.json("people", "list", "--space", "guild")
    assert (
        "whole space"
        in shell.run("erase", "--everything", "--person", "jun", "--space", "guild", "--yes", code=2).stderr
    )
    done = shell.json("erase", "--everything", "--space", "guild", "--yes")
    assert (done["what"], done["counts"]["messages"], done["checked"]) == ({"space": "guild"}, 1, True)
    assert shell.json("people", "list", "--space", "guild") == []
