"""Ids in paths: `{channel:id}` matches one segment of the path, which may contain percent-encoded
slashes.

ASGI servers decode the path, which makes an id's `%2F` a slash of the path. So routes are matched
against the raw path, and each id is decoded separately.
"""

from __future__ import annotations

from urllib.parse import quote, unquote_to_bytes

from starlette.convertors import Convertor, register_url_convertor
from starlette.types import ASGIApp, Receive, Scope, Send

from erstwhile.http.problems import Problem


class IdConvertor(Convertor[str]):
    regex = "[^/]+"

    def convert(self, value: str) -> str:
        try:
            return unquote_to_bytes(value.encode("latin-1")).decode("utf-8")
        except UnicodeError:
            raise Problem(
                422, "An id in the path is not UTF-8. Percent-encode its UTF-8 bytes."
            ) from None

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
