"""Profiles on disk. A fact is a memory; beside it is only when each profile last changed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import Final

from erstwhile.base import ids
from erstwhile.base.clock import micros
from erstwhile.layers.notes import store as notes
from erstwhile.layers.notes.model import Note
from erstwhile.layers.profiles import merge
from erstwhile.layers.profiles.model import KIND, SECTIONS, ProfileFact, fact_of, memory_of, notes_of
from erstwhile.log import store as log
from erstwhile.memories import history
from erstwhile.memories import store as memories
from erstwhile.memories.expire import PAGE
from erstwhile.memories.history import DELETED, REPLACED, VersionEntry
from erstwhile.memories.hooks import Hooks
from erstwhile.memories.model import StoredMemory
from erstwhile.storage import Transaction
from erstwhile.storage.queries import load

queries = load(__package__)

_NO_TABLES: Final = Hooks()


@dataclass(frozen=True, slots=True)
class StoredProfile:
    """A person's facts, the ended ones too, and when the conversations of their further notes
    began. `seen` is when the profile last changed."""

    person: str
    facts: tuple[ProfileFact, ...]
    begun: Mapping[str, datetime]
    seen: int
    stored: Mapping[str, StoredMemory]


@dataclass(frozen=True, slots=True)
class NoteOrigin:
    """A note that a fact rests on; `messages` is all it was made of, `message` the one the fact
    rests on, where that is known."""

    note: str
    title: str
    day: date
    messages: tuple[str, ...]
    message: str | None


# Reading


async def by_ids(tx: Transaction, ids: Sequence[str]) -> list[ProfileFact]:
    found = (await memories.by_ids(tx, ids)).values()
    return [fact_of(each) for each in found if each.kind == KIND.name]


async def of_person(tx: Transaction, person: str, *, ended: bool = False) -> list[ProfileFact]:
    """By section, then in the order they were said; with `ended`, also what no longer holds."""
    facts = [fact for fact in (await read(tx, person)).facts if ended or fact.standing]
    return sorted(facts, key=lambda fact: (SECTIONS.index(fact.section), fact.at, fact.id))


async def of_note(tx: Transaction, note: str) -> list[ProfileFact]:
    """What came from a note, of whomever, the ended too, in the order it was said."""
    facts = await by_ids(tx, await memories.made_from(tx, [note]))
    return sorted(facts, key=lambda fact: (fact.at, fact.id))


async def read(tx: Transaction, person: str) -> StoredProfile:
    row = await tx.first(queries.profile, person=person)
    stored = {each.id: each for each in await memories.about(tx, KIND.name, [person])}
    facts = [fact_of(each) for each in stored.values()]
    further = {note for fact in facts for note in fact.notes if note != fact.note}
    begun = {note.id: note.from_at for note in await notes.by_ids(tx, sorted(further))}
    ordered = sorted((_ordered(fact, begun) for fact in facts), key=lambda fact: (fact.at, fact.id))
    return StoredProfile(person, tuple(ordered), begun, row["changed_at"] if row else 0, stored)


def _ordered(fact: ProfileFact, begun: Mapping[str, datetime]) -> ProfileFact:
    """The note it came from is the first, the others follow by time."""
    by_time = sorted(fact.notes, key=lambda note: (note != fact.note, begun.get(note, fact.at), note))
    return replace(fact, notes=tuple(by_time))


async def people_with_profiles(tx: Transaction) -> list[str]:
    return [row["person"] for row in await tx.all(queries.people)]


async def standing(tx: Transaction, people: Sequence[str]) -> list[tuple[StoredMemory, Note | None]]:
    """What holds of these people, in the order it was said, each with the note it came from."""
    found = [each for each in await memories.about(tx, KIND.name, people) if each.valid_to is None]
    came_from = {each.id: each.data.get("note") for each in found}
    there = {note.id: note for note in await notes.by_ids(tx, sorted(filter(None, came_from.values())))}
    found.sort(key=lambda each: (each.at, each.id))
    return [(each, there.get(came_from[each.id] or "")) for each in found]


async def origins(tx: Transaction, facts: Sequence[ProfileFact]) -> dict[str, list[NoteOrigin]]:
    """The notes of each, down to the messages. The note it came from is the first."""
    noted = await notes_of(tx, facts)
    every = {note.id: note for found in noted.values() for note in found}
    ranges = [(note.channel, note.first_seq, note.last_seq) for note in every.values()]
    messages = dict(zip(every, await log.ids_in(tx, ranges), strict=True))
    said = [fact for fact in facts if fact.seq is not None]
    places = await log.ids_in(tx, [(fact.channel, fact.seq or 0, fact.seq or 0) for fact in said])
    rests_on = {(fact.id, fact.note): found[0] for fact, found in zip(said, places, strict=True) if found}
    return {
        id: [
            NoteOrigin(each.id, each.title, each.day, messages[each.id], rests_on.get((id, each.id))) for each in found
        ]
        for id, found in noted.items()
    }


# Writing


async def hold(tx: Transaction, person: str) -> StoredProfile:
    """Hold the profile until the commit, and read it: two notes about one person never miss each
    other's facts."""
    await tx.run(queries.hold, person=person)
    return await read(tx, person)


