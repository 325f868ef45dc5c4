"""What people deleted by hand, brought back as it was: the same id, words, sources and links, found and told again."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from erstwhile.base import ids
from erstwhile.base.clock import Clock
from erstwhile.base.errors import Changed, InvalidInput, NotFound
from erstwhile.layers import keepsakes
from erstwhile.layers.keepsakes import Kept
from erstwhile.layers.notes.steps import Notes
from erstwhile.layers.profiles.steps import Profiles
from erstwhile.layers.summaries import store as chunks
from erstwhile.layers.summaries.steps import Chunks
from erstwhile.memories import history
from erstwhile.memories.changes import MemoryChanges
from erstwhile.memories.history import DELETED, RESTORED, RETENTION, Change, Version
from erstwhile.storage import Transaction


class Restore:
    def __init__(self, rooms: Chunks, people: tuple[Notes, Profiles], changes: MemoryChanges, clock: Clock) -> None:
        self._changes = changes
        self._rooms = rooms
        self._notes, self._profiles = people
        self._clock = clock

    async def restore(self, tx: Transaction, id: str, by: str) -> Version:
        now = self._clock()
        if ids.kind_of(id) != "message" and self._changes.owns(id):
            return await self._changes.restore(tx, id, by)
        kept = await _kept(tx, id)
        kind = ids.kind_of(id)
        if kind == "profile":
            await self._profiles.bring_back(tx, id, kept, by, now)
        elif kind in ("note", "topic"):
            await self._notes.bring_back(tx, id, kept, by)
        else:
            await self.put_back(tx, id, kept)
        await _lift(tx, [id, *kept.get("also", ())], by, now)
        return (await history.versions(tx, id))[-1]

    async def put_back(self, tx: Transaction, id: str, kept: Kept) -> None:
        """A chunk or meta into its place, which is empty."""
        row = kept["row"]
        await tx.first(chunks.queries.hold_cursor, channel=row["channel"])
        await keepsakes.still_there(tx, id, kept)
        stale = row["stale"] or await keepsakes.beside(tx, id) != kept["below"]
        given = {name: row[name] for name in _OF_A_CHUNK}
        if not await tx.run(chunks.queries.put_back, id=id, **given, stale=int(bool(stale) and not row["edited_at"])):
            raise _taken(id)
        chunk = await chunks.get(tx, id)
        assert chunk is not None
        await chunks.index(tx, chunk.range, chunk.text, (chunk.from_at, chunk.to_at))
        await self._rooms.disturb_above(tx, id)
        below = id
        for meta in await chunks.above(tx, id):
            over = meta.id(tx.space)
            if not await _as_before(tx, over, below, kept):
                break
            await tx.run(chunks.queries.fits_again, id=over)
            below = over


_OF_A_CHUNK = ("text", "writer", "draft", "created_at", "edited_at", "edited_by", "from_at", "to_at")


async def _as_before(tx: Transaction, meta: str, below: str, kept: Kept) -> bool:
    """Whether a meta says what is below it again: it fitted, and neither it nor its other parts have changed since."""
    was, stands = kept["above"].get(meta), await tx.first(chunks.queries.get, id=meta)
    if was is None or stands is None or stands["created_at"] != was["created_at"]:
        return False
    return bool(await keepsakes.beside(tx, meta, below) == was["beside"])


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
            await history.record(tx, [Change(id, last.text, by, RESTORED)], now)


def _taken(id: str) -> Changed:
    return Changed(f"The place of {id} is taken: it was made again after it was deleted. `history` shows what it said.")
