"""What profiles say that comes from messages that go."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from erstwhile.layers.contract import Layer
from erstwhile.layers.erasure.listing import queries
from erstwhile.layers.erasure.model import Subject
from erstwhile.layers.profiles import merge, withdraw
from erstwhile.layers.profiles import store as profile_store
from erstwhile.layers.profiles.model import ProfileFact
from erstwhile.memories import erase
from erstwhile.memories.history import RETENTION
from erstwhile.storage import Transaction


async def profiles(tx: Transaction, layers: Sequence[Layer], subject: Subject, now: datetime) -> dict[str, int]:
    """Others' are looked at twice: what goes may also have been said in other notes, which are then read again too."""
    await erase.list_memories(tx, layers, subject.person)
    await tx.run(queries.list_profile, person=subject.person)
    for other in await _touched(tx, subject):
        held = await profile_store.read(tx, other)
        left = {fact.id for fact in await _left(tx, held, subject)}
        await erase.list_ids(tx, [fact.id for fact in held.facts if fact.id not in left])
    await tx.run(queries.list_notes_beside, person=subject.person)
    gone = 0
    for other in await _touched(tx, subject):
        held = await profile_store.hold(tx, other)
        left_over = await _left(tx, held, subject)
        lost = [fact.id for fact in held.facts if fact.id not in {each.id for each in left_over}]
        await profile_store.save(tx, held, merge.settled(left_over, held.begun), RETENTION, now)
        await erase.list_ids(tx, lost)
        gone += len(lost)
    await tx.run(queries.drop_profile_sources, person=subject.person)
    gone += await tx.run(queries.drop_profile_facts, person=subject.person)
    await tx.run(queries.drop_profile, person=subject.person)
    return {"profile_facts": gone}


async def _touched(tx: Transaction, subject: Subject) -> list[str]:
    return [row["person"] for row in await tx.all(queries.profiles_touched, person=subject.person)]


async def _left(tx: Transaction, held: profile_store.StoredProfile, subject: Subject) -> list[ProfileFact]:
    rows = await tx.all(queries.profile_facts_gone, other=held.person, person=subject.person)
    listed = frozenset(row["id"] for row in await tx.all(queries.notes_listed))
    return withdraw.erased(held.facts, {row["id"] for row in rows}, listed)
