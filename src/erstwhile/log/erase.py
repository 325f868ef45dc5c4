"""Erase messages, channels and people. What goes with a message is listed first: replies to it, and
channels in which nobody else wrote."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from erstwhile.base.clock import micros
from erstwhile.index import documents
from erstwhile.log.store import queries
from erstwhile.storage import Row, Transaction, column, value
from erstwhile.storage.checksums import checksum
from erstwhile.tables import listed
from erstwhile.tables.model import Erasing, Subject, Table
from erstwhile.tables.owner import Owner, Texts

Ranges = Sequence[tuple[int, int]]  # the first and the last message of each

_REPLIES: Final = ("assistant", "tool")
_PAGE: Final = 1000
_FURTHEST: Final = 200  # messages after a single one in which to look for a reply to it


class LogOwner(Owner):
    tables = (
        Table("spaces"),
        Table("channels", channel=("channel",), counted=True),
        Table("people", ("person",), kept="blocked = 1", counted=True),
        Table("names", ("person",), counted=True),
        Table("messages", ("person",), ("channel",), words=("id",), listed=True),
        Table("speakers", ("person",), ("channel",)),
        Table("listening", channel=("channel",), by="by", exported="space"),
    )
    texts = (Texts("titles", queries.titles_after, queries.drop_titles_of),)

    async def erase(self, tx: Transaction, erasing: Erasing) -> None:
        """Delete the listed messages. Each is a search document of its own."""
        erasing.counts["messages"] += await drop_messages(tx)
        erasing.counts["documents"] += erasing.counts["messages"]

    async def erase_places(self, tx: Transaction, erasing: Erasing) -> None:
        for person in erasing.people:
            await tx.run(queries.keep_open, person=person)
        await super().erase_places(tx, erasing)
        for person in erasing.people:  # who is blocked stays known
            await tx.run(queries.unshare, person=person, now=micros(erasing.now))

    async def knows(self, tx: Transaction, person: str) -> bool:
        return await tx.first(queries.known_otherwise, person=person) is not None


OWNER: Final = LogOwner()


async def drop_messages(tx: Transaction) -> int:
    """Delete the listed messages with their search documents. Return how many there were."""
    docs = await column(tx, queries.docs_going)
    for start in range(0, len(docs), _PAGE):
        await documents.forget(tx, docs[start : start + _PAGE])
    return await tx.run(queries.drop_messages)


async def expire(tx: Transaction, channel: str, rows: Sequence[Row]) -> None:
    """Delete messages that have been kept long enough, with their search documents."""
    await documents.remove(tx, [row["id"] for row in rows])
    await documents.forget(tx, [row["doc"] for row in rows])
    gone = [{"channel": channel, "seq": row["seq"]} for row in rows]
    await tx.run_many(queries.drop_message, gone)


async def old_channels(tx: Transaction, bounds: Mapping[str, int]) -> list[str]:
    """Return the channels with messages `before` a time that are not among the `recent` latest."""
    return await column(tx, queries.old_channels, **bounds)


async def old_messages(
    tx: Transaction, channel: str, held: Ranges, bounds: Mapping[str, int], limit: int
) -> list[Row]:
    """Return a page of those of a channel, `after` one of them, without the ranges that are held."""
    where = {"channel": channel, "held": _rows(held), "limit": limit}
    return await tx.all(queries.old_messages, **where, **bounds)


async def count_old(tx: Transaction, channel: str, held: Ranges, bounds: Mapping[str, int]) -> int:
    where = {"channel": channel, "held": _rows(held)}
    return int(await value(tx, queries.count_old_messages, **where, **bounds))


def _rows(held: Ranges) -> str:
    return json.dumps([{"first": first, "last": last} for first, last in held])


async def reword(tx: Transaction, row: Row, text: str) -> None:
    """Replace the text of a message."""
    sum_of = checksum({**row, "text": text})
    await tx.run(queries.reword, id=row["id"], text=text, checksum=sum_of)


async def is_known(tx: Transaction, subject: Subject) -> bool:
    """Return whether there is such a channel, source or message."""
    if subject.channel is not None:
        return await tx.first(queries.channel_known, channel=subject.channel) is not None
    if subject.source is not None:
        return await tx.first(queries.source_known, source=subject.source) is not None
    return await tx.first(queries.message_known, id=subject.message) is not None


async def says_listed(tx: Transaction, channel: str, said: Mapping[str, Any]) -> bool:
    """Return whether a listed message of the channel has this number, or these words by the same
    person, or the whole channel is listed."""
    return await tx.first(queries.says_listed, channel=channel, **said) is not None


async def first_stored(tx: Transaction, person: str | None) -> int | None:
    """Return when the first of what is erased was stored: nothing was made of it before."""
    first: int | None = await value(tx, queries.first_stored, person=person)
    return first


async def listed_rows(tx: Transaction) -> list[Row]:
    """Return the listed messages."""
    return await tx.all(queries.going)


async def page(tx: Transaction, after: Row | None, limit: int) -> list[Row]:
    """Return a page of all messages of the space."""
    place = {"channel": after["channel"] if after else "", "seq": after["seq"] if after else 0}
    return await tx.all(queries.page_to_erase, **place, limit=limit)


async def senders(tx: Transaction) -> list[str]:
    """Return who wrote the listed messages."""
    return await column(tx, queries.senders)


async def strangers(tx: Transaction) -> list[str]:
    """Return who spoke only in channels that are erased."""
    return await column(tx, queries.strangers)


# Listing


async def list_messages(tx: Transaction, subject: Subject) -> list[str]:
    """List the messages to erase. Return the channels that are erased completely."""
    whole = await _own(tx, subject)
    for channel in whole:
        await listed.add_channel(tx, channel)
        await tx.run(queries.list_messages_in, channel=channel)
    if subject.single:
        await list_replies(tx, await listed.places(tx))
    elif subject.channel is None:
        for channel in await listed.channels(tx):
            if channel not in whole:
                await _list_answers(tx, channel, await _whose(tx, channel, subject))
    return whole


async def _own(tx: Transaction, subject: Subject) -> list[str]:
    if subject.channel is not None:
        return [subject.channel]
    if subject.message is not None:
        await tx.run(queries.list_message_called, id=subject.message)
        return []
    if subject.source is not None:
        await tx.run(queries.list_messages_from, source=subject.source)
        return await column(tx, queries.channels_from, source=subject.source)
    whole = await column(tx, queries.channels_alone, person=subject.person)
    await tx.run(queries.list_messages_of, person=subject.person)
    return whole


Mine = Callable[[Row], bool]


async def _whose(tx: Transaction, channel: str, subject: Subject) -> Mine:
    if subject.person is not None:
        return lambda row: row["person"] == subject.person
    found = await listed.messages_in(tx, channel)
    return lambda row: row["id"] in found


async def _list_answers(tx: Transaction, channel: str, mine: Mine) -> None:
    turns = await tx.all(queries.turns, channel=channel)
    await _list(tx, channel, answers(turns, mine))


async def list_replies(tx: Transaction, messages: Sequence[Row]) -> None:
    """List the replies to single messages, without reading the whole channel."""
    ids = {row["id"] for row in messages}
    for row in messages:
        place = {"channel": row["channel"], "first": row["seq"], "limit": _FURTHEST}
        turns = await tx.all(queries.turns_from, **place)
        await _list(tx, row["channel"], answers(turns, lambda each: each["id"] in ids))


async def _list(tx: Transaction, channel: str, found: Iterable[Row]) -> None:
    await listed.add_messages(tx, [{**row, "channel": channel} for row in found])


def answers(turns: Iterable[Row], mine: Mine) -> Iterator[Row]:
    """Yield replies to these messages, even to others too: nobody can write them again."""
    theirs, answered = False, True
    for row in turns:
        if row["role"] == "user":
            theirs = mine(row) or (theirs and not answered)
            answered = False
        elif row["role"] in _REPLIES:
            answered = True
            if theirs and not mine(row):
                yield row
