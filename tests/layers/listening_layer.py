"""A layer made from notes that only keeps what it is given."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime
from typing import Any

import erstwhile
from erstwhile.layers.notes.model import Note, NoteStatement
from erstwhile.storage import Transaction
from erstwhile.testing import FixedClock, ModelServer
from inside import runtime


class Listening:
    def __init__(self, memory: erstwhile.Memory) -> None:
        self.notes: list[tuple[Note, list[NoteStatement]]] = []
        self.deleted: list[tuple[str, str]] = []
        self.nights: list[tuple[date, list[str]]] = []
        runtime(memory).layers.notes._followers.append(self)  # type: ignore[attr-defined]

    async def noted(self, tx: Transaction, note: Note, stated: Sequence[NoteStatement], now: datetime) -> None:
        self.notes.append((note, list(stated)))

    async def unnoted(self, tx: Transaction, note: str, by: str, now: datetime) -> None:
        self.deleted.append((note, by))

    async def night_fell(self, tx: Transaction, people: Sequence[str], day: date, now: datetime) -> None:
        self.nights.append((day, list(people)))


def opened(url: str, clock: FixedClock, server: ModelServer | None = None, **settings: Any) -> erstwhile.Memory:
    model: dict[str, Any] = {}
    if server is not None:
        model = {"model": "openai-compatible:scripted", "base_url": server.base_url, "api_key": "k"}
        model |= {"model_timeout_seconds": 60}
    return erstwhile.open(url, clock=clock, **{"worker": False, "recipe": "community", **model, **settings})


async def say(chat: erstwhile.Channel, text: str, person: str = "mina", **more: Any) -> int:
    return (await chat.add("user", text, person=person, name=person.title(), **more)).seq


async def places(memory: erstwhile.Memory, channel: str = "hall") -> list[tuple[int, int]]:
    found = await memory.notes.list(channel=channel, kind="note", limit=1000)
    return sorted((note.first_seq, note.last_seq) for note in found)
