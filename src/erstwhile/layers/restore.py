"""What people deleted, brought back as it was: `MemoryChanges`, and the facts of profiles beside."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from erstwhile.base import ids
from erstwhile.base.clock import Clock
from erstwhile.base.errors import Changed, InvalidInput, NotFound
from erstwhile.layers.profiles.steps import Profiles
from erstwhile.memories import history
from erstwhile.memories.changes import MemoryChanges
from erstwhile.memories.history import DELETED, RESTORED, RETENTION, Version, VersionEntry
from erstwhile.storage import Transaction


class Restore:
    def __init__(self, profiles: Profiles, changes: MemoryChanges, clock: Clock) -> None:
        self._changes = changes
        self._profiles = profiles
        self._clock = clock

    async def restore(self, tx: Transaction, id: str, by: str) -> Version:
        if ids.kind_of(id) != "profile":
            return await self._changes.restore(tx, id, by)
        now, kept = self._clock(), await _kept(tx, id)
        await self._profiles.bring_back(tx, id, kept, by, now)
        await _lift(tx, [id, *kept.get("also", ())], by, now)
        return (await history.versions(tx, id))[-1]


async def _kept(tx: Transaction, id: str) -> dict[str, Any]:
    """What it takes to bring a memory back, or why that can't be."""
    versions = await history.versions(tx, id)
    if not versions:
        raise NotFound(f"There never was a {ids.kind_of(id)} {id} in space {tx.space!r}.")
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
