"""The facts of profiles, as a search reads them."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from erstwhile.base.clock import moment
from erstwhile.layers.remembered import who
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
    facts = await _rows(tx, queries.profile_facts, ids.get("profile", ()))
    names = await people.names_of(tx, {row[column] for row in facts for column in ("person", "said_by") if row[column]})
    authors = await who.told_apart(tx, {row["said_by"] for row in facts if row["said_by"]}, names)
    return {row["id"]: _fact(row, authors) for row in facts}


async def said_by(tx: Transaction, ids: Sequence[str], people: Collection[str]) -> set[str]:
    """Of these profile facts, those that are the word of one of the people."""
    return {row["id"] for row in await _rows(tx, queries.profile_facts, ids) if row["said_by"] in people}


async def sources(tx: Transaction, memories: Sequence[PersonMemory]) -> dict[str, tuple[str, ...]]:
    """The notes of each that are still there, or else the message it rests on."""
    found: dict[str, list[str]] = {memory.id: [] for memory in memories}
    for row in await _rows(tx, queries.profile_notes, list(found)):
        found[row["id"]].append(row["source"])
    for row in await _rows(tx, queries.profile_messages, [id for id, notes in found.items() if not notes]):
        found[row["id"]].append(row["source"])
    return {id: tuple(dict.fromkeys(each)) for id, each in found.items()}


async def _rows(tx: Transaction, query: Query, ids: Sequence[str]) -> list[Row]:
    return await tx.all(query, ids=json.dumps(list(ids))) if ids else []


def _fact(row: Row, authors: Mapping[str, str]) -> PersonMemory:
    """With whose word it is, and the day it ended, if it did."""
    told = f" (said by {authors[row['said_by']]})" if row["said_by"] and row["said_by"] != row["person"] else ""
    ended = f" (until {moment(row['valid_to']):%Y-%m-%d})" if row["valid_to"] is not None else ""
    text, at = f"{row['text']}{told}{ended}", moment(row["at"])
    return PersonMemory(row["id"], "profile", text, row["channel"], row["person"], row["seq"], at, row["writer"])
