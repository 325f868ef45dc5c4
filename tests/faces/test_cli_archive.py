"""The commands for erasing and exporting."""

from __future__ import annotations

import json
import zipfile

from test_cli import Shell, shell  # noqa: F401 - a fixture


def test_a_person_is_exported_and_erased(shell: Shell) -> None:  # noqa: F811
    shell.run("add", "hall", "user", "I live in Busan.", "--person", "mina", "--name", "Mina")
    shell.run("add", "hall", "user", "I bake bread.", "--person", "jun")
    file = shell.folder / "mina.zip"
    assert "1 message and" in shell.run("export", str(file), "--person", "mina").stderr
    assert "messages.jsonl" in zipfile.ZipFile(file).namelist()

    shell.run("erase", "--person", "mina", code=1)  # nobody said yes
    assert [each["person"] for each in shell.json("people", "list")] == ["jun", "mina"]
    assert "Nothing of it is left" in shell.run("erase", "--person", "mina", "--yes").stderr
    assert [each["person"] for each in shell.json("people", "list")] == ["jun"]
    assert shell.json("erase", "--person", "mina", "--yes")["counts"] == {}
    assert shell.json("erase", "--channel", "hall", "--yes", "--by", "jun")["checked"] is True
    assert "Unknown person 'eve'." in shell.run("erase", "--person", "eve", "--yes", code=1).stderr
    assert "one of them" in shell.run("erase", "--yes", code=2).stderr
    kinds = [each["kind"] for each in shell.json("archive", "receipts")]
    assert kinds == ["channel", "person", "person"]
    assert len(shell.json("archive", "receipts", "--person", "mina", "--limit", "1")) == 1
    assert "channel" in shell.run("archive", "receipts").stdout


def test_a_space_is_exported_and_imported_and_the_database_backed_up_and_restored(shell: Shell) -> None:  # noqa: F811
    shell.run("add", "hall", "user", "I live in Busan.", "--person", "mina", "--name", "Mina")
    space, backup = str(shell.folder / "space.zip"), str(shell.folder / "backup.zip")
    assert shell.json("export", space)["messages"] == 1
    assert "as they were" in shell.run("import", space, "--space", "copy").stderr
    assert "not empty" in shell.run("import", space, "--space", "copy").stderr
    assert shell.json("import", space)["skipped"] == 1
    assert shell.json("backup", backup)["messages"] == 2
    assert "is whole" in shell.run("backup", backup, "--check").stderr
    assert "not empty" in shell.run("backup", backup, "--restore", code=2).stderr
    other = str(shell.folder / "restored.db")
    assert shell.json("backup", backup, "--restore", "--database", other)["spaces"] == 2
    assert shell.json("search", "Busan", "--database", other, "--space", "copy")
    shell.run("backup", backup, "--restore", "--check", code=2)
    assert "There is no file" in shell.run("backup", str(shell.folder / "none.zip"), "--check", code=2).stderr


def test_a_message_and_a_source_are_erased(shell: Shell) -> None:  # noqa: F811
    lines = [
        {"channel": "hall", "role": "user", "text": f"Word {n}.", "meta": {"source": "import:a.txt"}} for n in (1, 2)
    ]
    file = shell.folder / "a.jsonl"
    file.write_text("\n".join(map(json.dumps, lines)))
    shell.run("import", str(file))
    said = shell.json("add", "hall", "user", "My pin is 4711.", "--person", "mina")
    assert [(each["source"], each["messages"]) for each in shell.json("archive", "origins")] == [("import:a.txt", 2)]
    assert "import:a.txt" in shell.run("archive", "origins").stdout
    assert shell.json("erase", "--message", said["id"], "--yes")["counts"]["messages"] == 1
    assert shell.json("erase", "--origin", "import:a.txt", "--yes")["counts"]["messages"] == 2
    assert shell.json("archive", "origins") == []
    assert "one of them" in shell.run("erase", "--message", "x", "--origin", "y", "--yes", code=2).stderr


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
    assert "Unknown space 'guild'" in shell.run("people", "list", "--space", "guild", code=1).stderr
