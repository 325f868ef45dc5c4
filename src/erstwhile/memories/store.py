"""Store memories, each with its search document, event, flags and history."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from datetime import datetime
from typing import Any

from erstwhile.base.clock import micros
from erstwhile.base.records import dataclass
from erstwhile.index import documents, flags
from erstwhile.index.traits import TRUST
from erstwhile.log.model import FURTHEST
from erstwhile.memories import history, registry
from erstwhile.memories.history import DELETED, REPLACED, VersionEntry
from erstwhile.memories.hooks import Hooks
from erstwhile.memories.model import StoredMemory, from_row, to_row
from erstwhile.storage import Row, Transaction
from erstwhile.storage.queries import Query, load
from erstwhile.text import analyse

queries = load(__package__)


@dataclass(frozen=True, slots=True)
class SourceRange:
    """The memories of a kind that were made from the same messages."""

    kind: str
    channel: str
    first: int
    last: int

    @property
    def row(self) -> dict[str, str | int]:
        return {"kind": self.kind, "channel": self.channel, "first": self.first, "last": self.last}


@dataclass(frozen=True, slots=True)
class MemoryFilter:
    """Selects memories of a kind and channel. `category` None: any."""

    first: int = 1
    last: int = FURTHEST
    limit: int = FURTHEST
    category: str | None = None
    importance: int = 0


@dataclass(frozen=True, slots=True)
class Replacement:
    """New memories of a range. With `overwrite`, they replace what people edited or deleted too."""

    place: SourceRange
    memories: Sequence[StoredMemory]
    writer: str
    overwrite: bool = False


# Writing


async def add(
    tx: Transaction, memories: Sequence[StoredMemory], now: datetime, *, by: str = ""
) -> None:
    """Write new memories. `by`: the person who wrote them, if not the writer."""
    if memories:
        memories = await save(tx, memories)
        await _add_documents(tx, memories)
        worded = (each for each in memories if each.text)
        written = [VersionEntry(each.id, each.text, by or each.writer) for each in worded]
        await history.record(tx, written, now)


async def put(
    tx: Transaction, memories: Sequence[StoredMemory], now: datetime, change: tuple[str, str]
) -> None:
    """Write memories; each replaces the one with its id. `change`: who did what."""
    by, action = change
    memories = await save(tx, memories)
    await index(tx, memories)
    written = [VersionEntry(each.id, each.text, by, action) for each in memories if each.text]
    await history.record(tx, written, now)


async def save(tx: Transaction, memories: Sequence[StoredMemory]) -> list[StoredMemory]:
    """Write the rows alone. Return the memories with their trust tiers."""
    from erstwhile.memories.judge import judged  # needs the kinds, which need this module

    memories = await judged(tx, memories)
    if memories:
        await history.keep_words(tx, memories)
        await tx.run_many(queries.put, [to_row(each) for each in memories])
    return memories


async def index(tx: Transaction, memories: Sequence[StoredMemory]) -> None:
    """Write their search documents again."""
    await documents.remove(tx, [each.id for each in memories])
    await _add_documents(tx, memories)


def searched(memory: StoredMemory) -> str | None:
    """Return the text that is indexed; see `Kind`."""
    own = registry.get(memory.kind).searched if memory.found else None
    if own is not None:
        return own(memory)
    return memory.titled if memory.found else None


async def _add_documents(tx: Transaction, memories: Sequence[StoredMemory]) -> None:
    words = {each.id: searched(each) for each in memories}
    made = [_document(each, found) for each in memories if (found := words[each.id])]
    await documents.add(tx, made)
    unindexed = [each for each in memories if words[each.id] == ""]
    await flags.mark(tx, [(each.id, each.text, micros(each.at)) for each in unindexed])


def _document(memory: StoredMemory, words: str) -> documents.Document:
    first, last = memory.first_seq or 0, memory.last_seq
    whole = memory.seq is None and last is not None and last >= first
    return documents.Document(
        id=memory.id,
        kind=memory.kind,
        at=micros(memory.at),
        terms=_terms(memory, words),
        words="\n".join(filter(None, (memory.title, memory.text))),
        channel=memory.channel or None,
        person=memory.person,
        seq=memory.first_seq if whole else memory.seq,
        until=memory.last_seq if whole else None,
        unverified=memory.unverified,
        traits=TRUST * (memory.trust or 0),
    )


def search_terms(memory: StoredMemory) -> list[str]:
    """Return the terms by which it is found."""
    return _terms(memory, searched(memory) or "")


def _terms(memory: StoredMemory, words: str) -> list[str]:
    dated = registry.get(memory.kind).dated  # also found by its month
    return analyse.document_terms(f"{memory.from_at:%B %Y}\n{words}" if dated else words)


async def drop(tx: Transaction, ids: Sequence[str], hooks: Hooks | None = None) -> None:
    """Delete the rows of memories, and what `hooks` has beside them. Their history stays."""
    if ids:
        await documents.remove(tx, ids)
        await tx.run(queries.keep_words_of, ids=json.dumps(list(ids)))
        await tx.run(queries.drop, ids=json.dumps(list(ids)))
        await tx.run(queries.drop_sources, ids=json.dumps(list(ids)))
        if hooks is not None:
            await hooks.removed(tx, ids)


async def replace_in(
    tx: Transaction, hooks: Hooks, made: Replacement, now: datetime
) -> list[StoredMemory]:
    """Replace the memories of a range. Return those that were added. What a person edited stays; a
    memory like it, or like one that a person deleted, is not added."""
    before = await in_place(tx, made.place)
    edited = [each for each in before if each.edited_at is not None]
    dropped = {each.id: each for each in before if each.edited_at is None}
    await drop(tx, list(dropped), hooks)
    aliases = (hooks.aliases(tx.space, each, {each.text}) for each in edited)
    taken = {each.id for each in edited}.union(*aliases)
    wanted = [each for each in made.memories if each.id not in taken]
    # Read after the old rows were deleted: a concurrent deletion has ended by then.
    gone = set() if made.overwrite else await history.deleted(tx, [each.id for each in wanted])
    added = [each for each in wanted if each.id not in gone]
    start = await next_position(tx, made.place) if added else 0
    placed = [
        replace(each, position=start + number, created_at=now) for number, each in enumerate(added)
    ]
    await add(tx, placed, now)
    replaced = [dropped[id] for id in sorted(dropped.keys() - {each.id for each in added})]
    entries = [VersionEntry(each.id, each.text, made.writer, REPLACED) for each in replaced]
    await history.record(tx, entries, now)
    return added


async def delete(tx: Transaction, memories: Sequence[StoredMemory], by: str, now: datetime) -> None:
    """Delete memories for a person. The rows stay, so that they can be restored."""
    await save(tx, [replace(each, deleted_at=now, deleted_by=by) for each in memories])
    ids = [each.id for each in memories]
    await documents.remove(tx, ids)
    entries = [VersionEntry(each.id, each.text, by, DELETED) for each in memories]
    await history.record(tx, entries, now)
    await flags.drop(tx, ids)


async def set_validity(
    tx: Transaction, id: str, valid_to: int | None, other: Mapping[str, str | None]
) -> None:
    """Set until when it is valid. `other`: the memory that ended it, and the one it restates."""
    await tx.run(queries.set_validity, id=id, valid_to=valid_to, **other)


async def widen(tx: Transaction, place: SourceRange, last: int) -> None:
    """Let the memories of a range count for one with more messages, which is about to replace them."""
    await tx.run(queries.widen, **asdict(place), new_last=last)


async def discard_edits(tx: Transaction, place: SourceRange) -> None:
    """Allow to replace what people edited in a range."""
    await tx.run(queries.discard_edits, **asdict(place))


async def set_stale(tx: Transaction, id: str, *, stale: bool) -> bool:
    """Mark whether its sources have changed. Return False if it was so marked, or was edited."""
    return bool(await tx.run(queries.set_stale, id=id, stale=int(stale)))


# Reading


async def listed(tx: Transaction, query: Query, **given: Any) -> list[StoredMemory]:
    return [from_row(row) for row in await tx.all(query, **given)]


async def get(tx: Transaction, id: str, *, deleted: bool = False) -> StoredMemory | None:
    row = await tx.first(queries.get, id=id)
    return None if row is None or (row["deleted_at"] is not None and not deleted) else from_row(row)


async def deleted_at(tx: Transaction, kind: str, at: int) -> list[StoredMemory]:
    """List memories that were deleted at the same time."""
    return await listed(tx, queries.deleted_at, kind=kind, at=at)


async def hold(tx: Transaction, id: str) -> None:
    """Lock its row until the commit."""
    await tx.first(queries.hold_memory, id=id)


async def by_ids(tx: Transaction, ids: Sequence[str]) -> dict[str, StoredMemory]:
    rows = await tx.all(queries.by_ids, ids=json.dumps(list(ids))) if ids else []
    return {row["id"]: from_row(row) for row in rows}


async def sources_of(tx: Transaction, ids: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Return the memories that each was made from, if any."""
    found: dict[str, tuple[str, ...]] = {}
    for row in await tx.all(queries.sources_of, ids=json.dumps(list(ids))) if ids else []:
        found[row["id"]] = (*found.get(row["id"], ()), row["source"])
    return found


