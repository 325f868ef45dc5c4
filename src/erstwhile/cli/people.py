"""People: who is known, who is remembered, and whose private words are visible elsewhere."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Annotated

import typer

from erstwhile.api.page import every
from erstwhile.cli import output
from erstwhile.cli.options import Database, Json, Space, group, read_memory, with_memory
from erstwhile.cli.profiles import profile

if TYPE_CHECKING:
    from erstwhile.api.memory import Memory
    from erstwhile.log.people import PersonShown

people = group()
people.add_typer(profile, name="profile", help="Profiles: show, add, import, export, delete.")
Who = Annotated[str, typer.Argument(help="The person's id.")]


@people.command("list")
def list_people(database: Database = None, space: Space = None, json: Json = False) -> None:
    """List everyone who ever spoke in a space."""
    found = read_memory(lambda memory: every(memory.people.list), database, space)
    if json:
        output.print_json(found)
    elif not found:
        output.note("Nobody has spoken here.")
    else:
        rows = [(each.person, each.name, _yes(each.blocked), _yes(each.shares)) for each in found]
        output.table(("person", "name", "blocked", "shares"), rows)


@people.command("block")
def block(person: Who, database: Database = None, space: Space = None, json: Json = False) -> None:
    """Block a person: nothing they say is stored from now on, and nothing of theirs is found."""
    known = _change(person, lambda memory: memory.people.block(person), database, space)
    _print(known, "is blocked: nothing they say is stored, nothing of theirs is found", json)


@people.command("unblock")
def unblock(person: Who, database: Database = None, space: Space = None, json: Json = False) -> None:
    """Unblock a person. What they said while blocked was never stored."""
    _print(_change(person, lambda memory: memory.people.unblock(person), database, space), "is not blocked", json)


@people.command("share")
def share(
    person: Who,
    no: Annotated[bool, typer.Option("--no", help="Stop sharing.")] = False,
    database: Database = None,
    space: Space = None,
    json: Json = False,
) -> None:
    """Make what the person said in private channels visible in others."""
    known = _change(person, lambda memory: memory.people.share(person, not no), database, space)
    _print(known, "does not share" if no else "shares what they say in private", json)


def _change(
    person: str, change: Callable[[Memory], Awaitable[None]], database: str | None, space: str | None
) -> PersonShown:
    async def work(memory: Memory) -> PersonShown:
        await change(memory)
        return (await memory.people.list(people=[person]))[0]

    return with_memory(work, database, space)


def _print(person: PersonShown, what: str, json: bool) -> None:
    if json:
        output.print_json(person)
    else:
        output.note(f"{person.name} {what}.")


def _yes(value: bool) -> str:
    return "yes" if value else ""
