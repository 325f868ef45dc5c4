"""The versions of memories. The caller has locked the memory, so its versions come one by one.

A version with the words that the memory has now doesn't store them again: its text is NULL until
the memory changes.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from erstwhile.base.clock import micros
from erstwhile.base.records import dataclass, from_row
from erstwhile.index import flags
from erstwhile.memories.model import StoredMemory
from erstwhile.storage import Transaction, column, value
from erstwhile.storage.queries import load

queries = load(__package__)

RETENTION: Final = "retention"  # who deletes expired memories
WRITTEN, REPLACED, EDITED = "written", "replaced", "edited"
DELETED, RESTORED = "deleted", "restored"


@dataclass(frozen=True, slots=True)
class Version:
    """A version. `text` is the new text; of a deleted or replaced memory, its last one."""

    version: int
    action: str
    text: str
    by: str
    at: datetime


@dataclass(frozen=True, slots=True)
class VersionEntry:
    """A version to record. `written` becomes `replaced` if there was a version before. The same
    text by the same writer is no change."""

    id: str
    text: str
    by: str
    action: str = WRITTEN


async def record(tx: Transaction, changes: Sequence[VersionEntry], now: datetime) -> None:
    same = {"now": micros(now)}
    rows = [
        {"id": each.id, "action": each.action, "text": each.text, "writer": each.by, **same}
        for each in changes
    ]
    if not rows:
        return
    later = rows
    if tx.dialect == "sqlite":  # there a first version alone takes a fifth of the time
        ids = list(dict.fromkeys(each.id for each in changes))
        known = set(await column(tx, queries.recorded, ids=json.dumps(ids)))
        first = {row["id"]: row for row in reversed(rows) if row["id"] not in known}
        await tx.run_many(queries.record_first, [first[id] for id in ids if id in first])
        later = [row for row in rows if first.get(row["id"]) is not row]
    if later:
        await tx.run_many(queries.record, later)


async def keep_words(tx: Transaction, memories: Sequence[StoredMemory]) -> None:
    """Store the words of versions whose memory is about to get others."""
    await tx.run_many(queries.keep_words, [{"id": each.id, "text": each.text} for each in memories])


async def versions(tx: Transaction, id: str) -> list[Version]:
    """List the versions of a memory, oldest first."""
    rows = await tx.all(queries.versions, id=id)
    return [from_row(Version, row, by=row["writer"]) for row in rows]


async def newest(tx: Transaction, id: str) -> int:
    """Return the number of the newest version; 0 if there is none."""
    return int(await value(tx, queries.newest_version, id=id))


async def ids_from(tx: Transaction, first: str, last: str, limit: int) -> list[str]:
    """List ids with a history, also of deleted memories, from `first` to `last` (included)."""
    return await column(tx, queries.ids_from, first=first, last=last, limit=limit)


async def deleted(tx: Transaction, ids: Sequence[str]) -> set[str]:
    """Return those of these memories that a person deleted."""
    rows = await tx.all(queries.deleted, ids=json.dumps(list(ids))) if ids else []
    return {row["id"] for row in rows}


async def keep(tx: Transaction, id: str, what: Mapping[str, Any]) -> None:
    """Store what is needed to restore a memory with its newest version. It is wiped with it."""
    await tx.run(queries.keep, id=id, kept=json.dumps(what, ensure_ascii=False))


async def kept(tx: Transaction, id: str) -> dict[str, Any]:
    """Return what `keep` stored; empty if nothing, or if it was wiped."""
    row = await tx.first(queries.kept, id=id)
    found: dict[str, Any] = json.loads(row["kept"]) if row and row["kept"] else {}
    return found


async def wipe(tx: Transaction, ids: Sequence[str]) -> None:
    """Remove the texts from the versions. Who changed what, and when, stays."""
    for id in ids:
        await tx.run(queries.wipe, id=id)
        await tx.run(queries.wipe_deleted, id=id)
    await flags.drop(tx, ids)


async def expire(tx: Transaction, ids: Sequence[str], now: datetime) -> None:
    """Remove the texts of expired memories, and record that they expired."""
    known = [id for id in ids if await tx.run(queries.wipe, id=id)]
    await flags.drop(tx, ids)
    await record(tx, [VersionEntry(id, "", RETENTION, DELETED) for id in known], now)


async def reword(tx: Transaction, id: str, version: int, text: str) -> None:
    """Replace the text of one version, for example because it has become private."""
    await tx.run(queries.reword, id=id, version=version, text=text)
