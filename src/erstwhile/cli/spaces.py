"""Spaces: which there are, what each has set for itself, and making everything again."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from erstwhile.base.errors import InvalidInput
from erstwhile.cli import output
from erstwhile.cli.confirmation import ask
from erstwhile.cli.jobs import settle_with_progress, settled_counts
from erstwhile.cli.options import (
    Database,
    DryRun,
    Json,
    Memory,
    Yes,
    group,
    reads_space,
    with_memory,
)
from erstwhile.configuration import space as choices

spaces = group()
SettingName = Annotated[str, ", ".join(choices.NAMES) + "."]


@spaces.command("list")
def list_spaces(database: Database = None, json: Json = False) -> None:
    """List all spaces by name."""
    found = with_memory(lambda memory: memory.spaces.list(), database)
    none = "No spaces yet. `erstwhile add` or `erstwhile import` makes one."
    output.print_result(found, (lambda: typer.echo("\n".join(found))) if found else none, json=json)


@spaces.command("show")
async def show(memory: Memory) -> output.Result:
    """Show the settings in force in a space, and whose choice each is. A key is never shown."""
    shown = await memory.spaces.configuration()
    rows = ((each.name, each.value or "(not set)", each.whose) for each in shown)
    return shown, output.TableRows("setting, value, whose", rows)


@spaces.command("set")
async def set_setting(
    memory: Memory,
    name: SettingName,
    value: Annotated[str, "The value; for api_key always -, which reads standard input."],
) -> output.Result:
    """Give a space a setting of its own, from the next job on."""
    if choices.known(name) == "api_key" and value != "-":
        raise InvalidInput(
            "A key on the command line stays in the shell's history. "
            "Run `erstwhile spaces set api_key -` and give it on standard input."
        )
    return await _configure(memory, name, _read_hidden(name) if value == "-" else value)


@spaces.command("reset")
async def reset_setting(memory: Memory, name: SettingName) -> output.Result:
    """Remove a space's own setting, so that the general one is in force again."""
    return await _configure(memory, choices.known(name), "")


async def _configure(memory: Memory, name: str, value: str) -> output.Result:
    await memory.spaces.configure(**{name: value})
    stored = next(each for each in await memory.spaces.configuration() if each.name == name)
    return stored, f"{name}: {stored.value or '(not set)'} ({stored.whose})"


def _read_hidden(name: str) -> str:
    if name == "api_key" and sys.stdin.isatty():
        return str(typer.prompt("Key", hide_input=True, err=True))
    read = typer.get_text_stream("stdin").read()
    if not read.strip():
        raise InvalidInput(
            f"Standard input has no {name}. `erstwhile spaces reset {name}` removes one."
        )
    return read


@spaces.command("rebuild")
@reads_space
async def rebuild(memory: Memory, yes: Yes = False, dry_run: DryRun = False) -> output.Result:
    """Delete everything derived in a space and make it again. What people edited stays."""
    counts = await memory.spaces.counts(days=1)
    derived = output.counted(sum(counts.memories.values()), "memory")
    done = f"{derived} of space {memory.settings.space!r} from {output.counted(counts.messages, 'message')}"
    if dry_run:
        return counts.memories, f"Would make again: {done}."
    model = memory.settings.chosen_model
    cost = "" if model == "extractive" else f" with {model}, which takes time and may cost money"
    ask(f"Delete and make again {done}{cost}?", yes=yes)
    await memory.spaces.rebuild()
    settled = await settle_with_progress(memory)

    return settled, f"Rebuilt: {settled_counts(settled)}."
