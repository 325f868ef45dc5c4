"""Check every request: its origin, its key, its body. Errors become problem documents.

Every path needs a caller except those listed in caller.py, so that no route can be left open by
mistake.
"""

from __future__ import annotations

import re
import traceback
from collections.abc import Collection
from urllib.parse import unquote_plus, urlsplit

from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from erstwhile.base.logs import Log
from erstwhile.base.settings import Settings
from erstwhile.http import bodies, problems
from erstwhile.http.authentication import Authenticator
from erstwhile.http.caller import OPEN
from erstwhile.http.problems import Problem

log = Log(__name__)

_SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
_KEY = re.compile(r"er_[0-9a-z]{12}_[\w-]{20,}")
_POLICY_VIOLATION = 1008


class Entry:
    def __init__(self, app: ASGIApp, settings: Settings, gate: Authenticator) -> None:
        self._app, self._gate = app, gate
        self._origins = frozenset(settings.origins)
        self._body_bytes = settings.limits.body_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            await self._http(scope, receive, send)
        elif scope["type"] == "websocket":
            await self._websocket(scope, receive, send)
        else:
            await self._app(scope, receive, send)

    async def _http(self, scope: Scope, receive: Receive, send: Send) -> None:
        started = False

        async def watched(message: Message) -> None:
            nonlocal started
            started = started or message["type"] == "http.response.start"
            await send(message)

        try:
            headers = await self._admit(scope)
            await self._app(scope, await bodies.checked(headers, receive, self._body_bytes), watched)
        except Problem as problem:
            refusal = problem
        except HTTPException as error:
            refusal = Problem(error.status_code, str(error.detail), headers=error.headers)
        except Exception as error:  # noqa: BLE001 - neither response nor log may quote it
            _log(error)
            refusal = Problem(500, "Internal error. The server's log has details under this request_id.")
        else:
            return
        if not started:  # else the connection is closed, which shows that the response is incomplete
            await problems.response(refusal, scope["path"])(scope, receive, watched)

    async def _websocket(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await self._admit(scope)
        except Problem as problem:
            await send({"type": "websocket.close", "code": _POLICY_VIOLATION, "reason": problem.detail[:100]})
            return
        await self._app(scope, receive, send)

    async def _admit(self, scope: Scope) -> Headers:
        connection = HTTPConnection(scope)
        if _KEY.search(unquote_plus(scope["query_string"].decode("latin-1"))):
            raise Problem(
                401,
                "A key in a URL ends up in logs and histories. Send it as `Authorization: Bearer er_…`, and revoke this one.",
                headers={"WWW-Authenticate": 'Bearer realm="erstwhile", error="invalid_request"'},
            )
        if not same_site(scope, connection.headers, self._origins):
            raise Problem(403, "A web page of another origin may not do this. ERSTWHILE_ORIGINS names those that may.")
        if scope["path"] not in OPEN:
            scope["state"]["caller"] = await self._gate.admit(connection)
        return connection.headers


def same_site(scope: Scope, headers: Headers, origins: Collection[str] = ()) -> bool:
    """Return whether the request was not forged by a web page of another site (CSRF). A page can't
    add a bearer key to a forged request, and clients other than browsers send no origin."""
    if scope["type"] == "http" and scope["method"] in _SAFE:
        return True
    origin = headers.get("origin")
    brought = headers.get("authorization", "").lower().startswith("bearer ") or "x-api-key" in headers
    if brought or origin in origins:
        return True
    site = headers.get("sec-fetch-site")
    if site is not None and scope["type"] == "http":
        return site in ("same-origin", "none")
    return origin is None or urlsplit(origin).netloc == headers.get("host")


def _log(error: Exception) -> None:
    """Log the type of an error and where it happened, without its message, which may quote
    users."""
    frames = traceback.extract_tb(error.__traceback__)
    at = " < ".join(f"{frame.filename.rpartition('/')[2]}:{frame.lineno}" for frame in reversed(frames[-6:]))
    log.error("request.failed", request=problems.request_id.get(), error=type(error).__name__, at=at)
