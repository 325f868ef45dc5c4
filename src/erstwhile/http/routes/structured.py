"""Structured memories and how they changed."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query

from erstwhile.http.conversation import Door, Reads, routes
from erstwhile.http.shapes.answered import AllStructured, Changes
from erstwhile.http.shapes.asked import Of, StructuredAsked

router = routes("structured")


@router.get("/structured", summary="List structured memories")
async def structured(space: Reads, memory: Door, asked: Annotated[StructuredAsked, Query()]) -> AllStructured:
    """Newest first, each with its sources: those that hold now, at a moment, or (`all`) that ever did. `open` leaves only the todos that
    nobody has done."""
    return AllStructured(structured=await memory.structured(space=space, **dict(asked)))


@router.get("/changes", summary="List changes")
async def changes(space: Reads, memory: Door, asked: Annotated[Of, Query()]) -> Changes:
    """What was so until something else was said, in the order of the changes, each side with its sources."""
    return Changes(changes=await memory.changes(space=space, person=asked.person))
