"""What people deleted by hand, brought back as it was: the same id, words, sources and links, found and told again."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from erstwhile.base import ids
from erstwhile.base.clock import Clock
from erstwhile.base.errors import Changed, InvalidInput, NotFound
from erstwhile.layers.notes.model import Kept
from erstwhile.layers.notes.steps import Notes
from erstwhile.memories import history
from erstwhile.memories.changes import MemoryChanges
from erstwhile.memories.history import DELETED, RESTORED, RETENTION, Version, VersionEntry
from erstwhile.storage import Transaction


class Restore:
    def __init__(self, notes: Notes, changes: MemoryChanges, clock: Clock) -> None:
        self._changes = changes
        self._notes = notes
        self._clock = clock

    async def restore(self, tx: Transaction, id: str, by: str) -> Version:
        now = self._clock()
        if ids.kind_of(id) != "message" and self._changes.owns(id):
            return await self._changes.restore(tx, id, by)
        kept = await _kept(tx, id)
        await self._notes.bring_back(tx, id, kept, by)
        await _lift(tx, [id, *kept.get("also", ())], by, now)
        return (await history.versions(tx, id))[-1]


async def _kept(tx: Transaction, id: str) -> Kept:
    """What it takes to bring a memory back, or why that can't be."""
    kind = ids.kind_of(id)
    if kind == "message":
        raise InvalidInput("A message never changes, so there is nothing to restore.")
    versions = await history.versions(tx, id)
    if not versions:
        raise NotFound(f"There never was a {kind} {id} in space {tx.space!r}.")
    last, kept = versions[-1], await history.kept(tx, id)
    if last.action != DELETED:
        if any(each.action == DELETED for each in versions) and last.action != RESTORED:
            raise Changed(f"{id} was deleted, but {last.by} has {last.action} it since, so its place is taken.")
        raise InvalidInput(f"{id} is not deleted: it was {last.action} by {last.by} last. `history` shows it.")
    if last.by == RETENTION:
        raise NotFound(f"{id} was kept for as long as the settings say; its words are gone.")
    if "row" not in kept:
        raise NotFound(f"What {id} said is no longer kept, so it can't be brought back.")
    return kept


async def _lift(tx: Transaction, these: Iterable[str], by: str, now: datetime) -> None:
    """They may be read and kept again."""
    for id in dict.fromkeys(these):
        last = (await history.versions(tx, id))[-1]
        if last.action == DELETED:
            await history.record(tx, [VersionEntry(id, last.text, by, RESTORED)], now)
