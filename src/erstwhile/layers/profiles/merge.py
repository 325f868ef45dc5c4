"""Merge a new statement into a profile. Plain functions; the order in which notes are read does not
matter.

A statement that says nothing new becomes a further source of the fact that already says it. One
that contradicts a statement of the same speaker ends it, by when both were said. What someone says
about another never changes what that person says about themselves.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from functools import cache, lru_cache
from typing import Final

from erstwhile.base.records import dataclass
from erstwhile.language import languages
from erstwhile.layers import threads
from erstwhile.layers.profiles.model import ProfileFact
from erstwhile.layers.threads import key
from erstwhile.text import analyse

NEAR: Final = 0.8  # the share of a fact's words that a statement must have to say nothing new
_INSTANT: Final = timedelta(microseconds=1)
_NUMBER: Final = re.compile(r"\d+")

# Of a fact: "" for everyone, else the channel whose people may see it.
Audience = Callable[[ProfileFact], str]


@lru_cache(16_384)  # every statement is compared with the same facts
def words(text: str) -> tuple[str, ...]:
    return tuple(analyse.query_terms(text))


@lru_cache(16_384)
def denies(text: str) -> bool:
    return _denial().search(text) is not None


@lru_cache(16_384)
def _value(fact_value: str) -> str:
    return key(fact_value)


@cache
def _denial() -> re.Pattern[str]:
    """Return the pattern of words that reverse a sentence."""
    known = [each.negation.denial for each in languages() if each.negation]
    return re.compile("|".join(filter(None, known)), re.IGNORECASE)


def repeats(new: ProfileFact, known: ProfileFact) -> bool:
    """Return whether `new` adds nothing to `known`, which has the same speaker."""
    if new.flag or known.flag or new.said_by != known.said_by:
        return False
    if denies(new.text) != denies(known.text):
        return False
    if (
        new.slot
        and new.value
        and (new.slot, _value(new.value)) == (known.slot, _value(known.value))
    ):
        return True
    said, there = words(new.text), words(known.text)
    # The first word is mostly the subject: "Mina taught Juno" is not "Juno taught Mina".
    if not said or said[0] != there[0] or not set(said) <= set(there):
        return False
    same_numbers = set(_NUMBER.findall(new.text)) == set(_NUMBER.findall(known.text))
    return len(set(said)) >= NEAR * len(set(there)) and same_numbers


def topic(fact: ProfileFact) -> tuple[str, str] | None:
    """Return what facts of one speaker must share to contradict each other."""
    if fact.flag or not fact.slot or not fact.value:
        return None
    if threads.taste("preference", fact.slot):
        return "taste", _value(fact.value)
    return ("one", fact.slot) if threads.single("fact", fact.slot) else None


def contradicts(later: ProfileFact, earlier: ProfileFact) -> bool:
    """Return whether a fact contradicts another of its topic. A denial ends only what it denies."""
    alike = (later.slot, _value(later.value)) == (earlier.slot, _value(earlier.value))
    if denies(later.text) or denies(earlier.text):
        return alike and denies(later.text) != denies(earlier.text)
    return not alike


def take(
    facts: Sequence[ProfileFact],
    new: Iterable[ProfileFact],
    audience: Audience,
    begun: Mapping[str, datetime],
) -> list[ProfileFact]:
    """Add statements to a profile in turn. `begun`: when the conversations of its notes began."""
    # Twice: what a removed fact had absorbed holds again, and then another may end it.
    held = _FactsByWord(settled(settled(facts, begun), begun), begun)
    for each in new:
        if each.id in held.facts:  # read before, and perhaps edited or ended since
            continue

        def covers(known: ProfileFact, new: ProfileFact = each) -> bool:
            """Return whether everyone who may see the new fact may see the known one, which holds."""
            if audience(known) not in ("", audience(new)):
                return False
            until = known.valid_to
            if until is not None and (known.absorbed or new.at >= until):
                return False
            return repeats(new, known)

        known = next(filter(covers, held.alike(each)), None)
        if known is None:
            held.put(each)
        elif audience(known) != audience(each):
            # A private conversation must not be named as a source to others.
            held.put(absorbed(each, known))
        else:
            held.put(replace(known, notes=tuple(dict.fromkeys((*known.notes, *each.notes)))))
    return list(held.facts.values())


class _FactsByWord:
    """Settled facts, to which others are added: each is compared only with those that share its
    rarest word or its value, and settles only its own topic. A profile has thousands of facts."""

    def __init__(self, facts: Iterable[ProfileFact], begun: Mapping[str, datetime]) -> None:
        self.facts: dict[str, ProfileFact] = {}
        self._begun = begun
        self._places: dict[str, int] = {}
        self._with: dict[tuple[object, ...], list[str]] = {}
        self._topics: dict[object, list[str]] = {}
        for each in facts:
            self._add(each)

    def alike(self, new: ProfileFact) -> list[ProfileFact]:
        """Return the facts that it may repeat, in their order."""
        said = [self._with.get((new.said_by, word), ()) for word in set(words(new.text))]
        found = {*min(said, key=len, default=()), *self._with.get(_slot_of(new), ())}
        return [self.facts[id] for id in sorted(found, key=self._places.__getitem__)]

    def put(self, fact: ProfileFact) -> None:
        if fact.id in self.facts:
            self.facts[fact.id] = fact
        else:
            self._add(fact)
        same = [self.facts[id] for id in self._topics.get(_thread(fact), ())]
        among = {each.id: each for each in same if not each.absorbed}
        ends = _ends(list(among.values()), self._begun)
        for each in {**among, fact.id: fact}.values():
            end = ends.get(each.id)
            self.facts[each.id] = _standing(each, end, self.facts, self._begun)

    def _add(self, fact: ProfileFact) -> None:
        self.facts[fact.id] = fact
        self._places[fact.id] = len(self._places)
        for mark in {*((fact.said_by, word) for word in words(fact.text)), _slot_of(fact)} - {()}:
            self._with.setdefault(mark, []).append(fact.id)
        if topic(fact) is not None:
            self._topics.setdefault(_thread(fact), []).append(fact.id)


def _slot_of(fact: ProfileFact) -> tuple[object, ...]:
    """Return what facts share that have the same value; () if it has none."""
    return (fact.said_by, fact.slot, _value(fact.value)) if fact.slot and fact.value else ()


def _thread(fact: ProfileFact) -> tuple[object, ...]:
    return fact.said_by, topic(fact)


def settled(facts: Iterable[ProfileFact], begun: Mapping[str, datetime]) -> list[ProfileFact]:
    """Compute again which facts were ended by another of their topic. Facts that consolidation or a
    person ended stay ended."""
    known = {fact.id: fact for fact in facts}
    topics: dict[object, list[ProfileFact]] = {}
    for fact in known.values():
        if topic(fact) is not None and not fact.absorbed:
            topics.setdefault(_thread(fact), []).append(fact)
    ends: dict[str, ProfileFact] = {}
    for same in topics.values():
        ends |= _ends(same, begun)
    return [_standing(fact, ends.get(fact.id), known, begun) for fact in known.values()]


def _ends(same: list[ProfileFact], begun: Mapping[str, datetime]) -> dict[str, ProfileFact]:
    """Return by which fact each of one topic was ended."""
    ends: dict[str, ProfileFact] = {}
    same.sort(key=lambda fact: (_last(fact, begun), fact.at, fact.seq or 0, fact.id))
    for place, fact in enumerate(same):
        later = (same[at] for at in range(place + 1, len(same)))
        end = next((each for each in later if contradicts(each, fact)), None)
        if end is not None:
            ends[fact.id] = end
    return ends


def _standing(
    fact: ProfileFact,
    end: ProfileFact | None,
    known: Mapping[str, ProfileFact],
    begun: Mapping[str, datetime],
) -> ProfileFact:
    before = known.get(fact.superseded_by or "")
    orphaned = fact.superseded_by is not None and before is None
    held = fact.standing or orphaned or _ended_by_topic(fact, before)
    if not held or (fact.fixed and not orphaned):
        return fact
    if end is None or fact.fixed:
        until = by = None
    else:
        said = end.at if end.at > fact.at else _last(end, begun)
        until, by = max(said, fact.at + _INSTANT), end.id
    if (fact.valid_to, fact.superseded_by) == (until, by):
        return fact
    return replace(fact, valid_to=until, superseded_by=by)


def _ended_by_topic(fact: ProfileFact, by: ProfileFact | None) -> bool:
    if by is None or fact.absorbed or topic(fact) is None or topic(by) != topic(fact):
        return False
    return by.absorbed or contradicts(by, fact)


def _last(fact: ProfileFact, begun: Mapping[str, datetime]) -> datetime:
    """Return when it was last said: a fact that is repeated after its contradiction still holds."""
    again = (begun[note] for note in fact.notes if note != fact.note and note in begun)
    return max([fact.at, *again])


def without_drafts(facts: Iterable[ProfileFact], note: str) -> list[ProfileFact]:
    """Remove facts of a note's draft, except those that other notes state or a person edited."""

    def only_drafted(fact: ProfileFact) -> bool:
        return fact.draft and fact.note == note and fact.notes == (note,) and not fact.edited_at

    return [fact for fact in facts if not only_drafted(fact)]


