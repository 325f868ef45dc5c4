"""What was made of messages: notes and topics. Each function takes one page away."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from erstwhile.base import ids
from erstwhile.base.clock import micros
from erstwhile.index import documents
from erstwhile.layers.notes import store as note_store
from erstwhile.layers.retention.messages import queries
from erstwhile.layers.retention.model import PAGE
from erstwhile.memories import history
from erstwhile.storage import Transaction


async def notes(tx: Transaction, kind: str, before: datetime, now: datetime) -> int:
    """Their words go; their names and people stay for what leans on them, see `stubs`. A topic of such a note alone is no longer a
    repetition: from now on it is found itself."""
    rows = await tx.all(queries.old_notes, kind=kind, before=micros(before), limit=PAGE)
    for row in rows:
        await tx.run(queries.fade_note, id=row["id"])
    await _without_words(tx, [row["id"] for row in rows], now)
    alone = {topic["topic"] for row in rows for topic in await tx.all(queries.topic_of_it_alone, id=row["id"])}
    await note_store.index(tx, await note_store.by_ids(tx, sorted(alone)))
    return len(rows)


async def stubs(tx: Transaction) -> int:
    """Notes and topics without words that nothing leans on any longer."""
    rows = await tx.all(queries.loose_stubs, limit=PAGE)
    for row in rows:
        await tx.run(queries.drop_note_people, id=row["id"])
        await tx.run(queries.blank_stub if row["held"] else queries.drop_note, id=row["id"])
    return len(rows)


async def words(tx: Transaction, kind: str, before: datetime) -> int:
    """What the history still quotes of memories that others replaced, or that someone deleted. Who did so, and when, stays on record: what
    was deleted by hand is not taken in again."""
    prefix = ids.PREFIXES[kind]
    span = {"first": f"{prefix}_", "last": f"{prefix}`"}  # the sign after the low line
    rows = await tx.all(queries.old_words, **span, before=micros(before), limit=PAGE)
    await history.wipe(tx, [row["id"] for row in rows])
    return len(rows)


async def _without_words(tx: Transaction, gone: Sequence[str], now: datetime) -> None:
    await documents.remove(tx, gone)
    await history.expire(tx, gone, now)
