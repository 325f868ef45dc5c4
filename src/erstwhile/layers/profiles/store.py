"""Store profiles. A fact is a memory; one more table says when each profile last changed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime

from erstwhile.base import ids
from erstwhile.base.clock import micros
from erstwhile.base.records import dataclass
from erstwhile.configuration.visibility import Visibility
from erstwhile.language.en.calendar import MONTHS_SHORT
from erstwhile.layers.notes import store as notes
from erstwhile.layers.notes.model import Note
from erstwhile.layers.profiles import merge
from erstwhile.layers.profiles.model import (
    KIND,
    SECTIONS,
    ProfileFact,
    ProfileStatement,
    fact_of,
    memory_of,
    notes_of,
)
from erstwhile.log import people
from erstwhile.log import store as log
from erstwhile.memories import history, select
from erstwhile.memories import store as memories
from erstwhile.memories.expire import PAGE
from erstwhile.memories.history import DELETED, REPLACED, VersionEntry
from erstwhile.memories.model import StoredMemory
from erstwhile.storage import Transaction
from erstwhile.storage.queries import load

queries = load(__package__)


@dataclass(frozen=True, slots=True)
class StoredProfile:
    """A person's facts, with ended ones, and when the conversations of their further notes began.
    `seen`: when the profile last changed."""

    person: str
    facts: tuple[ProfileFact, ...]
    begun: Mapping[str, datetime]
    seen: int
    stored: Mapping[str, StoredMemory]


@dataclass(frozen=True, slots=True)
class NoteOrigin:
    """A note of a fact. `messages`: all it was made from; `message`: that of the fact, if known."""

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
    """Return facts by section, then in the order they were said; with `ended`, also ended ones."""
    facts = [fact for fact in (await read(tx, person)).facts if ended or fact.standing]
    return sorted(facts, key=lambda fact: (SECTIONS.index(fact.section), fact.at, fact.id))


async def of_note(tx: Transaction, note: str) -> list[ProfileFact]:
    """Return the facts from a note, about anyone, with ended ones, in the order they were said."""
    facts = await by_ids(tx, await memories.made_from(tx, [note]))
    return sorted(facts, key=lambda fact: (fact.at, fact.id))


async def read(tx: Transaction, person: str) -> StoredProfile:
    row = await tx.first(queries.profile, person=person)
    stored = {each.id: each for each in await memories.about(tx, [KIND.name], [person])}
    facts = [fact_of(each) for each in stored.values()]
    further = {note for fact in facts for note in fact.notes if note != fact.note}
    begun = {note.id: note.from_at for note in await notes.by_ids(tx, sorted(further))}
    ordered = []
    for fact in sorted(facts, key=lambda fact: (fact.at, fact.id)):
        # The note it came from first, the others by time.
        keys = {note: (note != fact.note, begun.get(note, fact.at), note) for note in fact.notes}
        ordered.append(replace(fact, notes=tuple(sorted(fact.notes, key=keys.__getitem__))))
    return StoredProfile(person, tuple(ordered), begun, row["changed_at"] if row else 0, stored)


async def standing(
    tx: Transaction, people: Sequence[str]
) -> list[tuple[StoredMemory, Note | None]]:
    """Return what holds about these people, in the order it was said, each with its note."""
    return await with_notes(tx, await memories.about(tx, [KIND.name], people))


async def with_notes(
    tx: Transaction, facts: Iterable[StoredMemory]
) -> list[tuple[StoredMemory, Note | None]]:
    """Return those that hold, in the order they were said, each with its note."""
    found = [each for each in facts if each.valid_to is None]
    came_from = {each.id: each.data.get("note") for each in found}
    there = await notes.without_people(tx, sorted({note for note in came_from.values() if note}))
    found.sort(key=lambda each: (each.at, each.id))
    return [(each, there.get(came_from[each.id] or "")) for each in found]


async def origins(tx: Transaction, facts: Sequence[ProfileFact]) -> dict[str, list[NoteOrigin]]:
    """Return the notes of each fact, with their messages. The note it came from is first."""
    noted = await notes_of(tx, facts)
    every = {note.id: note for found in noted.values() for note in found}
    ranges = [(note.channel, note.first_seq, note.last_seq) for note in every.values()]
    messages = dict(zip(every, await log.ids_in(tx, ranges), strict=True))
    said = [fact for fact in facts if fact.seq is not None]
    places = await log.ids_in(tx, [(fact.channel, fact.seq or 0, fact.seq or 0) for fact in said])
    found_at = zip(said, places, strict=True)
    rests_on = {(fact.id, fact.note): found[0] for fact, found in found_at if found}
    origins: dict[str, list[NoteOrigin]] = {id: [] for id in noted}
    for id, found in noted.items():
        for each in found:
            at = rests_on.get((id, each.id))
            origins[id].append(NoteOrigin(each.id, each.title, each.day, messages[each.id], at))
    return origins


# Writing


async def hold(tx: Transaction, person: str) -> StoredProfile:
    """Lock the profile until the commit and read it, so that two notes about one person see each
    other's facts."""
    await tx.run(queries.hold, person=person)
    return await read(tx, person)


