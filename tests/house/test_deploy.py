"""What the files for deployment name is there: settings, commands and their options, extras, paths."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
import typer.main

from erstwhile.base.settings import described, load, variable
from erstwhile.cli.app import app

REPOSITORY = Path(__file__).parents[2]
FILES = (
    *("Dockerfile", "compose.yaml", "deploy/erstwhile.service", "deploy/roles.sh"),
    *("docs/operate/deploy.md", "docs/operate/kubernetes.md"),
)
# Not settings of a memory: of the log, and of the compose file itself.
OTHERS = {"ERSTWHILE_LOG_FORMAT", "ERSTWHILE_LOG_CONTENT", "ERSTWHILE_SERVER_PASSWORD"}


def read(name: str) -> str:
    return (REPOSITORY / name).read_text()


@pytest.mark.parametrize("name", FILES)
def test_every_variable_is_a_setting(name: str) -> None:
    known = set(map(variable, described())) | OTHERS
    assert set(re.findall(r"ERSTWHILE_[A-Z_]+", read(name))) - known == set()


def test_variables_that_are_there_but_empty_are_as_if_not_set(monkeypatch: pytest.MonkeyPatch) -> None:
    """The compose file hands on what you have set, else nothing."""
    usual = load()
    for name in re.findall(r"\$\{([A-Z_]+):-\}", read("compose.yaml")):
        monkeypatch.setenv(name, "")
    assert load() == usual
    assert load().chosen_model == usual.chosen_model


def called() -> list[list[str]]:
    """Every `erstwhile …` that one of the files runs, as words."""
    page = "\n".join(re.findall(r"```[a-z]*\n(.*?)```", read("docs/operate/deploy.md"), flags=re.DOTALL)).replace(
        "\\\n", " "
    )
    lines = re.findall(r"(?:^|[\s/])erstwhile +([a-z][^#\n]*)", page)
    lines += re.findall(r"`erstwhile ([^`]+)`", read("docs/operate/deploy.md"))
    lines += re.findall(
        r"docker compose run --rm \w+ ([^#`\n]*)", read("docs/operate/deploy.md") + read("compose.yaml")
    )
    lines += re.findall(r"ExecStart=\S+/erstwhile (.*)", read("deploy/erstwhile.service"))
    lines += [inside.replace(",", "") for inside in re.findall(r"command: \[(.*)\]", read("compose.yaml"))]
    lines += [
        " ".join(json.loads(words)) for words in re.findall(r"^CMD (\[.*\])", read("Dockerfile"), flags=re.MULTILINE)
    ]
    return [line.removeprefix("erstwhile ").split() for line in lines]  # a user of that name may run it


def test_every_command_and_option_exists() -> None:
    commands = called()
    assert len(commands) > 10
    assert [words for words in commands if not understood(words)] == []


def understood(words: list[str]) -> bool:
    command: Any = typer.main.get_command(app)
    rest = list(words)
    while hasattr(command, "commands"):
        if not rest or rest[0] not in command.commands:
            return False
        command = command.commands[rest.pop(0)]
    options = {name for each in command.params for name in (*each.opts, *each.secondary_opts)}
    return all(word in options for word in rest if word.startswith("-"))


@pytest.mark.parametrize("name", FILES)
def test_every_extra_exists(name: str) -> None:
    extras = tomllib.loads(read("pyproject.toml"))["project"]["optional-dependencies"]
    named = re.findall(r"'(?:erstwhile|\.)\[([a-z,]+)\]'", read(name))
    assert {each for group in named for each in group.split(",")} - set(extras) == set()


def test_what_is_copied_into_the_image_is_there_and_not_ignored() -> None:
    kept = {line[1:] for line in read(".dockerignore").splitlines() if line.startswith("!")}
    copied = [
        word
        for line in re.findall(r"^COPY (?!--from)(.*) \S+$", read("Dockerfile"), flags=re.MULTILINE)
        for word in line.split()
    ]
    assert copied
    assert [each for each in copied if not (REPOSITORY / each).exists() or each not in kept] == []


def test_what_the_compose_file_mounts_from_here_is_there() -> None:
    mounted = re.findall(r'"(\./[^":]+):', read("compose.yaml"))
    assert mounted
    assert [each for each in mounted if not (REPOSITORY / each).exists()] == []
