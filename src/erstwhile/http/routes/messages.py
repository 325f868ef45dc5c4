"""Messages of a channel: put in one or many, read in pages, reworded and taken back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

from fastapi import Header, Query, Response

from erstwhile.http import allowance, pages
from erstwhile.http.conversation import CHANNEL, Door, Hears, Speaks, routes
from erstwhile.http.openapi import Responses
from erstwhile.http.problems import Problem
from erstwhile.http.shapes.answered import Messages, PageOfMessages, Retracted, Revised
from erstwhile.http.shapes.asked import MessageKey, MessagesPage, Retracting
from erstwhile.http.shapes.given import GivenKeys, GivenMessage, GivenMessages, OneOrMany, Rewording
from erstwhile.log.model import Known, Message
from erstwhile.memory import Channel

router = routes("messages", CHANNEL)

IdempotencyKey = Annotated[
    str | None,
    Header(
        min_length=1,
        max_length=400,
        description="Your own id of this request: sent again, it gives back the messages stored then.",
    ),
]
_ANSWERS: Responses = {
    200: {
        "description": "They were stored before, under this Idempotency-Key.",
        "model": Message | Messages,
        "headers": {"Idempotent-Replayed": {"schema": {"type": "string", "enum": ["true"]}}},
    },
    202: {"description": "Not to be kept (see `block`): `seq` is 0, and it is nowhere.", "model": Message | Messages},
}


@router.post("/messages", status_code=201, responses=_ANSWERS, summary="Add messages")
async def add(
    chat: Speaks, memory: Door, body: OneOrMany, response: Response, idempotency_key: IdempotencyKey = None
) -> Message | Messages:
    """Stores one message, or several as one: all of them or none. When this answers, they are on disk.

    A `key` of a message, or an `Idempotency-Key` of the request, makes a repeat harmless: what was stored then comes back. An
    `Idempotency-Key` with other words than the first time is refused.
    """
    given = body.messages if isinstance(body, GivenMessages) else [body]
    allowance.check_batch(memory, len(given))
    await allowance.take_texts(memory, chat.space, (each.text for each in given))
    keys = _keys(idempotency_key, alone=isinstance(body, GivenMessage), count=len(given))
    before = await chat.size() if idempotency_key is not None else 0
    keyed = [_keyed(each, key) for each, key in zip(given, keys, strict=True)]
    stored = await chat._add_many(keyed, lambda found: _refuse_other_words(given, found, keys))
    if stored and not any(each.seq for each in stored):
        response.status_code = 202
    elif idempotency_key is not None and stored and all(each.seq <= before for each in stored):
        response.status_code = 200
        response.headers["Idempotent-Replayed"] = "true"
    return Messages(messages=stored) if isinstance(body, GivenMessages) else stored[0]


@router.get("/messages", summary="Read messages")
async def messages(chat: Hears, page: Annotated[MessagesPage, Query()]) -> PageOfMessages:
    """In order, in pages. What is added meanwhile comes at the end; nothing is read twice or passed over."""
    after = _after(chat, page)
    found = [message async for message in chat.messages(after, page.limit + 1)]
    more = len(found) > page.limit
    shown = found[: page.limit]
    place = pages.cursor(shown[-1].seq, *_listing(chat)) if more else None
    return PageOfMessages(messages=shown, next=place)


@router.patch("/messages/{key:id}", summary="Reword a message")
async def revise(chat: Speaks, memory: Door, key: MessageKey, body: Rewording) -> Revised:
    """Whoever said it has edited it: it stays in its place with other words, and the old ones go from everything that was made of them,
    which is made again. The same words change nothing; no words take it back."""
    await allowance.take_texts(memory, chat.space, [body.text])
    return Revised(message=await chat.revise(key, body.text))


@router.delete("/messages", summary="Take messages back")
async def retract(chat: Speaks, asked: Annotated[Retracting, Query()]) -> Retracted:
    """Whoever said them has deleted them: they go with what was made of them, and don't come back, also where a key is not there yet."""
    return Retracted(retracted=await chat.retract(asked.key))


@router.post("/messages/known", summary="Which messages are there already")
async def known(chat: Hears, body: GivenKeys) -> Known:
    """Of these keys, those whose messages are there already, and those whose messages were erased and stay away."""
    return await chat.known(body.keys)


def _keys(header: str | None, *, alone: bool, count: int) -> list[str | None]:
    if header is None:
        return [None] * count
    return [header] if alone else [f"{header}/{number}" for number in range(count)]


def _keyed(given: GivenMessage, key: str | None) -> dict[str, Any]:
    fields = given.model_dump(exclude_none=True)
    return fields if key is None or given.key is not None else {**fields, "key": key}


def _refuse_other_words(given: list[GivenMessage], stored: Sequence[Message], keys: list[str | None]) -> None:
    """A key of the message's own gives back what was stored, whatever it says now; that of the request promises the same request. Said
    before anything is final: of a request that is refused, nothing is stored."""
    for said, kept, key in zip(given, stored, keys, strict=True):
        if key is not None and said.key is None and (said.role, said.text) != (kept.role, kept.text):
            raise Problem(
                422,
                f"The Idempotency-Key was used before, for other words (message {kept.id}). Use a new key for a new request.",
            )


def _after(chat: Channel, page: MessagesPage) -> int:
    if page.cursor is None:
        return page.after or 0
    if page.after is not None:
        raise Problem(422, "Give `after` or `cursor`, not both.")
    return int(pages.place(page.cursor, *_listing(chat)))


def _listing(chat: Channel) -> tuple[str, str, str]:
    return ("messages", chat.space, chat.channel)
