"""Restore topics, and notes into the topic they were in."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime

from erstwhile.base.errors import Changed
from erstwhile.configuration.visibility import Visibility
from erstwhile.layers.notes import store
from erstwhile.layers.notes.model import Kept, Note
from erstwhile.layers.notes.store import queries
from erstwhile.memories import history
from erstwhile.memories import store as memories
from erstwhile.memories.history import REPLACED, RESTORED
from erstwhile.memories.model import StoredMemory, from_row, to_row
from erstwhile.storage import Row, Transaction


def keep(memory: StoredMemory, topic: Note, note: str) -> Kept:
    """Return what is needed to restore a topic that is removed because a note of it was deleted."""
    return {"row": to_row(memory), "people": list(topic.people), "members": list(topic.notes), "with": note}


async def check_topic(tx: Transaction, memory: StoredMemory, visibility: Visibility) -> None:
    """Check that a topic can be restored: its notes must exist and be in no other topic."""
    rows = await _loose(tx, memory.data["members"], memory.id)
    if rows is None:
        raise Changed(f"The notes of {memory.id} are in other topics now, or are gone, so it can't be restored.")
    if not await _fit(tx, memory.channel, rows, visibility):
        raise Changed(f"A channel of {memory.id} became private, or open, since it was deleted.")


async def topic_again(tx: Transaction, note: str, topic: str, visibility: Visibility, now: datetime) -> None:
    """Restore the topic that was removed with this note, if its other notes are in no other
    topic."""
    kept, last = await history.kept(tx, topic), (await history.versions(tx, topic))[-1:]
    if (
        kept.get("with") != note
        or not last
        or last[0].action != REPLACED
        or await memories.get(tx, topic, deleted=True)
    ):
        return
    memory = from_row(kept["row"])
    rows = await _loose(tx, kept["members"], topic)
    if rows is None or not await _fit(tx, memory.channel, rows, visibility):
        return
    by = (await history.versions(tx, note))[-1].by
    await memories.put(tx, [memory], now, (by, RESTORED))
    await store.set_people(tx, topic, kept["people"])
    await memories.set_sources(tx, topic, kept["members"])


async def _loose(tx: Transaction, members: Sequence[str], topic: str) -> list[Row] | None:
    """Lock and return the notes; None unless all exist and are in no other topic."""
    rows = await tx.all(queries.hold, ids=json.dumps(sorted(members)))
    topics = await store.topics_of(tx, members, deleted=True)
    free = [row for row in rows if topics.get(row["id"], topic) == topic and (row["text"] or row["writer"])]
    return free if len(free) == len(set(members)) else None


async def _fit(tx: Transaction, audience: str, rows: Sequence[Row], visibility: Visibility) -> bool:
    found = await visibility.audiences(tx, {row["channel"] for row in rows})
    return {found.of(row["channel"], row["first_seq"]) for row in rows} <= {audience}
