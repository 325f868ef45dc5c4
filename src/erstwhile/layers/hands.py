"""What people do to memories by hand. It stays, whatever is redrafted, regenerated without being told to, or rebuilt."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from erstwhile.base import ids
from erstwhile.base.clock import Clock
from erstwhile.base.errors import InvalidInput, NotFound
from erstwhile.index import flags
from erstwhile.layers import keepsakes
from erstwhile.layers.notes.steps import Notes
from erstwhile.layers.profiles import removal
from erstwhile.layers.profiles import store as profiles
from erstwhile.layers.profiles.model import ProfileFact
from erstwhile.layers.remembered import store as told_texts
from erstwhile.layers.remembered.model import Told as ToldText
from erstwhile.layers.structured import store as structured
from erstwhile.layers.structured.model import Structured
from erstwhile.memories import history
from erstwhile.memories.changes import MemoryChanges
from erstwhile.memories.history import DELETED, EDITED, Change, Version
from erstwhile.storage import Transaction

_CHANGED = ("chunk", "meta", "fact", "structured", "told", "profile", "note", "topic")


class Hands:
    def __init__(self, notes: Notes, changes: MemoryChanges, clock: Clock) -> None:
        self._changes = changes
        self._notes = notes
        self._clock = clock

    async def edit(self, tx: Transaction, id: str, text: str, by: str) -> Version:
        now = self._clock()
        if _kind(id) and self._changes.owns(id):
            return await self._changes.edit(tx, id, text, by)
        if _kind(id) == "structured":
            same = await structured.run(tx, await _held_structured(tx, id))
            await structured.edit(tx, same, text, by, now)
            await history.record(tx, [Change(each.id, text, by, EDITED) for each in same if each.id != id], now)
        elif _kind(id) == "told":
            await told_texts.edit(tx, await _told_text(tx, id), text, by, now)
        elif _kind(id) == "profile":
            await profiles.edit(tx, await _held_profile(tx, id), text, by, now)
        else:
            await self._notes.edit(tx, id, text, by)
        await history.record(tx, [Change(id, text, by, EDITED)], now)
        return (await history.versions(tx, id))[-1]

    async def delete(self, tx: Transaction, id: str, by: str) -> Version:
        now = self._clock()
        if _kind(id) and self._changes.owns(id):
            return await self._changes.delete(tx, id, by)
        if _kind(id) == "profile":
            await removal.delete(tx, await _held_profile(tx, id), by, now)
            return (await history.versions(tx, id))[-1]
        if _kind(id) == "structured":
            gone = await self._delete_structured(tx, id)
        elif _kind(id) == "told":
            gone = await self._delete_told(tx, id, by, now)
        else:
            gone = _Gone(*await self._notes.delete(tx, id, by))
        also = sorted(gone.also - {id} - await history.deleted(tx, sorted(gone.also)))
        await history.record(tx, [Change(each, gone.text, by, DELETED) for each in sorted({id, *gone.also})], now)
        await history.keep(tx, id, {**gone.kept, "also": also})
        for other, kept in gone.same.items():
            await history.keep(tx, other, {**kept, "with": id})
        await flags.drop(tx, [id, *gone.same])
        return (await history.versions(tx, id))[-1]

    async def _delete_structured(self, tx: Transaction, id: str) -> _Gone:
        memory = await _held_structured(tx, id)
        same = await structured.run(tx, memory)
        kept = {
            each.id: await keepsakes.of_range(tx, row)
            for each in same
            if (row := await tx.first(structured.queries.get, id=each.id)) is not None
        }
        await structured.delete(tx, same)
        own = kept.pop(id)
        return _Gone(memory.text, {**own, "same": sorted(kept)}, frozenset(each.id for each in same), kept)

    async def _delete_told(self, tx: Transaction, id: str, by: str, now: datetime) -> _Gone:
        text = await _told_text(tx, id)
        held = await told_texts.hold(tx, told_texts.Place(text.person, text.audience), now)
        row = await tx.first(told_texts.queries.get, id=id)
        assert row is not None
        await told_texts.delete(tx, held.told, by, now)
        return _Gone(held.told.text, {"row": keepsakes.plain(row), "last": held.last})


@dataclass(frozen=True, slots=True)
class _Gone:
    """`kept` is what it takes to restore it. `also`: ids under which it could come back; `same`: what went with it, each with its own."""

    text: str
    kept: Mapping[str, Any]
    also: frozenset[str] = frozenset()
    same: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)


def _kind(id: str) -> str:
    kind = ids.kind_of(id)
    if kind == "message":
        raise InvalidInput("A message never changes. Edit or delete the memories that were made of it.")
    if kind not in _CHANGED:
        raise InvalidInput(f"A {kind} can't be changed by hand. {', '.join(_CHANGED)} can.")
    return kind


async def _held_structured(tx: Transaction, id: str) -> Structured:
    memory = await _structured(tx, id)
    place = {"channel": memory.channel, "first": memory.first_seq, "last": memory.last_seq}
    await tx.run(structured.queries.hold_structuring, **place)
    return await _structured(tx, id)


async def _structured(tx: Transaction, id: str) -> Structured:
    memory = await structured.get(tx, id)
    if memory is None:
        raise NotFound(
            f"There is no structured memory {id} in space {tx.space!r}. It may have been replaced, or deleted."
        )
    return memory


async def _told_text(tx: Transaction, id: str) -> ToldText:
    found = await told_texts.get(tx, id)
    if found is None:
        raise NotFound(f"There is nothing told {id} in space {tx.space!r}. It may have been forgotten, or deleted.")
    return found


async def _held_profile(tx: Transaction, id: str) -> ProfileFact:
    fact = await profiles.get(tx, id)
    if fact is not None:
        held = await profiles.hold(tx, fact.person)
        fact = next((each for each in held.facts if each.id == id), None)
    if fact is None:
        raise NotFound(f"There is no profile fact {id} in space {tx.space!r}. It may have been replaced, or deleted.")
    return fact
