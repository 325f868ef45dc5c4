"""Spaces: which there are, what each has set for itself, and making everything again."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from erstwhile.base.errors import InvalidInput
from erstwhile.cli import output
from erstwhile.cli.jobs import settle_with_progress
from erstwhile.cli.options import Database, Json, Space, group, with_memory
from erstwhile.configuration import space as choices

if TYPE_CHECKING:
    from erstwhile.api.memory import Memory
    from erstwhile.configuration.space import Choice
    from erstwhile.jobs.model import Settled

spaces = group()
SettingName = Annotated[str, typer.Argument(help=", ".join(choices.NAMES) + ".")]


@spaces.command("list")
def list_spaces(database: Database = None, json: Json = False) -> None:
    """List all spaces by name."""
    found = with_memory(lambda memory: memory.spaces.list(), database)
    if json:
        output.print_json(found)
    elif not found:
        output.note("No spaces yet. `erstwhile add` or `erstwhile import` makes one.")
    for each in () if json else found:
        typer.echo(each)


@spaces.command("show")
def show(database: Database = None, space: Space = None, json: Json = False) -> None:
    """Show the settings in force in a space, and whose choice each is. A key is never shown."""
    shown = with_memory(lambda memory: memory.spaces.configuration(), database, space)
    if json:
        output.print_json(shown)
    else:
        rows = [(each.name, each.value or "(not set)", each.whose) for each in shown]
        output.table(("setting", "value", "whose"), rows)


@spaces.command("set")
def set_setting(
    name: SettingName,
    value: Annotated[str, typer.Argument(help="The value; for api_key always -, which reads standard input.")],
    database: Database = None,
    space: Space = None,
    json: Json = False,
) -> None:
    """Give a space a setting of its own, from the next job on."""
    choices.known(name)
    if name == "api_key" and value != "-":
        raise InvalidInput(
            "A key on the command line stays in the shell's history. "
            "Run `erstwhile spaces set api_key -` and give it on standard input."
        )
    _configure(name, _read_hidden(name) if value == "-" else value, (database, space), json=json)


@spaces.command("reset")
def reset_setting(name: SettingName, database: Database = None, space: Space = None, json: Json = False) -> None:
    """Remove a space's own setting, so that the general one is in force again."""
    _configure(choices.known(name), "", (database, space), json=json)


def _configure(name: str, value: str, where: tuple[str | None, str | None], *, json: bool) -> None:
    async def work(memory: Memory) -> Choice:
        await memory.spaces.configure(**{name: value})
        return next(each for each in await memory.spaces.configuration() if each.name == name)

    stored = with_memory(work, *where)
    if json:
        output.print_json(stored)
    else:
        output.note(f"{name}: {stored.value or '(not set)'} ({stored.whose})")


def _read_hidden(name: str) -> str:
    if name == "api_key" and sys.stdin.isatty():
        return str(typer.prompt("Key", hide_input=True, err=True))
    read = typer.get_text_stream("stdin").read()
    if not read.strip():
        raise InvalidInput(f"Standard input has no {name}. `erstwhile spaces reset {name}` removes one.")
    return read


@spaces.command("rebuild")
def rebuild(database: Database = None, space: Space = None, json: Json = False) -> None:
    """Delete everything derived in a space and make it again from the messages. What people edited stays."""

    async def work(memory: Memory) -> Settled:
        await memory.spaces.rebuild()
        return await settle_with_progress(memory)

    settled = with_memory(work, database, space)
    if json:
        output.print_json(settled)
    else:
        output.note(f"Rebuilt: {settled.done} jobs done, {settled.waiting} waiting, {settled.parked} parked.")
