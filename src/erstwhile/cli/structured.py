"""Structured memories: what holds, what held, and what changed."""

from __future__ import annotations

from typing import Annotated

import typer

from erstwhile.cli import output
from erstwhile.cli.options import Database, Json, Space, with_memory
from erstwhile.layers.structured.model import TYPES
from erstwhile.layers.structured.model import Structured as Memory

Person = Annotated[str | None, typer.Option(help="Only what is about this person: an id of yours.")]


def structured(
    person: Person = None,
    type: Annotated[str | None, typer.Option(help=f"Only these: {', '.join(TYPES)}.")] = None,
    open: Annotated[bool, typer.Option("--open", help="Only todos that nobody has done.")] = False,
    all: Annotated[bool, typer.Option("--all", help="Also what no longer holds.")] = False,
    at: Annotated[str | None, typer.Option(help="What held at this time (ISO, with a zone).")] = None,
    limit: Annotated[int, typer.Option(min=1, help="At most this many.")] = 100,
    database: Database = None,
    space: Space = None,
    json: Json = False,
) -> None:
    """List structured memories: facts, preferences, decisions, todos, entities."""
    valid = "all" if all else at or "now"
    found = with_memory(
        lambda memory: memory.facts.structured(person=person, type=type, valid=valid, open=open, limit=limit),
        database,
        space,
    )
    if json:
        output.print_json(found)
    elif not found:
        output.note("No structured memories.")
    else:
        rows = [
            (
                each.id,
                each.type,
                each.person or each.subject or "",
                each.text,
                f"{each.valid_from:%Y-%m-%d}",
                f"{each.valid_to:%Y-%m-%d}" if each.valid_to else "",
                f"{each.confidence:.1f}",
                f"{each.channel} #{each.seq}",
            )
            for each in found
        ]
        output.table(("id", "type", "about", "memory", "from", "until", "sure", "said in"), rows)


def changes(person: Person = None, database: Database = None, space: Space = None, json: Json = False) -> None:
    """List what was so until something else was said, with both sources."""
    found = with_memory(lambda memory: memory.facts.changes(person=person), database, space)
    if json:
        output.print_json(found)
    elif not found:
        output.note("No changes.")
    else:
        rows = [
            (f"{each.at:%Y-%m-%d}", each.before.text, _place(each.before), each.after.text, _place(each.after))
            for each in found
        ]
        output.table(("since", "before", "said in", "after", "said in"), rows)


def _place(memory: Memory) -> str:
    return f"{memory.channel} #{memory.seq}, {memory.at:%Y-%m-%d}"
