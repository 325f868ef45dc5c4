"""MCP at /mcp: authenticated like every route, stateless."""

from __future__ import annotations

import asyncio
from importlib import import_module
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from fastapi import APIRouter, Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from erstwhile.base.errors import InvalidInput
from erstwhile.http import permissions
from erstwhile.http.caller import CurrentCaller, ServedMemory
from erstwhile.http.problems import Problem
from erstwhile.http.request_checks import OTHER_ORIGIN
from erstwhile.log import check
from erstwhile.mcp.tools import ToolCaller

if TYPE_CHECKING:
    from mcp.server import Server

router = APIRouter(tags=["mcp"])

_NEEDED = "MCP is not installed on this server: pip install 'erstwhile[mcp]' and restart it."


@router.post("/mcp", include_in_schema=False)
async def mcp(request: Request, caller: CurrentCaller, memory: ServedMemory) -> Response:
    """Answer one MCP message. The space is the key's; with an admin key, a header names it."""
    origin = request.headers.get("origin")
    own = origin is None or urlsplit(origin).netloc == request.headers.get("host")
    # Also with a key, as the protocol requires.
    if not own and origin not in memory.settings.origins:
        raise Problem(403, OTHER_ORIGIN)
    space, person = _named(request, "space"), _named(request, "person")
    chosen = caller.reads(space or caller.space or memory.settings.space)
    request.state.visitor = ToolCaller(chosen, person, caller.name, caller.read_only)
    server = getattr(request.app.state, "mcp", None)
    if server is None:
        server = request.app.state.mcp = await _server(memory)
    return _Answer(server)


def _named(request: Request, what: str) -> str | None:
    """Return a header, decoded as UTF-8."""
    given = request.headers.get(f"x-erstwhile-{what}")
    if not given:
        return None
    try:
        return check.identifier(what, given.encode("latin-1").decode())
    except UnicodeDecodeError:
        raise Problem(422, f"The {what} in the header is not UTF-8.") from None


async def _server(memory: ServedMemory) -> Server[Any]:
    """Load the MCP server on first use, in a thread: it takes half a second."""
    try:
        module = await asyncio.to_thread(import_module, "erstwhile.mcp.server")
    except ImportError:
        raise Problem(501, _NEEDED) from None

    async def take(visitor: ToolCaller, text: str) -> None:
        try:
            await permissions.take_texts(memory, visitor.space, [text])
        except Problem as used_up:
            raise InvalidInput(used_up.detail) from None

    made: Server[Any] = module.create_server(
        memory, lambda asked: asked.request.state.visitor, take
    )
    return made


class _Answer(Response):
    """The SDK's transport for one request. Host, origin and size are already checked."""

    def __init__(self, server: Server[Any]) -> None:
        super().__init__()
        self._server = server

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

        largest = scope["app"].state.memory.settings.limits.body_bytes
        manager = StreamableHTTPSessionManager(
            self._server, json_response=True, stateless=True, max_request_body_size=largest
        )
        async with manager.run():
            await manager.handle_request(scope, receive, send)
