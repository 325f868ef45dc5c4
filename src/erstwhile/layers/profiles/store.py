"""Profiles on disk: facts with their sources, search documents and history. A search finds what stands."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import Any

from erstwhile.base import ids
from erstwhile.base.clock import micros, moment
from erstwhile.index import documents
from erstwhile.layers.profiles import merge
from erstwhile.layers.profiles.model import SECTIONS, ProfileFact, from_row
from erstwhile.layers.structured import threads
from erstwhile.log import store as log
from erstwhile.memories import history
from erstwhile.memories.history import DELETED, REPLACED, VersionEntry
from erstwhile.storage import Row, Transaction
from erstwhile.storage.queries import load
from erstwhile.text import analyse

queries = load(__package__)


@dataclass(frozen=True, slots=True)
class StoredProfile:
    """A person's facts, the ended ones too, and when the conversations of their notes began. `seen` is when the profile last changed."""

    person: str
    facts: tuple[ProfileFact, ...]
    begun: Mapping[str, datetime]
    seen: int


@dataclass(frozen=True, slots=True)
class NoteOrigin:
    """A note that a fact stands on; `messages` is all it was made of, `message` the one the fact leans on, where that is known."""

    note: str
    title: str
    day: date
    messages: tuple[str, ...]
    message: str | None


# Reading


async def get(tx: Transaction, id: str) -> ProfileFact | None:
    return next(iter(await by_ids(tx, [id])), None)


async def by_ids(tx: Transaction, ids: Sequence[str]) -> list[ProfileFact]:
    """Each with its notes."""
    if not ids:
        return []
    wanted = json.dumps(list(ids))
    further = _grouped(await tx.all(queries.sources_of, ids=wanted))
    return [from_row(row, further.get(row["id"], ())) for row in await tx.all(queries.by_ids, ids=wanted)]


async def of_person(tx: Transaction, person: str, *, ended: bool = False) -> list[ProfileFact]:
    """By section, then in the order they were said; with `ended`, also what no longer holds."""
    facts = [fact for fact in (await read(tx, person)).facts if ended or fact.standing]
    return sorted(facts, key=lambda fact: (SECTIONS.index(fact.section), fact.at, fact.id))


async def of_note(tx: Transaction, note: str) -> list[ProfileFact]:
    """What came from a note, of whomever, the ended too, in the order it was said."""
    return await by_ids(tx, [row["id"] for row in await tx.all(queries.of_note, note=note)])


async def read(tx: Transaction, person: str) -> StoredProfile:
    row = await tx.first(queries.profile, person=person)
    sources = await tx.all(queries.sources_of_person, person=person)
    further = _grouped(sources)
    facts = [from_row(each, further.get(each["id"], ())) for each in await tx.all(queries.of_person, person=person)]
    begun = {each["note"]: moment(each["from_at"]) for each in sources if each["from_at"] is not None}
    return StoredProfile(person, tuple(facts), begun, row["changed_at"] if row else 0)


async def people_with_profiles(tx: Transaction) -> list[str]:
    return [row["person"] for row in await tx.all(queries.people)]


async def note_titles(tx: Transaction, facts: Iterable[ProfileFact]) -> dict[str, tuple[str, date]]:
    """Of every note these facts stand on: its title and day."""
    rows = await _notes(tx, facts)
    return {id: (row["title"], date.fromisoformat(row["day"])) for id, row in rows.items()}


async def sources_of(tx: Transaction, fact: ProfileFact) -> list[NoteOrigin]:
    """Down to the messages. The note it came from is the first."""
    return (await origins(tx, [fact]))[fact.id]


