"""Notes and topics that people deleted, brought back into the place they left."""

from __future__ import annotations

import json
from datetime import datetime

from erstwhile.base.errors import Changed, NotFound
from erstwhile.configuration.visibility import Hearing
from erstwhile.layers.notes import store
from erstwhile.layers.notes.model import Kept, Note
from erstwhile.layers.notes.store import queries
from erstwhile.log import store as log
from erstwhile.memories import history
from erstwhile.memories.history import REPLACED, RESTORED, Change
from erstwhile.storage import Row, Transaction


async def keepsake(tx: Transaction, note: Note) -> Kept:
    """Its row, the messages it was made of, the people and, of a topic, the notes in it."""
    (row,) = await tx.all(queries.by_ids, ids=json.dumps([note.id]))
    return {
        "row": {name: value for name, value in row.items() if name != "space"},
        "messages": await _messages(tx, row),
        "people": list(note.people),
        "members": list(note.notes),
    }


async def _messages(tx: Transaction, row: Row) -> int:
    (found,) = await log.ids_in(tx, [(row["channel"], row["first_seq"], row["last_seq"])]) if row["channel"] else [()]
    return len(found)


async def note(tx: Transaction, id: str, kept: Kept, hearing: Hearing, by: str, now: datetime) -> Note:
    """Into its topic too, if that is still there, or was taken apart for it and its other notes are in no other."""
    row = kept["row"]
    if await _messages(tx, row) < kept["messages"]:
        raise NotFound(f"The messages that {id} was made of are no longer all there, so it can't be brought back.")
    await _fill(tx, id, {**row, "topic": None})
    topic = await _topic_again(tx, id, row["topic"], hearing, by, now) if row["topic"] else None
    if topic is not None:
        await tx.run(queries.put_into, topic=topic, ids=json.dumps([id]))
    return await _shown(tx, id)


async def topic(tx: Transaction, id: str, kept: Kept, hearing: Hearing) -> Note:
    """With the notes that were in it, unless they were put into others since."""
    rows = await _loose(tx, kept["members"], id)
    if rows is None:
        raise Changed(f"The notes of {id} were put into other topics since, or are gone, so it can't be brought back.")
    await _for_them(tx, id, kept["row"]["channel"], rows, hearing)
    await _fill(tx, id, kept["row"])
    await tx.run(queries.put_into, topic=id, ids=json.dumps(kept["members"]))
    return await _shown(tx, id)


async def _fill(tx: Transaction, id: str, row: Row) -> None:
    given = {name: row[name] for name in ("title", "text", "topic", "writer", "draft", "edited_at", "edited_by")}
    if not await tx.run(queries.put_back, id=id, **given):
        if await store.get(tx, id) is None:
            raise NotFound(f"The place of {id} is no longer there, so it can't be brought back.")
        raise Changed(f"The place of {id} is taken: it was written again after it was deleted, or has expired.")


async def _shown(tx: Transaction, id: str) -> Note:
    found = await store.get(tx, id)
    assert found is not None
    return found


async def _topic_again(tx: Transaction, note: str, id: str, hearing: Hearing, by: str, now: datetime) -> str | None:
    stands = await store.get(tx, id)
    if stands is not None:  # someone had edited it, so it was not taken apart
        return id if stands.text else None
    kept, last = await history.kept(tx, id), (await history.versions(tx, id))[-1:]
    if not kept or kept.get("with") != note or not last or last[0].action != REPLACED:
        return None
    rows = await _loose(tx, kept["members"], id)
    if rows is None or not await _fit(tx, kept["row"]["channel"], rows, hearing):
        return None
    await tx.run(queries.put_back_topic, **kept["row"])
    for person in kept["people"]:
        await tx.run(queries.add_person, note=id, person=person)
    await tx.run(queries.put_into, topic=id, ids=json.dumps(kept["members"]))
    if len(kept["members"]) != 1:
        await store.index(tx, await store.by_ids(tx, [id]))
    await history.record(tx, [Change(id, kept["row"]["text"], by, RESTORED)], now)
    return id


async def _loose(tx: Transaction, members: list[str], topic: str) -> list[Row] | None:
    """The notes, if they are all there and in no other topic. Held until the commit."""
    wanted = json.dumps(sorted(members))
    await tx.all(queries.hold_loose, ids=wanted)
    rows = await tx.all(queries.by_ids, ids=wanted)
    free = [row for row in rows if row["topic"] in (None, topic) and (row["text"] or row["expired"])]
    return free if len(free) == len(set(members)) else None


async def _for_them(tx: Transaction, id: str, audience: str, rows: list[Row], hearing: Hearing) -> None:
    if not await _fit(tx, audience, rows, hearing):
        raise Changed(f"A channel that {id} tells of has become private, or open, since it was deleted.")


async def _fit(tx: Transaction, audience: str, rows: list[Row], hearing: Hearing) -> bool:
    found = await hearing.audiences(tx, {row["channel"] for row in rows})
    return set(found.values()) <= {audience}
