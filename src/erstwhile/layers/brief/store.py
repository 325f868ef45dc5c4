"""Store how far briefs are folded; their texts are in the table of memories."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import lru_cache

from erstwhile.base import ids
from erstwhile.base.records import from_row
from erstwhile.layers.brief.model import KIND, Brief
from erstwhile.layers.brief.turns import Turn
from erstwhile.memories import store as memories
from erstwhile.memories.history import WRITTEN
from erstwhile.memories.model import StoredMemory
from erstwhile.storage import Transaction
from erstwhile.storage.queries import load
from erstwhile.writers.port import WriterOutput

queries = load(__package__)


async def grow(tx: Transaction, tokens: Mapping[str, int]) -> None:
    """Add tokens to those since the last fold of each channel."""
    rows = [
        {"channel": channel, "id": _id(tx.space, channel), "tokens": said}
        for channel, said in tokens.items()
    ]
    if rows:
        await tx.run_many(queries.grow, rows)


async def get(tx: Transaction, channel: str) -> Brief | None:
    row = await tx.first(queries.get, channel=channel)
    return from_row(Brief, row) if row else None


async def memory(tx: Transaction, channel: str) -> StoredMemory | None:
    """Return the memory that people see."""
    return await memories.get(tx, _id(tx.space, channel))


@lru_cache(4096)  # each message of a channel asks for it
def _id(space: str, channel: str) -> str:
    return ids.derived(KIND.name, space, channel)


async def put(
    tx: Transaction, was: Brief, written: WriterOutput, folded: Sequence[Turn], now: datetime
) -> bool:
    """Store a fold. Return False if another fold was faster, or a draft already covers as much."""
    last = folded[-1]
    if written.draft and last.last <= was.draft_cursor:
        return False
    spent = sum(turn.tokens for turn in folded)
    new = {"channel": was.channel, "text": written.text, "cursor": last.last, "tokens": spent}
    if written.draft:
        changed = await tx.run(queries.put_draft, **new, was=was.draft_cursor)
    else:
        new |= {"was": was.cursor, "writer": written.writer, "turns": len(folded)}
        changed = await tx.run(queries.put, **new)
    now_stored = await get(tx, was.channel)
    if changed and now_stored is not None and now_stored.draft == written.draft:
        memory = _memory(was, written, last, now)
        await memories.put(tx, [memory], now, (written.writer, WRITTEN))
    return bool(changed)


def _memory(brief: Brief, written: WriterOutput, last: Turn, now: datetime) -> StoredMemory:
    return StoredMemory(
        id=brief.id,
        kind=KIND.name,
        text=written.text,
        writer=written.writer,
        draft=written.draft,
        channel=brief.channel,
        first_seq=1,
        last_seq=last.last,
        at=last.messages[-1].at,
        created_at=now,
    )
