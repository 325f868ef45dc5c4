"""Store the tellings, and how far they are merged into the texts in the table of memories."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, replace
from datetime import datetime
from typing import Any

from erstwhile.base import crash, ids, records
from erstwhile.base.clock import micros
from erstwhile.base.records import dataclass
from erstwhile.layers.remembered.model import TOLD, RememberRequest, ToldText, told_of
from erstwhile.memories import store as memories
from erstwhile.memories.history import WRITTEN, VersionEntry, record
from erstwhile.memories.model import StoredMemory, from_row
from erstwhile.storage import Row, Transaction, value
from erstwhile.storage.queries import load

queries = load(__package__)

HAND = "hand:"


@dataclass(frozen=True, slots=True)
class TextOwner:
    """The person a text is about, and its audience."""

    person: str
    audience: str

    @property
    def key(self) -> str:
        return json.dumps([self.person, self.audience], ensure_ascii=False)

    @property
    def row(self) -> dict[str, Any]:
        return {"person": self.person, "audience": self.audience}


@dataclass(frozen=True, slots=True)
class StoredText:
    """A remembered text; without a `memory` if it is empty. `base` is what a model or a person last
    wrote; the tellings after number `merged` are not in it."""

    told: ToldText
    base: str
    merged: int
    last: int
    memory: StoredMemory | None = None

    @property
    def place(self) -> TextOwner:
        return TextOwner(self.told.person, self.told.audience)

    @property
    def progress(self) -> dict[str, Any]:
        """The columns that say how far the text has come."""
        at = micros(self.told.changed_at)
        version = self.told.version
        return {"version": version, "base": self.base, "merged": self.merged, "changed_at": at}


@dataclass(frozen=True, slots=True)
class TextUpdate:
    """A new `text`, and how far a model or a person has merged the tellings."""

    text: str
    writer: str
    draft: bool
    base: str
    merged: int


# Writing


async def hold(tx: Transaction, place: TextOwner, now: datetime) -> StoredText:
    id = ids.derived(TOLD, tx.space, place.person, place.audience)
    row = await tx.first(queries.hold, **place.row, id=id, now=micros(now))
    assert row is not None
    return await _held(tx, row)


async def read(tx: Transaction, place: TextOwner) -> StoredText | None:
    row = await tx.first(queries.one, **place.row)
    return await _held(tx, row) if row else None


async def _held(tx: Transaction, row: Row) -> StoredText:
    number = await value(tx, queries.last_number, person=row["person"], audience=row["audience"])
    last = max(row["merged"], number)
    memory = await memories.get(tx, row["id"])
    if memory is not None:
        told = told_of(memory, row["version"])
    else:
        told = records.from_row(ToldText, row, text="", writer="", draft=last > row["merged"])
    return StoredText(told, row["base"], row["merged"], last, memory)


async def add_telling(
    tx: Transaction, place: TextOwner, number: int, telling: RememberRequest, now: datetime
) -> None:
    given = asdict(telling) | {"found": int(telling.found), "at": micros(telling.at or now)}
    await tx.run(queries.add_telling, **given | place.row, number=number)
    crash.point("told.after_telling")


async def put(tx: Transaction, held: StoredText, new: TextUpdate, now: datetime) -> None:
    """Write a text. The same words are no change, unless they stop being a draft."""
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


async def _write(tx: Transaction, held: StoredText, new: TextUpdate, now: datetime) -> None:
    told, before = held.told, held.memory
    if not new.text:
        await delete_text(tx, told.id)
        await record(tx, [VersionEntry(told.id, "", new.writer)], now)
        return
    edited = before if before is not None and before.writer == new.writer else None
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
        edited_at=edited.edited_at if edited else None,
        edited_by=edited.edited_by if edited else None,
    )
    await memories.put(tx, [memory], now, (new.writer, WRITTEN))


async def delete_text(tx: Transaction, id: str) -> None:
    """Delete the text. The tellings stay."""
    await memories.drop(tx, [id])


async def set_progress(tx: Transaction, held: StoredText) -> None:
    await tx.run(queries.set, id=held.told.id, **held.progress)


async def replace_tellings(
    tx: Transaction,
    held: StoredText,
    base: str,
    settled: Sequence[RememberRequest],
    later: Sequence[RememberRequest],
) -> StoredText:
    """Replace the tellings of a text. The `settled` ones are in `base` already. Numbers continue
    after the last one, so that a model call on the old tellings is discarded. A deleted text can't
    be restored after this."""
    place, first = held.place, held.last + 1
    await tx.run(queries.delete_tellings, **place.row)
    for number, telling in enumerate([*settled, *later], start=first):
        await add_telling(tx, place, number, telling, telling.at or held.told.changed_at)
    merged = held.last + len(settled)
    if held.memory is None:
        await delete_text(tx, held.told.id)
    return replace(held, base=base, merged=merged, last=merged + len(later))


# Reading


async def of_person(tx: Transaction, person: str) -> list[ToldText]:
    """List a person's texts: the public one first, then by private channel."""
    rows = await tx.all(queries.of_person, person=person)
    return [told_of(from_row(row), row["version"]) for row in rows]


async def messages_of(tx: Transaction, ids: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Return the messages that each text comes from."""
    found: dict[str, dict[str, None]] = {id: {} for id in ids}
    for row in await tx.all(queries.messages_of, ids=json.dumps(list(ids))):
        found[row["id"]][row["source"]] = None
    return {id: tuple(each) for id, each in found.items()}


async def by_audience(tx: Transaction, person: str) -> list[tuple[str, RememberRequest]]:
    rows = await tx.all(queries.by_audience, person=person)
    return [(row["audience"], records.from_row(RememberRequest, row)) for row in rows]


async def since(
    tx: Transaction, place: TextOwner, number: int
) -> list[tuple[int, RememberRequest]]:
    """List the tellings after a number, each with its own."""
    rows = await tx.all(queries.since, **place.row, after=number)
    return [(row["number"], records.from_row(RememberRequest, row)) for row in rows]
