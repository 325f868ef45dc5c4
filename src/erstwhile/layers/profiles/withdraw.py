"""What is left of a profile when one of its notes is deleted: plain functions. What people wrote, edited or imported stays."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from erstwhile.layers.profiles.model import ProfileFact


@dataclass(frozen=True, slots=True)
class Ground:
    """What a fact stands on: a note, and the message in it, where that is known."""

    note: str
    channel: str
    seq: int | None
    at: datetime


def uprooted(facts: Iterable[ProfileFact], note: str) -> list[ProfileFact]:
    """Those that came from this note and stand on others too."""
    return [fact for fact in facts if fact.note == note and fact.notes != (note,)]


def without(facts: Sequence[ProfileFact], note: str, grounds: Mapping[str, Ground]) -> list[ProfileFact]:
    """The profile as if the note had said nothing. `grounds`: what uprooted facts stand on now, by their ids."""
    gone = {fact.id for fact in facts if fact.notes == (note,) and not _kept(fact)}
    # A sentence that was put together has the words of all its parts. Without it, those that are left stand again.
    for fact in facts:
        if note in fact.notes and not _kept(fact) and _told_in(fact, facts) & gone and _put_together(fact, facts):
            gone.add(fact.id)
    return [_moved(fact, note, grounds.get(fact.id)) for fact in facts if fact.id not in gone]


def erased(facts: Sequence[ProfileFact], gone: set[str], notes: frozenset[str]) -> list[ProfileFact]:
    """The profile without the facts `gone`, and as if the `notes` had said nothing: what took its words from one of them goes too."""
    lost = gone | {fact.id for fact in facts if fact.note in notes and not _kept(fact)}
    for fact in facts:
        if not _kept(fact) and _told_in(fact, facts) & lost and _put_together(fact, facts):
            lost.add(fact.id)
    return [_let_go(fact, notes) for fact in facts if fact.id not in lost]


def _let_go(fact: ProfileFact, notes: frozenset[str]) -> ProfileFact:
    if notes.isdisjoint(fact.notes):
        return fact
    left = tuple(each for each in fact.notes if each not in notes)
    return replace(fact, note=None, seq=None, notes=left) if fact.note in notes else replace(fact, notes=left)


def _kept(fact: ProfileFact) -> bool:
    return fact.edited_at is not None or fact.imported


def _told_in(fact: ProfileFact, facts: Sequence[ProfileFact]) -> set[str]:
    """All that was put into it, and into that."""
    found: set[str] = set()
    reached = {fact.id}
    while more := {each.id for each in facts if each.absorbed and each.superseded_by in reached} - reached:
        found |= more
        reached |= more
    return found


def _put_together(fact: ProfileFact, facts: Sequence[ProfileFact]) -> bool:
    """Whether it is a new sentence, and not one of its parts that took in the others: a new one is written by another, where its newest
    part was."""
    inside = _told_in(fact, facts)
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
