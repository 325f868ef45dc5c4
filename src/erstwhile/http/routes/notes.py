"""Notes of conversations, and the night's work on them."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query

from erstwhile.http.conversation import Door, Reads, Writes, routes
from erstwhile.http.openapi import told
from erstwhile.http.shapes.answered import Buffers, NotedDays
from erstwhile.http.shapes.answered import Notes as ListOfNotes
from erstwhile.http.shapes.asked import BuffersAsked, Calendar, MemoryId, Notes
from erstwhile.layers.notes.model import Night
from erstwhile.noting import NoteShown

router = routes("notes")


@router.get("/notes", responses=told(404), summary="List notes")
async def notes(space: Reads, memory: Door, asked: Annotated[Notes, Query()]) -> ListOfNotes:
    """Notes of conversations and the topics they were put into, newest first. Topics of one note, which say the same as it, are listed
    only where topics are asked for."""
    return ListOfNotes(notes=await memory.notes(space=space, **dict(asked)))


@router.get("/notes/{id:id}", responses=told(404), summary="One note")
async def note(id: MemoryId, space: Reads, memory: Door) -> NoteShown:
    """A note or topic, with what it was put into or made of, the profile facts that came from it, and the names of its people."""
    return await memory.note(id, space=space)


@router.get("/noted", summary="Days that have notes")
async def noted(space: Reads, memory: Door, asked: Annotated[Calendar, Query()]) -> NotedDays:
    """Of the days from `since` to `until`, both included, those that have notes, with how many each."""
    return NotedDays(days=await memory.noted(space=space, **dict(asked)))


@router.get("/buffers", summary="Conversations that are going on")
async def buffers(space: Reads, memory: Door, asked: Annotated[BuffersAsked, Query()]) -> Buffers:
    """Those that have no note yet, or whose note is being written; of one channel, or of all."""
    return Buffers(buffers=await memory.buffers(space=space, **dict(asked)))


@router.post("/nightly", responses=told(502), summary="Do the night's work now")
async def nightly(space: Writes, memory: Door) -> Night:
    """Every note that is in no topic yet is put into one. Conversations that go on stay open."""
    return await memory.nightly(space=space)
