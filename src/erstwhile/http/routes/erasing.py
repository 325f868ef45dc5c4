"""Erase, export and back up."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query
from fastapi.responses import FileResponse

from erstwhile.http.caller import Admin
from erstwhile.http.conversation import Called, Door, Reads, Writes, doer, routes
from erstwhile.http.openapi import Responses
from erstwhile.http.openapi import told as may_answer
from erstwhile.http.packed import packed
from erstwhile.http.problems import Problem
from erstwhile.http.shapes import By, ChannelName, MessageId, OriginName, PersonName, Whole
from erstwhile.layers.erasure.model import Receipt

router = routes("memory")
whole = routes("archive", "/v1")

_ZIP: Responses = {200: {"description": "A zip.", "content": {"application/zip": {}}}, **may_answer(404)}


@router.delete("/people/{person:id}", responses=may_answer(404), summary="Erase a person")
async def erase(
    person: PersonName, space: Writes, memory: Door, caller: Called, asked: Annotated[By, Query()]
) -> Receipt:
    """Takes away all they said, with the replies to it and all that was made of it, and looks whether anything is left. What was made of
    others' words too is made again without theirs. It can't be undone."""
    return await memory.erase(space=space, person=person, by=doer(asked.by, caller))


@router.delete("/channels/{channel:id}", responses=may_answer(404), summary="Erase a channel")
async def erase_channel(
    channel: ChannelName, space: Writes, memory: Door, caller: Called, asked: Annotated[By, Query()]
) -> Receipt:
    """The same of a channel, whoever spoke in it."""
    return await memory.erase(space=space, channel=channel, by=doer(asked.by, caller))


@router.delete("/messages/{id:id}", responses=may_answer(404), summary="Erase a message")
async def erase_message(
    id: MessageId, space: Writes, memory: Door, caller: Called, asked: Annotated[By, Query()]
) -> Receipt:
    """One message by its id, with the reply to it. On SQLite the file is written anew for it; for what people edit and delete all day there
    is `DELETE …/channels/{channel}/messages`."""
    return await memory.erase(space=space, message=id, by=doer(asked.by, caller))


@router.delete("/origins/{origin:id}", responses=may_answer(404), summary="Erase an origin")
async def erase_origin(
    origin: OriginName, space: Writes, memory: Door, caller: Called, asked: Annotated[By, Query()]
) -> Receipt:
    """All messages that name this origin in their meta, in every channel. Channels and people that were known from it alone go too."""
    return await memory.erase(space=space, origin=origin, by=doer(asked.by, caller))


@router.delete("", responses=may_answer(404), summary="Erase a space")
async def erase_space(space: Writes, memory: Door, caller: Called, asked: Annotated[Whole, Query()]) -> Receipt:
    """The whole space, its settings and its keys too, which open nothing from then on: an admin key does it, or a key of the space that may
    write, with `everything=true`."""
    if not asked.everything:
        raise Problem(
            422, "This takes the whole space away, with its keys. Add `?everything=true` if that is what you want."
        )
    return await memory.erase(space=space, everything=True, by=doer(asked.by, caller))


@router.get("/people/{person:id}/export", response_class=FileResponse, responses=_ZIP, summary="Export a person")
async def export(person: PersonName, space: Reads, memory: Door) -> FileResponse:
    """One zip: their messages, which can be imported again, what is remembered of them with where it came from, and a page to read."""
    return await packed(lambda to: memory.export(space=space, person=person, to=to), "export.zip")


@router.get("/channels/{channel:id}/export", response_class=FileResponse, responses=_ZIP, summary="Export a channel")
async def export_channel(channel: ChannelName, space: Reads, memory: Door) -> FileResponse:
    """The same of a channel."""
    return await packed(lambda to: memory.export(space=space, channel=channel, to=to), "export.zip")


@router.get("/export", response_class=FileResponse, responses=_ZIP, summary="Export a space")
async def export_space(space: Reads, memory: Door) -> FileResponse:
    """Everything of the space but its keys, in one zip: to read, and to import again without loss."""
    return await packed(lambda to: memory.export(space=space, to=to), "export.zip")


@whole.get("/backup", response_class=FileResponse, responses=_ZIP, summary="Back up the whole database")
async def backup(_caller: Admin, memory: Door) -> FileResponse:
    """Every space, of one moment, while others go on writing, in one zip that `erstwhile backup FILE --restore` takes on either database.
    It holds the digests of keys and what is sealed: keep it as you keep the database."""
    return await packed(lambda to: memory.archive.backup(to=to), "backup.zip")
