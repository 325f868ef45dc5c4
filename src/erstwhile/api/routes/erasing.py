"""Taking everything of a person, a channel or a source away, or a message, and handing it out."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import Annotated

from fastapi import Query
from fastapi.responses import FileResponse
from starlette.background import BackgroundTask

from erstwhile.api.conversation import Called, Door, Reads, Writes, doer, routes
from erstwhile.api.openapi import Responses
from erstwhile.api.openapi import told as may_answer
from erstwhile.api.shapes.answered import Origins
from erstwhile.api.shapes.asked import By, ChannelName, MessageId, OriginsAsked, PersonName, SourceName
from erstwhile.memory import Memory
from erstwhile.rooms.erasure.model import Receipt

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


@router.get("/people/{person:id}/export", response_class=FileResponse, responses=_ZIP, summary="Export a person")
async def export(person: PersonName, space: Reads, memory: Door) -> FileResponse:
    """One zip: their messages, which can be imported again, what is remembered of them with where it came from, and a page to read."""
    return await _packed(memory, space, person=person)


@router.get("/channels/{channel:id}/export", response_class=FileResponse, responses=_ZIP, summary="Export a channel")
async def export_channel(channel: ChannelName, space: Reads, memory: Door) -> FileResponse:
    """The same of a channel."""
    return await _packed(memory, space, channel=channel)


async def _packed(memory: Memory, space: str, **which: str) -> FileResponse:
    """Written beside first: a zip that breaks off half way would look like a whole one."""
    folder = Path(tempfile.mkdtemp(prefix="erstwhile-export-"))
    try:
        done = await memory.export(space=space, to=folder / "export.zip", **which)
    except BaseException:  # whatever it was, nothing of it stays on the disk
        shutil.rmtree(folder, ignore_errors=True)
        raise
    gone = BackgroundTask(shutil.rmtree, folder, ignore_errors=True)
    return FileResponse(done.path, media_type="application/zip", filename="export.zip", background=gone)
