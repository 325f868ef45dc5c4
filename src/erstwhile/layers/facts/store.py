"""Facts on disk, each with its search document and its history."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from dataclasses import replace as replaced
from datetime import datetime
from typing import Any

from erstwhile.base.clock import micros
from erstwhile.history import store as history
from erstwhile.history.store import REPLACED, Change
from erstwhile.index import documents
from erstwhile.layers.facts import classify
from erstwhile.layers.facts.model import Fact, Found, Reading, fact_id, from_row
from erstwhile.log.model import WHOLE, Part
from erstwhile.storage import Row, Transaction
from erstwhile.storage.queries import load
from erstwhile.text import analyse

queries = load(__package__)


async def put(tx: Transaction, reading: Reading, now: datetime) -> bool:
    """Keeps what one reading found. False when a reading that stands was there already."""
    if not await tx.run(queries.put_extract, **_place(reading), **_extract(reading), now=micros(now)):
        return False
    await _keep(tx, reading, now, bring_back=False)
    return True


async def replace(tx: Transaction, reading: Reading, now: datetime, *, overwrite: bool) -> None:
    """The same for a reading that was asked for: it stands in place of any other. With `overwrite`, of what people did to it too."""
    await tx.run(queries.replace_extract, **_place(reading), **_extract(reading), now=micros(now))
    if overwrite:
        await tx.run(queries.give_up_edits_of, **_place(reading))
    await _keep(tx, reading, now, bring_back=overwrite)


async def _keep(tx: Transaction, reading: Reading, now: datetime, *, bring_back: bool) -> None:
    place = _place(reading)
    before = await tx.all(queries.of_range, **place)
    dropped = {row["id"]: row["text"] for row in before if row["edited_at"] is None}
    await documents.remove(tx, list(dropped))
    await drop_links(tx, list(dropped))
    await tx.run(queries.drop_unedited_of, **place)
    found = await _wanted(tx, reading, [row for row in before if row["edited_at"] is not None], bring_back=bring_back)
    writer = reading.written.writer
    if found:
        last = await tx.first(queries.last_position, **place)
        start = (last["position"] if last else -1) + 1
        shared = {**place, "writer": writer, "draft": int(reading.written.draft), "now": micros(now)}
        rows = [{**shared, "position": start + index, **_row(each)} for index, each in enumerate(found)]
        await tx.run_many(queries.add, rows)
        await documents.add(tx, [_document(row) for row in rows])
        for each in found:
            await add_links(tx, each.id, each.links)
    changes = [Change(each.id, each.text, writer) for each in found]
    superseded = dropped.keys() - {each.id for each in found}
    changes += [Change(id, dropped[id], writer, REPLACED) for id in sorted(superseded)]
    await history.record(tx, changes, now)


async def _wanted(tx: Transaction, reading: Reading, edited: Sequence[Row], *, bring_back: bool) -> list[Found]:
    """Not what a person has put into other words, nor what a person has deleted. Asked after the old rows were taken, so that
    a deletion that was just going on has been seen."""
    place = (reading.range.channel, reading.range.first, reading.range.last)
    taken = {row["id"] for row in edited} | {fact_id(tx.space, place, row["text"]) for row in edited}
    found = [each for each in reading.found if each.id not in taken]
    gone = set() if bring_back else await history.deleted(tx, [each.id for each in found])
    return [each for each in found if each.id not in gone]


def _place(reading: Reading) -> dict[str, Any]:
    return {"channel": reading.range.channel, "first": reading.range.first, "last": reading.range.last}


def _extract(reading: Reading) -> dict[str, Any]:
    return {"found": len(reading.found), "writer": reading.written.writer, "draft": int(reading.written.draft)}


def _row(each: Found) -> dict[str, Any]:
    return {
        "id": each.id,
        "seq": each.seq,
        "person": each.person,
        "text": each.text,
        "at": micros(each.at),
        **sorting(each.text),
    }


def sorting(text: str) -> dict[str, Any]:
    return {"category": classify.category(text), "importance": classify.importance(text)}


def _document(row: Row) -> documents.Document:
    return documents.Document(
        id=row["id"],
        kind="fact",
        at=row["at"],
        terms=analyse.terms(row["text"]),
        words=row["text"],
        channel=row["channel"],
        person=row["person"],
        seq=row["seq"],
    )


async def index(tx: Transaction, facts: Sequence[Fact]) -> None:
    """Makes their search documents anew."""
    await documents.remove(tx, [fact.id for fact in facts])
    made = [
        {
            "id": each.id,
            "at": micros(each.at),
            "text": each.text,
            "channel": each.channel,
            "person": each.person,
            "seq": each.seq,
        }
        for each in facts
    ]
    await documents.add(tx, [_document(row) for row in made])


async def get(tx: Transaction, id: str) -> Fact | None:
    row = await tx.first(queries.get, id=id)
    return from_row(row) if row else None


async def by_ids(tx: Transaction, ids: Sequence[str]) -> list[Fact]:
    return [from_row(row) for row in await tx.all(queries.by_ids, ids=json.dumps(list(ids)))] if ids else []


async def latest(tx: Transaction, channel: str, limit: int) -> list[Fact]:
    return [from_row(row) for row in await tx.all(queries.latest, channel=channel, limit=limit)]


async def of_range(tx: Transaction, channel: str, first: int, last: int) -> list[Fact]:
    return [from_row(row) for row in await tx.all(queries.of_range, channel=channel, first=first, last=last)]


async def of_person_elsewhere(tx: Transaction, person: str, channel: str, limit: int) -> list[Fact]:
    """The latest facts about a person that other channels tell."""
    rows = await tx.all(queries.of_person_elsewhere, person=person, channel=channel, limit=limit)
    return [from_row(row) for row in rows]


@dataclass(frozen=True, slots=True)
class Asked:
    """Which facts of a channel are wanted: None means of every category."""

    category: str | None = None
    importance: int = 0
    part: Part = WHOLE


async def of_channel(tx: Transaction, channel: str, asked: Asked | None = None) -> list[Fact]:
    asked = asked or Asked()
    part = asked.part
    place = {"channel": channel, "first": part.first, "last": part.last, "limit": part.limit}
    rows = await tx.all(queries.of_channel, **place, category=asked.category, importance=asked.importance)
    return [from_row(row) for row in reversed(rows)]


async def with_links(tx: Transaction, channel: str, facts: Sequence[Fact]) -> list[Fact]:
    """Facts of the channel, in order, each with those it is linked to."""
    found: dict[str, list[str]] = {}
    place = {"first": facts[0].first_seq, "last": facts[-1].first_seq} if facts else {}
    for row in await tx.all(queries.links_in, channel=channel, **place) if facts else []:
        found.setdefault(row["id"], []).append(row["other"])
    return [replaced(fact, links=tuple(found.get(fact.id, ()))) for fact in facts]


async def add_links(tx: Transaction, id: str, others: Sequence[str]) -> None:
    """Both ways, to those that are still there."""
    if others:
        ways = [{"id": id, "other": each} for each in others] + [{"id": each, "other": id} for each in others]
        await tx.run_many(queries.add_link, ways)


async def drop_links(tx: Transaction, ids: Sequence[str]) -> None:
    if ids:
        await tx.run(queries.drop_links, ids=json.dumps(list(ids)))


async def empty(tx: Transaction) -> None:
    """All but what people wrote, and what was read in messages that have expired."""
    await tx.run(queries.empty)
    await tx.run(queries.empty_extracts)
    await tx.run(queries.drop_loose_links)


async def left(tx: Transaction) -> list[Fact]:
    """What emptying has left."""
    return [from_row(row) for row in await tx.all(queries.left)]