async def save(
    tx: Transaction,
    held: StoredProfile,
    after: Iterable[ProfileFact],
    by: str,
    now: datetime,
    *,
    gone: str = REPLACED,
) -> bool:
    """Write what changed; return whether anything did. `gone`: the reason that the history gives
    for removed facts."""
    before = {fact.id: fact for fact in held.facts}
    new = {fact.id: fact for fact in after}
    written = [fact for fact in new.values() if fact != before.get(fact.id)]
    lost = [fact for fact in held.facts if fact.id not in new]
    if not (written or lost):
        return False
    await memories.drop(tx, [fact.id for fact in lost])
    await _write(tx, held, written, now)
    versions = [VersionEntry(fact.id, fact.text, by, gone) for fact in lost]
    for fact in written:
        was = before.get(fact.id)
        if was is not None and was.standing and not fact.standing:
            versions.append(VersionEntry(fact.id, fact.text, by, REPLACED))
        elif (
            was is None
            or (fact.text, fact.writer) != (was.text, was.writer)
            or (fact.standing and not was.standing)
        ):
            versions.append(VersionEntry(fact.id, fact.text, fact.writer))
    await history.record(tx, versions, now)
    await touch(tx, held.person, now)
    return True


async def _write(
    tx: Transaction, held: StoredProfile, facts: Sequence[ProfileFact], now: datetime
) -> None:
    noted = await notes_of(tx, facts)
    last = {id: max((note.to_at for note in found), default=None) for id, found in noted.items()}
    rows = [memory_of(fact, held.stored.get(fact.id), last[fact.id], now) for fact in facts]
    rows = await memories.save(tx, rows)
    await memories.index(tx, rows)
    for fact in facts:
        before = held.stored.get(fact.id)
        if before is None or fact.notes != tuple(before.data.get("notes", ())):
            await memories.set_sources(tx, fact.id, fact.notes)


async def touch(tx: Transaction, person: str, now: datetime) -> None:
    """Mark the profile as changed, for the next nightly run."""
    await tx.run(queries.touch, person=person, now=micros(now))


async def settle(
    tx: Transaction, held: StoredProfile, facts: Iterable[ProfileFact], by: str, now: datetime
) -> list[ProfileFact]:
    """Compute again which facts hold, and write that. Return the facts."""
    after = merge.settled(facts, held.begun)
    if not await save(tx, held, after, by, now):
        await touch(tx, held.person, now)
    return after


async def move(
    tx: Transaction, held: StoredProfile, mixed: Mapping[str, str], channel: str, now: datetime
) -> None:
    """Move facts that everyone could see to a channel that has become private. Remove those of
    another private channel; facts that these had absorbed hold again. `mixed`: the audience of
    each."""
    gone = [id for id, audience in mixed.items() if audience]
    left = [fact for fact in held.facts if fact.id not in gone]
    moved = [
        replace(fact, channel=channel, seq=None) if fact.id in mixed else fact for fact in left
    ]
    await save(tx, held, merge.settled(moved, held.begun), history.RETENTION, now)
    await history.expire(tx, gone, now)


