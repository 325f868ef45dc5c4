"""The layer of profiles: add what notes state, and consolidate profiles at night."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime
from typing import TYPE_CHECKING

from erstwhile.base import crash
from erstwhile.base.errors import NotFound
from erstwhile.configuration.visibility import NOW
from erstwhile.jobs import store as jobs
from erstwhile.jobs.model import NewJob, Step
from erstwhile.layers import threads
from erstwhile.layers.contract import Layer, LayerParts
from erstwhile.layers.notes import store as notes
from erstwhile.layers.notes.model import Kept, Note, NoteStatement
from erstwhile.layers.profiles import merge, removal, statements, store
from erstwhile.layers.profiles.consolidation import CONSOLIDATE, Consolidation, wanted
from erstwhile.layers.profiles.merge import FactSource
from erstwhile.layers.profiles.model import KIND, ProfileFact, fact_id, fact_of, notes_of
from erstwhile.layers.profiles.store import queries
from erstwhile.log import people as everyone
from erstwhile.log import store as log_store
from erstwhile.memories import attribute, erase, history, select
from erstwhile.memories import store as memories
from erstwhile.memories.changes import DELETED_WITH
from erstwhile.memories.model import StoredMemory
from erstwhile.storage import Transaction, column
from erstwhile.tables.model import Table

if TYPE_CHECKING:
    from erstwhile.layers.retention.steps import Run

_CHANGED = "changed"  # how the deletion of a fact changed others


class Profiles(Layer):
    """No redraft is needed: facts of drafts are removed when their note is written again, and what
    was consolidated without a model is consolidated again the next night."""

    name = "profiles"
    kinds = (KIND,)
    recipes = ("community", "full")
    tables = (Table("profiles", ("person",)),)

    def __init__(self, parts: LayerParts) -> None:
        super().__init__(parts)
        self._consolidation = Consolidation(parts)

    @property
    def steps(self) -> Mapping[str, Step]:
        return {CONSOLIDATE: self._consolidation.step}

    # Changes of notes

    async def noted(
        self, tx: Transaction, note: Note, stated: Sequence[NoteStatement], now: datetime
    ) -> None:
        """Add the statements of a note to the profiles, in place of those of its draft."""
        usable = statements.usable(stated, await everyone.blocked(tx))
        drafted = {fact.person for fact in await store.of_note(tx, note.id) if fact.draft}
        # Always in the same order, to avoid deadlocks.
        for person in sorted({each.about for each in usable} | drafted):
            new = statements.of_person(tx.space, note, usable, person)
            await self._take(tx, note, new, person, now)
        crash.point("profiles.after_facts")

    async def _take(
        self, tx: Transaction, note: Note, new: Sequence[ProfileFact], person: str, now: datetime
    ) -> None:
        held = await store.hold(tx, person)
        channels = [note.channel, *(fact.channel for fact in held.facts)]
        audiences = await self._visibility.audiences(tx, channels)
        begun = {**held.begun, note.id: note.from_at}
        after = merge.take(
            merge.without_drafts(held.facts, note.id),
            await wanted(tx, person, new),
            lambda each: audiences.of(each.channel, each.seq),
            begun,
        )
        await store.save(tx, held, after, note.writer, now)

    async def unnoted(self, tx: Transaction, note: str, by: str, now: datetime) -> Kept:
        """Remove what a deleted note stated. Facts that other notes state too rest on these."""
        deleted: list[str] = []
        changed: list[removal.Change] = []
        for person in sorted({fact.person for fact in await store.of_note(tx, note)}):
            held = await store.hold(tx, person)
            uprooted = merge.uprooted(held.facts, note)
            found = [(fact.id, await _ground(tx, fact, note)) for fact in uprooted]
            grounds = {id: ground for id, ground in found if ground}
            begun = {id: at for id, at in held.begun.items() if id != note}
            left = merge.settled(merge.without(held.facts, note, grounds), begun)
            stays = {fact.id for fact in left}
            deleted += [fact.id for fact in held.facts if fact.id not in stays]
            changed += await removal.delete(tx, held, left, by, now)
        return {"facts": deleted, _CHANGED: changed}

    async def renoted(self, tx: Transaction, taken: Kept, by: str, now: datetime) -> None:
        """Restore the statements of a restored note."""
        await removal.restore(tx, taken["facts"], taken[_CHANGED], by, now)
        await self._withdraw_again(tx, taken["facts"], now)

    async def night_fell(
        self, tx: Transaction, people: Sequence[str], day: date, now: datetime
    ) -> None:
        """Request the consolidation of these people's profiles, if they changed."""
        changed = set(await column(tx, queries.changed))
        for person in sorted(changed.intersection(people) - await everyone.blocked(tx)):
            payload = {"person": person, "day": day.isoformat()}
            lane = f"profiles:{person}"
            job = NewJob(kind=CONSOLIDATE, key=person, payload=payload, lane=lane, pace="model")
            await jobs.enqueue(tx, job, now)

    # Changes of facts

    async def hold(self, tx: Transaction, memory: StoredMemory) -> None:
        await store.hold(tx, memory.person or "")

    def reworded(self, memory: StoredMemory, text: str) -> StoredMemory:
        """Derive the value from the new text. An edited fact is no longer only a quotation."""
        fact = fact_of(memory)
        value = threads.value_after_edit(fact.text, fact.value, text) if fact.slot else ""
        data = {name: each for name, each in memory.data.items() if name not in ("value", "flag")}
        return replace(memory, text=text, data={**data, **({"value": value} if value else {})})

    def aliases(self, space: str, memory: StoredMemory, texts: set[str]) -> set[str]:
        sources = memory.data.get("notes") or (None,)
        who, said_by = memory.person or "", memory.said_by
        return {
            fact_id(space, who, note, text, said_by) for note in sources for text in texts if text
        }

    async def deleted_together(
        self, tx: Transaction, memory: StoredMemory
    ) -> Sequence[StoredMemory]:
        """Return the fact with those that it absorbed: they would come back instead."""
        held = await store.read(tx, memory.person or "")
        absorbed = merge.absorbed_by(memory.id, held.facts)
        return [held.stored[id] for id in (*reversed(absorbed), memory.id)]

    async def edited(self, tx: Transaction, memory: StoredMemory, now: datetime) -> None:
        held = await store.read(tx, memory.person or "")
        await store.settle(tx, held, held.facts, memory.edited_by or "", now)

    async def deleted(self, tx: Transaction, memory: StoredMemory, now: datetime) -> None:
        held = await store.read(tx, memory.person or "")
        after = await store.settle(tx, held, held.facts, memory.deleted_by or "", now)
        changed = removal.changes(held.facts, after)
        if changed:
            await memories.save(tx, [replace(memory, data={**memory.data, _CHANGED: changed})])

    async def check_restorable(self, tx: Transaction, memory: StoredMemory) -> None:
        note = memory.data.get("note")
        there = await notes.by_ids(tx, [note]) if note and DELETED_WITH not in memory.data else None
        if there is not None and not any(each.text or each.expired for each in there):
            raise NotFound(
                f"The note that {memory.id} came from, {note}, is no longer there. Restore that first, if it was deleted."
            )

    async def restored(self, tx: Transaction, memory: StoredMemory, now: datetime) -> None:
        data = {name: value for name, value in memory.data.items() if name != _CHANGED}
        await memories.save(tx, [replace(memory, data=data)])
        by = (await history.versions(tx, memory.id))[-1].by
        await removal.undo(tx, memory.person or "", memory.data.get(_CHANGED, ()), by, now)
        await self._withdraw_again(tx, [memory.id], now)

    # Changes of channels and messages

    async def make_private(self, tx: Transaction, channel: str, now: datetime) -> None:
        """Show facts of open channels that also rest on this channel only there. Remove those of
        another private channel, because neither channel may show what was said in the other."""
        made = await memories.made_from(
            tx, [row["id"] for row in await select.places_in(tx, "note", channel)]
        )
        resting = await store.by_ids(tx, made)
        mixed = [fact for fact in resting if fact.channel != channel]
        audiences = await self._visibility.audiences(tx, {fact.channel for fact in mixed})
        for person in sorted({fact.person for fact in mixed}):
            own = [fact for fact in mixed if fact.person == person]
            theirs = {fact.id: audiences.of(fact.channel, fact.seq) for fact in own}
            await store.move(tx, await store.hold(tx, person), theirs, channel, now)

    async def _withdraw_again(self, tx: Transaction, these: Sequence[str], now: datetime) -> None:
        """Apply `make_private` again: a channel may have become private meanwhile."""
        noted = await notes_of(tx, await store.by_ids(tx, these))
        channels = {note.channel for found in noted.values() for note in found}
        audiences = await self._visibility.audiences(tx, channels)
        for channel in sorted(channel for channel in audiences if audiences.of(channel, NOW)):
            await self.make_private(tx, channel, now)

    async def refuse(self, tx: Transaction) -> None:
        """Restart consolidations over these notes: a note that is made again keeps its id."""
        said = set(await erase.people_of_listed_messages(tx, KIND.name))
        touched = said.union(await notes.people_to_erase(tx))
        await jobs.restart_many(tx, CONSOLIDATE, sorted(touched))

    async def list_erased(self, tx: Transaction, person: str | None) -> None:
        await removal.list_erased(tx, person, self._clock())

    async def expire(self, run: Run, _kind: str, before: datetime, now: datetime) -> int:
        return await run.all(lambda tx: store.expire(tx, before, now))

    async def count_old(self, tx: Transaction, _kind: str, before: datetime) -> int:
        return await select.count_old_unedited(tx, KIND.name, before)

    async def emptied(self, tx: Transaction) -> None:
        await store.empty(tx, self._clock())


async def _ground(tx: Transaction, fact: ProfileFact, without: str) -> FactSource | None:
    """Return the next note of a fact, and the closest message of its speaker there."""
    others = (each for each in (await notes_of(tx, [fact]))[fact.id] if each.id != without)
    note = next(others, None)
    if note is None:
        return None
    author = fact.said_by or fact.person
    messages = await log_store.between(tx, note.channel, note.first_seq, note.last_seq)
    closest = attribute.closest(fact.text, [each for each in messages if each.person == author])
    if closest is None:
        return FactSource(note.id, note.channel, None, note.from_at)
    return FactSource(note.id, note.channel, closest.seq, closest.at)
