"""Add to a profile by hand, import facts, export it. Single facts are edited and deleted like every
memory."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from datetime import datetime
from functools import cache
from typing import Any, Final

from erstwhile.base.errors import InvalidInput
from erstwhile.base.records import dataclass
from erstwhile.layers.profiles import merge, statements, store
from erstwhile.layers.profiles.model import IMPORTED, SECTIONS, ProfileFact, new_fact
from erstwhile.log import people
from erstwhile.memories import classify, history
from erstwhile.storage import Transaction
from erstwhile.text import suspect

ImportedFact = Mapping[str, Any]  # its `text`, and optionally its `section` and time (`at`)


@dataclass(frozen=True, slots=True)
class NewProfileFact:
    """A fact as a person enters it."""

    person: str
    section: str
    text: str
    by: str


async def add(tx: Transaction, told: NewProfileFact, now: datetime) -> ProfileFact:
    """Add a fact that only people change. If someone else adds it, it carries their name. Adding
    the same again changes nothing."""
    await people.refuse_blocked(tx, told.person, told.by)
    said_by = None if told.by == told.person else told.by
    more = {"section": _section(told.section), "said_by": said_by, "writer": f"hand:{told.by}"}
    fact = new_fact(tx.space, told.person, told.text, now, **more)
    held = await store.hold(tx, fact.person)
    known = next((each for each in held.facts if each.id == fact.id), None)
    if known is not None:
        return known
    await store.save(tx, held, merge.settled([*held.facts, fact], held.begun), told.by, now)
    return await store.sign(tx, fact.id, told.by, now)


def _section(section: object) -> str:
    if section not in SECTIONS:
        raise InvalidInput(
            f"There is no section {section!r}. The sections are {', '.join(SECTIONS)}."
        )
    return str(section)


async def import_facts(
    tx: Transaction, person: str, given: Sequence[ProfileFact], by: str, now: datetime
) -> int:
    """Import facts without notes. Return how many are new; known and deleted ones are skipped."""
    await people.refuse_blocked(tx, person, by)
    held = await store.hold(tx, person)
    known = {fact.id for fact in held.facts} | await history.deleted(
        tx, [fact.id for fact in given]
    )
    new = {fact.id: fact for fact in reversed(given) if fact.id not in known}
    await store.save(tx, held, [*held.facts, *reversed(new.values())], f"{IMPORTED}{by}", now)
    return len(new)


def imported(
    space: str, person: str, facts: Sequence[ImportedFact], by: str, now: datetime
) -> list[ProfileFact]:
    """Make the facts to import. Their words are read for this, which takes a while for a thousand of them."""
    return [_imported(space, person, each, by, now) for each in facts]


def _imported(space: str, person: str, given: ImportedFact, by: str, now: datetime) -> ProfileFact:
    text, flag = " ".join(given["text"].split()), suspect.flag(given["text"])
    section = _section(given.get("section") or guess(text))
    more = {"section": section, "flag": flag, "writer": f"{IMPORTED}{by}"}
    fact = new_fact(space, person, text, given.get("at") or now, **more)
    return replace(fact, text=statements.quoted(text)) if flag else fact


async def export(tx: Transaction, person: str) -> dict[str, Any]:
    """Return everything known, with ended facts, down to the messages, as JSON values."""
    facts = await store.of_person(tx, person, ended=True)
    origins = await store.origins(tx, facts)
    names = await people.names_of(tx, [person, *(fact.said_by for fact in facts if fact.said_by)])
    told: dict[str, list[dict[str, Any]]] = {section: [] for section in SECTIONS}
    for fact in facts:
        said_by = fact.said_by or person
        sources = [
            {**asdict(origin), "day": origin.day.isoformat(), "messages": list(origin.messages)}
            for origin in origins[fact.id]
        ]
        same = {
            name: getattr(fact, name) for name in ("id", "text", "flag", "writer", "superseded_by")
        }
        told[fact.section].append(
            {
                **same,
                "at": fact.at.isoformat(),
                "said_by": said_by,
                "said_by_name": names[said_by],
                "by_hand": fact.edited_at is not None,
                "valid_to": None if fact.valid_to is None else fact.valid_to.isoformat(),
                "sources": sources,
            }
        )
    return {"person": person, "name": names[person], "sections": told}


# The first match counts. Without a match, the category decides.
_ORDER: Final = ("opinions", "relationships", "skills", "interests", "bio")
_SENTENCE: Final = 300  # characters; there can be a thousand facts in one import
_BY_CATEGORY: Final = {"relation": "relationships", "preference": "interests", "place": "bio"}


def guess(text: str) -> str:
    """Choose the section of a sentence about a person by its words (`language/<code>/sections.py`)."""
    said = text[:_SENTENCE]
    category = classify.category(said)
    if category == "relation":
        return "relationships"
    found = next((name for name in _ORDER if _pattern(name).search(said)), None)
    # "hates" and "is allergic to" are preferences too.
    if category == "preference" and found != "opinions":
        return "interests"
    return found or _BY_CATEGORY.get(category, "other")


@cache
def _pattern(name: str) -> re.Pattern[str]:
    return re.compile(classify.words("sections", name), re.IGNORECASE)
