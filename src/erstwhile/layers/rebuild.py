"""Delete everything above the log, and make it again; or only the search documents."""

from __future__ import annotations

from datetime import datetime

from erstwhile.base import crash
from erstwhile.events import store as events
from erstwhile.index import documents
from erstwhile.jobs import store as jobs
from erstwhile.jobs.model import Job, Outcome
from erstwhile.layers import Layers
from erstwhile.log import store as log
from erstwhile.log.reindex import REINDEX, Reindex, UnindexedRange
from erstwhile.memories import store as memories
from erstwhile.storage import Transaction


async def rebuild(
    tx: Transaction, layers: Layers, recipe: str, reindex: Reindex, now: datetime
) -> None:
    """Delete all derived memories of the space and enqueue all work again, in one transaction. What
    people edited or deleted stays. So do memories of expired messages: they can't be made again."""
    since = await events.mark(tx)
    await log.hold_channels(tx)  # new messages wait: they lock rows in another order
    remakes = [(layer, await layer.emptying(tx)) for layer in layers]
    rebuilt = [layer for layer in layers if layer.rebuilt]
    for kind in (REINDEX, *(kind for layer in rebuilt for kind in layer.steps)):
        await jobs.drop_kinds(tx, kind)
    for layer in rebuilt:
        await memories.empty(tx, [kind.name for kind in layer.kinds])
    for layer in rebuilt:
        await layer.emptied(tx)
    await documents.empty(tx)
    await memories.index(tx, await memories.everything(tx))
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


REMAKE = "index.remake"


class Remake:
    """Write every search document of a space again, without a model."""

    def __init__(self, reindex: Reindex) -> None:
        self._reindex = reindex

    async def step(self, _job: Job) -> Outcome:
        return Outcome(self.remake)

    async def remake(self, tx: Transaction) -> None:
        since = await events.mark(tx)
        await documents.empty(tx)
        await memories.index(tx, await memories.everything(tx))
        for channel in await log.channels(tx):
            await self._reindex.ask(tx, UnindexedRange(channel.channel, 1, channel.last_seq))
        await events.discard_since(tx, since)  # no memory has changed
