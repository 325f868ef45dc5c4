"""Check every request: its origin, its key, its body. Errors become problem documents.

Every path needs a caller except those listed in caller.py, so that no route can be left open by
mistake.
"""

from __future__ import annotations

import json
import math
import re
import traceback
from collections.abc import Awaitable, Callable, Collection, Sequence
from functools import cache
from typing import Any, ClassVar
from urllib.parse import unquote_plus, urlsplit

from fastapi import Request, Response
from fastapi.routing import APIRoute
from pydantic import TypeAdapter, ValidationError
from starlette import exceptions
from starlette.datastructures import Headers
from starlette.requests import HTTPConnection
from starlette.routing import BaseRoute
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from erstwhile.base.errors import Error
from erstwhile.base.logs import Log
from erstwhile.base.settings import Settings
from erstwhile.http import problems
from erstwhile.http.authentication import Authenticator
from erstwhile.http.caller import OPEN, OPEN_BELOW
from erstwhile.http.models import MessageBody, MessageList, MessagesBody, OneOrMany
from erstwhile.http.problems import Problem
from erstwhile.log import check
from erstwhile.log.check import LONGEST_ID
from erstwhile.log.model import Message as StoredMessage

# How much of a body that is too large is read and discarded, so that the client gets to read the
# error.
_DRAINED = 32 * 1024 * 1024
_DEEPEST = 128  # objects and lists inside each other; what writes the answers gives up at 255


async def checked(headers: Headers, receive: Receive, most: int) -> Receive:
    """Check the body and return what to read it from. Its size is checked while it is read."""
    if headers.get("content-encoding", "identity").lower() != "identity":
        why = "Compressed bodies are not accepted. Send the body without Content-Encoding."
        raise Problem(415, why)
    if _length(headers) > most:
        if "expect" not in headers:
            await _drain(receive)
        raise _too_large(most)
    kind = headers.get("content-type", "").partition(";")[0].strip().lower()
    is_json = kind.startswith("application/") and kind.endswith(("/json", "+json"))
    if not is_json and _length(headers) and "content-type" in headers:
        await _drain(receive)
        advice = "Send it with `Content-Type: application/json`."
        raise Problem(415, f"The body is not marked as JSON. {advice}")
    body = await _whole(receive, most)
    if body is None:  # the client has disconnected
        return replayed({"type": "http.disconnect"}, receive)
    if is_json and body:
        check_json(body)
    return replayed({"type": "http.request", "body": body, "more_body": False}, receive)


def _length(headers: Headers) -> int:
    given = headers.get("content-length", "0")
    if not (given.isascii() and given.isdigit()):
        raise Problem(400, "Content-Length is not a number.")
    return int(given[:20])


def check_json(body: bytes) -> None:
    """Refuse JSON that parsers read differently: duplicate names, NaN, infinite numbers."""
    try:
        text = body.decode("utf-8")
        strict: dict[str, Any] = {"parse_constant": _finite, "parse_float": _finite}
        read = json.loads(text, object_pairs_hook=_each_once, **strict)
    except UnicodeDecodeError:
        raise Problem(422, "The body is not UTF-8.") from None
    except json.JSONDecodeError as error:
        raise Problem(422, f"The body is not JSON: {error.msg} at character {error.pos}.") from None
    except RecursionError:
        raise _too_deep() from None
    except ValueError as error:
        raise Problem(422, f"The JSON is not accepted: {error}.") from None
    if text.count("{") + text.count("[") > _DEEPEST and check.is_deeper(read, _DEEPEST):
        raise _too_deep()


def _too_deep() -> Problem:
    why = f"The JSON is nested too deeply: {_DEEPEST} levels are the most."
    return Problem(422, f"{why} Flatten it.")


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("an object has the same name twice")
    return found


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        constant = text in ("NaN", "Infinity", "-Infinity")
        raise ValueError(f"{text} is not a JSON number" if constant else "a number is too large")
    return number


async def _whole(receive: Receive, most: int) -> bytes | None:
    pieces, size = [], 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            return None
        pieces.append(message.get("body", b""))
        size += len(pieces[-1])
        if size > most:
            await _drain(receive)
            raise _too_large(most)
        if not message.get("more_body", False):
            return b"".join(pieces)


def replayed(first: Message, receive: Receive) -> Receive:
    """Return what gives a message that was read already once more."""
    waiting = [first]

    async def read() -> Message:
        return waiting.pop() if waiting else await receive()

    return read


async def _drain(receive: Receive) -> None:
    size = 0
    while size < _DRAINED:
        message = await receive()
        size += len(message.get("body", b""))
        if message["type"] == "http.disconnect" or not message.get("more_body", False):
            return


def _too_large(most: int) -> Problem:
    advice = "Send less at a time, or raise ERSTWHILE_LIMITS__BODY_BYTES."
    return Problem(413, f"The body is larger than {most:,} bytes. {advice}")


log = Log(__name__)

_SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
_KEY = re.compile(r"er_[0-9a-z]{12}_[\w-]{20,}")
_KEY_IN_URL = "A key in a URL ends up in logs and histories. Send it as `Authorization: Bearer er_…`, and revoke this one."
_POLICY_VIOLATION = 1008
_NAMED = "ERSTWHILE_ORIGINS names those that may."
OTHER_ORIGIN = f"A web page of another origin may not do this. {_NAMED}"


