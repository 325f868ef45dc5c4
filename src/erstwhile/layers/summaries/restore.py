"""A summary that was deleted or replaced, put back into its place among its parts and metas."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from erstwhile.base.clock import micros
from erstwhile.layers.summaries import store
from erstwhile.log import store as log
from erstwhile.memories import store as memories
from erstwhile.memories.hooks import Beside
from erstwhile.memories.model import StoredMemory
from erstwhile.storage import Transaction


async def beside(tx: Transaction, memory: StoredMemory) -> dict[str, Any]:
    """Return the state of its parts and metas: a meta is up to date again if nothing changed."""
    above: dict[str, Any] = {}
    below = memory.id
    for meta in await store.above(tx, below):
        id = meta.id(tx.space)
        stands = await memories.get(tx, id, deleted=True)
        if stands is not None and not stands.stale:
            parts = await store.state_of_parts(tx, id, below)
            above[id] = {"created_at": micros(stands.created_at), "parts": parts}
        below = id
    below_it = await store.state_of_parts(tx, memory.id)
    missing = await log.missing(tx, *memory.range)
    return {"above": above, "below": below_it, "missing": missing}


async def put(tx: Transaction, memory: StoredMemory, beside: Beside) -> None:
    """Write it. It is stale if its parts have changed since."""
    changed = await store.state_of_parts(tx, memory.id) != beside["below"]
    stale = (memory.stale or changed) and memory.edited_at is None
    await memories.save(tx, [replace(memory, stale=stale)])
    await store.set_empty(tx, memory.id, empty=memory.deleted_at is not None)


async def renew_above(tx: Transaction, id: str, beside: Beside) -> None:
    """Mark the metas that were up to date then as such again, if nothing else has changed."""
    below = id
    for meta in await store.above(tx, id):
        over = meta.id(tx.space)
        if not await store.is_as_before(tx, over, below, beside["above"].get(over)):
            break
        await memories.set_stale(tx, over, stale=False)
        below = over
