"""Dependencies of the routes that are written by hand: the channel of the path."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Annotated

from fastapi import APIRouter, Depends, Request
from starlette.background import BackgroundTask
from starlette.responses import FileResponse

from erstwhile.api.channel import Channel
from erstwhile.http.caller import SpaceName, caller
from erstwhile.http.caller import memory as served
from erstwhile.http.models import ChannelName

SPACE = "/v1/spaces/{space:id}"
CHANNEL = SPACE + "/channels/{channel:id}"


def routes(tag: str, prefix: str = SPACE) -> APIRouter:
    """Create a router whose operation ids are `<tag>_<verb>`."""
    return APIRouter(
        prefix=prefix, tags=[tag], generate_unique_id_function=lambda route: f"{tag}_{route.name}"
    )


# Without dependencies of their own: FastAPI resolves each of them anew with every request.


async def _read(request: Request, space: SpaceName, channel: ChannelName) -> Channel:
    return (await served(request)).channel(channel, (await caller(request)).reads(space))


async def writable_channel(request: Request, space: SpaceName, channel: ChannelName) -> Channel:
    return (await served(request)).channel(channel, (await caller(request)).writes(space))


ReadableChannel = Annotated[Channel, Depends(_read)]
WritableChannel = Annotated[Channel, Depends(writable_channel)]

_PRIVATE = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}

Write = Callable[[Path], Awaitable[object]]


async def zip_response(
    write: Write, name: str, headers: Mapping[str, str] | None = None
) -> FileResponse:
    """Return the zip that `write` creates. The file is deleted once it was sent."""
    folder = Path(tempfile.mkdtemp(prefix="erstwhile-"))
    file = folder / "packed.zip"
    try:
        await write(file)
    except BaseException:  # no partial file may stay on disk
        _away(folder)
        raise
    answer = FileResponse(
        file, media_type="application/zip", filename=name, background=BackgroundTask(_away, folder)
    )
    answer.headers.update(_PRIVATE | dict(headers or {}))
    return answer


def _away(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
