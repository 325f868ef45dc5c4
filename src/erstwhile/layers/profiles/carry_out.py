"""Apply a plan to a profile as it is now; parts that no longer fit are skipped. Facts are ended,
not removed, so that they can be traced."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from datetime import datetime

from erstwhile.base.records import dataclass
from erstwhile.layers.profiles import merge
from erstwhile.layers.profiles.consolidate import (
    DUPLICATE,
    TRIVIAL,
    ConsolidationPlan,
    DroppedFact,
    Material,
    MergedFact,
    allowed,
)
from erstwhile.layers.profiles.model import ProfileFact, fact_id


@dataclass(frozen=True, slots=True)
class Terms:
    """Who writes, and when. `found`: facts found in notes; `gone`: ids that people have deleted."""

    space: str
    writer: str
    now: datetime
    found: tuple[ProfileFact, ...] = ()
    gone: frozenset[str] = field(default_factory=frozenset)


def carry_out(
    facts: Sequence[ProfileFact],
    plan: ConsolidationPlan,
    seen: Material,
    terms: Terms,
    begun: Mapping[str, datetime],
) -> list[ProfileFact]:
    before = {fact.id: fact for fact in facts}
    now = dict(before)
    as_read = {fact.id: fact for fact in seen.facts}
    for each in plan.merged:
        if each.facts and all(_unchanged(before.get(id), as_read[id]) for id in each.facts):
            _put_together(now, each, terms, [before[id] for id in each.facts])
    for drop in plan.dropped:
        _drop(now, drop, seen, terms)
    return merge.take(list(now.values()), terms.found, seen.audience, begun)


def would_be(facts: Sequence[ProfileFact], plan: ConsolidationPlan, space: str) -> list[str]:
    """Return the ids that the plan's sentences would have."""
    now = {fact.id: fact for fact in facts}
    known = [each for each in plan.merged if each.facts and all(id in now for id in each.facts)]
    return [_id(space, _ordered([now[id] for id in each.facts])[-1], each.text) for each in known]


def _ordered(parts: Sequence[ProfileFact]) -> list[ProfileFact]:
    """Sort facts: those without a note first, the newest last."""
    return sorted(parts, key=lambda fact: (fact.note is not None, fact.at, fact.id))


def _id(space: str, newest: ProfileFact, text: str) -> str:
    return fact_id(space, newest.person, newest.note, text, newest.said_by)


def _unchanged(fact: ProfileFact | None, was: ProfileFact) -> bool:
    return fact is not None and fact.standing and not fact.fixed and fact.text == was.text


def _put_together(
    now: dict[str, ProfileFact], fact: MergedFact, terms: Terms, sources: Sequence[ProfileFact]
) -> None:
    """Merge facts. If the sentence is one of theirs, that fact stays and absorbs the others. A fact
    may go into several sentences."""
    parts = _ordered(sources)
    stays = next((part for part in parts if part.text == fact.text), None)
    stays = replace(stays, section=fact.section) if stays else _made(parts, fact, terms)
    if stays.id in terms.gone or (
        stays.id in now and stays.id not in fact.facts and not now[stays.id].absorbed
    ):
        return
    notes = [note for part in reversed(parts) for note in now[part.id].notes]
    now[stays.id] = replace(stays, notes=tuple(dict.fromkeys([*stays.notes, *notes])))
    for part in parts:
        if part.id != stays.id and now[part.id].standing:
            now[part.id] = merge.absorbed(now[part.id], stays)


def _made(parts: Sequence[ProfileFact], fact: MergedFact, terms: Terms) -> ProfileFact:
    """Return the newest fact with the new text, and the newest slot and value."""
    newest = parts[-1]
    slotted = next((part for part in reversed(parts) if part.slot), newest)
    id, draft = _id(terms.space, newest, fact.text), all(part.draft for part in parts)
    said = replace(newest, section=fact.section, text=fact.text, writer=terms.writer)
    return replace(said, id=id, slot=slotted.slot, value=slotted.value, draft=draft)


def _drop(now: dict[str, ProfileFact], drop: DroppedFact, seen: Material, terms: Terms) -> None:
    fact, by = now.get(drop.fact), _in_place_of(now, drop.by)
    if fact is None or not fact.standing:
        return
    if not allowed(replace(drop, by=by.id if by else None), now, seen):
        return
    if drop.because == TRIVIAL:
        now[fact.id] = merge.let_go(fact, terms.now)
    elif by is None or not by.standing:
        return
    elif drop.because == DUPLICATE:
        _put_into(now, fact, by, seen)
    else:
        now[fact.id] = merge.ended(fact, by)


def _put_into(
    now: dict[str, ProfileFact], fact: ProfileFact, by: ProfileFact, seen: Material
) -> None:
    alike = seen.audience(fact) == seen.audience(by)
    if alike and by.note is None and fact.note is not None and not by.fixed:
        fact, by = by, fact  # of two that say the same, the one with a source stays
    if alike:  # a private conversation must not be named as a source to others
        by = now[by.id] = replace(by, notes=tuple(dict.fromkeys([*by.notes, *fact.notes])))
    now[fact.id] = merge.absorbed(fact, by)


def _in_place_of(now: Mapping[str, ProfileFact], id: str | None) -> ProfileFact | None:
    """Return the fact, or the one that absorbed it."""
    fact = now.get(id or "")
    passed: set[str] = set()
    while fact is not None and fact.absorbed and fact.id not in passed:
        passed.add(fact.id)
        fact = now.get(fact.superseded_by or "")
    return fact
