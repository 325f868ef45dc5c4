"""What people do to memories by hand. It stays, whatever is redrafted, regenerated without being told to, or rebuilt."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from erstwhile.base import ids
from erstwhile.base.clock import Clock
from erstwhile.base.errors import InvalidInput
from erstwhile.index import flags
from erstwhile.layers.notes.steps import Notes
from erstwhile.memories import history, kinds
from erstwhile.memories.changes import MemoryChanges
from erstwhile.memories.history import DELETED, EDITED, Version, VersionEntry
from erstwhile.storage import Transaction

_CHANGED = ("note", "topic")  # besides the kinds of the table of memories


class Hands:
    def __init__(self, notes: Notes, changes: MemoryChanges, clock: Clock) -> None:
        self._changes = changes
        self._notes = notes
        self._clock = clock

    async def edit(self, tx: Transaction, id: str, text: str, by: str) -> Version:
        now = self._clock()
        if _kind(id) and self._changes.owns(id):
            return await self._changes.edit(tx, id, text, by)
        await self._notes.edit(tx, id, text, by)
        await history.record(tx, [VersionEntry(id, text, by, EDITED)], now)
        return (await history.versions(tx, id))[-1]

    async def delete(self, tx: Transaction, id: str, by: str) -> Version:
        now = self._clock()
        if _kind(id) and self._changes.owns(id):
            return await self._changes.delete(tx, id, by)
        gone = _Gone(*await self._notes.delete(tx, id, by))
        also = sorted(gone.also - {id} - await history.deleted(tx, sorted(gone.also)))
        await history.record(tx, [VersionEntry(each, gone.text, by, DELETED) for each in sorted({id, *gone.also})], now)
        await history.keep(tx, id, {**gone.kept, "also": also})
        await flags.drop(tx, [id])
        return (await history.versions(tx, id))[-1]


@dataclass(frozen=True, slots=True)
class _Gone:
    """`kept` is what it takes to restore it. `also`: ids under which it could come back."""

    text: str
    kept: Mapping[str, Any]
    also: frozenset[str] = frozenset()


def _kind(id: str) -> str:
    kind = ids.kind_of(id)
    if kind == "message":
        raise InvalidInput("A message never changes. Edit or delete the memories that were made of it.")
    changed = (*_CHANGED, *kinds.names())
    if kind not in changed:
        raise InvalidInput(f"A {kind} can't be changed by hand. {', '.join(changed)} can.")
    return kind
