"""Facts and structured memories, as commands of `memories`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from erstwhile.base import ids
from erstwhile.cli import output
from erstwhile.cli.options import By, Database, Json, Space, editor, read_memory, with_memory
from erstwhile.layers.facts.classify import CATEGORIES
from erstwhile.layers.structured.model import TYPES

if TYPE_CHECKING:
    from erstwhile.layers.structured.model import Structured

Person = Annotated[str | None, typer.Option(help="Only about this person.")]


def list_facts(
    channel: Annotated[str, typer.Argument(help="The channel.")],
    category: Annotated[str | None, typer.Option(help=f"Only these: {', '.join(CATEGORIES)}.")] = None,
    min_importance: Annotated[int | None, typer.Option(min=1, max=5, help="Only facts this important.")] = None,
    database: Database = None,
    space: Space = None,
    json: Json = False,
) -> None:
    """List the facts of a channel, with category, importance and links."""
    found = read_memory(
        lambda memory: memory.facts.list(memory.channel(channel), category=category, min_importance=min_importance),
        database,
        space,
        channel,
    )
    if json:
        output.print_json(found)
    elif not found:
        output.note("No facts.")
    else:
        rows = [
            (
                ids.abbreviated(each.id),
                f"{each.at:%Y-%m-%d}",
                each.category,
                each.importance,
                len(each.links) or "",
                each.edited_by or "",
                each.text,
            )
            for each in found
        ]
        output.table(("id", "date", "category", "rank", "links", "edited", "fact"), rows)


def add_fact(
    channel: Annotated[str, typer.Argument(help="The channel.")],
    text: Annotated[str, typer.Argument(help="The fact.")],
    person: Annotated[str | None, typer.Option(help="The id of the person it is about.")] = None,
    by: By = None,
    database: Database = None,
    space: Space = None,
    json: Json = False,
) -> None:
    """Add a fact by hand."""
    fact = with_memory(
        lambda memory: memory.facts.add(memory.channel(channel), text, by=editor(by), person=person), database, space
    )
    if json:
        output.print_json(fact)
    else:
        output.note(f"Added as {fact.id}.")


def list_structured(
    person: Person = None,
    type: Annotated[str | None, typer.Option(help=f"Only these: {', '.join(TYPES)}.")] = None,
    open: Annotated[bool, typer.Option("--open", help="Only todos that are not done.")] = False,
    all: Annotated[bool, typer.Option("--all", help="Also those no longer valid.")] = False,
    at: Annotated[str | None, typer.Option(help="Those valid at this time (ISO, with a zone).")] = None,
    limit: Annotated[int, typer.Option(min=1, help="At most this many.")] = 100,
    database: Database = None,
    space: Space = None,
    json: Json = False,
) -> None:
    """List structured memories: facts, preferences, decisions, todos, entities."""
    valid = "all" if all else at or "now"
    found = read_memory(
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
                ids.abbreviated(each.id),
                each.type,
                each.person or each.subject or "",
                _validity(each),
                f"{each.confidence:.1f}",
                f"{each.channel} #{each.seq}",
                each.text,
            )
            for each in found
        ]
        output.table(("id", "type", "about", "valid", "sure", "source", "memory"), rows)


def _validity(memory: Structured) -> str:
    until = f" to {memory.valid_to:%Y-%m-%d}" if memory.valid_to else ""
    return f"{memory.valid_from:%Y-%m-%d}{until}"


def list_changes(person: Person = None, database: Database = None, space: Space = None, json: Json = False) -> None:
    """List facts that changed, with old and new value."""
    found = read_memory(lambda memory: memory.facts.changes(person=person), database, space)
    if json:
        output.print_json(found)
    elif not found:
        output.note("No changes.")
    else:
        rows = [
            (f"{each.at:%Y-%m-%d}", each.before.text, _source(each.before), each.after.text, _source(each.after))
            for each in found
        ]
        output.table(("since", "before", "source", "after", "source"), rows)


def _source(memory: Structured) -> str:
    return f"{memory.channel} #{memory.seq}, {memory.at:%Y-%m-%d}"
