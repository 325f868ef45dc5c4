"""Which messages go: a person's own, the replies to them, and every message of a channel that is theirs alone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from erstwhile.rooms.erasure.model import Subject
from erstwhile.storage import Row, Transaction
from erstwhile.storage.queries import load

queries = load(__package__)

_REPLIES: Final = ("assistant", "tool")


async def messages(tx: Transaction, subject: Subject) -> list[str]:
    """Lists them; the channels that go whole."""
    if subject.person is None:
        whole = [subject.channel or ""]
    else:
        whole = [row["channel"] for row in await tx.all(queries.channels_alone, person=subject.person)]
        await tx.run(queries.list_messages_of, person=subject.person)
        await tx.run(queries.list_expired, person=subject.person)
    for channel in whole:
        await tx.run(queries.list_channel, channel=channel)
        await tx.run(queries.list_messages_in, channel=channel)
    if subject.person is not None:
        for row in await tx.all(queries.channels_with):
            if row["channel"] not in whole:
                await _replies(tx, row["channel"], subject.person)
    return whole


async def _replies(tx: Transaction, channel: str, person: str) -> None:
    found = replies(await tx.all(queries.turns, channel=channel), person)
    rows = [{"channel": channel, "seq": row["seq"], "id": row["id"], "at": row["at"]} for row in found]
    if rows:
        await tx.run_many(queries.list_message, rows)


def replies(turns: Iterable[Row], person: str) -> Iterator[Row]:
    """What was answered to the person, alone or among others: it is made of their words, and can't be answered again."""
    theirs, answered = False, True
    for row in turns:
        if row["role"] == "user":
            theirs = row["person"] == person or (theirs and not answered)
            answered = False
        elif row["role"] in _REPLIES:
            answered = True
            if theirs and row["person"] != person:
                yield row
