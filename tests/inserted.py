"""Rows of the rooms about people, put straight into the tables, with their search documents: as if the rooms had made them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from typing import Any
from zoneinfo import ZoneInfo

import erstwhile
from erstwhile.base import ids
from erstwhile.base.clock import micros, moment
from erstwhile.index import documents
from erstwhile.index.documents import Document
from erstwhile.layers.notes import store as note_store
from erstwhile.layers.notes.model import Note, memory_of
from erstwhile.memories import store as memories
from erstwhile.memories.model import StoredMemory
from erstwhile.storage import Transaction
from erstwhile.storage.queries import make
from erstwhile.text import analyse
from inside import runtime


@dataclass(frozen=True)
class Rows:
    memory: erstwhile.Memory
    space: str = "default"

    async def note(
        self,
        title: str,
        text: str,
        channel: str = "",
        seqs: tuple[int, int] = (0, -1),
        day: str = "2026-02-23",
        **more: Any,
    ) -> str:
        """With `notes` it is a topic, made of these; `people` took part."""
        notes: Sequence[str] = more.get("notes", ())
        kind = "topic" if notes else "note"
        id = ids.derived(kind, self.space, channel, seqs[0], title)
        at = datetime.fromisoformat(f"{day}T20:00:00").replace(tzinfo=UTC)
        people, place = tuple(more.get("people", ())), (channel, *seqs, date.fromisoformat(day))
        note = Note(id, kind, *place, title, text, people, at, at, None, "test", draft=False, notes=tuple(notes))

        async def unit(tx: Transaction) -> None:
            await memories.save(tx, [replace(memory_of(note, at), data={})])
            await note_store.set_people(tx, id, people)
            await memories.set_sources(tx, id, notes)
            seq, until = (None, None) if kind == "topic" else seqs
            terms = analyse.terms(f"{title} {text}")
            await documents.add(tx, [Document(id, kind, micros(at), terms, channel or None, None, seq, until)])

        await runtime(self.memory).database.write(self.space, unit)
        return id

    async def fact(self, person: str, section: str, text: str, note: str | None = None, **more: Any) -> str:
        channel, seq, at = more.get("channel", ""), more.get("seq"), more.get("at", datetime(2026, 2, 23, tzinfo=UTC))
        sources = [*filter(None, [note]), *more.get("notes", ())]
        until = more.get("valid_to")
        fact = StoredMemory(
            id=ids.derived("profile", self.space, person, text),
            kind="profile",
            text=text,
            writer="test",
            at=at,
            created_at=at,
            person=person,
            category=section,
            channel=channel,
            seq=seq,
            said_by=more.get("said_by"),
            valid_from=at,
            valid_to=None if until is None else moment(until),
            data={"note": note, "notes": sources, "flag": more.get("flag", "")},
        )
        id = fact.id

        async def unit(tx: Transaction) -> None:
            await memories.save(tx, [fact])
            await memories.set_sources(tx, id, sources)
            terms = analyse.terms(text)
            await documents.add(tx, [Document(id, "profile", micros(at), terms, channel or None, person, seq)])

        await runtime(self.memory).database.write(self.space, unit)
        return id

    async def told(self, person: str, text: str, audience: str = "", said: tuple[str, int] | None = None) -> str:
        id, when = ids.derived("told", self.space, person, audience), datetime(2026, 2, 24, tzinfo=UTC)
        at, row = micros(when), {"person": person, "audience": audience}
        times = {"at": when, "created_at": when}

        async def unit(tx: Transaction) -> None:
            await _insert(tx, "told", row | {"id": id, "base": text, "merged": 1, "version": 1, "changed_at": at})
            told = StoredMemory(id=id, kind="told", text=text, writer="test", person=person, channel=audience, **times)
            await memories.save(tx, [told])
            telling = {"number": 1, "action": "remember", "words": text, "found": 1, "flag": "", "at": at}
            channel, seq = said or (None, None)
            await _insert(tx, "tellings", row | telling | {"channel": channel, "seq": seq})
            await documents.add(tx, [Document(id, "told", at, analyse.terms(text), audience or None, person)])

        await runtime(self.memory).database.write(self.space, unit)
        return id

    async def day(self, person: str, day: str, text: str, audience: str = "") -> str:
        id, at = (
            ids.derived("day", self.space, person, day, audience),
            micros(datetime.fromisoformat(f"{day}T23:00:00+00:00")),
        )
        made = {"day": day, "audience": audience, "writer": "test", "draft": 0, "made_at": at}

        async def unit(tx: Transaction) -> None:
            await _insert(tx, "day_batches", made | {"bucket": 24, "messages": 1})
            zone = ZoneInfo(self.memory.settings.timezone)
            begun = micros(datetime.fromisoformat(f"{day}T00:00:00").replace(tzinfo=zone))
            span = {"from_at": moment(begun), "to_at": moment(begun + 86_400_000_000), "category": day}
            times = {"at": moment(at), "created_at": moment(at)}
            told = {"text": text, "writer": "test", "person": person, "channel": audience, "data": {"over": True}}
            await memories.save(tx, [StoredMemory(id=id, kind="day", **told, **span, **times)])
            await documents.add(tx, [Document(id, "day", at, analyse.terms(text), audience or None, person)])

        await runtime(self.memory).database.write(self.space, unit)
        return id

    async def run(self, sql: str, **params: Any) -> None:
        query = make("x", sql, sql)
        await runtime(self.memory).database.write(self.space, lambda tx: tx.run(query, **params))


async def tell(memory: erstwhile.Memory, id: str, person: str, text: str, audience: str = "") -> None:
    """As if someone had asked to remember it."""
    at = moment(0)
    told = StoredMemory(
        id=id, kind="told", text=text, writer="test", at=at, created_at=at, person=person, channel=audience
    )

    async def unit(tx: Transaction) -> None:
        if await memories.get(tx, id) is None:
            place = {"id": id, "person": person, "audience": audience}
            await _insert(tx, "told", place | {"base": text, "merged": 0, "version": 1, "changed_at": 0})
        await memories.save(tx, [told])

    await runtime(memory).database.write("default", unit)


async def _insert(tx: Transaction, table: str, row: dict[str, Any]) -> None:
    sql = f"INSERT INTO {table} (space, {', '.join(row)}) VALUES (:space, {', '.join(f':{name}' for name in row)})"
    await tx.run(make("x", sql, sql), **row)
