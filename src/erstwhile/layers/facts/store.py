"""Store facts; also which ranges were read for facts, and which facts are linked."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace as replaced
from datetime import datetime
from typing import Any

from erstwhile.base.clock import micros
from erstwhile.layers.facts import classify
from erstwhile.layers.facts.model import KIND, Fact, FactReading, FoundFact, fact_of
from erstwhile.layers.summaries.model import Range
from erstwhile.memories import store as memories
from erstwhile.memories.hooks import Hooks
from erstwhile.memories.model import UNVERIFIED, StoredMemory
from erstwhile.memories.store import MemoryFilter, Replacement, SourceRange
from erstwhile.storage import Row, Transaction
from erstwhile.storage.queries import load

queries = load(__package__)


def place_of(range: Range) -> SourceRange:
    return SourceRange(KIND.name, range.channel, range.first, range.last)


async def put(tx: Transaction, hooks: Hooks, reading: FactReading, now: datetime) -> bool:
    """Store a reading. Return False if there is a final one already."""
    place, extract = _place(reading.range), _extract(reading)
    if not await tx.run(queries.put_extract, **place, **extract, now=micros(now)):
        return False
    if not await _take_over(tx, reading.range):
        return False
    await _store(tx, hooks, reading, now, overwrite=False)
    return True


async def replace(tx: Transaction, hooks: Hooks, reading: FactReading, now: datetime, *, overwrite: bool) -> None:
    """Replace the reading of a range. With `overwrite`, also edits and deletions by people."""
    await set_extract(tx, reading.range, _extract(reading), now)
    if not await _take_over(tx, reading.range):
        return
    if overwrite:
        await memories.discard_edits(tx, place_of(reading.range))
    await _store(tx, hooks, reading, now, overwrite=overwrite)


async def _take_over(tx: Transaction, range: Range) -> bool:
    """Let a reading replace those of the same chunk when it had fewer messages. Return False if there is one of more."""
    others = await tx.all(queries.other_extracts, **_place(range))
    if any(row["last_seq"] > range.last for row in others):
        await tx.run(queries.drop_extract, **_place(range))
        return False
    for row in others:
        await tx.run(queries.drop_extract, **_place(range) | {"last": row["last_seq"]})
        await memories.widen(tx, replaced(place_of(range), last=row["last_seq"]), range.last)
    return True


async def _store(tx: Transaction, hooks: Hooks, reading: FactReading, now: datetime, *, overwrite: bool) -> None:
    made = [_memory(reading, each, now) for each in reading.found]
    given = Replacement(place_of(reading.range), made, reading.written.writer, overwrite)
    added = {each.id for each in await memories.replace_in(tx, hooks, given, now)}
    for each in reading.found:
        if each.id in added:
            await add_links(tx, each.id, each.links)


def _memory(reading: FactReading, found: FoundFact, now: datetime) -> StoredMemory:
    range, written = reading.range, reading.written
    return described(
        StoredMemory(
            id=found.id,
            kind=KIND.name,
            text=found.text,
            writer=written.writer,
            draft=written.draft,
            channel=range.channel,
            first_seq=range.first,
            last_seq=range.last,
            seq=found.seq,
            person=found.person,
            at=found.at,
            created_at=now,
            data={UNVERIFIED: True} if found.unverified else {},
        )
    )


def described(memory: StoredMemory) -> StoredMemory:
    text = memory.text
    return replaced(memory, category=classify.category(text), importance=classify.importance(text))


# Which ranges were read


def _place(range: Range) -> dict[str, Any]:
    return {"channel": range.channel, "first": range.first, "last": range.last}


def _extract(reading: FactReading) -> dict[str, Any]:
    written = reading.written
    return {"found": len(reading.found), "writer": written.writer, "draft": int(written.draft)}


async def set_extract(tx: Transaction, range: Range, extract: Mapping[str, Any], now: datetime) -> None:
    await tx.run(queries.replace_extract, **_place(range), **extract, now=micros(now))


async def extract_at(tx: Transaction, range: Range) -> Row | None:
    return await tx.first(queries.extract_at, **_place(range))


async def hold(tx: Transaction, channel: str, first: int, last: int) -> None:
    """Lock a range until the commit, so that a reading and a person's edit take turns."""
    await tx.run(queries.hold_extract, channel=channel, first=first, last=last)


