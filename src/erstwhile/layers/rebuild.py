"""Delete everything above the log, and make it again."""

from __future__ import annotations

from datetime import datetime

from erstwhile.base import crash
from erstwhile.events import store as events
from erstwhile.index import documents
from erstwhile.jobs import store as jobs
from erstwhile.layers import Layers
from erstwhile.layers.notes import store as note_store
from erstwhile.layers.profiles import store as profile_store
from erstwhile.log import store as log
from erstwhile.log.reindex import REINDEX, Reindex, UnindexedRange
from erstwhile.memories import store as memories
from erstwhile.storage import Transaction


async def rebuild(tx: Transaction, layers: Layers, recipe: str, reindex: Reindex, now: datetime) -> None:
    """Empty every derived table of the space and enqueue all work again, in one transaction. What
    people edited or deleted stays. So do memories of expired messages: they can't be made again."""
    since = await events.mark(tx)
    await tx.all(log.queries.hold_channels)  # new messages wait: they lock rows in another order
    remakes = [(layer, await layer.emptying(tx)) for layer in layers]
    named = [layer.name for layer in layers if layer.name != "told"]
    prefixes = ("chunks", "notes", "profiles", *named)
    for kind in (*(f"{each}.%" for each in prefixes), REINDEX):
        await tx.run(jobs.queries.drop_kinds, prefix=kind)
    for layer in layers:
        await memories.empty(tx, [kind.name for kind in layer.kinds])
        await layer.emptied(tx)
    await note_store.empty(tx)
    await profile_store.empty(tx)
    await documents.empty(tx)
    await memories.index(tx, await memories.everything(tx))
    await profile_store.index(tx, await profile_store.standing(tx))
    await note_store.index(tx, await note_store.found(tx))
    await events.discard_since(tx, since)  # one event for all of it
    await events.emit(tx, "space", "rebuilt", tx.space)
    crash.point("rebuild.after_empty")
    for channel in await log.channels(tx):
        await reindex.ask(tx, UnindexedRange(channel.channel, 1, channel.last_seq))
    for layer, remake in remakes:
        if remake is not None and layer.serves(recipe):
            await remake(tx, now)
    for layer in layers:
        if layer.serves(recipe):
            await layer.rebuild(tx)
    if layers.notes.serves(recipe):
        await layers.notes.rebuild(tx)
