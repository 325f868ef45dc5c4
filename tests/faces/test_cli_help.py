"""Every command there is: its help, its options, its place."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer.main
from test_cli import Shell, shell  # noqa: F401 - a fixture

from erstwhile.cli.app import BOTS, EVERYDAY, GROUPS, app
from erstwhile.importers.loading import NAMES

# They run until stopped, or talk with a person: what they print is no data.
WITHOUT_JSON = {
    "coding install",
    "coding remove",
    "demo",
    "chat",
    "serve",
    "worker",
    "mcp",
    "discord",
    "slack",
    "telegram",
}


def commands(group: Any = None, path: str = "") -> Iterator[tuple[str, Any]]:
    for name, command in (group or typer.main.get_command(app)).commands.items():
        if hasattr(command, "commands"):
            yield from commands(command, f"{path}{name} ")
        else:
            yield path + name, command


def test_everyday_commands_are_flat_and_the_rest_is_in_groups() -> None:
    assert len(EVERYDAY) == 18
    flat = {name for name, _ in commands() if " " not in name}
    assert flat == EVERYDAY.keys() | BOTS.keys() | {"migrate"}
    assert GROUPS.keys() - {"migrate"} == {name.partition(" ")[0] for name, _ in commands() if " " in name}


def test_the_help_of_import_names_the_formats() -> None:
    (option,) = (each for each in dict(commands())["import"].params if each.name == "format")
    assert all(name in option.help for name in NAMES)


def test_every_command_that_prints_data_takes_json() -> None:
    taking = {name for name, command in commands() if any("--json" in each.opts for each in command.params)}
    assert {name for name, _ in commands()} - taking == WITHOUT_JSON


@pytest.mark.parametrize(("name", "command"), list(commands()), ids=lambda each: each if isinstance(each, str) else "")
def test_help_says_what_a_command_and_its_options_do(name: str, command: Any) -> None:
    assert command.help, name
    assert command.help[0].isupper(), "a sentence in the imperative"
    assert [each.name for each in command.params if not each.help] == []


def test_help_has_three_sections_and_loads_no_command(database_url: str) -> None:
    del database_url

    code = (
        "import sys; sys.argv = ['erstwhile', '--help']\n"
        "from erstwhile.cli import main\n"
        "try: main()\n"
        "finally: sys.stderr.write(' '.join(name for name in sys.modules if name.startswith('erstwhile')))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    everyday, more = done.stdout.split("Everyday:\n")[1].split("Bots:\n")
    bots, groups = more.split("Groups:\n")
    assert [line.split()[0] for line in everyday.splitlines() if line.strip()] == list(EVERYDAY)
    assert [line.split()[0] for line in bots.splitlines() if line.strip()] == list(BOTS)
    assert [line.split()[0] for line in groups.splitlines() if line.strip()] == list(GROUPS)
    assert max(map(len, done.stdout.splitlines())) <= 80
    loaded = set(done.stderr.split())
    assert loaded <= {"erstwhile", "erstwhile.cli", "erstwhile.cli.app", "erstwhile.base", "erstwhile.base.errors"}


def test_the_version_and_completion(shell: Shell) -> None:  # noqa: F811
    assert shell.run("--version").stdout.startswith("erstwhile 0.")
    shell.environment |= {
        "_ERSTWHILE_COMPLETE": "complete_bash",
        "COMP_WORDS": "erstwhile memories re",
        "COMP_CWORD": "2",
    }
    assert shell.run().stdout.split() == ["restore", "review", "regenerate", "realign"]
    shell.environment |= {"COMP_WORDS": "erstwhile me", "COMP_CWORD": "1"}
    assert shell.run().stdout.split() == ["memories"]


def test_a_mistyped_command_names_the_nearest(shell: Shell) -> None:  # noqa: F811
    assert "Did you mean 'memories'" in shell.run("memorys", code=2).stderr
    assert "Usage" in shell.run("memories", code=2).stderr + shell.run("memories", code=2).stdout


def test_the_process_ends_with_what_it_wrote_and_its_exit_code() -> None:
    """`run` ends it without taking it apart."""

    def ended(stdout: int, *arguments: str) -> tuple[int, bytes | None, bytes]:
        command = "import atexit, sys; from erstwhile.cli import run; atexit.register(sys.stderr.write, 'bye'); run()"
        process = [sys.executable, "-c", command, *arguments]
        done = subprocess.run(process, stdout=stdout, stderr=subprocess.PIPE, check=False)
        return done.returncode, done.stdout, done.stderr

    code, out, err = ended(subprocess.PIPE, "--help")
    assert (code, err) == (0, b"bye")
    assert out is not None
    assert out.rstrip().endswith(b"Update the structure of the database.")
    assert ended(subprocess.PIPE, "nonsense")[0] == 2
    with Path("/dev/full").open("wb") as full:
        code, _, err = ended(full.fileno(), "--help")
    assert code != 0
    assert b"No space left" in err