async def drafts(tx: Transaction) -> list[Range]:
    rows = await tx.all(queries.drafts)
    return [Range(row["channel"], 0, 0, row["first_seq"], row["last_seq"]) for row in rows]


async def counts(tx: Transaction) -> Row:
    row = await tx.first(queries.counts)
    assert row is not None
    return row


async def unread(tx: Transaction, channel: str) -> list[Range]:
    """List full chunks that were never read for facts."""
    rows = await tx.all(queries.unread, channel=channel)
    return [Range(row["channel"], 0, row["number"], row["first_seq"], row["last_seq"]) for row in rows]


async def read_in(tx: Transaction, channel: str) -> int:
    """Count the ranges of the channel that were read."""
    row = await tx.first(queries.read, channel=channel)
    return row["extracts"] if row else 0


async def found_in(tx: Transaction, range: Range) -> int | None:
    """Count the facts of a range; None if it was not read."""
    row = await tx.first(queries.found_in, **_place(range))
    return row["found"] if row else None


async def take_extracts(tx: Transaction) -> list[Range]:
    """Delete the extracts of ranges with erased messages. Return the ranges."""
    rows = await tx.all(queries.extracts_touched)
    found = [Range(row["channel"], 0, 0, row["first_seq"], row["last_seq"]) for row in rows]
    if found:
        await tx.run_many(queries.drop_extract, [_place(each) for each in found])
    return found


async def settle(tx: Transaction, channel: str, first: int, last: int) -> None:
    await tx.run(queries.settle_extracts, channel=channel, first=first, last=last)


async def empty(tx: Transaction) -> None:
    """Delete extracts, but not those of expired messages, and links to facts that are gone."""
    await tx.run(queries.empty_extracts)
    await tx.run(queries.drop_loose_links)


# Facts


async def by_ids(tx: Transaction, ids: Sequence[str]) -> list[Fact]:
    return [fact_of(each) for each in (await memories.by_ids(tx, ids)).values()]


async def latest(tx: Transaction, channel: str, limit: int) -> list[Row]:
    """List the newest facts of a channel, newest first. Every context reads hundreds: only what it shows of them."""
    return await tx.all(queries.latest, channel=channel, limit=limit)


def shown_of(memory: StoredMemory) -> Row:
    """Return of a stored fact what `latest` does."""
    channel, first, last = memory.range
    place = {"channel": channel, "first_seq": first, "last_seq": last, "seq": memory.seq}
    return {**place, "id": memory.id, "person": memory.person, "text": memory.text, "draft": memory.draft}


async def of_channel(tx: Transaction, channel: str, wanted: MemoryFilter) -> list[Fact]:
    return [fact_of(each) for each in await memories.in_channel(tx, KIND.name, channel, wanted)]


async def with_links(tx: Transaction, channel: str, facts: Sequence[Fact]) -> list[Fact]:
    """Add the links to facts of a channel, which are in order."""
    found: dict[str, list[str]] = {}
    place = {"first": facts[0].first_seq, "last": facts[-1].first_seq} if facts else {}
    for row in await tx.all(queries.links_in, channel=channel, **place) if facts else []:
        found.setdefault(row["id"], []).append(row["other"])
    return [replaced(fact, links=tuple(found.get(fact.id, ()))) for fact in facts]


async def add_links(tx: Transaction, id: str, others: Sequence[str]) -> None:
    """Link a fact with others that still exist, in both directions."""
    if others:
        there = [{"id": id, "other": each} for each in others]
        back = [{"id": each, "other": id} for each in others]
        await tx.run_many(queries.add_link, there + back)


async def drop_links(tx: Transaction, ids: Sequence[str]) -> None:
    if ids:
        await tx.run(queries.drop_links, ids=json.dumps(list(ids)))


async def links_of(tx: Transaction, id: str) -> list[str]:
    return [row["other"] for row in await tx.all(queries.links_of, id=id)]
