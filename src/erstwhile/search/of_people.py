"""Memories of people and their conversations, as recall reads them: notes, topics, profile facts."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from erstwhile.base import ids as kinds
from erstwhile.base.clock import moment
from erstwhile.layers.remembered.names import distinct_names
from erstwhile.log import people
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
    facts = await _rows(tx, queries.profile_facts, ids.get("profile", ()))
    names = await people.names_of(tx, {row[column] for row in facts for column in ("person", "said_by") if row[column]})
    authors = await distinct_names(tx, {row["said_by"] for row in facts if row["said_by"]}, names)
    found += [_fact(row, authors) for row in facts]
    return {each.id: each for each in found}


async def said_by(tx: Transaction, ids: Sequence[str], people: Collection[str]) -> set[str]:
    """Of these profile facts, those that are the word of one of the people."""
    return {row["id"] for row in await _rows(tx, queries.profile_facts, ids) if row["said_by"] in people}


async def sources(tx: Transaction, memories: Sequence[PersonMemory]) -> dict[str, tuple[str, ...]]:
    """The direct sources of each that are still there: messages, or the notes of a topic or of a profile fact. A fact whose notes are
    gone leads to the message it leans on."""
    of: dict[str, list[str]] = {}
    for memory in memories:
        of.setdefault(memory.kind, []).append(memory.id)
    found: dict[str, list[str]] = {memory.id: [] for memory in memories}
    for kind, query in (
        ("note", queries.note_messages),
        ("topic", queries.topic_notes),
        ("profile", queries.profile_notes),
    ):
        for row in await _rows(tx, query, of.get(kind, ())):
            found[row["id"]].append(row["source"])
    bare = [id for id in of.get("profile", ()) if not found[id]]
    for row in await _rows(tx, queries.profile_messages, bare):
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


def _fact(row: Row, authors: Mapping[str, str]) -> PersonMemory:
    """With whose word it is, and the day it ended, if it did."""
    told = f" (said by {authors[row['said_by']]})" if row["said_by"] and row["said_by"] != row["person"] else ""
    ended = f" (until {moment(row['valid_to']):%Y-%m-%d})" if row["valid_to"] is not None else ""
    text, at = f"{row['text']}{told}{ended}", moment(row["at"])
    return PersonMemory(row["id"], "profile", text, row["channel"], row["person"], row["seq"], at, row["writer"])
