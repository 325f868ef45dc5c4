"""Everything of a person, a channel, a source or a space: erase it, look at the receipts, or export it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from erstwhile.api.page import every
from erstwhile.base.errors import InvalidInput
from erstwhile.base.settings import load
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
    everything: Annotated[
        bool, typer.Option("--everything", help="Or the whole space, its settings and keys too.")
    ] = False,
    by: Annotated[str, typer.Option(help="Who does it, for the record.")] = "",
    yes: Annotated[bool, typer.Option("--yes", help="Don't ask.")] = False,
    database: Database = None,
    space: Space = None,
    json: Json = False,
) -> None:
    """Take away everything of a person, a channel or a source, one message, or a whole space, with all that was made of it. It can't be
    undone."""
    which = {"person": person, "channel": channel, "message": message, "source": source}
    if sum(name is not None for name in which.values()) + everything != 1:
        raise InvalidInput(
            "Name a person, a channel, a message or a source, one of them, or everything for the whole space."
        )
    typed = (space or load(space=space).space) if everything else ""
    named = next((f"{kind} {name!r}" for kind, name in which.items() if name is not None), f"space {typed!r}")
    if not yes:
        _ask(named, typed)
    receipt = with_memory(lambda memory: memory.erase(everything=everything, by=by, **which), database, space)
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
    found = with_memory(lambda memory: every(memory.archive.origins), database, space)
    if json:
        output.print_json(found)
    else:
        rows = [
            (each.source, each.messages, each.channels, f"{each.first_at:%Y-%m-%d}", f"{each.last_at:%Y-%m-%d}")
            for each in found
        ]
        output.table(("source", "messages", "channels", "first", "last"), rows)


def _ask(named: str, typed: str) -> None:
    """A whole space is named once more: a yes is said too easily."""
    if not typed:
        typer.confirm(f"Erase everything of {named}? It can't be undone.", abort=True, err=True)
    elif typer.prompt(f"Erase all of {named}? It can't be undone. Type its name", err=True) != typed:
        output.note("That is not its name. Nothing was erased.")
        raise typer.Exit(1)


def receipts(
    person: Person = None,
    channel: Channel = None,
    limit: Annotated[int, typer.Option(help="At most so many.")] = 100,
    database: Database = None,
    space: Space = None,
    json: Json = False,
) -> None:
    """Show what was erased, newest first, without names: of the space, or of a person or a channel that you name."""
    found = with_memory(
        lambda memory: memory.archive.receipts(person=person, channel=channel, limit=limit), database, space
    )
    if json:
        output.print_json(found)
        return
    rows = [
        (
            each.id,
            f"{each.at:%Y-%m-%d %H:%M}",
            each.kind,
            each.counts.get("messages", 0),
            "yes" if each.checked else "no",
            each.by,
            each.digest,
        )
        for each in found
    ]
    output.table(("receipt", "at", "what", "messages", "checked", "by", "digest"), rows)


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
