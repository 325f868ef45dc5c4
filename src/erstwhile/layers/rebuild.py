"""Everything above the log can be dropped and made again from it."""

from __future__ import annotations

from collections.abc import Sequence

from erstwhile.base import crash
from erstwhile.events import store as events
from erstwhile.index import documents
from erstwhile.jobs import store as jobs
from erstwhile.layers.brief import store as brief_store
from erstwhile.layers.brief.steps import Briefs
from erstwhile.layers.contract import Layer
from erstwhile.layers.notes import store as note_store
from erstwhile.layers.notes.steps import Notes
from erstwhile.layers.profiles import store as profile_store
from erstwhile.layers.summaries import store as chunk_store
from erstwhile.layers.summaries.model import Range
from erstwhile.layers.summaries.steps import SUMMARISE, Chunks
from erstwhile.log import store as log
from erstwhile.log.reindex import REINDEX, Reindex, Stretch
from erstwhile.memories import store as memories
from erstwhile.storage import Transaction


async def rebuild(
    tx: Transaction,
    layers: Sequence[Layer],
    chunks: Chunks | None,
    briefs: Briefs | None,
    reindex: Reindex,
    notes: Notes | None,
) -> None:
    """Empties every derived table of the space and asks for all of it again, in one transaction; the jobs do the rest.
    What people wrote, and what they deleted, stays as they left it; so does what was made of messages that have expired: it can't be
    made again. A room that the space's recipe has no use for is None."""
    since = await events.mark(tx)
    await tx.all(log.queries.hold_channels)  # what is added meanwhile waits: it takes the same rows in another order
    asked = [Range(**payload) for payload in await jobs.open_payloads(tx, SUMMARISE)]
    prefixes = ("chunks", "brief", "days", "notes", "profiles", *(layer.name for layer in layers))
    for kind in (*(f"{each}.%" for each in prefixes), REINDEX):
        await tx.run(jobs.queries.drop_kinds, prefix=kind)
    again = await chunk_store.empty(tx)
    settled = await chunk_store.expired(tx)
    again += [range for range in asked if range.channel in settled and range.last <= settled[range.channel].last]
    for layer in layers:
        await memories.empty(tx, [kind.name for kind in layer.kinds])
        await layer.emptied(tx)
    await brief_store.empty(tx)
    await note_store.empty(tx)
    await profile_store.empty(tx)
    await documents.empty(tx)
    await memories.index(tx, await memories.everything(tx))
    await profile_store.index(tx, await profile_store.standing(tx))
    for brief in await brief_store.left(tx):
        await brief_store.reindex(tx, brief)
    for chunk in await chunk_store.left(tx):
        if chunk.text:
            await chunk_store.index(tx, chunk.range, chunk.text, (chunk.from_at, chunk.to_at))
    await note_store.index(tx, await note_store.found(tx))
    await events.discard_since(tx, since)  # one event for all of it
    await events.emit(tx, "space", "rebuilt", tx.space)
    crash.point("rebuild.after_empty")
    for channel in await log.channels(tx):
        await reindex.ask(tx, Stretch(channel.channel, 1, channel.last_seq))
    if chunks is not None:
        await chunks.rebuild(tx, again)
    if briefs is not None:
        await briefs.rebuild(tx)
    if notes is not None:
        await notes.rebuild(tx)
