"""What people deleted by hand, brought back as it was: the same id, words, sources and links, found and told again."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from erstwhile.base import ids
from erstwhile.base.clock import Clock
from erstwhile.base.errors import Changed, InvalidInput, NotFound
from erstwhile.jobs import store as jobs
from erstwhile.jobs.model import NewJob
from erstwhile.layers import keepsakes
from erstwhile.layers.keepsakes import Kept
from erstwhile.layers.notes.steps import Notes
from erstwhile.layers.profiles.steps import Profiles
from erstwhile.layers.remembered import store as told_texts
from erstwhile.layers.remembered.steps import MERGE
from erstwhile.layers.structured import store as structured
from erstwhile.memories import history
from erstwhile.memories.changes import MemoryChanges
from erstwhile.memories.history import DELETED, RESTORED, RETENTION, Change, Version
from erstwhile.storage import Row, Transaction
from erstwhile.storage.queries import Queries


class Restore:
    def __init__(self, people: tuple[Notes, Profiles], changes: MemoryChanges, clock: Clock) -> None:
        self._changes = changes
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
        elif kind == "structured":
            await _structured(tx, id, kept, by, now)
        elif kind == "told":
            await _told(tx, id, kept, now)
        else:
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
    if "with" in kept:
        raise InvalidInput(f"{id} was deleted together with {kept['with']}. Restore that.")
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


async def _structured(tx: Transaction, id: str, kept: Kept, by: str, now: datetime) -> None:
    """With those that said the same while it held."""
    together = {id: kept} | {other: await history.kept(tx, other) for other in kept["same"]}
    there = {other: each for other, each in together.items() if "row" in each}
    for each in there.values():
        await tx.run(structured.queries.hold_structuring, **keepsakes.place(each["row"]))
    threads = {each["row"]["thread"] for each in there.values()}
    await structured.hold(tx, threads)
    for other, each in there.items():
        await _as_read(tx, other, each, structured.queries)
        await tx.run(structured.queries.put_back, **await _placed(tx, each["row"], structured.queries))
    await structured.index(tx, await structured.by_ids(tx, list(there)))
    await structured.settle(tx, threads)
    await _lift(tx, there, by, now)


async def _as_read(tx: Transaction, id: str, kept: Kept, queries: Queries) -> None:
    """Refuses where its messages are gone or were read by another since, whose memories stand in its place."""
    row = kept["row"]
    await keepsakes.still_there(tx, id, kept)
    if await tx.first(queries.get, id=id) is not None:
        raise _taken(id)
    read = await tx.first(queries.read_by, **keepsakes.place(row))
    if read is not None and row["edited_at"] is None and read["writer"] != row["writer"]:
        raise Changed(
            f"The place of {id} is taken: {read['writer']} has read its messages since, and {row['writer']} had found it."
        )


async def _placed(tx: Transaction, row: Kept, queries: Queries) -> Row:
    """Where it was, or after the last if another is there now."""
    where = keepsakes.place(row)
    if await tx.first(queries.at_position, **where, position=row["position"]) is None:
        return row
    last = await tx.first(queries.last_position, **where)
    return {**row, "position": (last["position"] if last else -1) + 1}


async def _told(tx: Transaction, id: str, kept: Kept, now: datetime) -> None:
    row = kept["row"]
    place = told_texts.Place(row["person"], row["audience"])
    held = await told_texts.hold(tx, place, now)
    if held.last != kept["last"]:
        raise Changed(f"Something was told of {place.person!r} since {id} was deleted, and stands in its place.")
    given = ("text", "version", "writer", "draft", "base", "merged", "changed_at")
    if not await tx.run(told_texts.queries.put_back, id=id, **{name: row[name] for name in given}):
        raise _taken(id)
    told = await told_texts.get(tx, id)
    assert told is not None
    await told_texts.index_one(tx, told)
    if told.draft:  # what was told last is still to be worded
        job = NewJob(kind=MERGE, key=place.key, payload=place.row, pace="model", due=now, limit=now)
        await jobs.enqueue(tx, job, now)
