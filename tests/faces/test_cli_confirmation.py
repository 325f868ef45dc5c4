"""Commands that take something away say what, and ask. What does not exist is named, with what is most like it."""

from __future__ import annotations

import json

from test_cli import Shell, shell  # noqa: F401 - a fixture


def filled(shell: Shell) -> None:  # noqa: F811
    lines = [{"channel": "hall", "role": "user", "content": f"Tea {n}", "person": "mina"} for n in range(3)]
    (shell.folder / "talk.jsonl").write_text("\n".join(map(json.dumps, lines)))
    shell.run("import", "talk.jsonl")
    shell.run("add", "hall", "user", "I bake bread.", "--person", "mina", "--name", "Mina")
    shell.run("remember", "mina", "likes tea")


def test_erasing_says_what_there_is_and_asks(shell: Shell) -> None:  # noqa: F811
    filled(shell)
    asked = shell.run("erase", "--person", "mina", text="n\n", code=1).stderr
    assert "Erase everything of person 'mina' (4 messages, 1 remembered fact), with the assistant's replies?" in asked
    dry = shell.run("erase", "--person", "mina", "--dry-run").stderr
    assert "4 messages, 1 remembered fact, with the assistant's replies and all made from it" in dry
    dry = shell.run("erase", "--channel", "hall", "--dry-run").stderr
    assert "channel 'hall': 4 messages, and all made from it" in dry
    assert "3 messages in 1 channel" in shell.run("erase", "--origin", "import:talk.jsonl", "--dry-run").stderr
    everything = shell.run("erase", "--everything", "--dry-run").stderr
    assert "4 messages in 1 channel, 1 person, 1 memory" in everything
    assert [each["messages"] for each in shell.json("people", "list")] == [4]
    assert "Erased person 'mina'" in shell.run("erase", "--person", "mina", text="y\n").stderr


def test_rebuilding_and_forgetting_everything_ask(shell: Shell) -> None:  # noqa: F811
    filled(shell)
    asked = shell.run("spaces", "rebuild", text="n\n", code=1).stderr
    assert "1 memory of space 'default' from 4 messages?" in asked
    assert shell.json("spaces", "rebuild", "--dry-run") == {"told": 1}
    assert "Rebuilt" in shell.run("spaces", "rebuild", "--yes").stderr
    assert "1 remembered fact? Messages stay" in shell.run("forget", "mina", "everything", code=1).stderr
    assert "Forgotten" in shell.run("forget", "mina", "everything", "--yes").stderr


def test_a_file_is_replaced_only_when_asked(shell: Shell) -> None:  # noqa: F811
    filled(shell)
    for command in ("export", "backup"):
        file = shell.folder / f"{command}.zip"
        shell.run(command, str(file))
        before = file.read_bytes()
        assert "exists" in shell.run(command, str(file), text="n\n", code=1).stderr
        assert file.read_bytes() == before
        shell.run(command, str(file), "--yes")


def test_what_is_unknown_is_an_error_that_names_the_nearest(shell: Shell) -> None:  # noqa: F811
    filled(shell)
    for words in (
        ("about", "mona"),
        ("forget", "mona", "likes tea"),
        ("erase", "--person", "mona", "--yes"),
        ("export", "mona.zip", "--person", "mona"),
        ("search", "tea", "--person", "mona"),
        ("people", "share", "mona"),
        ("people", "profile", "show", "mona"),
        ("people", "profile", "export", "mona"),
        ("people", "profile", "delete", "mona", "--yes"),
    ):
        assert "Unknown person 'mona'. People: mina (Mina)." in shell.run(*words, code=1).stderr, words
    for words in (("erase", "--channel", "hal", "--yes"), ("context", "hal", "tea")):
        assert "Unknown channel 'hal'. Channels: hall." in shell.run(*words, code=1).stderr, words
    new = shell.run("context", "new", "tea", "--person", "mina", "--scope", "person").stdout
    assert "I bake bread." in new  # a conversation that begins may know its person from others
    assert "Origins: import:talk.jsonl" in shell.run("erase", "--origin", "talk", "--yes", code=1).stderr
    for words in (("spaces", "rebuild", "--yes"), ("forget", "mina", "tea"), ("erase", "--everything", "--yes")):
        assert "Spaces: default." in shell.run(*words, "--space", "defualt", code=1).stderr, words
    assert [each["person"] for each in shell.json("people", "list")] == ["mina"]


def test_a_name_that_was_given_once_stays(shell: Shell) -> None:  # noqa: F811
    shell.run("add", "hall", "user", "I bake bread.", "--person", "mina", "--name", "Mina")
    shell.run("add", "hall", "user", "With rye.", "--person", "mina")
    shown = shell.run("context", "hall", "bread", "--person", "mina").stdout
    assert "Mina: With rye." in shown


def test_sources_mark_the_message_a_fact_leans_on(shell: Shell) -> None:  # noqa: F811
    for n in range(10):
        shell.run(
            "add",
            "hall",
            "user",
            f"My cat Mochi weighs {n + 2} kilos and lives with my sister Hana.",
            "--person",
            "mina",
            "--name",
            "Mina",
        )
    shell.run("settle")
    fact = shell.json("search", "Mochi weighs 5 kilos", "--kinds", "fact")[0]
    shown = shell.run("memories", "sources", fact["id"]).stdout
    assert shown.count("→ message") == 1
    assert f"hall #{fact['seq']}" in shown.partition("→ message")[2].partition("message")[0]
