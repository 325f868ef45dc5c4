"""Taking everything of a person, a channel, a source or a space away, or a message, and handing it out."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query
from fastapi.responses import FileResponse

from erstwhile.http.conversation import Called, Door, Reads, Writes, doer, routes
from erstwhile.http.openapi import Responses
from erstwhile.http.openapi import told as may_answer
from erstwhile.http.packed import packed
from erstwhile.http.problems import Problem
from erstwhile.http.shapes.answered import Origins
from erstwhile.http.shapes.asked import About, By, ChannelName, MessageId, OriginsAsked, PersonName, SourceName, Whole
from erstwhile.layers.erasure.model import Erased, Receipt

router = routes("erasing")

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
    is `retract`."""
    return await memory.erase(space=space, message=id, by=doer(asked.by, caller))


@router.delete("/sources/{source:id}", responses=may_answer(404), summary="Erase a source")
async def erase_source(
    source: SourceName, space: Writes, memory: Door, caller: Called, asked: Annotated[By, Query()]
) -> Receipt:
    """All messages that name this source in their meta, in every channel. Channels and people that were known from it alone go too."""
    return await memory.erase(space=space, source=source, by=doer(asked.by, caller))


@router.get("/sources", summary="List sources")
async def origins(space: Reads, memory: Door, asked: Annotated[OriginsAsked, Query()]) -> Origins:
    """Where messages came from: imports by their file, platforms by their name. The one with the newest message comes first."""
    return Origins(sources=await memory.origins(space=space, limit=asked.limit))


@router.delete("", responses=may_answer(404), summary="Erase a space")
async def erase_space(space: Writes, memory: Door, caller: Called, asked: Annotated[Whole, Query()]) -> Receipt:
    """The whole space, its settings and its keys too, which open nothing from then on: an admin key does it, or a key of the space that may
    write, with `everything=true`."""
    if not asked.everything:
        raise Problem(
            422, "This takes the whole space away, with its keys. Add `?everything=true` if that is what you want."
        )
    return await memory.erase(space=space, everything=True, by=doer(asked.by, caller))


@router.get("/receipts", summary="List receipts of erasures")
async def receipts(space: Reads, memory: Door, asked: Annotated[About, Query()]) -> list[Erased]:
    """What was erased, newest first, without a name: with a person or a channel, what was erased of them."""
    return await memory.receipts(space=space, person=asked.person, channel=asked.channel, limit=asked.limit)


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
