"""Notes of conversations and the topics of a day."""

from __future__ import annotations

from typing import Annotated

from erstwhile.base import ids
from erstwhile.cli import output
from erstwhile.cli.options import Cursor, Limit, Memory, group
from erstwhile.layers.notes.model import KINDS, TOPIC, Note

notes = group()


@notes.command("list", reads=True)
async def list_notes(
    memory: Memory,
    channel: Annotated[str | None, "Only of this channel."] = None,
    person: Annotated[str | None, "Only with this person."] = None,
    day: Annotated[str | None, "Only of this day, such as 2026-03-02."] = None,
    kind: Annotated[str | None, f"Only these: {', '.join(KINDS)}."] = None,
    limit: Limit = 50,
    cursor: Cursor = None,
) -> output.Result:
    """List the notes of conversations and the topics of the days, newest first."""
    found = await memory.notes.list(
        channel=channel, person=person, day=day, kind=kind, limit=limit, cursor=cursor
    )
    output.note_more(found)
    return found, output.TableRows(
        "id, day, title, people, source, text", map(_row, found), "No notes."
    )


def _row(note: Note) -> tuple[object, ...]:
    title = f"{note.title}{' (draft)' if note.draft else ''}"
    messages = f"{note.channel} #{note.first_seq}–{note.last_seq}"
    source = f"{len(note.notes)} notes" if note.kind == TOPIC else messages
    return ids.abbreviated(note.id), note.day, title, ", ".join(note.people), source, note.text


@notes.command("nightly")
async def nightly(memory: Memory) -> output.Result:
    """Group the notes that have no topic yet into topics, now."""
    night = await memory.notes.nightly()
    return (
        night,
        f"{night.notes} notes grouped into {night.topics} topics; {night.people} people took part.",
    )
