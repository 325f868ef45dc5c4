"""List the messages to erase, with replies to them, and channels in which nobody else wrote."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final

from erstwhile.layers.erasure.model import Subject
from erstwhile.layers.summaries import store as summaries
from erstwhile.storage import Row, Transaction, column
from erstwhile.storage.queries import load

queries = load(__package__)

_REPLIES: Final = ("assistant", "tool")
_FURTHEST: Final = 200  # messages after a single one in which to look for a reply to it


async def messages(tx: Transaction, subject: Subject) -> list[str]:
    """List the messages to erase. Return the channels that are erased completely."""
    whole = await _own(tx, subject)
    for channel in whole:
        await tx.run(queries.list_channel, channel=channel)
        await tx.run(queries.list_messages_in, channel=channel)
    if subject.single:
        await replies_to(tx, await tx.all(queries.places))
    elif subject.channel is None:
        for row in await tx.all(queries.channels_with):
            if row["channel"] not in whole:
                await _replies(tx, row["channel"], await _whose(tx, row["channel"], subject))
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
    if subject.person is not None:
        await summaries.list_expired(tx, subject.person)
    return whole


Mine = Callable[[Row], bool]


async def _whose(tx: Transaction, channel: str, subject: Subject) -> Mine:
    if subject.person is not None:
        return lambda row: row["person"] == subject.person
    listed = set(await column(tx, queries.listed_in, channel=channel))
    return lambda row: row["id"] in listed


async def _replies(tx: Transaction, channel: str, mine: Mine) -> None:
    await _list(tx, channel, answers(await tx.all(queries.turns, channel=channel), mine))


async def replies_to(tx: Transaction, listed: Sequence[Row]) -> None:
    """List the replies to single messages, without reading the whole channel."""
    ids = {row["id"] for row in listed}
    for row in listed:
        place = {"channel": row["channel"], "first": row["seq"], "limit": _FURTHEST}
        turns = await tx.all(queries.turns_from, **place)
        await _list(tx, row["channel"], answers(turns, lambda each: each["id"] in ids))


async def _list(tx: Transaction, channel: str, found: Iterable[Row]) -> None:
    same = ("seq", "id", "at")
    rows = [{"channel": channel, **{name: row[name] for name in same}} for row in found]
    if rows:
        await tx.run_many(queries.list_message, rows)


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
