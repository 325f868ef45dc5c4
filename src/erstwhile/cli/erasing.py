"""Everything of a person, a channel or a space: erase it, or export it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from erstwhile.cli import output
from erstwhile.cli.options import Database, Json, Space, with_memory

Person = Annotated[str | None, typer.Option("--person", help="Whose: an id of yours.")]
Channel = Annotated[str | None, typer.Option("--channel", help="Or of which conversation.")]


def erase(
    person: Person = None,
    channel: Channel = None,
    by: Annotated[str, typer.Option(help="Who does it, for the record.")] = "",
    yes: Annotated[bool, typer.Option("--yes", help="Don't ask.")] = False,
    database: Database = None,
    space: Space = None,
    json: Json = False,
) -> None:
    """Take away everything of a person or a channel, with all that was made of it. It can't be undone."""
    named = f"person {person!r}" if person is not None else f"channel {channel!r}"
    if not yes:
        typer.confirm(f"Erase everything of {named}? It can't be undone.", abort=True, err=True)
    receipt = with_memory(lambda memory: memory.erase(person=person, channel=channel, by=by), database, space)
    if json:
        output.print_json(receipt)
    else:
        output.table(("gone", "rows"), list(receipt.counts.items()))
        left = "Nothing of it is left." if receipt.checked else "Something may be left: erase it again."
        output.note(f"Erased {named}. {left} Receipt {receipt.id}, {receipt.digest}.")
    if not receipt.checked:
        raise typer.Exit(1)


def export(
    to: Annotated[Path, typer.Argument(help="The zip to write.")],
    person: Person = None,
    channel: Channel = None,
    database: Database = None,
    space: Space = None,
    json: Json = False,
) -> None:
    """Write everything of a person, of a channel, or of the space into one zip: to read, and to import again."""
    done = with_memory(lambda memory: memory.export(person=person, channel=channel, to=to), database, space)
    if json:
        output.print_json({"path": str(done.path), "messages": done.messages, "memories": done.memories})
    else:
        output.note(f"{done.messages} messages and {done.memories} memories in {done.path}.")