async def origins(tx: Transaction, facts: Sequence[ProfileFact]) -> dict[str, list[NoteOrigin]]:
    rows = await _notes(tx, facts)
    ranges = [(row["channel"], row["first_seq"], row["last_seq"]) for row in rows.values()]
    messages = dict(zip(rows, await log.ids_in(tx, ranges), strict=True))
    leaning = [fact for fact in facts if fact.seq is not None]
    places = [(fact.channel, fact.seq or 0, fact.seq or 0) for fact in leaning]
    leans = {
        fact.id: found[0] for fact, found in zip(leaning, await log.ids_in(tx, places), strict=True) if len(found) == 1
    }
    return {
        fact.id: [
            NoteOrigin(
                note,
                rows[note]["title"],
                date.fromisoformat(rows[note]["day"]),
                messages[note],
                leans.get(fact.id) if note == fact.note else None,
            )
            for note in fact.notes
            if note in rows
        ]
        for fact in facts
    }


async def notes_of(tx: Transaction, fact: ProfileFact) -> list[Row]:
    """The notes it stands on, the one it came from first."""
    rows = await _notes(tx, [fact])
    return [rows[note] for note in fact.notes if note in rows]


async def _notes(tx: Transaction, facts: Iterable[ProfileFact]) -> dict[str, Row]:
    wanted = sorted({note for fact in facts for note in fact.notes})
    rows = await tx.all(queries.notes, ids=json.dumps(wanted)) if wanted else []
    return {row["id"]: row for row in rows}


def _grouped(rows: Iterable[Row]) -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for row in rows:
        found[row["fact"]] = (*found.get(row["fact"], ()), row["note"])
    return found


# Writing


async def hold(tx: Transaction, person: str) -> StoredProfile:
    """Until the commit, and read once it is held: two notes about one person never miss each other's facts."""
    await tx.run(queries.hold, person=person)
    return await read(tx, person)


async def save(
    tx: Transaction, held: StoredProfile, after: Sequence[ProfileFact], by: str, now: datetime, *, gone: str = REPLACED
) -> bool:
    """Writes what is different, with documents and history; `gone` is what history says of facts that are no longer there."""
    before = {fact.id: fact for fact in held.facts}
    stays = {fact.id: fact for fact in after}
    added = [fact for fact in after if fact.id not in before]
    changed = [fact for fact in after if fact.id in before and fact != before[fact.id]]
    lost = [fact for fact in held.facts if fact.id not in stays]
    if not (added or changed or lost):
        return False
    for fact in lost:
        await tx.run(queries.delete, id=fact.id)
        await tx.run(queries.drop_sources, fact=fact.id)
    if added:
        await tx.run_many(queries.add, [{**row_of(fact), "person": fact.person, "now": micros(now)} for fact in added])
    for fact in changed:
        await tx.run(queries.change, **row_of(fact))
        if not set(before[fact.id].notes) <= set(fact.notes):
            await _drop_sources(tx, fact, before[fact.id])
    sources = [
        {"fact": fact.id, "note": note}
        for fact in (*added, *changed)
        for note in fact.notes
        if note != fact.note and note not in (before[fact.id].notes if fact.id in before else ())
    ]
    if sources:
        await tx.run_many(queries.add_source, sources)
    await documents.remove(tx, [fact.id for fact in (*lost, *changed)])
    await documents.add(tx, [_document(fact) for fact in (*added, *changed) if fact.standing])
    ended = {fact.id for fact in changed if before[fact.id].standing and not fact.standing}
    changes = [VersionEntry(fact.id, fact.text, by, gone) for fact in lost]
    changes += [
        VersionEntry(fact.id, fact.text, by, REPLACED)
        if fact.id in ended
        else VersionEntry(fact.id, fact.text, fact.writer)
        for fact in (*added, *changed)
        if fact.id in ended or _said_anew(fact, before.get(fact.id))
    ]
    await history.record(tx, changes, now)
    await tx.run(queries.touch, person=held.person, now=micros(now))
    return True


async def _drop_sources(tx: Transaction, fact: ProfileFact, before: ProfileFact) -> None:
    """Those it no longer stands on, and the one that is now the first."""
    for note in before.notes:
        if note == fact.note or note not in fact.notes:
            await tx.run(queries.drop_source, fact=fact.id, note=note)


def _said_anew(fact: ProfileFact, before: ProfileFact | None) -> bool:
    if before is None or (fact.text, fact.writer) != (before.text, before.writer):
        return True
    return fact.standing and not before.standing


