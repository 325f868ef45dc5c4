"""Structured memories on disk, each with its search document, its history, and its place in its thread."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from dataclasses import replace as changed
from datetime import datetime
from typing import Any

from erstwhile.base.clock import micros
from erstwhile.index import documents
from erstwhile.layers.structured import chain, model, threads
from erstwhile.layers.structured.model import Counts, Found, Reading, Structured, from_row
from erstwhile.memories import history
from erstwhile.memories.history import REPLACED, Change
from erstwhile.storage import Row, Transaction
from erstwhile.storage.queries import load
from erstwhile.text import analyse

queries = load(__package__)


@dataclass(frozen=True, slots=True)
class Asked:
    """Which memories are wanted: None means all of them. Without `at`, whenever they held."""

    person: str | None = None
    type: str | None = None
    at: datetime | None = None
    open: bool = False
    limit: int = 100


# Writing


async def put(tx: Transaction, reading: Reading, now: datetime) -> bool:
    """Keeps what one reading found. False when a reading that stands was there already."""
    if not await tx.run(queries.put_structuring, **_place(reading), **_structuring(reading), now=micros(now)):
        return False
    await _keep(tx, reading, now, overwrite=False)
    return True


async def replace(tx: Transaction, reading: Reading, now: datetime, *, overwrite: bool) -> None:
    """The same for a reading that was asked for: it stands in place of any other. With `overwrite`, of what people did to it too."""
    await tx.run(queries.replace_structuring, **_place(reading), **_structuring(reading), now=micros(now))
    await _keep(tx, reading, now, overwrite=overwrite)


async def _keep(tx: Transaction, reading: Reading, now: datetime, *, overwrite: bool) -> None:
    """The threads are held before a row is touched, so that two readings never wait for each other's rows."""
    place = _place(reading)
    before = await tx.all(queries.of_range, **place)
    touched = {row["thread"] for row in before} | {each.thread for each in reading.found}
    await hold(tx, touched)
    if overwrite:
        await tx.run(queries.give_up_edits_of, **place)
        before = await tx.all(queries.of_range, **place)
    dropped = {row["id"]: row["text"] for row in before if row["edited_at"] is None}
    await documents.remove(tx, list(dropped))
    await tx.run(queries.drop_unedited_of, **place)
    edited = {row["id"] for row in before} - dropped.keys()
    found = await _wanted(tx, reading, edited, bring_back=overwrite)
    writer = reading.written.writer
    if found:
        last = await tx.first(queries.last_position, **place)
        start = (last["position"] if last else -1) + 1
        shared = {**place, "writer": writer, "draft": int(reading.written.draft), "now": micros(now)}
        rows = [{**shared, "position": start + index, **_row(each)} for index, each in enumerate(found)]
        await tx.run_many(queries.add, rows)
        await documents.add(tx, [_document(row) for row in rows])
    changes = [Change(each.id, each.text, writer) for each in found]
    superseded = dropped.keys() - {each.id for each in found}
    changes += [Change(id, dropped[id], writer, REPLACED) for id in sorted(superseded)]
    await history.record(tx, changes, now)
    await settle(tx, touched)


async def _wanted(tx: Transaction, reading: Reading, edited: set[str], *, bring_back: bool) -> list[Found]:
    """Not what a person has put into other words, nor what a person has deleted."""
    found = [each for each in reading.found if each.id not in edited]
    gone = set() if bring_back else await history.deleted(tx, [each.id for each in found])
    return [each for each in found if each.id not in gone]


async def hold(tx: Transaction, these: Iterable[str]) -> None:
    """In one order for everybody."""
    for thread in sorted(set(these)):
        await tx.first(queries.hold_thread, thread=thread)


async def settle(tx: Transaction, these: Iterable[str]) -> None:
    """Works out anew which memories of these threads hold when."""
    for thread in sorted(set(these)):
        rows = {row["id"]: row for row in await tx.all(queries.of_thread, thread=thread)}
        for id, standing in chain.standings([chain.link(row) for row in rows.values()]).items():
            told = {
                "valid_to": standing.valid_to,
                "superseded_by": standing.superseded_by,
                "restates": standing.restates,
            }
            if any(rows[id][name] != value for name, value in told.items()):
                await tx.run(queries.stand, id=id, **told)


def _place(reading: Reading) -> dict[str, Any]:
    return {"channel": reading.range.channel, "first": reading.range.first, "last": reading.range.last}


def _structuring(reading: Reading) -> dict[str, Any]:
    return {"found": len(reading.found), "writer": reading.written.writer, "draft": int(reading.written.draft)}


def _row(each: Found) -> dict[str, Any]:
    return {
        "id": each.id,
        "seq": each.seq,
        "type": each.type,
        "text": each.text,
        "person": each.person,
        "subject": each.subject,
        "said_by": each.said_by,
        "slot": each.slot,
        "value": each.value,
        "confidence": each.confidence,
        "done": int(each.done),
        "due": each.due,
        "owner": each.owner,
        "thread": each.thread,
        "at": micros(each.at),
        "valid_from": micros(each.valid_from),
    }


def _document(row: Row) -> documents.Document:
    return documents.Document(
        id=row["id"],
        kind="structured",
        at=row["at"],
        terms=analyse.terms(row["text"]),
        words=row["text"],
        channel=row["channel"],
        person=row["person"],
        seq=row["seq"],
    )


