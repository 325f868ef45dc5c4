"""Add messages without FastAPI's work for each request, which takes longer than storing a message.

Only a plain request is handled here. Any other, one with an Idempotency-Key or one to refuse, goes FastAPI's way, so
that there is one answer to it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from functools import cache
from typing import ClassVar

from fastapi import Request, Response
from fastapi.routing import APIRoute
from pydantic import TypeAdapter, ValidationError
from starlette.datastructures import Headers
from starlette.routing import BaseRoute
from starlette.types import ASGIApp, Receive, Scope, Send

from erstwhile.base.errors import Error
from erstwhile.http import problems
from erstwhile.http.models import MessageBody, MessageList, MessagesBody, OneOrMany
from erstwhile.http.request_checks import replayed
from erstwhile.log.check import LONGEST_ID
from erstwhile.log.model import Message

Body = MessageBody | MessagesBody
# Adds the messages of a body; may change the status of the response.
AddMessages = Callable[[Request, Body, Response], Awaitable[Message | MessageList]]

_JSON = "application/json"


@cache
def _body() -> TypeAdapter[Body]:
    return TypeAdapter(OneOrMany)


@cache
def _answer() -> TypeAdapter[Message | MessageList]:
    return TypeAdapter(Message | MessageList)


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
