"""Versions on disk. Whoever calls holds the row that the memory belongs to, so versions of one memory come one at a time."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from erstwhile.base.clock import micros, moment
from erstwhile.storage import Transaction
from erstwhile.storage.queries import load

queries = load(__package__)

RETENTION: Final = "retention"  # who takes away what has been kept long enough
WRITTEN, REPLACED, EDITED, DELETED, RESTORED = ACTIONS = ("written", "replaced", "edited", "deleted", "restored")


@dataclass(frozen=True, slots=True)
class Version:
    """`text` is what the memory said from then on; of a deleted or superseded one, what it said last."""

    version: int
    action: str
    text: str
    by: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Change:
    """`written` becomes `replaced` by itself where there was something before; the same words by the same writer again are no change."""

    id: str
    text: str
    by: str
    action: str = WRITTEN


async def record(tx: Transaction, changes: Sequence[Change], now: datetime) -> None:
    rows = [
        {"id": each.id, "action": each.action, "text": each.text, "writer": each.by, "now": micros(now)}
        for each in changes
    ]
    if rows:
        await tx.run_many(queries.record, rows)


async def versions(tx: Transaction, id: str) -> list[Version]:
    """Oldest first."""
    rows = await tx.all(queries.versions, id=id)
    return [Version(row["version"], row["action"], row["text"], row["writer"], moment(row["at"])) for row in rows]


async def ids_from(tx: Transaction, first: str, last: str, limit: int) -> list[str]:
    """List the ids of memories that have a history, also of deleted ones, from `first` to `last`, both included."""
    rows = await tx.all(queries.ids_from, first=first, last=last, limit=limit)
    return [row["id"] for row in rows]


async def deleted(tx: Transaction, ids: Sequence[str]) -> set[str]:
    """Which of these memories someone deleted by hand."""
    rows = await tx.all(queries.deleted, ids=json.dumps(list(ids))) if ids else []
    return {row["id"] for row in rows}


async def keep(tx: Transaction, id: str, what: Mapping[str, Any]) -> None:
    """With its newest version: what it takes to bring the memory back. Only words of its own: they go when those of its versions do."""
    await tx.run(queries.keep, id=id, kept=json.dumps(what, ensure_ascii=False))


async def kept(tx: Transaction, id: str) -> dict[str, Any]:
    """Empty where nothing was kept, or its words have gone."""
    row = await tx.first(queries.kept, id=id)
    found: dict[str, Any] = json.loads(row["kept"]) if row and row["kept"] else {}
    return found


async def wipe(tx: Transaction, ids: Sequence[str]) -> None:
    """Their words go; that they were written, replaced or deleted, by whom and when, stays on record."""
    for id in ids:
        await tx.run(queries.wipe, id=id)
        await tx.run(queries.wipe_deleted, id=id)
        await tx.run(queries.unflag, id=id)


async def expire(tx: Transaction, ids: Sequence[str], now: datetime) -> None:
    """That there were such memories stays on record, and when they ended; their words go."""
    known = [id for id in ids if await tx.run(queries.wipe, id=id)]
    for id in ids:
        await tx.run(queries.unflag, id=id)
    await record(tx, [Change(id, "", RETENTION, DELETED) for id in known], now)


async def reword(tx: Transaction, id: str, version: int, text: str) -> None:
    """For words that may no longer be read where they were."""
    await tx.run(queries.reword, id=id, version=version, text=text)
