"""Memories with their entity tags, the undo of `regenerate`, and backfill with its progress."""

from __future__ import annotations

import asyncio
import hashlib
import json
import re
from collections.abc import AsyncIterator
from dataclasses import asdict
from typing import Annotated, Any

from fastapi import Depends, Header, Query, Response
from fastapi.responses import StreamingResponse

from erstwhile.api.memory import Memory
from erstwhile.base.errors import Error, InvalidInput, NotFound
from erstwhile.http import problems
from erstwhile.http.caller import CurrentCaller, ReadableMemory, ServedMemory, WritableMemory
from erstwhile.http.dependencies import WritableChannel, routes
from erstwhile.http.models import ActorQuery, MemoryId, MemoryTextBody, UndoBody, UndoResult
from erstwhile.http.openapi import Responses, problem_responses
from erstwhile.http.problems import Problem
from erstwhile.http.verbs import actor_name
from erstwhile.layers.regenerate import RegenerateResult
from erstwhile.memories.history import Version
from erstwhile.search.model import Source

router = routes("memories")

IfMatch = Annotated[
    str | None, Header(description="The ETag you saw; 412 if the memory has changed since.")
]
IfNoneMatch = Annotated[
    str | None, Header(description="The ETag you have; 304 if the memory has not changed.")
]
_TAGGED: Responses = {
    200: {
        "description": "The memory.",
        "headers": {"ETag": {"schema": {"type": "string"}, "required": True}},
    },
    304: {"description": "Not changed."},
}
_LINES: dict[str, Any] = {
    "description": 'A line {"done", "total"} for each step, then {"backfilled": …}; if it fails, {"problem": …}.',
    "content": {"application/x-ndjson": {"schema": {"type": "string"}}},
}


@router.get(
    "/memories/{id:id}",
    response_model=Source,
    responses={**_TAGGED, **problem_responses(404)},
    summary="Show a memory",
)
async def get(
    id: MemoryId, memory: ReadableMemory, response: Response, if_none_match: IfNoneMatch = None
) -> Source | Response:
    """Show a memory with its direct sources. Use its ETag to edit or delete it."""
    found, tag = await _tagged(memory, id)
    if if_none_match is not None and matches_any(if_none_match, tag):
        return Response(status_code=304, headers={"ETag": tag})
    response.headers["ETag"] = tag
    return found


async def _held(id: MemoryId, memory: WritableMemory, if_match: IfMatch = None) -> dict[str, Any]:
    """Return which memory is to be changed, and the text it must still have (If-Match)."""
    if if_match is None:
        return {"id": id}
    found, tag = await _tagged(memory, id)
    if not allows_change(if_match, tag):
        why = f"{id} has changed since you saw it. Get it again, then decide."
        raise Problem(412, why, headers={"ETag": tag})
    return {"id": id, "expected": None if if_match.strip() == "*" else found.text}


Held = Annotated[dict[str, Any], Depends(_held)]


@router.patch("/memories/{id:id}", responses=problem_responses(404, 412), summary="Edit a memory")
async def edit(
    held: Held, memory: WritableMemory, caller: CurrentCaller, body: MemoryTextBody
) -> Version:
    """Edit a memory. Regeneration does not overwrite the new text."""
    return await memory.memories.edit(text=body.text, by=actor_name(body.by, caller), **held)


@router.delete(
    "/memories/{id:id}", responses=problem_responses(404, 412), summary="Delete a memory"
)
async def delete(
    held: Held, memory: WritableMemory, caller: CurrentCaller, asked: Annotated[ActorQuery, Query()]
) -> Version:
    """Delete a memory. A rebuild does not bring it back; `restore` does."""
    return await memory.memories.delete(by=actor_name(asked.by, caller), **held)


@router.post(
    "/channels/{channel:id}/regenerate/undo",
    responses=problem_responses(412),
    summary="Undo `regenerate`",
)
async def undo(
    chat: WritableChannel, memory: ServedMemory, caller: CurrentCaller, body: UndoBody
) -> UndoResult:
    """Undo `regenerate`. Send what it returned; 412 if any of the memories changed since."""
    made = RegenerateResult("", 0, 0, tuple(body.replaced), (), tuple(body.gone), body.undo)
    return UndoResult(undone=await memory.memories.undo(chat, made, by=actor_name(body.by, caller)))


@router.post(
    "/backfill",
    responses={200: _LINES},
    response_class=StreamingResponse,
    summary="Extract missing facts",
)
async def backfill(memory: WritableMemory) -> StreamingResponse:
    """Extract facts from chunks that have none yet, at most two a second, and report progress. It
    stops if you disconnect; the next call resumes."""
    return StreamingResponse(_backfilling(memory), media_type="application/x-ndjson")


async def _backfilling(memory: Memory) -> AsyncIterator[str]:
    steps: asyncio.Queue[dict[str, Any] | None] = asyncio.Queue()

    def progress(done: int, total: int) -> None:
        steps.put_nowait({"done": done, "total": total})

    work = asyncio.create_task(memory.memories.backfill(progress=progress))
    work.add_done_callback(lambda _: steps.put_nowait(None))
    try:
        while (step := await steps.get()) is not None:
            yield json.dumps(step) + "\n"
        yield json.dumps({"backfilled": asdict(await work)}) + "\n"
    except Error as error:
        yield json.dumps({"problem": problems.document(problems.of(error))}) + "\n"
    finally:
        work.cancel()


async def _tagged(memory: Memory, id: str) -> tuple[Source, str]:
    """Return a memory and its ETag. Messages never change, and some kinds have no versions."""
    found = await memory.memories.get(id)
    try:
        version = len(await memory.memories.history(id))
    except (InvalidInput, NotFound):
        version = 0
    return found, etag(found.text, version)


_ONE = re.compile(r'(W/)?("[^"]*")')


def etag(text: str, version: int) -> str:
    """Return the entity tag of a memory's text and version."""
    digest = hashlib.sha256(f"{version}\n{text}".encode()).hexdigest()
    return f'"{digest[:32]}"'


def allows_change(if_match: str, tag: str) -> bool:
    """Return whether If-Match allows the change. Weak tags never match."""
    return if_match.strip() == "*" or any(
        each == tag for weak, each in _ONE.findall(if_match) if not weak
    )


def matches_any(if_none_match: str, tag: str) -> bool:
    """Return whether If-None-Match contains the tag."""
    return if_none_match.strip() == "*" or any(
        each == tag for _, each in _ONE.findall(if_none_match)
    )
