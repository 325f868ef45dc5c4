"""Add messages to a channel: one transaction for the messages and the jobs they cause."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from erstwhile.base import tracing
from erstwhile.configuration import space as choices
from erstwhile.log import append, check
from erstwhile.log.append import Agreed, agree
from erstwhile.log.model import Message, NewMessage
from erstwhile.storage import Transaction

if TYPE_CHECKING:
    from erstwhile.api.channel import Channel

Messages = Sequence[NewMessage | Mapping[str, Any]]


async def add_many(chat: Channel, messages: Messages, agreed: Agreed = agree) -> list[Message]:
    """Store messages as one durable batch. `agreed` may refuse it by raising."""
    with tracing.span("create_memory", space=chat.space, channel=chat.channel) as span:
        stored = await _store(chat, messages, agreed)
        span.note(count=len(stored), id=stored[0].id if len(stored) == 1 else None)
        return stored


async def say(chat: Channel, role: str, text: str, *, question: Message | None = None, **more: Any) -> Message:
    """Store one message. A reply is not stored if its `question` was erased."""
    new = NewMessage(role, text, **{**more, "meta": more.get("meta") or {}})
    return (await _store(chat, [new], question=question))[0]


async def _store(
    chat: Channel, messages: Messages, agreed: Agreed = agree, question: Message | None = None
) -> list[Message]:
    settings, now = chat._memory.settings, chat._now()
    largest, name = settings.limits.message_bytes, chat.channel
    checked = [check.message(each, largest=largest, channel=name) for each in messages]
    if not checked:
        return []
    prepared = [append.prepare(each, now) for each in checked]
    if not chat._remembered(chat.space):
        return [each.message for each in prepared]
    runtime = chat._runtime

    async def unit(tx: Transaction) -> list[Message]:
        if question is not None:
            await append.check_asked(tx, chat.channel, question, now)
        recipe = await choices.recipe(tx) or settings.recipe
        listeners: list[append.AppendListener] = [*runtime.layers.hearing(recipe)]
        if settings.retention:  # retention of a single space starts its timer when it is set
            listeners.append(runtime.retention)
        stored = await append.append(tx, chat.channel, prepared, listeners, now)
        agreed(stored)
        return stored

    try:
        stored = await runtime.database.write(chat.space, unit)
    except append.QuestionErased:
        return [each.message for each in prepared]
    runtime.worker.wake()
    return stored
