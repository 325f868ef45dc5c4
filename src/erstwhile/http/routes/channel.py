"""A channel: add, read and delete its messages, build a context, ask the chat model, list its notes."""

from __future__ import annotations

import contextlib
import json
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from typing import Annotated, Any, cast

from fastapi import Header, Query, Request, Response
from fastapi.responses import StreamingResponse

from erstwhile.api import message_store
from erstwhile.api.channel import Channel
from erstwhile.api.memory import Memory
from erstwhile.base import page
from erstwhile.base.errors import Error
from erstwhile.http import models, permissions, problems
from erstwhile.http.caller import (
    CHANNEL,
    ReadableChannel,
    ServedMemory,
    WritableChannel,
    routes,
    writable_channel,
)
from erstwhile.http.caller import memory as served
from erstwhile.http.openapi import Responses, problem_responses
from erstwhile.http.problems import Problem
from erstwhile.http.request_checks import plain_route
from erstwhile.log.model import Message

router = routes("channel", CHANNEL)

_YOUR_OWN_ID = "Your own id of this request. Sending it again returns the messages stored then."
IdempotencyKey = Annotated[
    str | None, Header(min_length=1, max_length=400, description=_YOUR_OWN_ID)
]
_ANSWERS: Responses = {
    200: {
        "description": "The messages were stored before with this Idempotency-Key.",
        "model": Message | models.MessageList,
        "headers": {"Idempotent-Replayed": {"schema": {"type": "string", "enum": ["true"]}}},
    },
    202: {
        "description": "Not stored (see `block`): `seq` is 0.",
        "model": Message | models.MessageList,
    },
}


async def add(
    chat: WritableChannel,
    memory: ServedMemory,
    body: models.OneOrMany,
    response: Response,
    idempotency_key: IdempotencyKey = None,
) -> Message | models.MessageList:
    """Store one message, or several (all or none). They are on disk when this returns.

    With a `key` per message or an `Idempotency-Key`, a retry returns what was stored the first
    time. An `Idempotency-Key` with different texts is refused."""
    given = body.messages if isinstance(body, models.MessagesBody) else [body]
    permissions.check_batch(len(given))
    await permissions.take_texts(memory, chat.space, (each.text for each in given))
    keys = _keys(idempotency_key, alone=isinstance(body, models.MessageBody), count=len(given))
    before = await chat.size() if idempotency_key is not None else 0
    keyed = [_keyed(each, key) for each, key in zip(given, keys, strict=True)]
    stored = await message_store.add_many(
        chat, keyed, lambda found: _refuse_other_words(given, found, keys)
    )
    if stored and not any(each.seq for each in stored):
        response.status_code = 202
    elif idempotency_key is not None and stored and all(each.seq <= before for each in stored):
        response.status_code = 200
        response.headers["Idempotent-Replayed"] = "true"
    return (
        models.MessageList(messages=stored) if isinstance(body, models.MessagesBody) else stored[0]
    )


async def _add_plain(
    request: Request, body: models.MessageBody | models.MessagesBody, response: Response
) -> Message | models.MessageList:
    chat = await writable_channel(request, **request.path_params)
    return await add(chat, await served(request), body, response)


router.add_api_route(
    "/messages",
    add,
    methods=["POST"],
    status_code=201,
    responses=_ANSWERS,
    summary="Add messages",
    route_class_override=plain_route(_add_plain),
)


@router.get("/messages", summary="Read messages")
async def messages(
    chat: ReadableChannel, query: Annotated[models.MessagesPage, Query()]
) -> models.PageOfMessages:
    """Read messages in order, in pages, without gaps or duplicates."""
    found = [message async for message in chat.messages(_after(chat, query), query.limit + 1)]
    cut = page.cut(found, query.limit, lambda message: str(message.seq))
    return models.PageOfMessages(
        messages=cut, next=cut.next and page.encode(cut.next, _listing(chat))
    )


@router.delete("/messages", summary="Delete messages")
async def delete(
    chat: WritableChannel, query: Annotated[models.MessageKeys, Query()]
) -> models.DeleteResult:
    """Delete messages, as their sender did, with everything made from them. A message with one of
    these keys is not stored later either."""
    return models.DeleteResult(deleted=await chat.delete(query.key))


