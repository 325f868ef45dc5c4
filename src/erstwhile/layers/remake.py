"""Write every search document of a space again, from the log and the memories, without a model."""

from __future__ import annotations

from erstwhile.events import store as events
from erstwhile.index import documents
from erstwhile.jobs.model import Job, Outcome
from erstwhile.log import store as log
from erstwhile.log.reindex import Reindex, UnindexedRange
from erstwhile.memories import store as memories
from erstwhile.storage import Transaction

REMAKE = "index.remake"


class Remake:
    def __init__(self, reindex: Reindex) -> None:
        self._reindex = reindex

    async def step(self, job: Job) -> Outcome:
        del job
        return Outcome(self.remake)

    async def remake(self, tx: Transaction) -> None:
        since = await events.mark(tx)
        await documents.empty(tx)
        await memories.index(tx, await memories.everything(tx))
        for channel in await log.channels(tx):
            await self._reindex.ask(tx, UnindexedRange(channel.channel, 1, channel.last_seq))
        await events.discard_since(tx, since)  # no memory has changed
