"""Facts about people for tests, notes to take them from, and what is in the profiles afterwards."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from typing import Any

import erstwhile
from erstwhile.layers import threads
from erstwhile.layers.notes import store as notes
from erstwhile.layers.notes.model import Note, NoteStatement, memory_of
from erstwhile.layers.profiles.model import ProfileFact, fact_id
from erstwhile.memories import store as memories
from erstwhile.storage import Transaction
from inside import runtime

DAY = datetime(2026, 3, 1, 9, tzinfo=UTC)


def fact(text: str, day: int = 1, **more: Any) -> ProfileFact:
    """As a note of that day states it; its note is named after the day unless told otherwise."""
    note = more.pop("note", f"nte_{day}")
    said_by, slot = more.pop("said_by", None), threads.slot(more.pop("slot", ""))
    made = ProfileFact(
        id=fact_id("s", "alice", note, text, said_by),
        person="alice",
        section="bio",
        text=text,
        note=note,
        said_by=said_by,
        channel="chat",
        seq=day,
        slot=slot,
        value="",
        flag="",
        at=DAY + timedelta(days=day),
        valid_to=None,
        superseded_by=None,
        writer="test",
        draft=False,
        notes=(note,) if note else (),
    )
    return replace(made, **more)


def home(place: str, day: int, **more: Any) -> ProfileFact:
    return fact(more.pop("text", f"Alice lives in {place}."), day, slot="home", value=place, **more)


def stated(text: str, seq: int = 1, **more: Any) -> NoteStatement:
    usual: dict[str, Any] = {"about": "alice", "said_by": "alice", "section": "bio", "at": DAY + timedelta(minutes=seq)}
    return NoteStatement(**{**usual, **more}, text=text, seq=seq)


def note(name: str = "one", channel: str = "chat", **more: Any) -> Note:
    """The first in a channel is made of its three messages, any other of ones that nobody looks at."""
    first = 1 if name == "one" or channel != "chat" else 100 + zlib.crc32(name.encode())
    usual: dict[str, Any] = {
        "kind": "note",
        "first_seq": first,
        "last_seq": first + 2,
        "day": date(2026, 3, 1),
        "title": f"Talk {name}",
        "text": "Alice and Bob talked.",
        "people": ("alice", "bob"),
        "from_at": DAY,
        "to_at": DAY + timedelta(hours=1),
        "topic": None,
        "writer": "model#note/1",
        "draft": False,
    }
    return Note(**{**usual, **more}, id=f"nte_{name}", channel=channel)


async def take(memory: erstwhile.Memory, noted: Note, says: Sequence[NoteStatement], space: str = "default") -> None:
    """As the room notes does: the note and what follows from it in one transaction."""

    async def unit(tx: Transaction) -> None:
        await memories.save(tx, [memory_of(noted, noted.to_at)])
        await notes.set_people(tx, noted.id, noted.people)
        await runtime(memory).layers.profiles.noted(tx, noted, says, memory._clock())

    await runtime(memory).database.write(space, unit)


async def night(memory: erstwhile.Memory, *people: str) -> None:
    async def unit(tx: Transaction) -> None:
        await runtime(memory).layers.profiles.night_fell(
            tx, people or ("alice", "bob"), date(2026, 3, 1), memory._clock()
        )

    await runtime(memory).database.write("default", unit)


async def facts(memory: erstwhile.Memory, person: str = "alice", *, ended: bool = False) -> list[ProfileFact]:
    profile = await memory.people.profile(person, ended=ended)
    return [fact for section in profile.sections.values() for fact in section]


async def texts(memory: erstwhile.Memory, person: str = "alice", *, ended: bool = False) -> list[str]:
    return [fact.text for fact in await facts(memory, person, ended=ended)]


async def say(memory: erstwhile.Memory, channel: str = "chat") -> list[str]:
    """Two people, so that anyone may hear it."""
    lines = (("alice", "I live in Seoul"), ("bob", "Alice plays the violin very well"), ("alice", "I like tea"))
    said = [
        {"role": "user", "person": person, "name": person.title(), "text": text, "at": DAY + timedelta(minutes=n)}
        for n, (person, text) in enumerate(lines, start=1)
    ]
    return [message.id for message in await memory.channel(channel).add_many(said)]
