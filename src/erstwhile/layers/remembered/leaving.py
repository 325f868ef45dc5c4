"""What was told goes: with what it was told in, with a person or a channel, or when it has been kept long enough."""

from __future__ import annotations

from datetime import datetime

from erstwhile.base.clock import micros
from erstwhile.layers.days import store as days
from erstwhile.layers.erasure.model import Subject
from erstwhile.layers.remembered import store, withdrawal
from erstwhile.layers.remembered.model import Telling
from erstwhile.layers.remembered.store import TextOwner, queries
from erstwhile.memories import history
from erstwhile.memories import store as memories
from erstwhile.memories.expire import PAGE
from erstwhile.memories.hooks import Hooks
from erstwhile.storage import Transaction


async def erase(tx: Transaction, subject: Subject, now: datetime) -> list[TextOwner]:
    """Of what is told of others, what the person said. The texts that are to be worded again."""
    await tx.run(queries.erase_tellings, person=subject.person)
    await tx.run(queries.erase_places)
    rows = await tx.all(queries.touched, person=subject.person)
    places = [TextOwner(row["person"], row["audience"]) for row in rows]
    for place in places:
        lost = [each for _, each in await store.since(tx, place, 0) if await _goes(tx, each, subject)]
        await withdrawal.erase(tx, place, lost, subject.person, now)
        await days.drop_portraits(tx, place.person)
    return places


async def _goes(tx: Transaction, telling: Telling, subject: Subject) -> bool:
    if subject.person is not None and telling.said_by == subject.person:
        return True
    if telling.channel is None:
        return False
    said = {"seq": telling.seq, "said_by": telling.said_by, "words": telling.words}
    return await tx.first(queries.in_what_goes, channel=telling.channel, **said) is not None


async def expire(tx: Transaction, hooks: Hooks, before: datetime, now: datetime) -> int:
    """One page of texts."""
    rows = await tx.all(queries.old, before=micros(before), limit=PAGE)
    for row in rows:
        await tx.run(queries.drop_tellings, person=row["person"], audience=row["audience"])
        await days.drop_portraits(tx, row["person"])
    gone = [row["id"] for row in rows]
    await memories.drop(tx, hooks, gone)
    await history.expire(tx, gone, now)
    return len(gone)


async def expire_tellings(tx: Transaction, before: datetime) -> int:
    """One page of those of which no text is left."""
    rows = await tx.all(queries.old_tellings, before=micros(before), limit=PAGE)
    for row in rows:
        await tx.run(queries.drop_tellings, person=row["person"], audience=row["audience"])
    return len(rows)


async def count_old(tx: Transaction, before: datetime) -> int:
    row = await tx.first(queries.count_old, before=micros(before))
    return int(row["number"]) if row else 0
