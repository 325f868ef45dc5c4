"""Everything above the log can be dropped and made again from it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from erstwhile.base import crash
from erstwhile.events import store as events
from erstwhile.index import documents
from erstwhile.jobs import store as jobs
from erstwhile.layers.contract import Layer
from erstwhile.layers.notes import store as note_store
from erstwhile.log import store as log
from erstwhile.log.reindex import REINDEX, Reindex, UnindexedRange
from erstwhile.memories import store as memories
from erstwhile.storage import Transaction


class Rebuilt(Protocol):
    async def rebuild(self, tx: Transaction) -> None: ...


async def rebuild(
    tx: Transaction, layers: Sequence[Layer], wanted: Sequence[Rebuilt], reindex: Reindex, now: datetime
) -> None:
    """Empties every derived table of the space and asks for all of it again, in one transaction; the jobs do the rest.
    What people wrote, and what they deleted, stays as they left it; so does what was made of messages that have expired: it can't be
    made again. `wanted`: the layers that the space's recipe has a use for."""
    since = await events.mark(tx)
    await tx.all(log.queries.hold_channels)  # what is added meanwhile waits: it takes the same rows in another order
    remakes = [(layer, await layer.emptying(tx)) for layer in layers]
    prefixes = ("chunks", "notes", *(layer.name for layer in layers if layer.name != "told"))
    for kind in (*(f"{each}.%" for each in prefixes), REINDEX):
        await tx.run(jobs.queries.drop_kinds, prefix=kind)
    for layer in layers:
        await memories.empty(tx, [kind.name for kind in layer.kinds])
    await note_store.empty(tx)
    for layer in layers:
        await layer.emptied(tx)
    await documents.empty(tx)
    await memories.index(tx, await memories.everything(tx))
    await note_store.index(tx, await note_store.found(tx))
    await events.discard_since(tx, since)  # one event for all of it
    await events.emit(tx, "space", "rebuilt", tx.space)
    crash.point("rebuild.after_empty")
    for channel in await log.channels(tx):
        await reindex.ask(tx, UnindexedRange(channel.channel, 1, channel.last_seq))
    for layer, remake in remakes:
        if remake is not None and layer in wanted:
            await remake(tx, now)
    for each in wanted:
        await each.rebuild(tx)