def ended(fact: ProfileFact, by: ProfileFact) -> ProfileFact:
    """End a fact that another contradicts."""
    return replace(fact, valid_to=max(by.at, fact.at + _INSTANT), superseded_by=by.id)


def let_go(fact: ProfileFact, now: datetime) -> ProfileFact:
    """End a fact now, without another in its place."""
    return replace(fact, valid_to=max(now, fact.at + _INSTANT), superseded_by=None)


def absorbed(fact: ProfileFact, by: ProfileFact) -> ProfileFact:
    """End a fact that another says in its place."""
    return replace(fact, valid_to=fact.at, superseded_by=by.id)


# What is left when notes are deleted or erased. What people wrote, edited or imported stays.


@dataclass(frozen=True, slots=True)
class FactSource:
    """The source of a fact: a note, and the message in it, if known."""

    note: str
    channel: str
    seq: int | None
    at: datetime


def uprooted(facts: Iterable[ProfileFact], note: str) -> list[ProfileFact]:
    """Return facts that came from this note and rest on others too."""
    return [fact for fact in facts if fact.note == note and fact.notes != (note,)]


def without(
    facts: Sequence[ProfileFact], note: str, grounds: Mapping[str, FactSource]
) -> list[ProfileFact]:
    """Remove a note from the profile. `grounds`: the new source of uprooted facts."""
    gone = {fact.id for fact in facts if fact.notes == (note,) and not fact.kept}
    gone |= _made_of(facts, gone, [fact for fact in facts if note in fact.notes])
    return [_moved(fact, note, grounds.get(fact.id)) for fact in facts if fact.id not in gone]


