"""Events in the database."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

from erstwhile.storage import Transaction
from erstwhile.storage.queries import load

queries = load(__package__)

_BATCH = 1000
_NOWHERE: dict[str, Any] = {"channel": None, "person": None, "seq": None, "until": None}


async def emit(tx: Transaction, kind: str, action: str, id: str, **where: Any) -> None:
    """Write an event. `where`: channel, person, seq and until, and another space."""
    await tx.run(queries.emit, kind=kind, action=action, id=id, **_NOWHERE | where)


async def emit_many(tx: Transaction, rows: Sequence[Mapping[str, Any]]) -> None:
    """Write events, each with all columns."""
    await tx.run_many(queries.emit, rows)


async def mark(tx: Transaction) -> int:
    row = await tx.first(queries.mark)
    assert row is not None
    return int(row["stamp"])


async def discard_since(tx: Transaction, since: int) -> None:
    """Delete the events that this transaction has written since the mark."""
    await tx.run(queries.discard, mark=since)


async def news(tx: Transaction, spaces: Sequence[str], since: int) -> tuple[set[str], int]:
    """Return the spaces with events from `since` on, and where to look next time."""
    rows = await tx.all(queries.news, spaces=json.dumps(list(spaces)), since=since)
    return {row["space"] for row in rows if row["space"] is not None}, rows[0]["mark"]


async def prune(tx: Transaction, keep: timedelta) -> bool:
    """Delete a batch of older events; return whether there may be more."""
    older = keep // timedelta(microseconds=1)
    return await tx.run(queries.prune, keep=older, limit=_BATCH) == _BATCH