async def save(
    tx: Transaction, held: StoredProfile, after: Iterable[ProfileFact], by: str, now: datetime, *, gone: str = REPLACED
) -> bool:
    """Write what is different; `gone` is what the history says of facts that are no longer
    there."""
    before = {fact.id: fact for fact in held.facts}
    new = {fact.id: fact for fact in after}
    written = [fact for fact in new.values() if fact != before.get(fact.id)]
    lost = [fact for fact in held.facts if fact.id not in new]
    if not (written or lost):
        return False
    await memories.drop(tx, _NO_TABLES, [fact.id for fact in lost])
    await _write(tx, held, written, now)
    versions = [VersionEntry(fact.id, fact.text, by, gone) for fact in lost]
    for fact in written:
        was = before.get(fact.id)
        if was is not None and was.standing and not fact.standing:
            versions.append(VersionEntry(fact.id, fact.text, by, REPLACED))
        elif _said_anew(fact, was):
            versions.append(VersionEntry(fact.id, fact.text, fact.writer))
    await history.record(tx, versions, now)
    await touch(tx, held.person, now)
    return True


async def _write(tx: Transaction, held: StoredProfile, facts: Sequence[ProfileFact], now: datetime) -> None:
    noted = await notes_of(tx, facts)
    last = {id: max((note.to_at for note in found), default=None) for id, found in noted.items()}
    rows = [memory_of(fact, held.stored.get(fact.id), last[fact.id], now) for fact in facts]
    await memories.save(tx, rows)
    await memories.index(tx, rows)
    for fact in facts:
        before = held.stored.get(fact.id)
        if before is None or fact.notes != tuple(before.data.get("notes", ())):
            await memories.set_sources(tx, fact.id, fact.notes)


def _said_anew(fact: ProfileFact, before: ProfileFact | None) -> bool:
    if before is None or (fact.text, fact.writer) != (before.text, before.writer):
        return True
    return fact.standing and not before.standing


async def touch(tx: Transaction, person: str, now: datetime) -> None:
    """The profile has changed: the next night looks at it."""
    await tx.run(queries.touch, person=person, now=micros(now))


async def settle(
    tx: Transaction, held: StoredProfile, facts: Iterable[ProfileFact], by: str, now: datetime
) -> list[ProfileFact]:
    """Work out anew which of the facts hold, and write that; what is there now."""
    after = merge.settled(facts, held.begun)
    if not await save(tx, held, after, by, now):
        await touch(tx, held.person, now)
    return after


async def move(tx: Transaction, held: StoredProfile, mixed: Mapping[str, str], channel: str, now: datetime) -> None:
    """Move facts that everyone could see to a channel that has become private; drop those of
    another private channel, and let what they had absorbed hold again. `mixed` has the audience of
    each."""
    gone = [id for id, audience in mixed.items() if audience]
    left = [fact for fact in held.facts if fact.id not in gone]
    moved = [replace(fact, channel=channel, seq=None) if fact.id in mixed else fact for fact in left]
    await save(tx, held, merge.settled(moved, held.begun), history.RETENTION, now)
    await history.expire(tx, gone, now)


async def sign(tx: Transaction, id: str, by: str, now: datetime) -> ProfileFact:
    """What a person wrote is theirs."""
    memory = (await memories.by_ids(tx, [id]))[id]
    signed = replace(memory, edited_at=now, edited_by=by)
    await memories.save(tx, [signed])
    return fact_of(signed)


async def delete_profile(tx: Transaction, person: str, by: str, now: datetime) -> int:
    """Delete all of it. What was said until now is not taken in again when it is read again."""
    held = await hold(tx, person)
    await save(tx, held, (), by, now, gone=DELETED)
    await drop_profile(tx, person)
    await history.record(tx, [VersionEntry(_tombstone(tx.space, person), "", by, DELETED)], now)
    return len(held.facts)


async def drop_profile(tx: Transaction, person: str) -> None:
    await tx.run(queries.drop_profile, person=person)


async def deleted_until(tx: Transaction, person: str) -> datetime | None:
    """When the person's profile was last deleted."""
    versions = await history.versions(tx, _tombstone(tx.space, person))
    return versions[-1].at if versions else None


def _tombstone(space: str, person: str) -> str:
    return ids.derived("profile", space, person)


async def empty(tx: Transaction, now: datetime) -> None:
    """Take away what can be made again: not what people wrote, edited or imported, nor what comes
    from a note that is there. What ended by something that is gone holds again. Their search
    documents are made anew by the caller."""
    for person in await people_with_profiles(tx):
        held = await read(tx, person)
        there = await notes_of(tx, held.facts)
        left = [fact for fact in held.facts if fact.kept or fact.note in {note.id for note in there[fact.id]}]
        stays = {fact.id for fact in left}
        await memories.drop(tx, _NO_TABLES, [fact.id for fact in held.facts if fact.id not in stays])
        before = {fact.id: fact for fact in left}
        settled = merge.settled(left, held.begun)
        await _write(tx, held, [fact for fact in settled if fact != before[fact.id]], now)


# Expiring


async def expire(tx: Transaction, before: datetime, now: datetime) -> int:
    """Take away a page of facts that were not said for long enough. What they ended has still
    ended."""
    rows = await tx.all(queries.old, before=micros(before), limit=PAGE)
    gone = {row["id"] for row in rows}
    for person in sorted({row["person"] for row in rows}):
        for fact in (await hold(tx, person)).facts:
            if fact.superseded_by in gone:
                until = None if fact.valid_to is None else micros(fact.valid_to)
                await memories.set_validity(tx, fact.id, until, {"superseded_by": None, "restates": None})
        await touch(tx, person, now)
    await memories.drop(tx, _NO_TABLES, sorted(gone))
    await history.expire(tx, sorted(gone), now)
    return len(gone)


async def count_old(tx: Transaction, before: datetime) -> int:
    row = await tx.first(queries.count_old, before=micros(before))
    return int(row["number"]) if row else 0