async def made_from(tx: Transaction, ids: Sequence[str]) -> list[str]:
    """Return the memories that were made from any of these."""
    rows = await tx.all(queries.made_from, ids=json.dumps(list(ids))) if ids else []
    return sorted({row["id"] for row in rows})


async def set_sources(tx: Transaction, id: str, sources: Sequence[str]) -> None:
    """Set the memories that a memory was made from."""
    await tx.run(queries.drop_sources, ids=json.dumps([id]))
    if sources:
        rows = [{"id": id, "source": each} for each in dict.fromkeys(sources)]
        await tx.run_many(queries.add_source, rows)


async def in_place(tx: Transaction, place: SourceRange) -> list[StoredMemory]:
    return await listed(tx, queries.in_place, **asdict(place))


async def next_position(tx: Transaction, place: SourceRange) -> int:
    row = await tx.first(queries.last_position, **asdict(place))
    return (row["position"] if row else -1) + 1


async def latest(tx: Transaction, kind: str, channel: str, limit: int) -> list[StoredMemory]:
    """List the newest memories of a channel, newest first."""
    return await listed(tx, queries.latest, kind=kind, channel=channel, limit=limit)


async def in_channel(
    tx: Transaction, kind: str, channel: str, filters: MemoryFilter
) -> list[StoredMemory]:
    """List the latest `limit` memories of a channel, in the order of their messages."""
    rows = await tx.all(queries.in_channel, kind=kind, channel=channel, **asdict(filters))
    return [from_row(row) for row in reversed(rows)]


