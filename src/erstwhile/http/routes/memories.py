"""Memories with their entity tags, the undo of `regenerate`, and backfill with its progress; erasure, export
and backup."""

from __future__ import annotations

import asyncio
import hashlib
import json
import re
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import asdict
from functools import partial
from typing import Annotated, Any

from fastapi import Depends, Header, Query, Response
from fastapi.responses import FileResponse, StreamingResponse

from erstwhile.api.memory import Memory
from erstwhile.base.errors import Error, InvalidInput, NotFound
from erstwhile.http import problems
from erstwhile.http.caller import (
    AdminCaller,
    CurrentCaller,
    ReadableMemory,
    ServedMemory,
    WritableChannel,
    WritableMemory,
    routes,
    zip_response,
)
from erstwhile.http.models import (
    ActorQuery,
    ChannelName,
    MemoryId,
    MemoryTextBody,
    MessageId,
    OriginName,
    PersonName,
    UndoBody,
    UndoResult,
    WholeSpaceQuery,
)
from erstwhile.http.openapi import Responses, problem_responses
from erstwhile.http.openapi import problem_responses as may_answer
from erstwhile.http.problems import Problem
from erstwhile.http.verbs import actor_name
from erstwhile.layers.erasure.model import Receipt
from erstwhile.layers.regenerate import RegenerateResult
from erstwhile.memories.history import Version
from erstwhile.search.model import Source

router = routes("memories")

_SEEN = "The ETag you saw; 412 if the memory has changed since."
IfMatch = Annotated[str | None, Header(description=_SEEN)]
_HELD = "The ETag you have; 304 if the memory has not changed."
IfNoneMatch = Annotated[str | None, Header(description=_HELD)]
_TEXT = {"schema": {"type": "string"}}
_TAG = {"ETag": {**_TEXT, "required": True}}
_TAGGED: Responses = {
    200: {"description": "The memory.", "headers": _TAG},
    304: {"description": "Not changed."},
}
_STEPS = (
    'A line {"done", "total"} for each step, then {"backfilled": …}; if it fails, {"problem": …}.'
)
_LINES: dict[str, Any] = {"description": _STEPS, "content": {"application/x-ndjson": _TEXT}}


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
    held: Held, memory: WritableMemory, caller: CurrentCaller, query: Annotated[ActorQuery, Query()]
) -> Version:
    """Delete a memory. A rebuild does not bring it back; `restore` does."""
    return await memory.memories.delete(by=actor_name(query.by, caller), **held)


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
    return if_match.strip() == "*" or ("", tag) in _ONE.findall(if_match)


def matches_any(if_none_match: str, tag: str) -> bool:
    """Return whether If-None-Match contains the tag."""
    return if_none_match.strip() == "*" or tag in (each for _, each in _ONE.findall(if_none_match))


erasing = routes("memory")
whole = routes("archive", "/v1")

_FILE: Responses = {200: {"description": "A zip.", "content": {"application/zip": {}}}}
_ZIP: dict[str, Any] = {"response_class": FileResponse, "responses": {**_FILE, **may_answer(404)}}


async def _eraser(
    memory: WritableMemory, caller: CurrentCaller, query: Annotated[ActorQuery, Query()]
) -> Callable[..., Awaitable[Receipt]]:
    return partial(memory.erase, by=actor_name(query.by, caller))


Eraser = Annotated[Callable[..., Awaitable[Receipt]], Depends(_eraser)]


@erasing.delete(
    "/people/{person:id}", name="erase", responses=may_answer(404), summary="Erase a person"
)
async def erase_person(person: PersonName, erase: Eraser) -> Receipt:
    """Erase a person's messages, the replies to them and all memories made from them, and verify
    that nothing is left. Memories made from other people's messages too are regenerated. This can't
    be undone."""
    return await erase(person=person)


@erasing.delete("/channels/{channel:id}", responses=may_answer(404), summary="Erase a channel")
async def erase_channel(channel: ChannelName, erase: Eraser) -> Receipt:
    """Erase a channel with everything made from it. This can't be undone."""
    return await erase(channel=channel)


@erasing.delete("/messages/{id:id}", responses=may_answer(404), summary="Erase a message")
async def erase_message(id: MessageId, erase: Eraser) -> Receipt:
    """Erase one message and the reply to it. On SQLite this rewrites the file; for everyday
    deletions use `DELETE …/channels/{channel}/messages`."""
    return await erase(message=id)


@erasing.delete("/origins/{origin:id}", responses=may_answer(404), summary="Erase an origin")
async def erase_origin(origin: OriginName, erase: Eraser) -> Receipt:
    """Erase all messages with this origin, in every channel, and the channels and people known only
    from them."""
    return await erase(origin=origin)


@erasing.delete("", responses=may_answer(404), summary="Erase a space")
async def erase_space(
    memory: WritableMemory, caller: CurrentCaller, query: Annotated[WholeSpaceQuery, Query()]
) -> Receipt:
    """Erase a whole space with its settings and keys, which open nothing from then on. It takes an
    admin key, or a key of the space that may write, and `everything=true`."""
    if not query.everything:
        why = "This takes the whole space away, with its keys."
        raise Problem(422, f"{why} Add `?everything=true` if that is what you want.")
    return await memory.erase(everything=True, by=actor_name(query.by, caller))


@erasing.get("/people/{person:id}/export", **_ZIP, summary="Export a person")
async def export(person: PersonName, memory: ReadableMemory) -> FileResponse:
    """Export one zip: their messages, which can be imported again, what is remembered about them
    with its sources, and a page to read."""
    return await zip_response(lambda to: memory.export(person=person, to=to), "export.zip")


@erasing.get("/channels/{channel:id}/export", **_ZIP, summary="Export a channel")
async def export_channel(channel: ChannelName, memory: ReadableMemory) -> FileResponse:
    """Export one zip with the messages and memories of a channel, and a page to read."""
    return await zip_response(lambda to: memory.export(channel=channel, to=to), "export.zip")


@erasing.get("/export", **_ZIP, summary="Export a space")
async def export_space(memory: ReadableMemory) -> FileResponse:
    """Export all of the space but its keys as one zip, to read and to import without loss."""
    return await zip_response(lambda to: memory.export(to=to), "export.zip")


@whole.get("/backup", **_ZIP, summary="Back up the whole database")
async def backup(_caller: AdminCaller, memory: ServedMemory) -> FileResponse:
    """Back up every space as of one moment, while others go on writing, in one zip that `erstwhile
    backup FILE --restore` takes on either database. It holds the digests of keys and what is
    sealed: keep it as you keep the database."""
    return await zip_response(lambda to: memory.archive.backup(to=to), "backup.zip")
