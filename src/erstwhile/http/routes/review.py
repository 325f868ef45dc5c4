"""What people should look at, and what they decided."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query

from erstwhile.http.conversation import Called, Door, Reads, Writes, doer, routes
from erstwhile.http.openapi import told
from erstwhile.http.shapes.answered import AllFlagged, FlagCounts, Reviewed
from erstwhile.http.shapes.asked import FlaggedAsked, MemoryId
from erstwhile.http.shapes.given import Decision

router = routes("memories")


@router.get("/flagged", responses=told(404), summary="List flagged memories")
async def flagged(space: Reads, memory: Door, asked: Annotated[FlaggedAsked, Query()]) -> AllFlagged:
    """Memories that something speaks against, from the newest back: instructions, claims of authority, secrets, signs nobody sees, where to
    send something, contradictions."""
    return AllFlagged(flagged=await memory.flagged(space=space, **dict(asked)))


@router.get("/flagged/counts", summary="Count flagged memories")
async def flag_counts(space: Reads, memory: Door) -> FlagCounts:
    """How many are still to be looked at, by reason."""
    return FlagCounts(counts=await memory.flag_counts(space=space))


@router.post("/memories/{id:id}/review", responses=told(404), summary="Review a flagged memory")
async def review(id: MemoryId, space: Writes, memory: Door, caller: Called, body: Decision) -> Reviewed:
    """Someone has looked at it and keeps it as it is, or it is to be looked at again."""
    by = doer(body.by, caller)
    return Reviewed(reviewed=await memory.review(id, by=by, decision=body.decision, space=space))
