"""The outer middleware: check the Host header, give each request an id, add security headers, log
the request.

The Host header is checked on every route: a web page can point its own domain at this machine (DNS
rebinding), and the browser would then treat the server as part of that page.
"""

from __future__ import annotations

import ipaddress
import re
import time

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from erstwhile.base import ids
from erstwhile.base.logs import Log
from erstwhile.base.settings import Settings
from erstwhile.http import problems
from erstwhile.http.authentication import loopback
from erstwhile.http.problems import Problem

log = Log("erstwhile.requests")

_SANE_ID = re.compile(r"[A-Za-z0-9._:/+=-]{1,128}")
_NAME = re.compile(r"(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::\d{1,5})?", re.IGNORECASE)
_OWN = ("localhost", "127.0.0.1", "[::1]")
_POLICY_VIOLATION = 1008
_PLENTY = ("/healthz", "/readyz", "/_")  # frequent: logged at debug level
_POLICY = b"default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
_HEADERS = (
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"x-frame-options", b"DENY"),
    (b"content-security-policy", _POLICY),
)


class Hosts:
    """The host names the server answers to. IP addresses can't be rebound, so they are accepted
    unless the server listens on loopback."""

    def __init__(self, settings: Settings) -> None:
        bound = f"[{settings.host}]" if ":" in settings.host else settings.host
        self._names = {name.lower() for name in (*_OWN, bound, *settings.hosts)}
        self._endings = tuple(name[1:] for name in self._names if name.startswith("*."))
        self._any_address = not loopback(settings.host)

    def __contains__(self, host: str) -> bool:
        if "*" in self._names:
            return True
        found = _NAME.fullmatch(host)
        name = found[1].lower().rstrip(".") if found else ""
        if not name or name in self._names or name.endswith(self._endings):
            return bool(name)
        try:
            ipaddress.ip_address(name.strip("[]"))
        except ValueError:
            return False
        return self._any_address


class HostMiddleware:
    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self._app = app
        self._hosts = Hosts(settings)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        given = headers.get("x-request-id", "")
        id = given if _SANE_ID.fullmatch(given) else f"{ids.at_random(64):016x}"
        scope.setdefault("state", {})["request_id"] = id
        named = problems.request_id.set(id)
        try:
            if scope["type"] == "http":
                await self._http(scope, receive, send)
            elif _host(headers) in self._hosts:
                await self._app(scope, receive, send)
            else:
                await send({"type": "websocket.close", "code": _POLICY_VIOLATION})
        finally:
            problems.request_id.reset(named)

    async def _http(self, scope: Scope, receive: Receive, send: Send) -> None:
        status, began = 0, time.perf_counter()

        async def marked(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                _mark(message, scope)
            await send(message)

        try:
            host = _host(Headers(scope=scope))
            if host in self._hosts:
                await self._app(scope, receive, marked)
            else:
                why = f"This server does not answer to {host[:100]!a}."
                why += " If it should, add the name to ERSTWHILE_HOSTS."
                await problems.response(Problem(421, why))(scope, receive, marked)
        finally:
            route = getattr(scope.get("route"), "path_format", None)
            (log.debug if scope["path"].startswith(_PLENTY) else log.info)(
                "request",
                method=scope["method"],
                path=str(route or scope["path"][:200]),  # never the query
                status=status or 499,  # the client disconnected
                ms=round((time.perf_counter() - began) * 1000, 1),
                key=getattr(scope["state"].get("caller"), "key", ""),
                request=scope["state"]["request_id"],
            )


def _mark(message: Message, scope: Scope) -> None:
    headers = MutableHeaders(scope=message)
    named = {name.lower() for name, _ in headers.raw}
    headers.raw.extend(header for header in _HEADERS if header[0] not in named)
    headers["X-Request-Id"] = scope["state"]["request_id"]
    if scope["path"].startswith(("/v1/", "/mcp")):
        headers["Cache-Control"] = "no-store"


def _host(headers: Headers) -> str:
    """Return the Host header. Several are joined, so that they match no host."""
    return ", ".join(headers.getlist("host"))
