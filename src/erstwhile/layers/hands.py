"""What people do to memories: `MemoryChanges`, and the facts of profiles beside."""

from __future__ import annotations

from erstwhile.base import ids
from erstwhile.base.clock import Clock
from erstwhile.base.errors import NotFound
from erstwhile.layers.profiles import removal
from erstwhile.layers.profiles import store as profiles
from erstwhile.layers.profiles.model import ProfileFact
from erstwhile.memories import history
from erstwhile.memories.changes import MemoryChanges
from erstwhile.memories.history import EDITED, Version, VersionEntry
from erstwhile.storage import Transaction


class Hands:
    def __init__(self, changes: MemoryChanges, clock: Clock) -> None:
        self._changes = changes
        self._clock = clock

    async def edit(self, tx: Transaction, id: str, text: str, by: str) -> Version:
        if ids.kind_of(id) != "profile":
            return await self._changes.edit(tx, id, text, by)
        now = self._clock()
        await profiles.edit(tx, await _held_profile(tx, id), text, by, now)
        await history.record(tx, [VersionEntry(id, text, by, EDITED)], now)
        return (await history.versions(tx, id))[-1]

    async def delete(self, tx: Transaction, id: str, by: str) -> Version:
        if ids.kind_of(id) != "profile":
            return await self._changes.delete(tx, id, by)
        await removal.delete(tx, await _held_profile(tx, id), by, self._clock())
        return (await history.versions(tx, id))[-1]


async def _held_profile(tx: Transaction, id: str) -> ProfileFact:
    fact = await profiles.get(tx, id)
    if fact is not None:
        held = await profiles.hold(tx, fact.person)
        fact = next((each for each in held.facts if each.id == id), None)
    if fact is None:
        raise NotFound(f"There is no profile fact {id} in space {tx.space!r}. It may have been replaced, or deleted.")
    return fact
