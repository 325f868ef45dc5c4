"""HEAD for every GET, OPTIONS for every path, and the Allow header of 405."""

from __future__ import annotations

from fastapi import FastAPI
from fastapi.routing import iter_route_contexts
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

_KNOWN = ("GET", "POST", "PUT", "PATCH", "DELETE")


class MethodMiddleware:
    """Answer HEAD like GET (the server drops the body), and OPTIONS with the allowed methods."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["method"] == "HEAD":
            as_get = {**scope, "method": "GET"}
            try:
                await self._app(as_get, receive, send)
            finally:
                scope["route"] = as_get.get("route")  # the log names it, not the ids in the path
            return
        if scope["type"] == "http" and scope["method"] == "OPTIONS" and (found := allowed(scope["app"], scope)):
            await Response(status_code=204, headers={"Allow": found})(scope, receive, send)
            return
        await self._app(scope, receive, send)


def allowed(app: FastAPI, scope: Scope) -> str:
    """Return the methods of all routes that match the path, or ""."""
    path = scope["path"]
    found = {
        method
        for route in iter_route_contexts(app.routes)
        if (pattern := getattr(route, "path_regex", None)) is not None and pattern.match(path)
        for method in getattr(route, "methods", None) or ()
    }
    more = (["HEAD"] if "GET" in found else []) + ["OPTIONS"]
    return ", ".join([*(method for method in _KNOWN if method in found), *more]) if found else ""