def _keys(header: str | None, *, alone: bool, count: int) -> list[str | None]:
    if header is None:
        return [None] * count
    return [header] if alone else [f"{header}/{number}" for number in range(count)]


def _keyed(given: models.MessageBody, key: str | None) -> dict[str, Any]:
    fields = given.model_dump(exclude_none=True)
    return fields if key is None or given.key is not None else {**fields, "key": key}


def _refuse_other_words(
    given: list[models.MessageBody], stored: Sequence[Message], keys: list[str | None]
) -> None:
    """Raise Problem if an Idempotency-Key is reused for different texts. It is checked before the
    commit, so nothing is stored. Keys of messages are not checked."""
    for said, kept, key in zip(given, stored, keys, strict=True):
        other = (said.role, said.text) != (kept.role, kept.text)
        if other and key is not None and said.key is None:
            why = f"This Idempotency-Key was used before for a different text (message {kept.id})."
            raise Problem(422, f"{why} Use a new key for a new request.")


def _after(chat: Channel, query: models.MessagesPage) -> int:
    if query.cursor is None:
        return query.after or 0
    if query.after is not None:
        raise Problem(422, "Give `after` or `cursor`, not both.")
    return int(page.decode(query.cursor, _listing(chat)))


def _listing(chat: Channel) -> tuple[str, str, str]:
    return ("messages", chat.space, chat.channel)


_STREAM: dict[str, Any] = {
    "description": "`piece` events with `text`, then `done`. A failure after the first piece is an `error` event with a problem.",
    "content": {"text/event-stream": {"schema": {"type": "string"}}},
}


@router.get("/context", summary="Build a context")
async def context(
    chat: ReadableChannel, memory: ServedMemory, query: Annotated[models.ContextParameters, Query()]
) -> models.ContextResponse:
    """Build what a model should know to answer `query` within `budget`, with sources."""
    return await _context(chat, memory, query)


@router.post("/context", summary="Build a context for a long question")
async def context_of(
    chat: ReadableChannel, memory: ServedMemory, body: models.ContextBody
) -> models.ContextResponse:
    """Build a context, with the question in the body, where it may be of any length."""
    return await _context(chat, memory, body)


async def _context(
    chat: Channel, memory: Memory, query: models.ContextParameters
) -> models.ContextResponse:
    await permissions.take_texts(memory, chat.space, [query.query])
    made = await chat.context(**query.model_dump(exclude={"items"}))
    return models.ContextResponse.of(made, items=query.items)


@router.post(
    "/ask",
    responses={200: _STREAM, **problem_responses(502)},
    response_class=StreamingResponse,
    summary="Ask the chat model",
)
async def ask(
    chat: WritableChannel, memory: ServedMemory, body: models.QuestionBody
) -> StreamingResponse:
    """Ask the chat model with memory and stream its reply. Question and reply are logged, even if
    you disconnect. If the model fails, the reply says so and is logged as failed."""
    await permissions.take_texts(memory, chat.space, [body.query, body.system, body.sources])
    pieces = cast(AsyncGenerator[str], chat.ask(**dict(body)))
    first = await anext(pieces, None)  # an invalid question is a problem, not a stream
    headers = {"Cache-Control": "no-store"}
    stream = _events(first, pieces)
    return StreamingResponse(stream, media_type="text/event-stream", headers=headers)


async def _events(first: str | None, rest: AsyncGenerator[str]) -> AsyncIterator[str]:
    async with contextlib.aclosing(rest):
        try:
            if first is not None:
                yield event("piece", {"text": first})
            async for piece in rest:
                yield event("piece", {"text": piece})
        except Error as error:
            yield event("error", problems.document(problems.of(error)))
        else:
            yield event("done", {})


def event(name: str, data: dict[str, Any]) -> str:
    return f"event: {name}\ndata: {json.dumps(data)}\n\n"


@router.get("/notes", responses=problem_responses(404), summary="List the notes of a channel")
async def notes(
    chat: ReadableChannel, memory: ServedMemory, query: Annotated[models.NotesPage, Query()]
) -> models.ChannelNotes:
    """List the notes and topics of a channel, newest first."""
    found = await memory.notes.list(space=chat.space, channel=chat.channel, **dict(query))
    return models.ChannelNotes(notes=found, next=found.next)
