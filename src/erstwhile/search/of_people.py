"""Notes and topics, as a search reads them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from erstwhile.base import ids as kinds
from erstwhile.base.clock import moment
from erstwhile.storage import Row, Transaction
from erstwhile.storage.queries import Query, load

queries = load(__package__)


@dataclass(frozen=True, slots=True)
class PersonMemory:
    """`channel` is where it was said, or the private channel that may hear it; "" is everyone's."""

    id: str
    kind: str
    text: str
    channel: str
    person: str | None
    seq: int | None
    at: datetime
    writer: str


async def by_ids(tx: Transaction, ids: Mapping[str, Sequence[str]]) -> dict[str, PersonMemory]:
    """Of each kind those that are there."""
    found = [note(row) for row in await _rows(tx, queries.notes, [*ids.get("note", ()), *ids.get("topic", ())])]
    return {each.id: each for each in found}


async def sources(tx: Transaction, memories: Sequence[PersonMemory]) -> dict[str, tuple[str, ...]]:
    """The direct sources of each that are still there: messages, or the notes of a topic."""
    of: dict[str, list[str]] = {}
    for memory in memories:
        of.setdefault(memory.kind, []).append(memory.id)
    found: dict[str, list[str]] = {memory.id: [] for memory in memories}
    for kind, query in (("note", queries.note_messages), ("topic", queries.topic_notes)):
        for row in await _rows(tx, query, of.get(kind, ())):
            found[row["id"]].append(row["source"])
    return {id: tuple(dict.fromkeys(each)) for id, each in found.items()}


async def messages(tx: Transaction, memories: Sequence[PersonMemory]) -> dict[str, tuple[str, ...]]:
    """The messages that each comes from, through its notes where it has some."""
    direct = await sources(tx, memories)
    through = {id for each in direct.values() for id in each if kinds.kind_of(id) != "message"}
    notes = list((await by_ids(tx, {"note": sorted(through)})).values())
    below = await sources(tx, notes) if notes else {}
    return {
        id: tuple(dict.fromkeys(message for each in ids for message in below.get(each, (each,))))
        for id, ids in direct.items()
    }


async def _rows(tx: Transaction, query: Query, ids: Sequence[str]) -> list[Row]:
    return await tx.all(query, ids=json.dumps(list(ids))) if ids else []


def note(row: Row) -> PersonMemory:
    text, at = titled(row["title"], row["text"]), moment(row["to_at"])
    return PersonMemory(row["id"], row["kind"], text, row["channel"], None, None, at, row["writer"])


def titled(title: str, text: str) -> str:
    return f"{title} — {text}" if title and text else title or text