async def index(tx: Transaction, memories: Sequence[Structured]) -> None:
    """Makes their search documents anew."""
    await documents.remove(tx, [each.id for each in memories])
    made = [
        {
            "id": each.id,
            "at": micros(each.at),
            "text": each.text,
            "channel": each.channel,
            "person": each.person,
            "seq": each.seq,
        }
        for each in memories
    ]
    await documents.add(tx, [_document(row) for row in made])


async def run(tx: Transaction, memory: Structured) -> list[Structured]:
    """The memory and those that say the same again while it holds: to people they are one. Held until the commit."""
    row = await tx.first(queries.get, id=memory.id)
    await hold(tx, [row["thread"]] if row else [])
    return [from_row(each) for each in await tx.all(queries.run, head=memory.restates or memory.id)]


async def edit(tx: Transaction, memories: Sequence[Structured], text: str, by: str, now: datetime) -> None:
    """A person's words in place of their own; the value follows them, and with it what they contradict."""
    before = [row for each in memories if (row := await tx.first(queries.get, id=each.id)) is not None]
    told = {row["id"]: threads.value_after_edit(row["text"], row["value"], text) for row in before}
    after = {row["id"]: threads.thread(row["owner"], row["type"], row["slot"], told[row["id"]], text) for row in before}
    touched = {row["thread"] for row in before} | set(after.values())
    await hold(tx, touched)
    for id, thread in after.items():
        await tx.run(queries.edit, id=id, text=text, value=told[id], thread=thread, by=by, now=micros(now))
    await index(tx, [changed(each, text=text) for each in memories])
    await settle(tx, touched)


async def delete(tx: Transaction, memories: Sequence[Structured]) -> None:
    rows = [row for each in memories if (row := await tx.first(queries.get, id=each.id)) is not None]
    for row in rows:
        await tx.run(queries.delete, id=row["id"])
    await documents.remove(tx, [row["id"] for row in rows])
    await settle(tx, {row["thread"] for row in rows})


async def empty(tx: Transaction) -> None:
    """All but what people wrote, and what was read in messages that have expired; it now stands by itself."""
    await tx.run(queries.empty)
    await tx.run(queries.empty_structurings)
    await settle(tx, {row["thread"] for row in await tx.all(queries.left)})


# Reading


async def get(tx: Transaction, id: str) -> Structured | None:
    row = await tx.first(queries.get, id=id)
    return from_row(row) if row else None


async def by_ids(tx: Transaction, ids: Sequence[str]) -> list[Structured]:
    """Each with its sources."""
    found = [from_row(row) for row in await tx.all(queries.by_ids, ids=json.dumps(list(ids)))] if ids else []
    return await _with_sources(tx, found)


async def of_range(tx: Transaction, channel: str, first: int, last: int) -> list[Structured]:
    return [from_row(row) for row in await tx.all(queries.of_range, channel=channel, first=first, last=last)]


async def of_channel(tx: Transaction, channel: str) -> list[Structured]:
    return [from_row(row) for row in await tx.all(queries.of_channel, channel=channel)]


async def left(tx: Transaction) -> list[Structured]:
    """What emptying has left."""
    return [from_row(row) for row in await tx.all(queries.left)]


async def asked(tx: Transaction, wanted: Asked) -> list[Structured]:
    """Newest first, each with its sources."""
    narrow = {"person": wanted.person, "type": wanted.type, "open": int(wanted.open), "limit": wanted.limit}
    if wanted.at is None:
        rows = await tx.all(queries.ever, **narrow)
    else:
        rows = await tx.all(queries.valid, **narrow, at=micros(wanted.at))
    return await _with_sources(tx, [from_row(row) for row in rows])


async def changes(tx: Transaction, person: str | None) -> list[model.Change]:
    before = await _with_sources(tx, [from_row(row) for row in await tx.all(queries.closed, person=person)])
    after = {each.id: each for each in await by_ids(tx, [each.superseded_by for each in before if each.superseded_by])}
    return [
        model.Change(each, after[each.superseded_by], each.valid_to)
        for each in before
        if each.superseded_by in after and each.valid_to is not None
    ]


async def counts(tx: Transaction) -> Counts:
    row = await tx.first(queries.counts) or {"chunks": 0, "nonempty": 0, "found": 0, "drafts": 0}
    return Counts(row["chunks"], row["nonempty"], row["found"], row["drafts"])


async def rates(tx: Transaction, since: int, until: int) -> dict[int, float]:
    """The non-empty rate by the number of the day, of days on which any chunk was read."""
    rows = await tx.all(queries.counts_by_day, since=since, until=until)
    return {row["day"]: row["nonempty"] / row["chunks"] for row in rows}


async def _with_sources(tx: Transaction, found: Sequence[Structured]) -> list[Structured]:
    if not found:
        return []
    messages: dict[str, list[str]] = {}
    for row in await tx.all(queries.sources_of, ids=json.dumps([each.id for each in found])):
        for id in {row["id"], row["own"]}:
            messages.setdefault(id, []).append(row["message"])
    return [changed(each, sources=tuple(dict.fromkeys(messages.get(each.id, ())))) for each in found]
