"""Store facts, and which of them are linked."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace as replaced

from erstwhile.layers.facts.model import KIND, Fact, fact_of
from erstwhile.memories import store as memories
from erstwhile.memories.model import StoredMemory
from erstwhile.memories.store import MemoryFilter
from erstwhile.storage import Row, Transaction
from erstwhile.storage.queries import load

queries = load(__package__)


# Reading


async def by_ids(tx: Transaction, ids: Sequence[str]) -> list[Fact]:
    return [fact_of(each) for each in (await memories.by_ids(tx, ids)).values()]


async def latest(tx: Transaction, channel: str, limit: int) -> list[Row]:
    """List the newest facts of a channel, newest first. Every context reads hundreds: only what it shows of them."""
    return await memories.latest_shown(tx, KIND.name, channel, limit)


def shown_of(memory: StoredMemory) -> Row:
    """Return of a stored fact what `latest` does."""
    channel, first, last = memory.range
    place = {"channel": channel, "first_seq": first, "last_seq": last, "seq": memory.seq}
    names = ("id", "person", "text", "draft")
    return {**place, **{name: getattr(memory, name) for name in names}}


async def of_channel(tx: Transaction, channel: str, filters: MemoryFilter) -> list[Fact]:
    return [fact_of(each) for each in await memories.in_channel(tx, KIND.name, channel, filters)]


async def with_links(tx: Transaction, channel: str, facts: Sequence[Fact]) -> list[Fact]:
    """Add the links to facts of a channel, which are in order."""
    found: dict[str, list[str]] = {}
    place = {"first": facts[0].first_seq, "last": facts[-1].first_seq} if facts else {}
    for row in await tx.all(queries.links_in, channel=channel, **place) if facts else []:
        found.setdefault(row["id"], []).append(row["other"])
    return [replaced(fact, links=tuple(found.get(fact.id, ()))) for fact in facts]


async def drop_loose_links(tx: Transaction) -> None:
    """Delete links to facts that are gone."""
    await tx.run(queries.drop_loose_links)


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
