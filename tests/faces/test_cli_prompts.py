"""`erstwhile prompts`, `space` and `config secret` as scripts and people use them."""

from __future__ import annotations

from pathlib import Path

import pytest
from test_cli import Shell


@pytest.fixture
def shell(cli_url: str, tmp_path: Path) -> Shell:
    return Shell(cli_url, tmp_path)


def test_prompts_are_shown_set_and_reset(shell: Shell, tmp_path: Path) -> None:
    listed = shell.json("prompts", "list")
    assert [each["name"] for each in listed] == ["summarise", "condense", "extract", "fold", "structure"]
    assert set(listed[0]) == {"name", "instructions", "whose", "placeholders", "default", "people"}
    assert "summarise  default" in shell.run("prompts", "list").stdout

    (tmp_path / "mine.md").write_text("Summarise for {people}: 한국어로.\n")
    stored = shell.json("prompts", "set", "summarise", "@mine.md")
    assert (stored["whose"], stored["instructions"]) == ("space", "Summarise for {people}: 한국어로.")
    shell.run("prompts", "set", "summarise", "-", "--person", "alice", text="Alice's own")
    shell.run("prompts", "set", "extract", "List the facts as {{json}}")

    shown = shell.run("prompts", "show", "summarise", "--person", "alice")
    assert shown.stdout == "Alice's own\n"
    assert "the person's own; may use {people}, {language}, {dates}" in shown.stderr
    assert shell.json("prompts", "show", "summarise")["whose"] == "space"
    assert shell.json("prompts", "show", "summarise", "--space", "other")["whose"] == "default"

    assert shell.json("prompts", "reset", "summarise", "--person", "alice") == {"reset": True}
    assert shell.json("prompts", "reset", "summarise", "--person", "alice") == {"reset": False}
    assert shell.json("prompts", "show", "summarise", "--person", "alice")["whose"] == "space"
    assert "nothing to reset" in shell.run("prompts", "reset", "condense").stderr
    assert "is reset" in shell.run("prompts", "reset", "summarise").stderr


def test_a_wrong_prompt_is_wrong_usage(shell: Shell, tmp_path: Path) -> None:
    assert "{people}, {language}, {dates}" in shell.run("prompts", "set", "extract", "For {who}", code=2).stderr
    assert "empty" in shell.run("prompts", "set", "extract", "-", text="", code=2).stderr
    assert "Can't read missing.md" in shell.run("prompts", "set", "extract", "@missing.md", code=2).stderr
    (tmp_path / "latin.md").write_bytes(b"r\xe9sum\xe9")
    assert "not UTF-8" in shell.run("prompts", "set", "extract", "@latin.md", code=2).stderr
    for words in (("show", "nonsense"), ("set", "nonsense", "x"), ("reset", "nonsense")):
        assert "summarise, condense, extract, fold" in shell.run("prompts", *words, code=2).stderr


def test_a_space_s_settings_are_shown_set_and_reset(shell: Shell) -> None:
    secret = shell.run("config", "secret").stdout.strip()
    assert shell.json("config", "secret")["secret_key"] != secret
    assert "ERSTWHILE_SECRET_KEY is not set" in shell.run("spaces", "set", "api_key", "-", text="k-123", code=2).stderr
    shell.environment["ERSTWHILE_SECRET_KEY"] = secret

    assert shell.json("spaces", "set", "model", "openai:gpt-5-nano", "--space", "a")["whose"] == "space"
    key = shell.run("spaces", "set", "api_key", "-", "--space", "a", "--json", text="sk-0123456789abcdef\n").stdout
    assert '"set, ends in …cdef"' in key
    shown = {each["name"]: each for each in shell.json("spaces", "show", "--space", "a")}
    assert list(shown) == [
        "model",
        "model_strong",
        "chat_model",
        "base_url",
        "recipe",
        "api_key",
        "privacy",
        "retention",
        "floor",
    ]
    assert shown["model"] == {"name": "model", "value": "openai:gpt-5-nano", "whose": "space"}
    assert shown["recipe"]["whose"] == "default"
    assert "openai:gpt-5-nano" not in shell.run("spaces", "show").stdout
    assert shell.json("spaces", "reset", "api_key", "--space", "a") == {
        "name": "api_key",
        "value": "",
        "whose": "default",
    }
    assert "extractive" in shell.run("spaces", "reset", "model", "--space", "a").stderr

    assert "model, model_strong" in shell.run("spaces", "set", "temperature", "1", code=2).stderr
    assert "history" in shell.run("spaces", "set", "api_key", "sk-canary", code=2).stderr
    assert "Standard input has no api_key" in shell.run("spaces", "set", "api_key", "-", text="\n", code=2).stderr
