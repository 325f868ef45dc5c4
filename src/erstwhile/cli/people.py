"""What is known about people: remember, forget."""

from __future__ import annotations

from typing import Annotated

import typer

from erstwhile.cli import output
from erstwhile.cli.options import Database, Json, Space, with_memory

Person = Annotated[str, typer.Argument(help="Whom it is about: an id of yours.")]
By = Annotated[str | None, typer.Option(help="Who says it (default: the app itself). Of another, it stays their word.")]
Channel = Annotated[str | None, typer.Option(help="Where it was said. What is told in a private channel stays there.")]


def remember(
    person: Person,
    fact: Annotated[str, typer.Argument(help="What to remember, in a sentence.")],
    by: By = None,
    channel: Channel = None,
    database: Database = None,
    space: Space = None,
    json: Json = False,
) -> None:
    """Take a fact into what is told of a person. Newer wins, nothing else is lost."""
    told = with_memory(lambda memory: memory.remember(person, fact, by=by, channel=channel), database, space)
    if json:
        output.print_json(told)
    else:
        output.note(f"Remembered as {told.id}.")
        output.console().print(told.text, markup=False)


def forget(
    person: Person,
    fact: Annotated[str, typer.Argument(help="What to forget; 'everything' is all of it.")],
    by: By = None,
    channel: Channel = None,
    database: Database = None,
    space: Space = None,
    json: Json = False,
) -> None:
    """Take a fact out of what is told of a person, and say whether it was there."""
    gone = with_memory(lambda memory: memory.forget(person, fact, by=by, channel=channel), database, space)
    if json:
        output.print_json(gone)
    elif gone.found:
        output.note(f"Forgotten: {gone.removed}")
    else:
        output.note(f"Nothing like that is told of {person}.")
