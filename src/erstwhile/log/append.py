"""Append messages: one transaction for messages, people, search terms and the layers' jobs."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, Protocol, cast

from erstwhile.base import crash, ids
from erstwhile.base.clock import micros, moment
from erstwhile.base.records import dataclass
from erstwhile.erasures import store as erasures
from erstwhile.index import documents
from erstwhile.log import check
from erstwhile.log.model import Message, NewMessage
from erstwhile.log.store import add_space, from_row, queries
from erstwhile.storage import Transaction
from erstwhile.text import analyse

# Called with the stored messages before the commit. If it raises, nothing is stored.
Agreed = Callable[[Sequence[Message]], None]


class QuestionErased(Exception):
    """Raised when the question was erased before its answer was stored."""


def agree(_stored: Sequence[Message]) -> None:
    """Accept every append."""


class AppendListener(Protocol):
    """Called in the transaction that appends messages to a channel."""

    async def appended(self, tx: Transaction, channel: str, messages: Sequence[Message], now: datetime) -> None: ...


@dataclass(frozen=True, slots=True)
class PreparedMessage:
    """A message with everything computed before the transaction. Its `seq` is still 0."""

    message: Message
    terms: Sequence[str]


def prepare(new: NewMessage, now: datetime) -> PreparedMessage:
    at = moment(micros(cast(datetime | None, new.at) or now))
    message = Message(
        id=ids.new("msg"),
        seq=0,
        role=new.role,
        person=new.person,
        name=new.name,
        text=new.text,
        at=at,
        key=new.key,
        model=new.model,
        meta=new.meta,
    )
    return PreparedMessage(message, search_terms(message))


def search_terms(message: Message) -> list[str]:
    """Return the search terms of a message, including its author and month."""
    return analyse.terms(f"{message.name or message.person or ''} {message.at:%B %Y}\n{message.text}")


async def open_channel(tx: Transaction, channel: str, now: datetime) -> int:
    """Create the channel if it is new, lock it, and return the `seq` of its last message."""
    return (await _open(tx, channel, now)).last_seq


async def check_asked(tx: Transaction, channel: str, question: Message, now: datetime) -> None:
    """Raise QuestionErased if the question is gone. The channel is locked first, so that a later
    erasure finds the answer."""
    await open_channel(tx, channel, now)
    if question.seq and not await tx.all(queries.by_ids, ids=json.dumps([question.id])):
        raise QuestionErased


@dataclass(frozen=True, slots=True)
class _Opened:
    """Whether someone in the space may be blocked, and whether something may have been erased."""

    last_seq: int
    blocked: bool
    erased: bool


async def _open(tx: Transaction, channel: str, now: datetime) -> _Opened:
    row = await tx.first(queries.open_channel, channel=channel, now=micros(now))
    assert row is not None
    if row["last_seq"] == 0:
        await add_space(tx, now)
    # On Postgres, a statement that waited for a lock has an old snapshot, so this is read again.
    waited = tx.dialect == "postgres"
    return _Opened(row["last_seq"], blocked=waited or bool(row["blocked"]), erased=waited or bool(row["erased"]))


async def append(
    tx: Transaction,
    channel: str,
    prepared: Sequence[PreparedMessage],
    listeners: Sequence[AppendListener],
    now: datetime,
) -> list[Message]:
    """Append messages and return them in order. For a known key, the stored message is returned.
    Messages of blocked people and erased messages are not stored: they have `seq` 0."""
    opened = await _open(tx, channel, now)
    last_seq = opened.last_seq
    blocked = {row["person"] for row in await tx.all(queries.blocked)} if opened.blocked else frozenset[str]()
    known = await _known(tx, channel, prepared)
    keys = [each.message.key for each in prepared if each.message.key is not None]
    buried = await erasures.buried(tx, channel, keys) if opened.erased else frozenset[str]()
    stored: list[Message] = []
    fresh: list[PreparedMessage] = []
    for each in prepared:
        message = known.get(each.message.key) if each.message.key is not None else None
        if message is None and (each.message.person in blocked or each.message.key in buried):
            message = each.message
        elif message is None:
            message = replace(each.message, seq=last_seq + len(fresh) + 1)
            fresh.append(PreparedMessage(message, each.terms))
            if message.key is not None:
                known[message.key] = message
        stored.append(message)
    if fresh:
        await _write(tx, channel, fresh, now)
        for listener in listeners:
            await listener.appended(tx, channel, [each.message for each in fresh], now)
        crash.point("log.append.after_listeners")
    return stored


async def _known(tx: Transaction, channel: str, prepared: Sequence[PreparedMessage]) -> dict[str | None, Message]:
    keys = [each.message.key for each in prepared if each.message.key is not None]
    if not keys:
        return {}
    rows = await tx.all(queries.by_keys, channel=channel, keys=json.dumps(keys))
    return {row["key"]: from_row(row) for row in rows}


async def _write(tx: Transaction, channel: str, fresh: Sequence[PreparedMessage], now: datetime) -> None:
    crash.point("log.append.before_messages")
    messages = [each.message for each in fresh]
    await tx.run_many(queries.add_message, [_row(channel, message, now) for message in messages])
    await _move(tx, channel, messages)
    await _write_people(tx, channel, messages, now)
    await documents.add(tx, [document(channel, each.message, each.terms) for each in fresh])
    crash.point("log.append.after_messages")


async def _move(tx: Transaction, channel: str, messages: Sequence[Message]) -> None:
    """Emit one event for the messages, named after the last one, with the person if all are one
    person's."""
    first, last = messages[0], messages[-1]
    people = {message.person for message in messages}
    person = last.person if len(people) == 1 else None
    await tx.run(
        queries.move_channel, channel=channel, id=last.id, person=person, first_seq=first.seq, last_seq=last.seq
    )