async def sign(tx: Transaction, id: str, by: str, now: datetime) -> ProfileFact:
    """Mark a fact as written by a person."""
    memory = (await memories.by_ids(tx, [id]))[id]
    signed = replace(memory, edited_at=now, edited_by=by)
    await memories.save(tx, [signed])
    return fact_of(signed)


async def delete_profile(tx: Transaction, person: str, by: str, now: datetime) -> int:
    """Delete a profile. Statements made until now are not added again."""
    held = await hold(tx, person)
    await save(tx, held, (), by, now, gone=DELETED)
    await tx.run(queries.drop_profile, person=person)
    await history.record(tx, [VersionEntry(_tombstone(tx.space, person), "", by, DELETED)], now)
    return len(held.facts)


async def deleted_until(tx: Transaction, person: str) -> datetime | None:
    """Return when the person's profile was last deleted."""
    versions = await history.versions(tx, _tombstone(tx.space, person))
    return versions[-1].at if versions else None


def _tombstone(space: str, person: str) -> str:
    return ids.derived("profile", space, person)


async def empty(tx: Transaction, now: datetime) -> None:
    """Remove what can be made again: not what people wrote, edited or imported, nor facts whose
    note exists. Facts that a removed one had ended hold again. The caller rebuilds their search
    documents."""
    made = await select.of_kinds(tx, [KIND.name])
    for person in sorted({each.person or "" for each in made if each.deleted_at is None}):
        held = await read(tx, person)
        there = await notes_of(tx, held.facts)
        resting = {id: {note.id for note in found} for id, found in there.items()}
        left = [fact for fact in held.facts if fact.kept or fact.note in resting[fact.id]]
        stays = {fact.id for fact in left}
        gone = [fact.id for fact in held.facts if fact.id not in stays]
        await memories.drop(tx, gone)
        before = {fact.id: fact for fact in left}
        settled = merge.settled(left, held.begun)
        await _write(tx, held, [fact for fact in settled if fact != before[fact.id]], now)


# Expiring


async def expire(tx: Transaction, before: datetime, now: datetime) -> int:
    """Expire a page of old facts. Facts that these had ended stay ended."""
    rows = await select.old_unedited(tx, KIND.name, before, PAGE)
    gone = {row["id"] for row in rows}
    for person in sorted({row["person"] for row in rows}):
        for fact in (await hold(tx, person)).facts:
            if fact.superseded_by in gone:
                until = None if fact.valid_to is None else micros(fact.valid_to)
                alone = {"superseded_by": None, "restates": None}
                await memories.set_validity(tx, fact.id, until, alone)
        await touch(tx, person, now)
    await memories.drop(tx, sorted(gone))
    await history.expire(tx, sorted(gone), now)
    return len(gone)


# A profile as its readers may see it: facts that hold, by section, with source


async def profile_of(
    tx: Transaction, visibility: Visibility, person: str, here: str | None, asker: str | None
) -> Mapping[str, tuple[ProfileStatement, ...]]:
    """Return all six sections, always in the same order."""
    blocked = await people.blocked(tx)
    found = [each for each in await standing(tx, [person]) if each[0].said_by not in blocked]
    channels = {fact.channel for fact, _ in found} | {note.channel for _, note in found if note}
    visible = await visibility.visible(tx, here, channels, asker)
    stated: dict[str, list[ProfileStatement]] = {section: [] for section in SECTIONS}
    for fact, note in found:
        if visible.shows(fact.channel, fact.seq):
            source = _source(note if note and visible.shows(note.channel, note.first_seq) else None)
            statement = ProfileStatement(fact.id, fact.text, source, fact.said_by, fact.at)
            stated[fact.category].append(statement)
    return {section: tuple(each) for section, each in stated.items()}


def _source(note: Note | None) -> str:
    if not note or not note.title:
        return ""
    return f"{note.title}, {MONTHS_SHORT[note.day.month - 1]} {note.day.day}"
