"""Taking everything of a person, a channel or a space away, and handing it out."""

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
from erstwhile.api.problems import Problem
from erstwhile.api.shapes.asked import About, By, ChannelName, PersonName, Whole
from erstwhile.memory import Memory
from erstwhile.rooms.erasure.model import Erased, Receipt

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
