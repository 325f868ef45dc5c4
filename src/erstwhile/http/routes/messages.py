"""Add, read and delete messages of a channel."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

from fastapi import Header, Query, Request, Response

from erstwhile.api import message_store, page
from erstwhile.api.channel import Channel
from erstwhile.http import permissions
from erstwhile.http.caller import ServedMemory
from erstwhile.http.caller import memory as served
from erstwhile.http.dependencies import (
    CHANNEL,
    ReadableChannel,
    WritableChannel,
    routes,
    writable_channel,
)
from erstwhile.http.models import (
    DeleteResult,
    MessageBody,
    MessageKeys,
    MessageList,
    MessagesBody,
    MessagesPage,
    OneOrMany,
    PageOfMessages,
)
from erstwhile.http.openapi import Responses
from erstwhile.http.plain_requests import plain_route
from erstwhile.http.problems import Problem
from erstwhile.log.model import Message

router = routes("channel", CHANNEL)

IdempotencyKey = Annotated[
    str | None,
    Header(
        min_length=1,
        max_length=400,
        description="Your own id of this request. Sending it again returns the messages stored then.",
    ),
]
_ANSWERS: Responses = {
    200: {
        "description": "The messages were stored before with this Idempotency-Key.",
        "model": Message | MessageList,
        "headers": {"Idempotent-Replayed": {"schema": {"type": "string", "enum": ["true"]}}},
    },
    202: {"description": "Not stored (see `block`): `seq` is 0.", "model": Message | MessageList},
}


async def add(
    chat: WritableChannel,
    memory: ServedMemory,
    body: OneOrMany,
    response: Response,
    idempotency_key: IdempotencyKey = None,
) -> Message | MessageList:
    """Store one message, or several (all or none). They are on disk when this returns.

    With a `key` per message or an `Idempotency-Key`, a retry returns what was stored the first
    time. An `Idempotency-Key` with different texts is refused."""
    given = body.messages if isinstance(body, MessagesBody) else [body]
    permissions.check_batch(len(given))
    await permissions.take_texts(memory, chat.space, (each.text for each in given))
    keys = _keys(idempotency_key, alone=isinstance(body, MessageBody), count=len(given))
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
    return MessageList(messages=stored) if isinstance(body, MessagesBody) else stored[0]


async def _add_plain(
    request: Request, body: MessageBody | MessagesBody, response: Response
) -> Message | MessageList:
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
    chat: ReadableChannel, asked: Annotated[MessagesPage, Query()]
) -> PageOfMessages:
    """Read messages in order, in pages, without gaps or duplicates."""
    found = [message async for message in chat.messages(_after(chat, asked), asked.limit + 1)]
    cut = page.cut(found, asked.limit, lambda message: str(message.seq))
    return PageOfMessages(messages=cut, next=cut.next and page.encode(cut.next, _listing(chat)))


@router.delete("/messages", summary="Delete messages")
async def delete(chat: WritableChannel, asked: Annotated[MessageKeys, Query()]) -> DeleteResult:
    """Delete messages, as their sender did, with everything made from them. A message with one of
    these keys is not stored later either."""
    return DeleteResult(deleted=await chat.delete(asked.key))


def _keys(header: str | None, *, alone: bool, count: int) -> list[str | None]:
    if header is None:
        return [None] * count
    return [header] if alone else [f"{header}/{number}" for number in range(count)]


def _keyed(given: MessageBody, key: str | None) -> dict[str, Any]:
    fields = given.model_dump(exclude_none=True)
    return fields if key is None or given.key is not None else {**fields, "key": key}


def _refuse_other_words(
    given: list[MessageBody], stored: Sequence[Message], keys: list[str | None]
) -> None:
    """Raise Problem if an Idempotency-Key is reused for different texts. It is checked before the
    commit, so nothing is stored. Keys of messages are not checked."""
    for said, kept, key in zip(given, stored, keys, strict=True):
        other = (said.role, said.text) != (kept.role, kept.text)
        if other and key is not None and said.key is None:
            why = f"This Idempotency-Key was used before for a different text (message {kept.id})."
            raise Problem(422, f"{why} Use a new key for a new request.")


def _after(chat: Channel, asked: MessagesPage) -> int:
    if asked.cursor is None:
        return asked.after or 0
    if asked.after is not None:
        raise Problem(422, "Give `after` or `cursor`, not both.")
    return int(page.decode(asked.cursor, _listing(chat)))


def _listing(chat: Channel) -> tuple[str, str, str]:
    return ("messages", chat.space, chat.channel)
