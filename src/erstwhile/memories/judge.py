"""The trust tier of a memory: the lowest of its sources."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from erstwhile.base import ids, trust
from erstwhile.log import store as log
from erstwhile.memories import kinds, store
from erstwhile.memories.model import StoredMemory
from erstwhile.storage import Transaction

_Voice = tuple[int, str | None]  # a tier, and the person who said it
_WRITERS = {"hand:": trust.USER, "import:": trust.THIRD_PARTY}


async def judged(tx: Transaction, memories: Sequence[StoredMemory]) -> list[StoredMemory]:
    """Return the memories, each with its tier. One that has a tier keeps it."""
    new = [each for each in memories if each.trust is None]
    if not new:
        return list(memories)
    sources = await _sources(tx, new)
    voices = await _voices(tx, {id for found in sources.values() for id in found})
    # Made from what it was before.
    rolling = [each.id for each in new if kinds.get(each.kind).direct is not None]
    before = await store.by_ids(tx, rolling)
    imported = {id for id, (tier, _) in voices.items() if tier == trust.THIRD_PARTY}

    def with_tier(each: StoredMemory) -> StoredMemory:
        own = [voices[id] for id in sources[each.id] if id in voices]
        tier = _tier(each, own, before.get(each.id))
        if not each.text or imported.isdisjoint(sources[each.id]) or trust.MARK in each.text:
            return replace(each, trust=tier)
        # Text of a third party is in it: its words say so wherever they are shown.
        partly = "" if each.seq is not None else "partly "
        return replace(each, trust=tier, text=f"{each.text} ({partly}{trust.MARK})")

    return [each if each.trust is not None else with_tier(each) for each in memories]


async def _sources(
    tx: Transaction, memories: Sequence[StoredMemory]
) -> Mapping[str, tuple[str, ...]]:
    """Return the message that each rests on, or else what it was made from."""
    single = [each for each in memories if each.seq is not None]
    places = [(each.channel, each.seq or 0, each.seq or 0) for each in single]
    found = await log.ids_in(tx, places)
    made = await kinds.sources(tx, [each for each in memories if each.seq is None])
    return {**made, **{each.id: messages for each, messages in zip(single, found, strict=True)}}


async def _voices(tx: Transaction, sources: Iterable[str]) -> dict[str, _Voice]:
    messages = sorted(id for id in sources if ids.kind_of(id) == "message")
    found = await log.voices(tx, messages)
    stored = await store.by_ids(tx, sorted(set(sources).difference(messages)))
    return found | {id: (each.trust or 0, each.person) for id, each in stored.items()}


def _tier(memory: StoredMemory, voices: Sequence[_Voice], before: StoredMemory | None) -> int:
    usual = kinds.get(memory.kind).unsourced
    if not voices:
        given = (tier for prefix, tier in _WRITERS.items() if memory.writer.startswith(prefix))
        return next(given, usual)
    own = memory.person is not None and memory.said_by in (None, memory.person)
    own = own and all(person == memory.person for _, person in voices)
    found = [tier for tier, _ in voices] + ([before.trust or 0] if before else [])
    return min([*found, usual or trust.SELF, trust.SELF if own else trust.USER])
