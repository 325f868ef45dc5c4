"""What the next run would take away, counted and left where it is."""

from __future__ import annotations

from datetime import datetime

from erstwhile.base.clock import micros
from erstwhile.layers.retention.messages import Old, queries
from erstwhile.layers.retention.model import Expired, Keeping
from erstwhile.storage import Transaction
from erstwhile.storage.queries import Query


async def counted(tx: Transaction, keeping: Keeping, now: datetime, *, cut: bool) -> Expired:
    """At most so many messages: those that a job has still to read wait for it."""

    async def count(of: str, query: Query, **more: object) -> int:
        before = keeping.before(of, now)
        row = None if before is None else await tx.first(query, before=micros(before), **more)
        return int(row["number"]) if row else 0

    bounds = Old(now, keeping.recent, cut).bounds
    return Expired(
        message=await count("message", queries.count_old_messages, recent=bounds["recent"], cut=bounds["cut"]),
        note=await count("note", queries.count_old_notes, kind="note"),
        topic=await count("topic", queries.count_old_notes, kind="topic"),
    )
