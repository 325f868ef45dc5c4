"""Facts of profiles that have been kept long enough."""

from __future__ import annotations

from datetime import datetime

from erstwhile.base.clock import micros
from erstwhile.layers.retention.messages import queries
from erstwhile.memories import expire
from erstwhile.memories.expire import PAGE
from erstwhile.storage import Transaction


async def expire_facts(tx: Transaction, before: datetime, now: datetime) -> int:
    """Take away a page of them."""
    rows = await tx.all(queries.old_profile_facts, before=micros(before), limit=PAGE)
    for row in rows:
        await tx.run(queries.forget_successor, id=row["id"], person=row["person"])
        await tx.run(queries.drop_profile_sources, id=row["id"])
        await tx.run(queries.drop_profile_fact, id=row["id"])
    for person in sorted({row["person"] for row in rows}):
        await tx.run(queries.touch_profile, person=person, now=micros(now))
    await expire.forget(tx, [row["id"] for row in rows], now)
    return len(rows)


async def count_old(tx: Transaction, before: datetime) -> int:
    row = await tx.first(queries.count_old_profile_facts, before=micros(before))
    return int(row["number"]) if row else 0