async def elsewhere(
    tx: Transaction, kind: str, person: str, channel: str, limit: int
) -> dict[str, str]:
    """Return the texts of the latest memories about a person from other channels, by id."""
    rows = await tx.all(queries.elsewhere, kind=kind, person=person, channel=channel, limit=limit)
    return {row["id"]: row["text"] for row in rows}


async def about(tx: Transaction, kinds: Sequence[str], people: Sequence[str]) -> list[StoredMemory]:
    """List memories about these people: of each those of the whole space, then by channel."""
    given = {"kinds": json.dumps(list(kinds)), "people": json.dumps(list(people))}
    return await listed(tx, queries.about, **given) if people else []


async def any_about(tx: Transaction, person: str, kinds: Sequence[str] | None = None) -> bool:
    """Return whether there is a memory about a person, also a deleted one."""
    chosen = None if kinds is None else json.dumps(list(kinds))
    return await tx.first(queries.any_about, person=person, kinds=chosen) is not None


async def latest_shown(tx: Transaction, kind: str, channel: str, limit: int) -> list[Row]:
    """List the newest memories of a channel, of each only what a context shows."""
    return await tx.all(queries.latest_shown, kind=kind, channel=channel, limit=limit)


async def places_about(tx: Transaction, person: str, channels: Sequence[str]) -> list[Row]:
    """Return channel and message of each memory about a person that is from these channels."""
    return await tx.all(queries.places_about, person=person, channels=json.dumps(list(channels)))


async def newest_about(
    tx: Transaction, kinds: Sequence[str], person: str, limit: int
) -> list[StoredMemory]:
    """List the newest memories about a person, newest first."""
    given = {"kinds": json.dumps(list(kinds)), "person": person, "limit": limit}
    return await listed(tx, queries.newest_about, **given)


async def everything(tx: Transaction) -> list[StoredMemory]:
    """List all memories of the space."""
    return await listed(tx, queries.everything)


async def unsearched(tx: Transaction) -> list[StoredMemory]:
    """List memories that can be listed but not found by a search."""
    return [each for each in await listed(tx, queries.undocumented) if searched(each) == ""]


async def count_in(tx: Transaction, kind: str, channels: Sequence[str]) -> dict[str, int]:
    rows = await tx.all(queries.count_in, kind=kind, channels=json.dumps(list(channels)))
    return {row["channel"]: int(row["memories"]) for row in rows}


# For all of a space


async def empty(tx: Transaction, kinds: Sequence[str]) -> None:
    """Delete what can be made again: nothing that people changed, or with expired messages."""
    await tx.run(queries.keep_words_of_kinds, kinds=json.dumps(list(kinds)))
    await tx.run(queries.empty_kinds, kinds=json.dumps(list(kinds)))


async def settle(
    tx: Transaction, kinds: Sequence[str], channel: str, first: int, last: int
) -> None:
    """Keep drafts whose messages have expired as they are: they can't be made again."""
    given = {"channel": channel, "first": first, "last": last}
    await tx.run(queries.settle, kinds=json.dumps(list(kinds)), **given)
