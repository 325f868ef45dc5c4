"""Add messages without FastAPI's work for each request, which takes longer than storing a message.

Only a plain request is handled here. Any other, one with an Idempotency-Key or one to refuse, goes FastAPI's way, so
that there is one answer to it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine
from functools import cache
from typing import Any

from fastapi import Request, Response
from fastapi.routing import APIRoute
from pydantic import TypeAdapter, ValidationError

from erstwhile.http.models import MessageBody, MessageList, MessagesBody, OneOrMany
from erstwhile.log.check import LONGEST_ID
from erstwhile.log.model import Message

Handle = Callable[[Request], Coroutine[Any, Any, Response]]
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


def plain_route(add: AddMessages) -> type[APIRoute]:
    """Return the class of a route whose plain requests are given to `add`."""

    class PlainRoute(APIRoute):
        def get_route_handler(self) -> Handle:
            return _handler(super().get_route_handler(), add)

    return PlainRoute


def _handler(ordinary: Handle, add: AddMessages) -> Handle:
    async def handle(request: Request) -> Response:
        body = await _plain(request)
        if body is None:
            return await ordinary(request)
        response = Response(status_code=201)
        answer = await add(request, body, response)
        return Response(_answer().dump_json(answer), response.status_code, media_type=_JSON)

    return handle


async def _plain(request: Request) -> Body | None:
    """Return the body of a plain request; None of any other."""
    if request.headers.get("content-type") != _JSON or "idempotency-key" in request.headers:
        return None
    if max(map(len, request.path_params.values())) > LONGEST_ID:
        return None
    try:
        return _body().validate_json(await request.body())
    except ValidationError:
        return None
