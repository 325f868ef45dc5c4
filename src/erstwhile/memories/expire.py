"""Memories that have been kept long enough: their words go, and their rows once nothing rests on
them."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import datetime
from typing import Final

from erstwhile.base import ids
from erstwhile.base.clock import micros
from erstwhile.index import documents
from erstwhile.memories import history, store
from erstwhile.memories.hooks import Hooks
from erstwhile.memories.model import from_row
from erstwhile.memories.store import queries
from erstwhile.storage import Transaction, value

PAGE: Final = 200  # rows that one transaction takes away


async def expire(tx: Transaction, owner: Hooks, kind: str, before: datetime, now: datetime) -> int:
    """Take the words of a page of old memories. Titles stay for what rests on them, see `tidy`."""
    rows = await tx.all(queries.old, kind=kind, before=micros(before), limit=PAGE)
    old = [from_row(row) for row in rows]
    await store.save(tx, [replace(each, text="", draft=False, data={}) for each in old])
    gone = [each.id for each in old]
    await documents.remove(tx, gone)
    await history.expire(tx, gone, now)
    await owner.memories_expired(tx, gone)
    return len(old)


async def count_old(tx: Transaction, kind: str, before: datetime) -> int:
    return await value(tx, queries.count_old, kind=kind, before=micros(before)) or 0


async def tidy(tx: Transaction, owner: Hooks) -> int:
    """Take away a page of memories without words that nothing rests on. Where one would be made
    again, its place stays."""
    kinds = [kind.name for kind in owner.kinds if kind.expires]
    rows = await tx.all(queries.stubs, kinds=json.dumps(kinds), limit=PAGE) if kinds else []
    places = [from_row(row) for row in rows if row["held"]]
    await store.save(tx, [replace(each, title="") for each in places])
    await owner.removed(tx, [each.id for each in places])
    await store.drop(tx, [row["id"] for row in rows if not row["held"]], owner)
    return len(rows)


async def forget_replaced(tx: Transaction, kind: str, before: datetime) -> int:
    """Take a page of the words that the history still quotes of memories that others replaced,
    or that someone deleted. Who did so, and when, stays on record: what a person deleted is not
    taken in again."""
    prefix = ids.PREFIXES[kind]
    span = {"first": f"{prefix}_", "last": f"{prefix}`"}  # the sign after the low line
    rows = await tx.all(queries.old_words, **span, before=micros(before), limit=PAGE)
    await history.wipe(tx, [row["id"] for row in rows])
    return len(rows)
