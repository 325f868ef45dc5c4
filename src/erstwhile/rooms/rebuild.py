"""Everything above the log can be dropped and made again from it."""

from __future__ import annotations

from erstwhile.base import crash
from erstwhile.index import documents
from erstwhile.jobs import store as jobs
from erstwhile.log import store as log
from erstwhile.log.reindex import REINDEX, Reindex, Stretch
from erstwhile.rooms.chunks import store as chunk_store
from erstwhile.rooms.chunks.steps import Chunks
from erstwhile.rooms.facts import store as fact_store
from erstwhile.storage import Transaction


async def rebuild(tx: Transaction, chunks: Chunks, reindex: Reindex) -> None:
    """Empties every derived table of the space and asks for all of it again, in one transaction; the jobs do the rest."""
    for kind in ("chunks.%", "facts.%", REINDEX):
        await tx.run(jobs.queries.drop_kinds, prefix=kind)
    await chunk_store.empty(tx)
    await fact_store.empty(tx)
    await documents.empty(tx)
    crash.point("rebuild.after_empty")
    for channel in await log.channels(tx):
        await reindex.ask(tx, Stretch(channel.channel, 1, channel.last_seq))
    await chunks.rebuild(tx)