async def move(tx: Transaction, held: StoredProfile, mixed: Mapping[str, str], channel: str, now: datetime) -> None:
    """To a channel that has become private, by id and audience: those everyone may hear; the others go, and what was put into them
    stands again."""
    gone = [id for id, audience in mixed.items() if audience]
    after = [
        replace(fact, channel=channel, seq=None) if fact.id in mixed else fact
        for fact in held.facts
        if fact.id not in gone
    ]
    await save(tx, held, merge.settled(after, held.begun), history.RETENTION, now)
    await history.expire(tx, gone, now)


async def sign(tx: Transaction, id: str, by: str, now: datetime) -> None:
    """What a person wrote is theirs."""
    await tx.run(queries.sign, id=id, by=by, now=micros(now))


async def edit(tx: Transaction, fact: ProfileFact, text: str, by: str, now: datetime) -> None:
    """A person's words in place of its own; the value follows them, and with it what they contradict."""
    value = threads.value_after_edit(fact.text, fact.value, text) if fact.slot else ""
    await tx.run(queries.edit, id=fact.id, text=text, value=value, by=by, now=micros(now))
    held = await read(tx, fact.person)
    await index(tx, [each for each in held.facts if each.id == fact.id])
    await save(tx, held, merge.settled(held.facts, held.begun), by, now)
    await tx.run(queries.touch, person=fact.person, now=micros(now))


async def delete_profile(tx: Transaction, person: str, by: str, now: datetime) -> int:
    """All of it. What was said up to now is not taken in again, whoever reads it again."""
    held = await hold(tx, person)
    await save(tx, held, (), by, now, gone=DELETED)
    await tx.run(queries.drop_profile, person=person)
    await history.record(tx, [VersionEntry(_tombstone(tx.space, person), "", by, DELETED)], now)
    return len(held.facts)


async def deleted_until(tx: Transaction, person: str) -> datetime | None:
    """When the person's profile was last deleted."""
    versions = await history.versions(tx, _tombstone(tx.space, person))
    return versions[-1].at if versions else None


def _tombstone(space: str, person: str) -> str:
    return ids.derived("profile", space, person)


async def empty(tx: Transaction) -> None:
    """All but what people wrote, edited or imported, which stands again if something that is gone had ended it. Their documents are
    made anew by whoever empties."""
    await tx.run(queries.empty)
    await tx.run(queries.empty_sources)
    for person in await people_with_profiles(tx):
        held = await read(tx, person)
        before = {fact.id: fact for fact in held.facts}
        for fact in merge.settled(held.facts, held.begun):
            if fact != before[fact.id]:
                await tx.run(queries.change, **row_of(fact))


async def standing(tx: Transaction) -> list[ProfileFact]:
    """Everybody's, for making their documents anew."""
    return [from_row(row) for row in await tx.all(queries.standing)]


async def index(tx: Transaction, facts: Sequence[ProfileFact]) -> None:
    """Makes their search documents anew."""
    await documents.remove(tx, [fact.id for fact in facts])
    await documents.add(tx, [_document(fact) for fact in facts if fact.standing])


def _document(fact: ProfileFact) -> documents.Document:
    return documents.Document(
        id=fact.id,
        kind="profile",
        at=micros(fact.at),
        terms=analyse.terms(fact.text),
        words=fact.text,
        channel=fact.channel or None,
        person=fact.person,
        seq=fact.seq,
    )


def row_of(fact: ProfileFact) -> dict[str, Any]:
    return {
        "id": fact.id,
        "section": fact.section,
        "text": fact.text,
        "note": fact.note,
        "said_by": fact.said_by,
        "channel": fact.channel,
        "seq": fact.seq,
        "slot": fact.slot,
        "value": fact.value,
        "flag": fact.flag,
        "at": micros(fact.at),
        "valid_to": None if fact.valid_to is None else micros(fact.valid_to),
        "superseded_by": fact.superseded_by,
        "writer": fact.writer,
        "draft": int(fact.draft),
    }