def erased(
    facts: Sequence[ProfileFact], gone: set[str], notes: frozenset[str]
) -> list[ProfileFact]:
    """Remove the facts `gone`, the `notes`, and facts whose text came from these notes."""
    lost = gone | {fact.id for fact in facts if fact.note in notes and not fact.kept}
    lost |= _made_of(facts, lost, facts)
    return [_without_notes(fact, notes) for fact in facts if fact.id not in lost]


def _made_of(
    facts: Sequence[ProfileFact], gone: set[str], among: Iterable[ProfileFact]
) -> set[str]:
    """Return merged sentences that contain a removed fact: they are removed too, and their other
    parts hold again."""
    found: set[str] = set()
    for fact in among:
        broken = not fact.kept and (gone | found).intersection(absorbed_by(fact.id, facts))
        if broken and _put_together(fact, facts):
            found.add(fact.id)
    return found


def _without_notes(fact: ProfileFact, notes: frozenset[str]) -> ProfileFact:
    if notes.isdisjoint(fact.notes):
        return fact
    left = tuple(each for each in fact.notes if each not in notes)
    if fact.note in notes:
        return replace(fact, note=None, seq=None, notes=left)
    return replace(fact, notes=left)


def absorbed_by(id: str, facts: Iterable[ProfileFact]) -> list[str]:
    """Return all facts that this one absorbed, then those that they absorbed."""
    absorbed = [fact for fact in facts if fact.absorbed]
    found = [id]
    for each in found:
        inside = (fact.id for fact in absorbed if fact.superseded_by == each)
        found += [id for id in inside if id not in found]
    return found[1:]


def _put_together(fact: ProfileFact, facts: Sequence[ProfileFact]) -> bool:
    """Return whether it is a new sentence, not one of its parts that absorbed the others: a new one
    has the source of its newest part, but another writer."""
    inside = absorbed_by(fact.id, facts)
    others = [each for each in facts if each.id in inside and each.writer != fact.writer]
    place = fact.note, fact.seq, fact.at
    return any((each.note, each.seq, each.at) == place for each in others)


def _moved(fact: ProfileFact, note: str, ground: FactSource | None) -> ProfileFact:
    if note not in fact.notes:
        return fact
    notes = tuple(each for each in fact.notes if each != note)
    if fact.note != note:
        return replace(fact, notes=notes)
    if ground is None:
        return replace(fact, note=None, seq=None, notes=notes)
    at = ground.at
    ends = fact.valid_to and max(fact.valid_to, at + timedelta(microseconds=1))
    if fact.absorbed:
        ends = at
    first = (ground.note, *(each for each in notes if each != ground.note))
    moved = replace(fact, note=ground.note, channel=ground.channel, seq=ground.seq, notes=first)
    return replace(moved, at=at, valid_to=ends)
