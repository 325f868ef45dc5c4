"""The commands for erasing and exporting."""

from __future__ import annotations

import json
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
    assert "one of them" in shell.run("erase", "--yes", code=2).stderr


def test_a_message_and_a_source_are_erased(shell: Shell) -> None:  # noqa: F811
    lines = [
        {"channel": "hall", "role": "user", "text": f"Word {n}.", "meta": {"source": "import:a.txt"}} for n in (1, 2)
    ]
    file = shell.folder / "a.jsonl"
    file.write_text("\n".join(map(json.dumps, lines)))
    shell.run("import", str(file))
    said = shell.json("add", "hall", "user", "My pin is 4711.", "--person", "mina")
    assert [(each["source"], each["messages"]) for each in shell.json("origins")] == [("import:a.txt", 2)]
    assert "import:a.txt" in shell.run("origins").stdout
    assert shell.json("erase", "--message", said["id"], "--yes")["counts"]["messages"] == 1
    assert shell.json("erase", "--source", "import:a.txt", "--yes")["counts"]["messages"] == 2
    assert shell.json("origins") == []
    assert "one of them" in shell.run("erase", "--message", "x", "--source", "y", "--yes", code=2).stderr