def _row(channel: str, message: Message, now: datetime) -> dict[str, Any]:
    return {
        "channel": channel,
        "seq": message.seq,
        "id": message.id,
        "role": message.role,
        "person": message.person,
        "name": message.name,
        "text": message.text,
        "at": micros(message.at),
        "key": message.key,
        "model": message.model,
        "meta": json.dumps(message.meta, ensure_ascii=False),
        "source": source_of(message),
        "now": micros(now),
    }


def source_of(message: Message) -> str | None:
    """Return the origin of a message: `source` in its meta, if it is a valid id."""
    source = message.meta.get("source") if message.meta else None
    return source if isinstance(source, str) and 0 < len(source.encode()) <= check.LONGEST_ID else None


def document(channel: str, message: Message, terms: Sequence[str]) -> documents.Document:
    return documents.Document(
        id=message.id,
        kind="message",
        at=micros(message.at),
        terms=terms,
        channel=channel,
        person=message.person,
        seq=message.seq,
        question=message.text.rstrip().endswith(("?", "？")),
    )


async def _write_people(tx: Transaction, channel: str, messages: Sequence[Message], now: datetime) -> None:
    people = sorted({message.person for message in messages if message.person is not None})  # sorted: no deadlocks
    if people:
        await tx.run_many(queries.add_person, [{"person": person, "now": micros(now)} for person in people])
    speakers = sorted({message.person or "" for message in messages if message.role == "user"})
    if speakers:
        await tx.run_many(queries.add_speaker, [{"channel": channel, "person": person} for person in speakers])
    times: dict[tuple[str, str], list[int]] = {}
    for message in messages:
        if message.person is not None and message.name is not None:
            times.setdefault((message.person, message.name), []).append(micros(message.at))
    if times:
        rows = [
            {"person": person, "name": name, "first_at": min(seen), "last_at": max(seen)}
            for (person, name), seen in sorted(times.items())
        ]
        await tx.run_many(queries.add_name, rows)
