"""A person's profile as its readers may see it: facts that hold, by section, with source."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from erstwhile.base.records import dataclass
from erstwhile.configuration.visibility import Visibility
from erstwhile.language.en.calendar import MONTHS_SHORT
from erstwhile.layers.notes.model import Note
from erstwhile.layers.profiles import store
from erstwhile.layers.profiles.model import SECTIONS
from erstwhile.log import people
from erstwhile.storage import Transaction


@dataclass(frozen=True, slots=True)
class ProfileStatement:
    """`source`: the note it came from as "title, Mon D", or ""; `said_by`: who said it, None for
    the person."""

    id: str
    text: str
    source: str
    said_by: str | None
    at: datetime


async def profile_of(
    tx: Transaction, visibility: Visibility, person: str, here: str | None, asker: str | None
) -> Mapping[str, tuple[ProfileStatement, ...]]:
    """Return all six sections, always in the same order."""
    silent = await people.blocked(tx)
    found = [each for each in await store.standing(tx, [person]) if each[0].said_by not in silent]
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
    return f"{note.title}, {MONTHS_SHORT[note.day.month - 1]} {note.day.day}" if note and note.title else ""