class EntryMiddleware:
    def __init__(self, app: ASGIApp, settings: Settings, gate: Authenticator) -> None:
        self._app, self._gate = app, gate
        self._origins = frozenset(settings.origins)
        self._body_bytes = settings.limits.body_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            await self._http(scope, receive, send)
            return
        if scope["type"] == "websocket":
            try:
                await self._admit(scope)
            except Problem as problem:
                why = {"code": _POLICY_VIOLATION, "reason": problem.detail[:100]}
                await send({"type": "websocket.close", **why})
                return
        await self._app(scope, receive, send)

    async def _http(self, scope: Scope, receive: Receive, send: Send) -> None:
        started = False

        async def watched(message: Message) -> None:
            nonlocal started
            started = started or message["type"] == "http.response.start"
            await send(message)

        try:
            headers = await self._admit(scope)
            await self._app(scope, await checked(headers, receive, self._body_bytes), watched)
        except (Problem, exceptions.HTTPException) as error:
            refusal = problems.of(error)
        except Exception as error:  # noqa: BLE001 - neither response nor log may quote it
            _log(error)
            where = "The server's log has details under this request_id."
            refusal = Problem(500, f"Internal error. {where}")
        else:
            return
        if not started:  # else the closed connection shows it
            await problems.response(refusal, scope["path"])(scope, receive, watched)

    async def _admit(self, scope: Scope) -> Headers:
        connection = HTTPConnection(scope)
        query = scope["query_string"]
        if query and _KEY.search(unquote_plus(query.decode("latin-1"))):
            challenge = 'Bearer realm="erstwhile", error="invalid_request"'
            raise Problem(401, _KEY_IN_URL, headers={"WWW-Authenticate": challenge})
        if not same_site(scope, connection.headers, self._origins):
            raise Problem(403, OTHER_ORIGIN)
        if scope["path"] not in OPEN and not scope["path"].startswith(OPEN_BELOW):
            scope["state"]["caller"] = await self._gate.admit(connection)
        return connection.headers


def same_site(scope: Scope, headers: Headers, origins: Collection[str] = ()) -> bool:
    """Return whether the request was not forged by a web page of another site (CSRF). A page can't
    add a bearer key to a forged request, and clients other than browsers send no origin."""
    if scope["type"] == "http" and scope["method"] in _SAFE:
        return True
    origin = headers.get("origin")
    bearer = headers.get("authorization", "").lower().startswith("bearer ")
    if bearer or "x-api-key" in headers or origin in origins:
        return True
    site = headers.get("sec-fetch-site")
    if site is not None and scope["type"] == "http":
        return site in ("same-origin", "none")
    return origin is None or urlsplit(origin).netloc == headers.get("host")


def _log(error: Exception) -> None:
    """Log the type and place of an error, without its message, which may quote users."""
    frames = reversed(traceback.extract_tb(error.__traceback__)[-6:])
    at = " < ".join(f"{each.filename.rpartition('/')[2]}:{each.lineno}" for each in frames)
    request = problems.request_id.get()
    log.error("request.failed", request=request, error=type(error).__name__, at=at)


Body = MessageBody | MessagesBody
# Adds the messages of a body; may change the status of the response.
AddMessages = Callable[[Request, Body, Response], Awaitable[StoredMessage | MessageList]]

_JSON = "application/json"


@cache
def _body() -> TypeAdapter[Body]:
    return TypeAdapter(OneOrMany)


@cache
def _answer() -> TypeAdapter[StoredMessage | MessageList]:
    return TypeAdapter(StoredMessage | MessageList)


class PlainRoute(APIRoute):
    """A route whose plain requests are given to `add`."""

    add: ClassVar[AddMessages]

    def takes(self, scope: Scope) -> bool:
        """Return whether a request is one to this route, and note the ids in its path."""
        if scope["method"] not in (self.methods or ()):
            return False
        found = self.path_regex.match(scope["path"])
        if found is None:
            return False
        scope["route"], scope["path_params"] = self, found.groupdict()
        for name, value in scope["path_params"].items():
            scope["path_params"][name] = self.param_convertors[name].convert(value)
        return True


def plain_route(add: AddMessages) -> type[PlainRoute]:
    """Return the class of a route whose plain requests are given to `add`."""
    return type("AddingRoute", (PlainRoute,), {"add": staticmethod(add)})


class PlainMiddleware:
    """Answer plain requests to the routes that take them, whose bodies are checked already."""

    def __init__(self, app: ASGIApp, routes: Sequence[BaseRoute]) -> None:
        self._app = app
        self._routes = [route for route in routes if isinstance(route, PlainRoute)]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        routes = self._routes if scope["type"] == "http" else ()
        route = next((each for each in routes if each.takes(scope)), None)
        if route is not None and _is_plain(scope):
            first = await receive()
            if (body := _read(first.get("body", b""))) is not None:
                await _respond(route, body, Request(scope, receive), send)
                return
            receive = replayed(first, receive)
        await self._app(scope, receive, send)


def _is_plain(scope: Scope) -> bool:
    headers = Headers(scope=scope)
    short = max(map(len, scope["path_params"].values())) <= LONGEST_ID
    return short and headers.get("content-type") == _JSON and "idempotency-key" not in headers


def _read(body: bytes) -> Body | None:
    try:
        return _body().validate_json(body)
    except ValidationError:
        return None


async def _respond(route: PlainRoute, body: Body, request: Request, send: Send) -> None:
    response = Response(status_code=201)
    try:
        answer = await type(route).add(request, body, response)
    except Error as error:
        raise problems.of(error) from error
    said = Response(_answer().dump_json(answer), response.status_code, media_type=_JSON)
    await said(request.scope, request.receive, send)
