"""Single memories: where they come from, what they said before, and changing them by hand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Header, Query, Response

from erstwhile.base.errors import InvalidInput, NotFound
from erstwhile.http import pages, tags
from erstwhile.http.conversation import Called, Door, Reads, Writes, doer, routes
from erstwhile.http.openapi import Responses, told
from erstwhile.http.problems import Problem
from erstwhile.http.shapes.answered import PageOfMemories, Versions
from erstwhile.http.shapes.asked import By, MemoriesPage, MemoryId, several
from erstwhile.http.shapes.given import Doer, Words
from erstwhile.memories.history import Version
from erstwhile.memory import Memory
from erstwhile.search.model import Source

router = routes("memories")

IfMatch = Annotated[str | None, Header(description="The ETag that you saw; 412 if it has changed since.")]
IfNoneMatch = Annotated[str | None, Header(description="The ETag that you have; 304 if it is still that.")]
_TAGGED: Responses = {
    200: {"description": "The memory.", "headers": {"ETag": {"schema": {"type": "string"}, "required": True}}},
    304: {"description": "It is as you have it."},
}


@router.get("/memories", responses=told(404), summary="List memories")
async def memories(space: Reads, memory: Door, asked: Annotated[MemoriesPage, Query()]) -> PageOfMemories:
    """Newest first, in pages; all kinds but messages, unless `kinds` says otherwise."""
    kinds = several(asked.kinds)
    listing = ("memories", space, asked.channel, asked.person, kinds)
    if asked.before is not None and asked.cursor is not None:
        raise Problem(422, "Give `before` or `cursor`, not both.")
    before = asked.before if asked.cursor is None else str(pages.place(asked.cursor, *listing))
    found = await memory.memories(
        space=space, channel=asked.channel, person=asked.person, kinds=kinds, before=before, limit=asked.limit + 1
    )
    shown = found[: asked.limit]
    more = len(found) > asked.limit
    return PageOfMemories(memories=shown, next=pages.cursor(shown[-1].id, *listing) if more else None)


@router.get("/memories/{id:id}", response_model=Source, responses={**_TAGGED, **told(404)}, summary="One memory")
async def get(
    id: MemoryId, space: Reads, memory: Door, response: Response, if_none_match: IfNoneMatch = None
) -> Source | Response:
    """What it says, with its direct sources. Its ETag is for editing and deleting it."""
    found, tag = await _tagged(memory, space, id)
    if if_none_match is not None and tags.known(if_none_match, tag):
        return Response(status_code=304, headers={"ETag": tag})
    response.headers["ETag"] = tag
    return found


@router.get("/memories/{id:id}/sources", responses=told(404), summary="Where a memory comes from")
async def sources(id: MemoryId, space: Reads, memory: Door) -> Source:
    """Down to the messages."""
    return await memory.sources(id, space=space)


@router.get("/memories/{id:id}/history", responses=told(404), summary="What a memory has said so far")
async def history(id: MemoryId, space: Reads, memory: Door) -> Versions:
    """Who wrote it, edited it, superseded it and when, oldest first; also of one that was deleted."""
    return Versions(versions=await memory.history(id, space=space))


@dataclass(frozen=True, slots=True)
class Held:
    """A memory that someone is about to change; `expected`: what it must still say then, where they named what they saw."""

    id: str
    space: str
    expected: str | None


async def _held(id: MemoryId, space: Writes, memory: Door, if_match: IfMatch = None) -> Held:
    if if_match is None:
        return Held(id, space, None)
    found, tag = await _tagged(memory, space, id)
    if not tags.unchanged(if_match, tag):
        raise Problem(412, f"{id} has changed since you saw it. Get it again, then decide.", headers={"ETag": tag})
    return Held(id, space, None if if_match.strip() == "*" else found.text)


Changes = Annotated[Held, Depends(_held)]


@router.patch("/memories/{id:id}", responses=told(404, 412), summary="Edit a memory")
async def edit(held: Changes, memory: Door, caller: Called, body: Words) -> Version:
    """Puts a person's words in place of a memory's. They stay until someone asks for others."""
    by = doer(body.by, caller)
    return await memory.edit(held.id, body.text, by=by, space=held.space, expected=held.expected)


@router.delete("/memories/{id:id}", responses=told(404, 412), summary="Delete a memory")
async def delete(held: Changes, memory: Door, caller: Called, asked: Annotated[By, Query()]) -> Version:
    """Takes a memory away. It does not come back by itself, not even in a rebuild."""
    return await memory.delete(held.id, by=doer(asked.by, caller), space=held.space, expected=held.expected)


@router.post("/memories/{id:id}/restore", responses=told(404, 412), summary="Bring back a deleted memory")
async def restore(id: MemoryId, space: Writes, memory: Door, caller: Called, body: Doer | None = None) -> Version:
    """As it was, with its id. 404 where what it was made of is gone, 412 where something else has taken its place."""
    return await memory.restore(id, by=doer(body.by if body else None, caller), space=space)


async def _tagged(memory: Memory, space: str, id: str) -> tuple[Source, str]:
    """A memory with the tag of what it says now. Messages never change, and some kinds keep no versions."""
    found = await memory.get(id, space=space)
    try:
        version = len(await memory.history(id, space=space))
    except (InvalidInput, NotFound):
        version = 0
    return found, tags.of(found.text, version)
