"""Append messages: one transaction for messages, people, search terms and the layers' jobs."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field
from datetime import date, datetime
from functools import cache
from typing import TYPE_CHECKING, Any, Protocol, cast

from erstwhile.base import crash, ids, trust
from erstwhile.base.clock import micros, moment
from erstwhile.base.records import dataclass
from erstwhile.events import store as events
from erstwhile.index import documents, markers
from erstwhile.index.traits import QUESTION, REPLY, REQUEST, TRUST
from erstwhile.language import assistant
from erstwhile.log import check
from erstwhile.log.model import ChannelMessages, Message, NewMessage
from erstwhile.log.store import add_space, add_speakers, by_ids, from_row, queries, twins_of
from erstwhile.receipts import store as receipts
from erstwhile.storage import Transaction
from erstwhile.text import analyse, names

if TYPE_CHECKING:
    from erstwhile.text.when import Effort

# Called with the stored messages before the commit. If it raises, nothing is stored.
Agreed = Callable[[Sequence[Message]], None]


class QuestionErased(Exception):
    """Raised when the question was erased before its answer was stored."""


def agree(_stored: Sequence[Message]) -> None:
    """Accept every append."""


class AppendListener(Protocol):
    """Called in the transaction that appends messages. What `before_append` returned is `held`; it reads, while the
    append reads too, so that both take one round trip."""

    async def before_append(self, tx: Transaction, channels: Sequence[str]) -> Any: ...

    async def appended(
        self, tx: Transaction, added: Sequence[ChannelMessages], held: Any, now: datetime
    ) -> None: ...


@dataclass(frozen=True, slots=True)
class PreparedMessage:
    """A message with everything computed before the transaction. Its `seq` is still 0, and its row
    lacks its place and its number. `terms`: see `search_terms`."""

    message: Message
    row: Mapping[str, Any]
    terms: str


def prepare(
    new: Sequence[NewMessage], now: datetime, effort: Effort | None = None
) -> list[PreparedMessage]:
    messages = [_unplaced(each, now) for each in new]
    terms = search_terms(messages, effort)
    return [
        PreparedMessage(message, _row(message), documents.spelt_terms(found))
        for message, found in zip(messages, terms, strict=True)
    ]


def _unplaced(new: NewMessage, now: datetime) -> Message:
    at = moment(micros(cast("datetime | None", new.at) or now))
    named = ids.new("msg"), 0, new.role, new.person, new.name
    return Message(*named, new.text, at, new.key, new.model, new.meta)


def _row(message: Message) -> dict[str, Any]:
    from erstwhile.storage.checksums import checksum  # not needed to search

    meta = message.meta
    row = {
        "id": message.id,
        "role": message.role,
        "person": message.person,
        "name": message.name,
        "text": message.text,
        "at": micros(message.at),
        "key": message.key,
        "model": message.model,
        "meta": json.dumps(meta, ensure_ascii=False) if meta else "{}",
        "source": source_of(message),
        "traits": _traits(message),
    }
    row["checksum"] = checksum(row)
    return row


def search_terms(messages: Sequence[Message], effort: Effort | None = None) -> list[list[str]]:
    """Return the search terms of each message, including its author and month; ahead of them, when it happened and the
    names in it. One kind after the other for all messages: all kinds of one message after the other took a third
    longer."""
    from erstwhile.text import when  # its tables are only read by whoever stores or asks

    effort = effort or when.Effort(len(messages))
    times = [when.happened(each.text, each.at, effort) for each in messages]
    others = when.words()
    named = [names.name_terms(each.text, others) for each in messages]
    terms = [
        analyse.document_terms(
            f"{each.name or each.person or ''} {_month(each.at.year, each.at.month)}\n{each.text}"
        )
        for each in messages
    ]
    found = map(markers.spell, times, named)
    return [ahead + own for ahead, own in zip(found, terms, strict=True)]


@cache
def _month(year: int, month: int) -> str:
    return f"{date(year, month, 1):%B %Y}"


@dataclass(frozen=True, slots=True)
class Addition:
    """What one caller adds to a channel: all of it or nothing. It is refused if its `question` was erased."""

    channel: str
    prepared: Sequence[PreparedMessage]
    now: datetime
    question: Message | None = None
    agreed: Agreed = agree

    def __len__(self) -> int:
        return len(self.prepared)


async def open_channel(tx: Transaction, channel: str, now: datetime) -> int:
    """Create the channel if it is new, lock it, and return the `seq` of its last message."""
    return (await _open(tx, [channel], now))[channel]


async def _open(tx: Transaction, channels: Sequence[str], now: datetime) -> dict[str, int]:
    rows = await tx.all(queries.open_channels, channels=json.dumps(channels), now=micros(now))
    last_seqs = {row["channel"]: row["last_seq"] for row in rows}
    if 0 in last_seqs.values():
        await add_space(tx, now)
    return last_seqs


_Known = dict[tuple[str, str | None], Message]  # by channel and key


@dataclass(slots=True)
class _Placement:
    """Gives the messages of additions their place in their channels, one addition after the other."""

    last_seqs: dict[str, int]
    known: _Known
    blocked: frozenset[str]
    erased: frozenset[receipts.Trace]
    questions: frozenset[str]
    twins: dict[str, str]
    fresh: list[_FreshMessages] = field(default_factory=list)

    def place(self, addition: Addition) -> list[Message]:
        """Return the messages as they will be stored. Raises if the addition is refused; then nothing of it is kept."""
        question = addition.question
        if question is not None and question.seq and question.id not in self.questions:
            raise QuestionErased
        channel, last_seq = addition.channel, self.last_seqs[addition.channel]
        stored: list[Message] = []
        fresh: list[Message] = []
        prepared: list[PreparedMessage] = []
        known: _Known = {}
        people = dict(self.twins)
        for person in dict.fromkeys(each.message.person for each in addition.prepared):
            if person is not None:
                check.not_a_twin(person, people.setdefault(check.folded(person), person))
        now = micros(addition.now)
        for each in addition.prepared:
            given = each.message
            place = (channel, given.key)
            message = None if given.key is None else self.known.get(place) or known.get(place)
            gone = bool(self.erased) and not self.erased.isdisjoint(_traces(channel, each, now))
            if message is None and (given.person in self.blocked or gone):
                message = given
            elif message is None:
                message = given.numbered(last_seq + len(fresh) + 1)
                fresh.append(message)
                prepared.append(each)
                known[place] = message
            stored.append(message)
        addition.agreed(stored)
        if fresh:
            self.known.update(known)
            self.twins.update(people)
            self.last_seqs[channel] = fresh[-1].seq
            self.fresh.append(_FreshMessages(channel, fresh, prepared, addition.now))
        return stored


@dataclass(frozen=True, slots=True)
class _FreshMessages:
    """The messages of one addition that are new."""

    channel: str
    messages: Sequence[Message]
    prepared: Sequence[PreparedMessage]
    now: datetime


async def append(
    tx: Transaction, additions: Sequence[Addition], listener: AppendListener
) -> list[list[Message] | Exception]:
    """Append the messages of several callers. Return for each its messages in order, or why they were refused.

    For a known key, the stored message is returned. Messages of blocked people and erased messages are not stored:
    they have `seq` 0."""
    now = max(each.now for each in additions)
    placement, numbers, held = await _look(tx, additions, listener, now)
    results: list[list[Message] | Exception] = []
    for addition in additions:
        try:
            results.append(placement.place(addition))
        except Exception as error:  # a refusal is its caller's, the others go on
            if not placement.last_seqs[addition.channel]:
                raise  # else the refused addition would leave an empty channel behind
            results.append(error)
    if placement.fresh:
        await _write(tx, placement.fresh, placement.last_seqs, numbers)
        await listener.appended(tx, _by_channel(placement.fresh), held, now)
        crash.point("log.append.after_listeners")
    return results


async def _look(
    tx: Transaction, additions: Sequence[Addition], listener: AppendListener, now: datetime
) -> tuple[_Placement, Sequence[int], Any]:
    """Lock the channels, then read what decides which messages are stored, and reserve their numbers. On Postgres
    a statement that waited for a lock has an old snapshot, so each of these is a statement of its own after it."""
    channels = sorted({each.channel for each in additions})
    keyed = {(each.channel, one.message.key): None for each in additions for one in each.prepared}
    keys = [(channel, key) for channel, key in keyed if key is not None]
    times = [micros(each.now) for each in additions]
    traces = [
        trace
        for each, said in zip(additions, times, strict=True)
        for one in each.prepared
        for trace in _traces(each.channel, one, said)
    ]
    questions_asked = [each.question for each in additions if each.question is not None]
    asked = [each.id for each in questions_asked if each.seq]
    authors = {one.message.person for each in additions for one in each.prepared}
    named = {person for person in authors if person is not None}
    last_seqs, blocked, known, erased, questions, twins, numbers, held = await tx.together(
        _open(tx, channels, now),
        tx.all(queries.blocked),
        _known(tx, keys),
        receipts.find_traces(tx, traces),
        by_ids(tx, asked),
        twins_of(tx, named),
        documents.reserve(tx, sum(map(len, additions))),
        listener.before_append(tx, channels),
    )
    people = frozenset(row["person"] for row in blocked)
    placement = _Placement(last_seqs, known, people, erased, frozenset(questions), twins)
    return placement, numbers, held


def _traces(channel: str, prepared: PreparedMessage, now: int) -> list[receipts.Trace]:
    """Return what a message would be known by if it was erased. What is said now was not."""
    message, at = prepared.message, prepared.row["at"]
    found = [] if message.key is None else [receipts.key_trace(channel, message.key)]
    if at != now:
        found.append(receipts.words_trace(message.person, at, message.text))
    return found


async def _known(tx: Transaction, keys: Sequence[tuple[str, str]]) -> _Known:
    named = json.dumps([{"channel": channel, "key": key} for channel, key in keys])
    rows = await tx.all(queries.with_keys, rows=named) if keys else []
    return {(row["channel"], row["key"]): from_row(row) for row in rows}


def _by_channel(fresh: Sequence[_FreshMessages]) -> list[ChannelMessages]:
    """Put together what was appended to each channel, channels in order."""
    found: dict[str, list[Message]] = {}
    for each in fresh:
        found.setdefault(each.channel, []).extend(each.messages)
    return [ChannelMessages(channel, found[channel]) for channel in sorted(found)]


async def _write(
    tx: Transaction,
    fresh: Sequence[_FreshMessages],
    last_seqs: Mapping[str, int],
    numbers: Sequence[int],
) -> None:
    crash.point("log.append.before_messages")
    given = iter(numbers)  # more than are needed if some are not stored
    rows = [row for each in fresh for row in _rows(each, given)]
    await tx.run_many(queries.add_message, rows)
    moved = sorted({each.channel for each in fresh})
    lasts = [{"channel": name, "last_seq": last_seqs[name]} for name in moved]
    await tx.run_many(queries.move_channels, lasts)
    await _write_titles(tx, fresh)
    await events.emit_many(tx, [_event(each) for each in fresh])
    said = []
    for each in fresh:
        place = each.channel, micros(each.now), each.messages[0].seq
        said.append((*place, [one.row for one in each.prepared]))
    await add_speakers(tx, said)
    terms = [one.terms for each in fresh for one in each.prepared]
    found = [{"doc": row["doc"], "terms": each} for row, each in zip(rows, terms, strict=True)]
    await documents.add_messages(tx, found)
    crash.point("log.append.after_messages")


_LONGEST_TITLE = 200  # characters


async def _write_titles(tx: Transaction, fresh: Sequence[_FreshMessages]) -> None:
    """Name channels that have no title yet after the imported conversation."""
    found = {each.channel: title for each in fresh if (title := _title(each.messages[-1]))}
    if found:
        rows = [{"channel": channel, "title": found[channel]} for channel in sorted(found)]
        await tx.run_many(queries.name_channels, rows)


def _title(message: Message) -> str:
    """Return the title of the conversation that an imported message is of."""
    given = message.meta.get("title") if message.meta else None
    imported = str(message.meta.get("source") or "").startswith("import:") if given else False
    return " ".join(given.split())[:_LONGEST_TITLE] if imported and isinstance(given, str) else ""


def _event(fresh: _FreshMessages) -> dict[str, Any]:
    """Return one event for the messages of an addition, named after the last one, with the person if all are one person's."""
    first, last = fresh.messages[0], fresh.messages[-1]
    people = {each.person for each in fresh.messages}
    person = last.person if len(people) == 1 else None
    what = {"kind": "message", "action": "added", "id": last.id}
    where = {"channel": fresh.channel, "person": person, "seq": first.seq, "until": last.seq}
    return {**what, **where}


def _rows(fresh: _FreshMessages, numbers: Iterator[int]) -> Iterator[dict[str, Any]]:
    shared = {"channel": fresh.channel, "created_at": micros(fresh.now)}
    for message, prepared in zip(fresh.messages, fresh.prepared, strict=True):
        yield {**prepared.row, **shared, "seq": message.seq, "doc": next(numbers)}


def source_of(message: Message) -> str | None:
    """Return the origin of a message: `source` in its meta, if it is a valid id."""
    source = message.meta.get("source") if message.meta else None
    if not isinstance(source, str) or not 0 < len(source.encode()) <= check.LONGEST_ID:
        return None
    return source


def search_documents(messages: Sequence[Message]) -> list[documents.MessageDocument]:
    return [
        documents.MessageDocument(each.id, _traits(each), documents.spelt_terms(terms))
        for each, terms in zip(messages, search_terms(messages), strict=True)
    ]


def _traits(message: Message) -> int:
    found = TRUST * trust.of_message(message.role, message.person, message.meta)
    found |= QUESTION if message.text.rstrip().endswith(("?", "？")) else 0
    if message.role != "user":
        return found | REPLY
    return found | (REQUEST if assistant.is_standing(message.text) else 0)
