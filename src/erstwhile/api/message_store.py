"""Add messages to a channel: one transaction for the messages and the jobs they cause."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from erstwhile.base import tracing
from erstwhile.log import append, check
from erstwhile.log.append import Agreed, PreparedMessage, agree
from erstwhile.log.model import Message, NewMessage

if TYPE_CHECKING:
    from erstwhile.api.channel import Channel

_PIECE = 4_000  # characters that are prepared at a time: about 1 ms
# Of each loop; a library may be called from several.
_preparing: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Lock] = WeakKeyDictionary()
Messages = Sequence[NewMessage | Mapping[str, Any]]


async def add_many(chat: Channel, messages: Messages, agreed: Agreed = agree) -> list[Message]:
    """Store messages as one durable batch. `agreed` may refuse it by raising."""
    with tracing.span("create_memory", space=chat.space, channel=chat.channel) as span:
        stored = await _store(chat, messages, agreed)
        span.note(count=len(stored), id=stored[0].id if len(stored) == 1 else None)
        return stored


async def say(
    chat: Channel, role: str, text: str, *, question: Message | None = None, **more: Any
) -> Message:
    """Store one message. A reply is not stored if its `question` was erased."""
    new = NewMessage(role, text, **{**more, "meta": more.get("meta") or {}})
    return (await _store(chat, [new], question=question))[0]


async def _store(
    chat: Channel, messages: Messages, agreed: Agreed = agree, question: Message | None = None
) -> list[Message]:
    settings, now = chat._memory.settings, chat._now()
    largest, name = settings.limits.message_bytes, chat.channel
    checked = [
        check.message(each, largest=largest, channel=name)
        for each in check.listed("messages", messages)
    ]
    if not checked:
        return []
    prepared = await _prepared(checked, now)
    if not chat._remembered(chat.space):
        return [each.message for each in prepared]
    runtime = chat._runtime
    addition = append.Addition(chat.channel, prepared, now, question, agreed)
    try:
        stored = await runtime.appends.write(chat.space, addition)
    except append.QuestionErased:
        return [each.message for each in prepared]
    runtime.worker.wake()
    return stored


async def _prepared(checked: Sequence[NewMessage], now: datetime) -> list[PreparedMessage]:
    """Prepare messages, many a piece at a time: in between the loop goes on writing other batches. These are prepared
    one after the other, so that the first is written while the next is prepared."""
    if len(piece := _piece(checked, 0)) == len(checked):
        return append.prepare(piece, now)
    from erstwhile.text import when  # who only asks stores nothing

    prepared, effort = list[PreparedMessage](), when.Effort(len(checked))
    async with _preparing.setdefault(asyncio.get_running_loop(), asyncio.Lock()):
        while piece := _piece(checked, len(prepared)):
            prepared += append.prepare(piece, now, effort)
            await asyncio.sleep(0)
    return prepared


def _piece(checked: Sequence[NewMessage], start: int) -> Sequence[NewMessage]:
    end, size = start, 0
    while end < len(checked) and size < _PIECE:
        size += len(checked[end].text)
        end += 1
    return checked[start:end]
