"""Compute what is left of a profile when notes are deleted or erased. Plain functions. What people
wrote, edited or imported stays."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from erstwhile.base.records import dataclass
from erstwhile.layers.profiles.model import ProfileFact


@dataclass(frozen=True, slots=True)
class Ground:
    """The source of a fact: a note, and the message in it, if known."""

    note: str
    channel: str
    seq: int | None
    at: datetime


def uprooted(facts: Iterable[ProfileFact], note: str) -> list[ProfileFact]:
    """Return facts that came from this note and rest on others too."""
    return [fact for fact in facts if fact.note == note and fact.notes != (note,)]


def without(facts: Sequence[ProfileFact], note: str, grounds: Mapping[str, Ground]) -> list[ProfileFact]:
    """Remove a note from the profile. `grounds`: the new source of uprooted facts."""
    gone = {fact.id for fact in facts if fact.notes == (note,) and not fact.kept}
    gone |= _made_of(facts, gone, [fact for fact in facts if note in fact.notes])
    return [_moved(fact, note, grounds.get(fact.id)) for fact in facts if fact.id not in gone]


def erased(facts: Sequence[ProfileFact], gone: set[str], notes: frozenset[str]) -> list[ProfileFact]:
    """Remove the facts `gone` and the `notes` from the profile, with facts whose text came from
    these notes."""
    lost = gone | {fact.id for fact in facts if fact.note in notes and not fact.kept}
    lost |= _made_of(facts, lost, facts)
    return [_without_notes(fact, notes) for fact in facts if fact.id not in lost]


def _made_of(facts: Sequence[ProfileFact], gone: set[str], among: Iterable[ProfileFact]) -> set[str]:
    """Return merged sentences that contain a removed fact: they are removed too, and their other
    parts hold again."""
    found: set[str] = set()
    for fact in among:
        if not fact.kept and (gone | found).intersection(absorbed_by(fact.id, facts)) and _put_together(fact, facts):
            found.add(fact.id)
    return found


def _without_notes(fact: ProfileFact, notes: frozenset[str]) -> ProfileFact:
    if notes.isdisjoint(fact.notes):
        return fact
    left = tuple(each for each in fact.notes if each not in notes)
    return replace(fact, note=None, seq=None, notes=left) if fact.note in notes else replace(fact, notes=left)


def absorbed_by(id: str, facts: Iterable[ProfileFact]) -> list[str]:
    """Return all facts that this one absorbed, then those that they absorbed."""
    absorbed = [fact for fact in facts if fact.absorbed]
    found = [id]
    for each in found:
        found += [fact.id for fact in absorbed if fact.superseded_by == each and fact.id not in found]
    return found[1:]


def _put_together(fact: ProfileFact, facts: Sequence[ProfileFact]) -> bool:
    """Whether it is a new sentence, not one of its parts that absorbed the others: a new one has
    the source of its newest part, but another writer."""
    inside = absorbed_by(fact.id, facts)
    return any(each.id in inside and _place(each) == _place(fact) and each.writer != fact.writer for each in facts)


def _place(fact: ProfileFact) -> tuple[str | None, int | None, datetime]:
    return fact.note, fact.seq, fact.at


def _moved(fact: ProfileFact, note: str, ground: Ground | None) -> ProfileFact:
    if note not in fact.notes:
        return fact
    notes = tuple(each for each in fact.notes if each != note)
    if fact.note != note:
        return replace(fact, notes=notes)
    if ground is None:
        return replace(fact, note=None, seq=None, notes=notes)
    at = ground.at
    ends = at if fact.absorbed else fact.valid_to and max(fact.valid_to, at + timedelta(microseconds=1))
    first = (ground.note, *(each for each in notes if each != ground.note))
    moved = replace(fact, note=ground.note, channel=ground.channel, seq=ground.seq, notes=first)
    return replace(moved, at=at, valid_to=ends)
