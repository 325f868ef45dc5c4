"""Notes of conversations and the topics of a day."""

from __future__ import annotations

from typing import Annotated

import typer

from erstwhile.base import ids
from erstwhile.cli import output
from erstwhile.cli.options import Database, Json, Space, group, read_memory, with_memory
from erstwhile.layers.notes.model import KINDS, TOPIC, Note

notes = group()


@notes.command("list")
def list_notes(
    channel: Annotated[str | None, typer.Option(help="Only of this channel.")] = None,
    person: Annotated[str | None, typer.Option(help="Only with this person.")] = None,
    day: Annotated[str | None, typer.Option(help="Only of this day, such as 2026-03-02.")] = None,
    kind: Annotated[str | None, typer.Option(help=f"Only these: {', '.join(KINDS)}.")] = None,
    limit: Annotated[int, typer.Option(min=1, help="At most this many.")] = 50,
    cursor: Annotated[str | None, typer.Option(help="Continue here, as printed with the page before.")] = None,
    database: Database = None,
    space: Space = None,
    json: Json = False,
) -> None:
    """List the notes of conversations and the topics of the days, newest first."""
    found = read_memory(
        lambda memory: memory.notes.list(
            channel=channel, person=person, day=day, kind=kind, limit=limit, cursor=cursor
        ),
        database,
        space,
        channel,
    )
    if found.next is not None:
        output.note(f"There are more: --cursor {found.next}")
    if json:
        output.print_json(found)
    elif not found:
        output.note("No notes.")
    else:
        rows = [
            (
                ids.abbreviated(each.id),
                each.day.isoformat(),
                f"{each.title}{' (draft)' if each.draft else ''}",
                ", ".join(each.people),
                _place(each),
                each.text,
            )
            for each in found
        ]
        output.table(("id", "day", "title", "people", "source", "text"), rows)


@notes.command("nightly")
def nightly(database: Database = None, space: Space = None, json: Json = False) -> None:
    """Group the notes that have no topic yet into topics, now."""
    night = with_memory(lambda memory: memory.notes.nightly(), database, space)
    if json:
        output.print_json(night)
    else:
        output.note(f"{night.notes} notes grouped into {night.topics} topics; {night.people} people took part.")


def _place(note: Note) -> str:
    if note.kind == TOPIC:
        return f"{len(note.notes)} notes"
    return f"{note.channel} #{note.first_seq}–{note.last_seq}"
