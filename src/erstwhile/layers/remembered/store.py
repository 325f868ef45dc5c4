"""What was told, and how far it has been taken into the texts that the table of memories has."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from erstwhile.base import crash, ids
from erstwhile.base.clock import micros, moment
from erstwhile.layers.remembered.model import PLAIN, TOLD, Telling, Told, telling_from_row, told_of
from erstwhile.memories import store as memories
from erstwhile.memories.history import WRITTEN, Change, record
from erstwhile.memories.hooks import Hooks
from erstwhile.memories.model import StoredMemory, from_row
from erstwhile.storage import Row, Transaction
from erstwhile.storage.queries import load

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
    """A told text as it stands; without a `memory` where nothing is told any longer. `base` is what a model or a person last wrote; the
    tellings after number `merged` are not in it."""

    told: Told
    base: str
    merged: int
    last: int
    memory: StoredMemory | None = None

    @property
    def place(self) -> Place:
        return Place(self.told.person, self.told.audience)

    @property
    def progress(self) -> dict[str, Any]:
        """As it is stored."""
        told = self.told
        return {
            "version": told.version,
            "base": self.base,
            "merged": self.merged,
            "changed_at": micros(told.changed_at),
        }


@dataclass(frozen=True, slots=True)
class Text:
    """What to write: the `text` that is read, and how far a model or a person has come."""

    text: str
    writer: str
    draft: bool
    base: str
    merged: int


def told_id(space: str, place: Place) -> str:
    return ids.derived(TOLD, space, place.person, place.audience)


# Writing


async def hold(tx: Transaction, place: Place, now: datetime) -> Held:
    row = await tx.first(queries.hold, **place.row, id=told_id(tx.space, place), now=micros(now))
    assert row is not None
    return await _held(tx, row)


async def read(tx: Transaction, place: Place) -> Held | None:
    row = await tx.first(queries.one, **place.row)
    return await _held(tx, row) if row else None


async def _held(tx: Transaction, row: Row) -> Held:
    found = await tx.first(queries.last_number, person=row["person"], audience=row["audience"])
    merged = row["merged"]
    last = max(merged, found["number"] if found else 0)
    memory = await memories.get(tx, row["id"])
    if memory is not None:
        return Held(told_of(memory, row["version"]), row["base"], merged, last, memory)
    blank = Told(
        row["id"], row["person"], row["audience"], "", row["version"], "", last > merged, moment(row["changed_at"])
    )
    return Held(blank, row["base"], merged, last)


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
    """Words that stay the same, by a writer who left them, are no change."""
    told, memory = held.told, held.memory
    if new.text == told.text and (new.draft or not told.draft):
        await set_progress(tx, replace(held, base=new.base, merged=new.merged))
        if memory is not None:
            await memories.save(tx, [replace(memory, draft=new.draft)])
    else:
        changed = replace(told, version=told.version + 1, changed_at=now)
        await set_progress(tx, replace(held, told=changed, base=new.base, merged=new.merged))
        await _write(tx, held, new, now)
    crash.point("told.after_merge")


async def _write(tx: Transaction, held: Held, new: Text, now: datetime) -> None:
    """Nothing is left to be told where there is no text."""
    told, before = held.told, held.memory
    if not new.text:
        await forget(tx, told.id)
        await record(tx, [Change(told.id, "", new.writer)], now)
        return
    by_hand = before is not None and before.writer == new.writer
    memory = StoredMemory(
        id=told.id,
        kind=TOLD,
        text=new.text,
        writer=new.writer,
        draft=new.draft,
        channel=told.audience,
        person=told.person,
        at=now,
        created_at=before.created_at if before else now,
        edited_at=before.edited_at if before and by_hand else None,
        edited_by=before.edited_by if before and by_hand else None,
    )
    await memories.put(tx, [memory], now, (new.writer, WRITTEN))


async def forget(tx: Transaction, id: str) -> None:
    """The words alone: what was told stays on record."""
    await memories.drop(tx, Hooks(), [id])


async def unsign(tx: Transaction, id: str, person: str) -> None:
    """What is left of a text that the person edited is theirs no longer."""
    memory = await memories.get(tx, id)
    if memory is not None and memory.edited_by == person:
        await memories.save(tx, [replace(memory, writer=PLAIN, edited_at=None, edited_by=None)])


async def set_progress(tx: Transaction, held: Held) -> None:
    await tx.run(queries.set, id=held.told.id, **held.progress)


async def tell_anew(
    tx: Transaction, held: Held, base: str, settled: Sequence[Telling], later: Sequence[Telling]
) -> Held:
    """Puts these tellings in place of a text's; `base` has the `settled` ones in it. Their numbers go on from the last: whoever is wording
    what was there before sees that it no longer is. What was deleted can't be restored any longer."""
    place, first = held.place, held.last + 1
    await tx.run(queries.drop_tellings, **place.row)
    for number, telling in enumerate([*settled, *later], start=first):
        await add_telling(tx, place, number, telling, telling.at or held.told.changed_at)
    merged = held.last + len(settled)
    if held.memory is None:
        await forget(tx, held.told.id)
    return replace(held, base=base, merged=merged, last=merged + len(later))


async def told_in(tx: Transaction, channel: str) -> list[str]:
    return [row["person"] for row in await tx.all(queries.told_in, channel=channel)]


async def set_found(tx: Transaction, place: Place, number: int, *, found: bool) -> None:
    await tx.run(queries.set_found, **place.row, number=number, found=int(found))


# Reading


async def of_person(tx: Transaction, person: str) -> list[Told]:
    """For everyone first, then by private channel."""
    return [told_of(from_row(row), row["version"]) for row in await tx.all(queries.of_person, person=person)]


async def messages_of(tx: Transaction, ids: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """The messages in which texts were told."""
    found: dict[str, dict[str, None]] = {id: {} for id in ids}
    for row in await tx.all(queries.messages_of, ids=json.dumps(list(ids))):
        found[row["id"]][row["source"]] = None
    return {id: tuple(each) for id, each in found.items()}


async def tellings(tx: Transaction, person: str, audience: str | None = None) -> list[Telling]:
    return [telling_from_row(row) for row in await tx.all(queries.tellings, person=person, audience=audience)]


async def by_audience(tx: Transaction, person: str) -> list[tuple[str, Telling]]:
    rows = await tx.all(queries.by_audience, person=person)
    return [(row["audience"], telling_from_row(row)) for row in rows]


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
