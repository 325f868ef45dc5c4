"""Remove facts with their notes or messages, and restore them with a note.

This changes other facts: those that a removed fact had ended hold again, and those with other notes
rest on these. The changes are recorded, so that they can be undone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from erstwhile.base.clock import micros, moment
from erstwhile.layers.notes import store as notes
from erstwhile.layers.profiles import merge, store
from erstwhile.layers.profiles.model import KIND, ProfileFact
from erstwhile.layers.profiles.store import StoredProfile
from erstwhile.memories import erase
from erstwhile.memories import store as memories
from erstwhile.memories.history import RESTORED, RETENTION
from erstwhile.storage import Transaction
from erstwhile.tables import listed

Change = dict[str, Any]  # a changed fact, as JSON values

_TIMES = ("at", "valid_to")
_RECORDED = ("note", "notes", "channel", "seq", *_TIMES, "superseded_by")


# Changes of facts that stay


def changes(before: Sequence[ProfileFact], after: Sequence[ProfileFact]) -> list[Change]:
    """Return how source and validity of remaining facts changed, without their texts."""
    now = {fact.id: fact for fact in after}
    changed = []
    for fact in before:
        if now.get(fact.id, fact) != fact:
            was, is_now = _recorded(fact), _recorded(now[fact.id])
            differ = [name for name in _RECORDED if was[name] != is_now[name]]
            old, new = ({name: each[name] for name in differ} for each in (was, is_now))
            changed.append({"id": fact.id, "person": fact.person, "before": old, "after": new})
    return changed


def _recorded(fact: ProfileFact) -> Change:
    found = {name: getattr(fact, name) for name in _RECORDED}
    found |= {name: micros(found[name]) for name in _TIMES if found[name] is not None}
    return {**found, "notes": list(fact.notes)}


def undone(facts: Sequence[ProfileFact], changed: Sequence[Change]) -> list[ProfileFact]:
    """Return the facts as they were before, unless they changed since."""
    by_id = {each["id"]: each for each in changed}
    return [_undone(fact, by_id[fact.id]) if fact.id in by_id else fact for fact in facts]


def _undone(fact: ProfileFact, change: Change) -> ProfileFact:
    state = _recorded(fact)
    if any(state[name] != value for name, value in change["after"].items()):
        return fact
    was = dict(change["before"])
    was |= {name: moment(was[name]) for name in _TIMES if was.get(name) is not None}
    was |= {"notes": tuple(was.get("notes", fact.notes))}
    return replace(fact, **was)


# With a note that someone deletes or restores


async def delete(
    tx: Transaction, held: StoredProfile, left: Sequence[ProfileFact], by: str, now: datetime
) -> list[Change]:
    """Delete facts that are not in `left`; they can be restored. Return the changes of others."""
    stays = {fact.id for fact in left}
    await memories.delete(tx, [row for id, row in held.stored.items() if id not in stays], by, now)
    there = replace(held, facts=tuple(fact for fact in held.facts if fact.id in stays))
    if not await store.save(tx, there, left, by, now):
        await store.touch(tx, held.person, now)
    return changes(there.facts, left)


async def restore(
    tx: Transaction, deleted: Sequence[str], changed: Sequence[Change], by: str, now: datetime
) -> None:
    """Restore facts that still have a text, and undo what their deletion changed in others."""
    found = [await memories.get(tx, id, deleted=True) for id in deleted]
    rows = [row for row in found if row and row.deleted_at and row.text]
    for person in sorted({row.person or "" for row in rows} | {each["person"] for each in changed}):
        await store.hold(tx, person)
        mine = [row for row in rows if row.person == person]
        theirs = [replace(row, deleted_at=None, deleted_by=None) for row in mine]
        await memories.put(tx, theirs, now, (by, RESTORED))
        await undo(tx, person, changed, by, now)


async def undo(
    tx: Transaction, person: str, changed: Sequence[Change], by: str, now: datetime
) -> None:
    held = await store.read(tx, person)
    await store.settle(tx, held, undone(held.facts, changed), by, now)


# With messages that are erased


async def list_erased(tx: Transaction, person: str | None, now: datetime) -> None:
    """List facts to erase with the listed notes and facts. This runs twice: erased facts may rest
    on other notes, which are then read again too."""
    await notes.list_erased(tx, person)
    beside: set[str] = set()
    for held, left in await _left(tx):
        lost = await _list_lost(tx, held, left)
        if held.person != person:
            beside |= {note for fact in lost for note in fact.notes if note != fact.note}
    await listed.add(tx, await notes.rewritable(tx, sorted(beside)))
    for held, left in await _left(tx):
        gone = {fact.id for fact in await _list_lost(tx, held, left)}
        there = replace(held, facts=tuple(fact for fact in held.facts if fact.id not in gone))
        await store.settle(tx, there, left, RETENTION, now)
    await erase.list_deleted_with_sources(tx, KIND.name)


async def _left(tx: Transaction) -> list[tuple[StoredProfile, list[ProfileFact]]]:
    """Return the affected profiles, and what is left of each."""
    own = set(await erase.listed_of(tx, KIND.name))
    noted = frozenset([*await erase.listed_of(tx, "note"), *await erase.listed_of(tx, "topic")])
    held = [await store.hold(tx, each) for each in await erase.people_of_listed(tx, KIND.name)]
    return [(each, merge.erased(each.facts, own, noted)) for each in held]


async def _list_lost(
    tx: Transaction, held: StoredProfile, left: Sequence[ProfileFact]
) -> list[ProfileFact]:
    stays = {fact.id for fact in left}
    lost = [fact for fact in held.facts if fact.id not in stays]
    await listed.add(tx, [fact.id for fact in lost])
    return lost
