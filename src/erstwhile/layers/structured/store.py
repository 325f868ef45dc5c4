"""Store structured memories, and the thread of each."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import replace as replaced

from erstwhile.base.clock import micros
from erstwhile.layers import threads
from erstwhile.layers.structured import chain, model
from erstwhile.layers.structured.chain import MemoryValidity
from erstwhile.layers.structured.model import StructuredMemory, structured_of
from erstwhile.memories import kinds, select
from erstwhile.memories import store as memories
from erstwhile.memories.kinds import Kind
from erstwhile.memories.model import StoredMemory, from_row
from erstwhile.memories.select import ValidityFilter
from erstwhile.storage import Transaction
from erstwhile.storage.queries import load

queries = load(__package__)


async def sources_of(
    tx: Transaction, found: Sequence[StoredMemory] | Sequence[StructuredMemory]
) -> kinds.Sources:
    """Return the messages of each: the one that says it first, then those that repeat it."""
    messages: dict[str, list[str]] = {each.id: [] for each in found}
    for row in await select.messages_of(tx, list(messages)):
        for id in {row["id"], row["own"]} & messages.keys():
            messages[id].append(row["message"])
    return {id: tuple(dict.fromkeys(each)) for id, each in messages.items()}


KIND = kinds.register(
    Kind(
        "structured",
        label="Structured memory",
        plural="structured",
        timed=True,
        sources=sources_of,
        many="structured memories",
        colour="structured",
    )
)


# Writing


def reworded(memory: StoredMemory, text: str) -> StoredMemory:
    """Return the memory with a person's text, and the value that follows from it."""
    value = threads.value_after_edit(memory.text, memory.data["value"], text)
    return replaced(memory, text=text, data={**memory.data, "value": value, "confidence": 1.0})


# Threads


def thread_of(memory: StoredMemory) -> str:
    owner, slot, value = (memory.data.get(name, "") for name in ("owner", "slot", "value"))
    return threads.thread(owner, memory.category, slot, value, memory.text)


async def put_threads(tx: Transaction, these: Sequence[StoredMemory]) -> None:
    rows = [{"id": each.id, "thread": thread_of(each)} for each in these]
    if rows:
        await tx.run_many(queries.put_thread, rows)


async def threads_of(tx: Transaction, ids: Sequence[str]) -> set[str]:
    return {row["thread"] for row in await tx.all(queries.threads_of, ids=json.dumps(list(ids)))}


async def hold(tx: Transaction, these: Iterable[str]) -> None:
    """Lock threads until the commit, always in the same order."""
    for thread in sorted(set(these)):
        await tx.first(queries.hold_thread, thread=thread)


async def settle(tx: Transaction, these: Iterable[str]) -> None:
    """Work out again when the memories of these threads are valid."""
    for thread in sorted(set(these)):
        rows = await tx.all(queries.of_thread, thread=thread)
        found = [structured_of(from_row(row)) for row in rows]
        standings = chain.standings(found)
        for each in found:
            now = standings[each.id]
            if now != MemoryValidity(each.valid_to, each.superseded_by, each.restates):
                other = {"superseded_by": now.superseded_by, "restates": now.restates}
                until = None if now.valid_to is None else micros(now.valid_to)
                await memories.set_validity(tx, each.id, until, other)


async def settle_all(tx: Transaction) -> None:
    """Work out all threads again, without those whose memories are gone."""
    await tx.run(queries.drop_loose_threads)
    await settle(tx, [row["thread"] for row in await tx.all(queries.all_threads)])


# Structured memories, each with its sources


async def by_ids(tx: Transaction, ids: Sequence[str]) -> list[StructuredMemory]:
    return await with_sources(tx, list((await memories.by_ids(tx, ids)).values()))


async def find(tx: Transaction, wanted: ValidityFilter) -> list[StructuredMemory]:
    """List structured memories, newest first. With `open`, only todos that nobody has done."""
    if wanted.open and wanted.category not in (None, "todo"):
        return []
    if wanted.open:
        wanted = replaced(wanted, category="todo")
    return await with_sources(tx, await select.find(tx, wanted))


async def ended(
    tx: Transaction, found: Sequence[StoredMemory]
) -> list[tuple[StructuredMemory, StoredMemory]]:
    """Return what no longer holds, each with what ended it."""
    ended = [structured_of(each) for each in found]
    ids = sorted({each.superseded_by for each in ended if each.superseded_by})
    by = await memories.by_ids(tx, ids)
    return [(each, by[each.superseded_by]) for each in ended if each.superseded_by in by]


async def changes(tx: Transaction, person: str | None) -> list[model.Change]:
    before = await with_sources(tx, await select.replaced(tx, KIND.name, person))
    newer = await by_ids(tx, [each.superseded_by for each in before if each.superseded_by])
    after = {each.id: each for each in newer}
    return [
        model.Change(each, after[each.superseded_by], each.valid_to)
        for each in before
        if each.superseded_by in after and each.valid_to is not None
    ]


async def with_sources(tx: Transaction, found: Sequence[StoredMemory]) -> list[StructuredMemory]:
    sources = await sources_of(tx, found)
    return [replaced(structured_of(each), sources=sources[each.id]) for each in found]
