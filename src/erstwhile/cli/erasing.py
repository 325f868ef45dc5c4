"""Everything of a person, a channel or a source: erase it, or export it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from erstwhile.base.errors import InvalidInput
from erstwhile.cli import output
from erstwhile.cli.options import Database, Json, Space, with_memory

Person = Annotated[str | None, typer.Option("--person", help="Whose: an id of yours.")]
Channel = Annotated[str | None, typer.Option("--channel", help="Or of which conversation.")]


def erase(
    person: Person = None,
    channel: Channel = None,
    message: Annotated[str | None, typer.Option("--message", help="Or one message, by its id.")] = None,
    source: Annotated[
        str | None, typer.Option("--source", help="Or all that came from there: see `erstwhile origins`.")
    ] = None,
    by: Annotated[str, typer.Option(help="Who does it, for the record.")] = "",
    yes: Annotated[bool, typer.Option("--yes", help="Don't ask.")] = False,
    database: Database = None,
    space: Space = None,
    json: Json = False,
) -> None:
    """Take away everything of a person, a channel or a source, or one message, with all that was made of it. It can't be undone."""
    which = {"person": person, "channel": channel, "message": message, "source": source}
    named = next((f"{kind} {name!r}" for kind, name in which.items() if name is not None), "")
    if sum(name is not None for name in which.values()) != 1:
        raise InvalidInput("Name a person, a channel, a message or a source, one of them.")
    if not yes:
        typer.confirm(f"Erase everything of {named}? It can't be undone.", abort=True, err=True)
    receipt = with_memory(lambda memory: memory.erase(by=by, **which), database, space)
    if json:
        output.print_json(receipt)
    else:
        output.table(("gone", "rows"), list(receipt.counts.items()))
        left = "Nothing of it is left." if receipt.checked else "Something may be left: erase it again."
        output.note(f"Erased {named}. {left} Receipt {receipt.id}, {receipt.digest}.")
    if not receipt.checked:
        raise typer.Exit(1)


def origins(database: Database = None, space: Space = None, json: Json = False) -> None:
    """List where messages came from, such as imported files: each can be erased with all it brought."""
    found = with_memory(lambda memory: memory.origins(limit=10_000), database, space)
    if json:
        output.print_json(found)
    else:
        rows = [
            (each.source, each.messages, each.channels, f"{each.first_at:%Y-%m-%d}", f"{each.last_at:%Y-%m-%d}")
            for each in found
        ]
        output.table(("source", "messages", "channels", "first", "last"), rows)


def export(
    to: Annotated[Path, typer.Argument(help="The zip to write.")],
    person: Person = None,
    channel: Channel = None,
    database: Database = None,
    space: Space = None,
    json: Json = False,
) -> None:
    """Write everything of a person or a channel into one zip: to read, and to import again."""
    done = with_memory(lambda memory: memory.export(person=person, channel=channel, to=to), database, space)
    if json:
        output.print_json({"path": str(done.path), "messages": done.messages, "memories": done.memories})
    else:
        output.note(f"{done.messages} messages and {done.memories} memories in {done.path}.")
