"""Rows of what is known about people, as the rooms would write them, and what must hold of them afterwards."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from erstwhile import Memory
from erstwhile.base import ids
from erstwhile.base.clock import micros, moment
from erstwhile.index import documents
from erstwhile.layers.notes import store as note_store
from erstwhile.layers.notes.model import Note
from erstwhile.memories import history
from erstwhile.memories import store as memories
from erstwhile.memories.history import VersionEntry
from erstwhile.memories.model import StoredMemory
from erstwhile.storage import Row, Transaction
from erstwhile.storage.queries import make
from erstwhile.text import analyse
from inside import SEARCHED, runtime


async def read(memory: Memory, sql: str, **params: Any) -> list[Row]:
    query = make("test", sql, sql)
    return await runtime(memory).database.read("default", lambda tx: tx.all(query, **params))


async def insert(memory: Memory, table: str, **row: Any) -> None:
    sql = f"INSERT INTO {table} (space, {', '.join(row)}) VALUES (:space, {', '.join(f':{name}' for name in row)})"
    query = make("test", sql, sql)
    await runtime(memory).database.write("default", lambda tx: tx.run(query, **row))


class Community:
    """`at` counts days from the start of the story."""

    def __init__(self, memory: Memory, start: datetime) -> None:
        self.memory = memory
        self._start = start

    def micros(self, at: float) -> int:
        return micros(self._start + timedelta(days=at))

    def day(self, at: float) -> str:
        return (self._start + timedelta(days=at)).date().isoformat()

    async def note(self, name: str, at: float, *, place: tuple[str, int, int] = ("hall", 1, 5)) -> str:
        id = ids.derived("note", name)
        await self._note(id, "note", name, at, place=place)
        return id

    async def topic(self, name: str, at: float, notes: Sequence[str] = ()) -> str:
        id = ids.derived("topic", name)
        await self._note(id, "topic", name, at, place=("", 0, 0), notes=notes)
        return id

    async def _note(
        self, id: str, kind: str, name: str, at: float, *, place: tuple[str, int, int], notes: Sequence[str] = ()
    ) -> None:
        moment = self._start + timedelta(days=at)
        said = (moment.date(), f"About {name}", f"Words of {name}", ("mina",), moment, moment)
        note = Note(id, kind, *place, *said, None, "m", draft=False, notes=tuple(notes))

        async def unit(tx: Transaction) -> None:
            await note_store.put(tx, note, moment)
            await memories.set_sources(tx, id, notes)

        await runtime(self.memory).database.write("default", unit)

    async def profile_fact(
        self, name: str, at: float, note: str | None, *, also: Sequence[str] = (), edited: bool = False
    ) -> str:
        id, when = ids.derived("profile", name), moment(self.micros(at))
        sources = list(dict.fromkeys([*filter(None, [note]), *also]))
        place = {"person": "mina", "category": "bio", "channel": "hall", "seq": 1, "valid_from": when}
        signed = {"edited_at": when, "edited_by": "jun"} if edited else {}
        noted = [row["to_at"] for row in await read(self.memory, _NOTED) if row["id"] in sources]
        until = moment(max(noted)) if noted else None
        data = {"note": note, "notes": sources}
        await self._stored(id, "profile", f"Words of {name}", at, **place, **signed, to_at=until, data=data)
        for source in sources:
            await insert(self.memory, "memory_sources", id=id, source=source)
        await self._shown(id, "profile", f"Words of {name}", at)
        return id

    async def told(self, person: str, at: float, audience: str = "") -> str:
        id, words = ids.derived("told", person, audience), f"Words told of {person}"
        place = {"person": person, "audience": audience}
        await insert(self.memory, "told", **place, id=id, base=words, merged=1, version=1, changed_at=self.micros(at))
        await self._stored(id, "told", words, at, person=person, channel=audience)
        await self.telling(person, at, audience)
        await self._shown(id, "told", f"Words told of {person}", at)
        return id

    async def telling(self, person: str, at: float, audience: str = "", number: int = 1) -> None:
        await insert(
            self.memory,
            "tellings",
            person=person,
            audience=audience,
            number=number,
            action="remember",
            words=f"Words told of {person}",
            found=1,
            flag="",
            at=self.micros(at),
        )

    async def a_day(self, person: str, at: float) -> str:
        id = ids.derived("day", person, self.day(at))
        made = {"writer": "m", "draft": 1, "made_at": self.micros(at)}
        place = {"day": self.day(at), "audience": f"of {person}"}
        bounds = {"from_at": moment(self.micros(int(at))), "to_at": moment(self.micros(int(at) + 1))}
        day = {"category": self.day(at), "channel": f"of {person}", "person": person, "data": {"over": True}}
        await self._stored(id, "day", "Words", at, draft=True, **day, **bounds)
        await insert(self.memory, "day_batches", **place, bucket=24, messages=1, **made)
        await self._shown(id, "day", "Words", at)
        return id

    async def week_and_portrait(self, person: str, at: float) -> None:
        made = {"audience": "", "hash": "h", "text": "Words", "writer": "m", "draft": 0, "made_at": self.micros(at)}
        await insert(self.memory, "weeks", person=person, until=self.day(at), **made)
        await insert(self.memory, "portraits", person=person, **made)

    async def _stored(self, id: str, kind: str, text: str, at: float, **more: Any) -> None:
        when = self._start + timedelta(days=at)
        memory = StoredMemory(id=id, kind=kind, text=text, writer="m", at=when, created_at=when, **more)
        await runtime(self.memory).database.write("default", lambda tx: memories.save(tx, [memory]))

    async def _shown(self, id: str, kind: str, text: str, at: float) -> None:
        document = documents.Document(id, kind, self.micros(at), analyse.terms(text), seq=None)
        moment = self._start + timedelta(days=at)

        async def unit(tx: Transaction) -> None:
            await documents.add(tx, [document])
            await history.record(tx, [VersionEntry(id, text, "m")], moment)

        await runtime(self.memory).database.write("default", unit)


_NOTED = "SELECT id, to_at FROM memories WHERE space = :space AND kind = 'note'"
_SOUND = {
    "a document of nothing": """
        SELECT d.id FROM documents d WHERE d.space = :space
            AND NOT EXISTS (SELECT 1 FROM messages m WHERE m.space = d.space AND m.id = d.id)
            AND NOT EXISTS (SELECT 1 FROM memories f
                WHERE f.space = d.space AND f.id = d.id AND f.deleted_at IS NULL AND f.text <> '')""",
    "a vector of nothing": f"""
        SELECT v.doc FROM vectors v WHERE v.space = :space
            AND NOT EXISTS (SELECT 1 FROM {SEARCHED} d WHERE d.space = v.space AND d.doc = v.doc)""",
    "a fact without its note": """
        SELECT f.id FROM memories f JOIN memory_sources s ON s.space = f.space AND s.id = f.id
        WHERE f.space = :space AND f.kind = 'profile' AND f.deleted_at IS NULL
            AND NOT EXISTS (SELECT 1 FROM memories n WHERE n.space = f.space AND n.id = s.source AND n.title <> '')""",
    "sources of nothing": """
        SELECT s.id FROM memory_sources s WHERE s.space = :space
            AND NOT EXISTS (SELECT 1 FROM memories f WHERE f.space = s.space AND f.id = s.id)""",
    "a successor that is gone": """
        SELECT f.id FROM memories f WHERE f.space = :space AND f.superseded_by IS NOT NULL AND f.deleted_at IS NULL
            AND NOT EXISTS (
                SELECT 1 FROM memories s WHERE s.space = f.space AND s.id = f.superseded_by AND s.deleted_at IS NULL)""",
    "people of a note that is gone": """
        SELECT p.id FROM note_people p WHERE p.space = :space
            AND NOT EXISTS (SELECT 1 FROM memories n WHERE n.space = p.space AND n.id = p.id)""",
    "words of what expired": """
        SELECT n.id FROM memories n WHERE n.space = :space AND n.text <> '' AND EXISTS (
            SELECT 1 FROM versions d WHERE d.space = n.space AND d.id = n.id AND d.action = 'deleted' AND d.writer = 'retention')""",
    "words that live on in the history": """
        SELECT v.id FROM versions v WHERE v.space = :space AND v.text <> '' AND EXISTS (
            SELECT 1 FROM versions d WHERE d.space = v.space AND d.id = v.id AND d.action = 'deleted' AND d.writer = 'retention')""",
    "a draft of what can't be read again": """
        SELECT c.id FROM memories c WHERE c.space = :space AND c.kind = 'chunk' AND c.draft = 1 AND (
            SELECT count(*) FROM messages m WHERE m.space = c.space AND m.channel = c.channel AND m.seq BETWEEN c.first_seq AND c.last_seq
        ) <= c.last_seq - c.first_seq""",
}


_SOURCES = "SELECT source FROM memory_sources WHERE space = :space AND id = :id"


async def dangling(memory: Memory) -> dict[str, list[Row]]:
    found = {what: await read(memory, sql) for what, sql in _SOUND.items()}
    facts = await read(memory, "SELECT id, data FROM memories WHERE space = :space AND kind = 'profile'")
    found["a fact whose sources are not the notes it names"] = [
        fact for fact in facts if fact["data"] and not await _rests_on_its_notes(memory, fact)
    ]
    return {what: rows for what, rows in found.items() if rows}


async def _rests_on_its_notes(memory: Memory, fact: Row) -> bool:
    data = json.loads(fact["data"])
    named = set(data["notes"])
    sources = {row["source"] for row in await read(memory, _SOURCES, id=fact["id"])}
    return named == sources and data.get("note") in {None, *named}


TABLES = (
    "messages",
    "documents",
    "versions",
    "memory_sources",
    "note_people",
    "told",
    "tellings",
    "day_batches",
    "weeks",
    "portraits",
    "chunks",
    "memories",
    "readings",
    "structured_threads",
    "briefs",
)


async def everything(memory: Memory) -> dict[str, list[str]]:
    return {
        table: sorted(
            str(sorted(row.items(), key=str))
            for row in await read(memory, f"SELECT * FROM {table} WHERE space = :space")
        )
        for table in TABLES
    }
