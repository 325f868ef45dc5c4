"""Erase, export and back up."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Annotated, Any

from fastapi import Depends, Query
from fastapi.responses import FileResponse

from erstwhile.http.caller import (
    AdminCaller,
    CurrentCaller,
    ReadableMemory,
    ServedMemory,
    WritableMemory,
)
from erstwhile.http.dependencies import routes, zip_response
from erstwhile.http.models import (
    ActorQuery,
    ChannelName,
    MessageId,
    OriginName,
    PersonName,
    WholeSpaceQuery,
)
from erstwhile.http.openapi import Responses
from erstwhile.http.openapi import problem_responses as may_answer
from erstwhile.http.problems import Problem
from erstwhile.http.verbs import actor_name
from erstwhile.layers.erasure.model import Receipt

router = routes("memory")
whole = routes("archive", "/v1")

_FILE: Responses = {200: {"description": "A zip.", "content": {"application/zip": {}}}}
_ZIP: dict[str, Any] = {"response_class": FileResponse, "responses": {**_FILE, **may_answer(404)}}


async def _eraser(
    memory: WritableMemory, caller: CurrentCaller, asked: Annotated[ActorQuery, Query()]
) -> Callable[..., Awaitable[Receipt]]:
    return partial(memory.erase, by=actor_name(asked.by, caller))


Eraser = Annotated[Callable[..., Awaitable[Receipt]], Depends(_eraser)]


@router.delete(
    "/people/{person:id}", name="erase", responses=may_answer(404), summary="Erase a person"
)
async def erase_person(person: PersonName, erase: Eraser) -> Receipt:
    """Erase a person's messages, the replies to them and all memories made from them, and verify
    that nothing is left. Memories made from other people's messages too are regenerated. This can't
    be undone."""
    return await erase(person=person)


@router.delete("/channels/{channel:id}", responses=may_answer(404), summary="Erase a channel")
async def erase_channel(channel: ChannelName, erase: Eraser) -> Receipt:
    """Erase a channel with everything made from it. This can't be undone."""
    return await erase(channel=channel)


@router.delete("/messages/{id:id}", responses=may_answer(404), summary="Erase a message")
async def erase_message(id: MessageId, erase: Eraser) -> Receipt:
    """Erase one message and the reply to it. On SQLite this rewrites the file; for everyday
    deletions use `DELETE …/channels/{channel}/messages`."""
    return await erase(message=id)


@router.delete("/origins/{origin:id}", responses=may_answer(404), summary="Erase an origin")
async def erase_origin(origin: OriginName, erase: Eraser) -> Receipt:
    """Erase all messages with this origin, in every channel, and the channels and people known only
    from them."""
    return await erase(origin=origin)


@router.delete("", responses=may_answer(404), summary="Erase a space")
async def erase_space(
    memory: WritableMemory, caller: CurrentCaller, asked: Annotated[WholeSpaceQuery, Query()]
) -> Receipt:
    """Erase a whole space with its settings and keys, which open nothing from then on. It takes an
    admin key, or a key of the space that may write, and `everything=true`."""
    if not asked.everything:
        why = "This takes the whole space away, with its keys."
        raise Problem(422, f"{why} Add `?everything=true` if that is what you want.")
    return await memory.erase(everything=True, by=actor_name(asked.by, caller))


@router.get("/people/{person:id}/export", **_ZIP, summary="Export a person")
async def export(person: PersonName, memory: ReadableMemory) -> FileResponse:
    """Export one zip: their messages, which can be imported again, what is remembered about them
    with its sources, and a page to read."""
    return await zip_response(lambda to: memory.export(person=person, to=to), "export.zip")


@router.get("/channels/{channel:id}/export", **_ZIP, summary="Export a channel")
async def export_channel(channel: ChannelName, memory: ReadableMemory) -> FileResponse:
    """Export one zip with the messages and memories of a channel, and a page to read."""
    return await zip_response(lambda to: memory.export(channel=channel, to=to), "export.zip")


@router.get("/export", **_ZIP, summary="Export a space")
async def export_space(memory: ReadableMemory) -> FileResponse:
    """Export all of the space but its keys as one zip, to read and to import without loss."""
    return await zip_response(lambda to: memory.export(to=to), "export.zip")


@whole.get("/backup", **_ZIP, summary="Back up the whole database")
async def backup(_caller: AdminCaller, memory: ServedMemory) -> FileResponse:
    """Back up every space as of one moment, while others go on writing, in one zip that `erstwhile
    backup FILE --restore` takes on either database. It holds the digests of keys and what is
    sealed: keep it as you keep the database."""
    return await zip_response(lambda to: memory.archive.backup(to=to), "backup.zip")
