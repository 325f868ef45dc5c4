"""Tellings and told texts on disk."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from erstwhile.base import crash, ids
from erstwhile.base.clock import micros
from erstwhile.index import documents, flags
from erstwhile.layers.remembered.model import Telling, Told, from_row, telling_from_row
from erstwhile.memories import history
from erstwhile.memories.history import Change
from erstwhile.storage import Row, Transaction
from erstwhile.storage.queries import load
from erstwhile.text import analyse

queries = load(__package__)

HAND = "hand:"


@dataclass(frozen=True, slots=True)
class Place:
    """Of whom, and for whom."""

    person: str
    audience: str

    @property
    def key(self) -> str:
        return json.dumps([self.person, self.audience], ensure_ascii=False)

    @property
    def row(self) -> dict[str, Any]:
        return {"person": self.person, "audience": self.audience}


@dataclass(frozen=True, slots=True)
class Held:
    """A told text as it stands. `base` is what a model or a person last wrote; the tellings after number `merged` are not in it."""

    told: Told
    base: str
    merged: int
    last: int

    @property
    def place(self) -> Place:
        return Place(self.told.person, self.told.audience)


@dataclass(frozen=True, slots=True)
class Text:
    """What to write: the `text` that is read, and how far a model or a person has come."""

    text: str
    writer: str
    draft: bool
    base: str
    merged: int


def told_id(space: str, place: Place) -> str:
    return ids.derived("told", space, place.person, place.audience)


# Writing


async def hold(tx: Transaction, place: Place, now: datetime) -> Held:
    row = await tx.first(queries.hold, **place.row, id=told_id(tx.space, place), now=micros(now))
    assert row is not None
    return await _held(tx, row)


async def read(tx: Transaction, place: Place) -> Held | None:
    row = await tx.first(queries.one, **place.row)
    return await _held(tx, row) if row else None


async def _held(tx: Transaction, row: Row) -> Held:
    last = await tx.first(queries.last_number, person=row["person"], audience=row["audience"])
    return Held(from_row(row), row["base"], row["merged"], max(row["merged"], last["number"] if last else 0))


async def add_telling(tx: Transaction, place: Place, number: int, telling: Telling, now: datetime) -> None:
    await tx.run(
        queries.add_telling,
        **place.row,
        number=number,
        action=telling.action,
        words=telling.words,
        said_by=telling.said_by,
        channel=telling.channel,
        seq=telling.seq,
        found=int(telling.found),
        flag=telling.flag,
        at=micros(telling.at or now),
    )
    crash.point("told.after_telling")


async def put(tx: Transaction, held: Held, new: Text, now: datetime) -> None:
    """With its version and its search document. Words that stay the same, by a writer who left them, are no change."""
    progress = {"draft": int(new.draft), "base": new.base, "merged": new.merged}
    if new.text == held.told.text and (new.draft or not held.told.draft):
        await tx.run(queries.settle, **held.place.row, **progress)
    else:
        await tx.run(queries.put, **held.place.row, **progress, text=new.text, writer=new.writer, now=micros(now))
        await history.record(tx, [Change(held.told.id, new.text, new.writer)], now)
        await _index(tx, held.told.id, held.place, new.text, now)
    crash.point("told.after_merge")


async def tell_anew(
    tx: Transaction, held: Held, base: str, settled: Sequence[Telling], later: Sequence[Telling]
) -> Held:
    """Puts these tellings in place of a text's; `base` has the `settled` ones in it. Their numbers go on from the last: whoever is wording
    what was there before sees that it no longer is."""
    place, first = held.place, held.last + 1
    await tx.run(queries.drop_tellings, **place.row)
    for number, telling in enumerate([*settled, *later], start=first):
        await add_telling(tx, place, number, telling, telling.at or held.told.changed_at)
    merged = held.last + len(settled)
    await tx.run(queries.start_over, **place.row, base=base, merged=merged)
    return Held(held.told, base, merged, merged + len(later))


async def told_in(tx: Transaction, channel: str) -> list[str]:
    return [row["person"] for row in await tx.all(queries.told_in, channel=channel)]


async def set_found(tx: Transaction, place: Place, number: int, *, found: bool) -> None:
    await tx.run(queries.set_found, **place.row, number=number, found=int(found))


async def _index(tx: Transaction, id: str, place: Place, text: str, at: datetime) -> None:
    """What is only quoted is not searched: it is told to nobody else. People may look at it all the same."""
    await documents.remove(tx, [id])
    plain = Told(id, place.person, place.audience, text, 0, "", False, at).plain
    if plain:
        made = documents.Document(
            id=id,
            kind="told",
            at=micros(at),
            terms=analyse.terms(plain),
            words=text,
            channel=place.audience or None,
            person=place.person,
        )
        await documents.add(tx, [made])
    else:
        await flags.mark(tx, [(id, text, micros(at))])


async def index(tx: Transaction) -> None:
    """Makes all search documents of the space's told texts anew: for when those of everything were dropped."""
    for told in [from_row(row) for row in await tx.all(queries.everything)]:
        await index_one(tx, told)


async def index_one(tx: Transaction, told: Told) -> None:
    await _index(tx, told.id, Place(told.person, told.audience), told.text, told.changed_at)


async def edit(tx: Transaction, told: Told, text: str, by: str, now: datetime) -> None:
    """Puts a person's words in place of a text's; what was told before is settled by it. "" takes it away."""
    place = Place(told.person, told.audience)
    held = await hold(tx, place, now)
    settled = {"draft": 0, "base": text, "merged": held.last}
    await tx.run(queries.put, **place.row, **settled, text=text, writer=f"{HAND}{by}", now=micros(now))
    await _index(tx, told.id, place, text, now)


async def delete(tx: Transaction, told: Told, by: str, now: datetime) -> None:
    await edit(tx, told, "", by, now)


# Reading


async def get(tx: Transaction, id: str) -> Told | None:
    row = await tx.first(queries.get, id=id)
    return from_row(row) if row and row["text"] else None


async def by_ids(tx: Transaction, ids: Sequence[str]) -> list[Told]:
    rows = await tx.all(queries.by_ids, ids=json.dumps(list(ids))) if ids else []
    return [from_row(row) for row in rows if row["text"]]


async def of_person(tx: Transaction, person: str) -> list[Told]:
    """For everyone first, then by private channel; nothing that is empty."""
    return [from_row(row) for row in await tx.all(queries.of_person, person=person) if row["text"]]


async def tellings(tx: Transaction, person: str, audience: str | None = None) -> list[Telling]:
    return [telling_from_row(row) for row in await tx.all(queries.tellings, person=person, audience=audience)]


async def since(tx: Transaction, place: Place, number: int) -> list[tuple[int, Telling]]:
    """What was told after a telling, each with its number."""
    rows = await tx.all(queries.since, **place.row, after=number)
    return [(row["number"], telling_from_row(row)) for row in rows]


async def drafts(tx: Transaction) -> list[Place]:
    return [Place(row["person"], row["audience"]) for row in await tx.all(queries.drafts)]


async def tellers(tx: Transaction, person: str) -> list[str]:
    return [row["said_by"] for row in await tx.all(queries.tellers, person=person)]


async def known(tx: Transaction, person: str) -> bool:
    return await tx.first(queries.known, person=person) is not None
