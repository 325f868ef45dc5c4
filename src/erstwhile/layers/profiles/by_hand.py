"""What people do to a whole profile: add to it, bring facts from elsewhere, read all of it. Single facts are edited and deleted by id."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from erstwhile.base.errors import InvalidInput
from erstwhile.layers.profiles import merge, sections, statements, store
from erstwhile.layers.profiles.model import IMPORTED, SECTIONS, ProfileFact, fact_id
from erstwhile.log import people
from erstwhile.memories import history
from erstwhile.storage import Transaction
from erstwhile.text import suspect

Flat = str | Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class NewProfileFact:
    """A fact as a person tells it."""

    person: str
    section: str
    text: str
    by: str


async def add(tx: Transaction, told: NewProfileFact, now: datetime) -> ProfileFact:
    """It is theirs: nobody else changes it. The same again changes nothing."""
    await people.refuse_blocked(tx, told.person, told.by)
    fact = _written(tx.space, told, now)
    held = await store.hold(tx, fact.person)
    known = next((each for each in held.facts if each.id == fact.id), None)
    if known is None:
        await store.save(tx, held, merge.settled([*held.facts, fact], held.begun), told.by, now)
        await store.sign(tx, fact.id, told.by, now)
        known = await store.get(tx, fact.id)
    assert known is not None
    return known


def _written(space: str, told: NewProfileFact, now: datetime) -> ProfileFact:
    """Another's word about the person carries their name."""
    bare = _bare(space, told.person, told.text, None if told.by == told.person else told.by)
    return replace(bare, section=_section(told.section), at=now, writer=f"hand:{told.by}")


def _section(section: object) -> str:
    if section not in SECTIONS:
        raise InvalidInput(f"There is no section {section!r}. The sections are {', '.join(SECTIONS)}.")
    return str(section)


async def import_flat(tx: Transaction, person: str, facts: Sequence[Flat], by: str, now: datetime) -> int:
    """Facts from another memory, which have no note. Says how many are new; what is there already, or was deleted, is left."""
    await people.refuse_blocked(tx, person, by)
    given = [_flat(tx.space, person, each, by, now) for each in facts]
    held = await store.hold(tx, person)
    known = {fact.id for fact in held.facts} | await history.deleted(tx, [fact.id for fact in given])
    new = {fact.id: fact for fact in reversed(given) if fact.id not in known}
    await store.save(tx, held, [*held.facts, *reversed(new.values())], f"{IMPORTED}{by}", now)
    return len(new)


def _flat(space: str, person: str, given: Flat, by: str, now: datetime) -> ProfileFact:
    told: Mapping[str, Any] = {"text": given} if isinstance(given, str) else given
    if not isinstance(told, Mapping) or not isinstance(told.get("text"), str) or not told["text"].strip():
        raise InvalidInput('A fact is a line of text, or {"text": …, "section": …, "at": …}.')
    text, flag = " ".join(told["text"].split()), suspect.flag(told["text"])
    return replace(
        _bare(space, person, text, None),
        section=_section(told.get("section") or sections.guess(text)),
        text=statements.quoted(text) if flag else text,
        flag=flag,
        at=told.get("at") or now,
        writer=f"{IMPORTED}{by}",
    )


def _bare(space: str, person: str, text: str, said_by: str | None) -> ProfileFact:
    """Without a note, nowhere in particular."""
    return ProfileFact(
        id=fact_id(space, person, None, text, said_by),
        person=person,
        section="other",
        text=text,
        note=None,
        said_by=said_by,
        channel="",
        seq=None,
        slot="",
        value="",
        flag="",
        at=datetime.min.replace(tzinfo=UTC),
        valid_to=None,
        superseded_by=None,
        writer="",
        draft=False,
    )


async def export(tx: Transaction, person: str) -> dict[str, Any]:
    """All that is known, the ended facts too, down to the messages; as JSON knows it."""
    facts = await store.of_person(tx, person, ended=True)
    origins = await store.origins(tx, facts)
    names = await people.names_of(tx, [person, *(fact.said_by for fact in facts if fact.said_by)])
    told: dict[str, list[dict[str, Any]]] = {section: [] for section in SECTIONS}
    for fact in facts:
        told[fact.section].append(
            {
                "id": fact.id,
                "text": fact.text,
                "at": fact.at.isoformat(),
                "said_by": fact.said_by or person,
                "said_by_name": names[fact.said_by or person],
                "flag": fact.flag,
                "writer": fact.writer,
                "by_hand": fact.edited_at is not None,
                "valid_to": None if fact.valid_to is None else fact.valid_to.isoformat(),
                "superseded_by": fact.superseded_by,
                "sources": [
                    {
                        "note": origin.note,
                        "title": origin.title,
                        "day": origin.day.isoformat(),
                        "message": origin.message,
                        "messages": list(origin.messages),
                    }
                    for origin in origins[fact.id]
                ],
            }
        )
    return {"person": person, "name": names[person], "sections": told}
