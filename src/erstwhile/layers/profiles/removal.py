"""What people take out of profiles by hand, and bring back. Each fact keeps its own words in its own history."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from erstwhile.base.clock import micros, moment
from erstwhile.base.errors import Changed, NotFound
from erstwhile.index import flags
from erstwhile.layers.profiles import merge, store
from erstwhile.layers.profiles.model import ProfileFact, fact_id
from erstwhile.layers.profiles.store import StoredProfile, queries
from erstwhile.memories import history
from erstwhile.memories.history import DELETED, RESTORED, VersionEntry
from erstwhile.storage import Transaction

_TIMES = ("at", "valid_to")


async def delete(tx: Transaction, fact: ProfileFact, by: str, now: datetime) -> None:
    """With what was put into it, which would come back in its place; in all the words it ever had, so that no reading brings them back."""
    held = await store.hold(tx, fact.person)
    inside = {fact.id}
    while more := {each.id for each in held.facts if each.absorbed and each.superseded_by in inside} - inside:
        inside |= more
    also: dict[str, str] = {}
    for each in held.facts:
        if each.id in inside:
            said = {version.text for version in await history.versions(tx, each.id)} | {each.text}
            notes = each.notes or (None,)
            also |= {fact_id(tx.space, each.person, note, text, each.said_by): text for note in notes for text in said}
    for each in held.facts:
        also.pop(each.id, None)
    before = await history.deleted(tx, sorted(also))
    left = merge.settled([each for each in held.facts if each.id not in inside], held.begun)
    taken = await take(tx, held, left, by, now)
    await history.record(tx, [VersionEntry(id, also[id], by, DELETED) for id in sorted(also)], now)
    await _joined(tx, fact.id, taken, sorted(also.keys() - before))


async def _joined(tx: Transaction, id: str, taken: Mapping[str, Any], also: Sequence[str]) -> None:
    """The fact that was deleted knows what went with it; what went with it names the fact."""
    others = [other for other in taken["facts"] if other != id]
    await history.keep(tx, id, {**await history.kept(tx, id), "facts": others, "moved": taken["moved"], "also": also})
    await name(tx, others, id)


async def name(tx: Transaction, these: Iterable[str], head: str) -> None:
    for id in these:
        await history.keep(tx, id, {**await history.kept(tx, id), "with": head})


async def take(
    tx: Transaction, held: StoredProfile, left: Sequence[ProfileFact], by: str, now: datetime
) -> dict[str, list[Any]]:
    """Deletes what is not `left`; each such fact keeps what it was. Says which, and what changed of those that are left."""
    stays = {fact.id: fact for fact in left}
    lost = [fact for fact in held.facts if fact.id not in stays]
    rows = {row["id"]: row for row in await tx.all(queries.by_ids, ids=json.dumps([fact.id for fact in lost]))}
    moved = [_moved(fact, stays[fact.id]) for fact in held.facts if stays.get(fact.id, fact) != fact]
    await store.save(tx, held, left, by, now, gone=DELETED)
    for fact in lost:
        row = {name: value for name, value in rows[fact.id].items() if name != "space"}
        await history.keep(tx, fact.id, {"row": row, "notes": list(fact.notes)})
    await flags.drop(tx, [fact.id for fact in lost])
    return {"facts": [fact.id for fact in lost], "moved": moved}


def _moved(before: ProfileFact, after: ProfileFact) -> dict[str, Any]:
    was, is_now = _stands(before), _stands(after)
    differ = [name for name in was if was[name] != is_now[name]]
    return {
        "id": before.id,
        "person": before.person,
        "before": {name: was[name] for name in differ},
        "after": {name: is_now[name] for name in differ},
    }


def _stands(fact: ProfileFact) -> dict[str, Any]:
    """Where it comes from and when it holds; none of its words."""
    row = store.row_of(fact)
    return {name: row[name] for name in ("note", "channel", "seq", *_TIMES, "superseded_by")} | {
        "notes": list(fact.notes)
    }


async def put_back(
    tx: Transaction, these: Sequence[str], moved: Sequence[Mapping[str, Any]], by: str, now: datetime
) -> None:
    """Facts whose words are still kept, unless they are there again; and what their going changed of others, unless they changed since."""
    found = {id: await history.kept(tx, id) for id in these}
    kept = {id: each for id, each in found.items() if "row" in each}
    people = {each["row"]["person"] for each in kept.values()} | {each["person"] for each in moved}
    for person in sorted(people):
        held = await store.hold(tx, person)
        theirs = {
            id: each
            for id, each in kept.items()
            if each["row"]["person"] == person and id not in {fact.id for fact in held.facts}
        }
        for id, each in theirs.items():
            await tx.run(queries.put_back, **each["row"])
            further = [{"fact": id, "note": note} for note in each["notes"] if note != each["row"]["note"]]
            if further:
                await tx.run_many(queries.add_source, further)
        held = await store.read(tx, person)
        changes = {each["id"]: each for each in moved}
        facts = [_as_before(fact, changes[fact.id]) if fact.id in changes else fact for fact in held.facts]
        await store.save(tx, held, merge.settled(facts, held.begun), by, now)
        await store.index(tx, [fact for fact in await store.by_ids(tx, list(theirs)) if fact.standing])
        await tx.run(queries.touch, person=person, now=micros(now))
        restored = [VersionEntry(id, each["row"]["text"], by, RESTORED) for id, each in theirs.items()]
        await history.record(tx, restored, now)


def _as_before(fact: ProfileFact, moved: Mapping[str, Any]) -> ProfileFact:
    stands = _stands(fact)
    if any(stands[name] != value for name, value in moved["after"].items()):
        return fact
    was = dict(moved["before"])
    for each in _TIMES:
        if was.get(each) is not None:
            was[each] = moment(was[each])
    if "notes" in was:
        was["notes"] = tuple(was["notes"])
    return replace(fact, **was)


async def still_there(tx: Transaction, id: str, kept: Mapping[str, Any]) -> None:
    """Refuses where the fact is there again, or the note it came from is not."""
    if await store.get(tx, id) is not None:
        raise Changed(f"{id} is there: it was taken in again after it was deleted.")
    note = kept["row"]["note"]
    if note is not None and await tx.first(queries.source_note, id=note) is None:
        raise NotFound(
            f"The note that {id} came from, {note}, is no longer there. Restore that first, if it was deleted."
        )
