"""The caller of a request and its permissions, and what a route asks for: a space, a channel, the memory. The key
decides the space."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Annotated, cast
from urllib.parse import quote, unquote_to_bytes

from fastapi import APIRouter, Depends, Request
from fastapi import Path as InPath
from starlette.background import BackgroundTask
from starlette.convertors import Convertor, register_url_convertor
from starlette.responses import FileResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from erstwhile.api.channel import Channel
from erstwhile.api.memory import Memory
from erstwhile.api.resource import in_space
from erstwhile.base.records import dataclass
from erstwhile.http.models import ChannelName
from erstwhile.http.problems import Problem


class IdConvertor(Convertor[str]):
    regex = "[^/]+"

    def convert(self, value: str) -> str:
        try:
            return unquote_to_bytes(value.encode("latin-1")).decode("utf-8")
        except UnicodeError:
            why = "An id in the path is not UTF-8. Percent-encode its UTF-8 bytes."
            raise Problem(422, why) from None

    def to_string(self, value: str) -> str:
        return quote(value, safe="")


register_url_convertor("id", IdConvertor())


class RawPathMiddleware:
    """Make routes match the raw path."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] in ("http", "websocket") and scope.get("raw_path"):
            scope["path"] = scope["raw_path"].decode("latin-1")
        await self._app(scope, receive, send)


# Paths that need no key.
OPEN = frozenset(
    {"/", "/healthz", "/readyz", "/docs", "/docs.js", "/docs.css", "/docs/guide", "/openapi.json"}
)
OPEN_BELOW = "/docs/guide/"


@dataclass(frozen=True, slots=True)
class Caller:
    """Who makes a request. `space` None means every space. Without any keys, local callers are
    admin. A caller with a `person` came by a dashboard link and sees only what is known about them.
    """

    key: str = ""
    name: str = "api"
    space: str | None = None
    read_only: bool = False
    person: str | None = None

    @property
    def admin(self) -> bool:
        return self.space is None and not self.read_only and self.person is None

    def reads(self, space: str) -> str:
        if self.space not in (None, space):
            why = f"This key has no access to the space {space!r}."
            raise Problem(403, f"{why} Use a key of that space.")
        return space

    def writes(self, space: str) -> str:
        if self.read_only:
            raise Problem(403, "This key is read-only. Use one that may write.")
        return self.reads(space)


async def caller(request: Request) -> Caller:
    """Return the authenticated caller (set by request_checks.py)."""
    return cast(Caller, request.state.caller)


CurrentCaller = Annotated[Caller, Depends(caller)]
SpaceName = Annotated[str, InPath(description="The space.", max_length=512, examples=["my-app"])]


async def reads(space: SpaceName, caller: CurrentCaller) -> str:
    return caller.reads(space)


async def writes(space: SpaceName, caller: CurrentCaller) -> str:
    return caller.writes(space)


async def admin(caller: CurrentCaller) -> Caller:
    if not caller.admin:
        raise Problem(403, "This needs an admin key: `erstwhile keys create --admin`.")
    return caller


async def memory(request: Request) -> Memory:
    return cast(Memory, request.app.state.memory)


# Dependencies of routes: the space of the path, or its memory, if the caller may read or write
# there; an admin caller; the memory.
ReadableSpace = Annotated[str, Depends(reads)]
WritableSpace = Annotated[str, Depends(writes)]


async def readable_memory(request: Request, space: ReadableSpace) -> Memory:
    return in_space(await memory(request), space)


async def writable_memory(request: Request, space: WritableSpace) -> Memory:
    return in_space(await memory(request), space)


ReadableMemory = Annotated[Memory, Depends(readable_memory)]
WritableMemory = Annotated[Memory, Depends(writable_memory)]
AdminCaller = Annotated[Caller, Depends(admin)]
ServedMemory = Annotated[Memory, Depends(memory)]


SPACE = "/v1/spaces/{space:id}"
CHANNEL = SPACE + "/channels/{channel:id}"


def routes(tag: str, prefix: str = SPACE) -> APIRouter:
    """Create a router whose operation ids are `<tag>_<verb>`."""
    return APIRouter(
        prefix=prefix, tags=[tag], generate_unique_id_function=lambda route: f"{tag}_{route.name}"
    )


# Without dependencies of their own: FastAPI resolves each of them anew with every request.


async def _read(request: Request, space: SpaceName, channel: ChannelName) -> Channel:
    return (await memory(request)).channel(channel, (await caller(request)).reads(space))


async def writable_channel(request: Request, space: SpaceName, channel: ChannelName) -> Channel:
    return (await memory(request)).channel(channel, (await caller(request)).writes(space))


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
