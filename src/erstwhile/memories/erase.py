"""Erase memories together with their messages. What to erase is first listed in `erasing`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Final

from erstwhile.memories.hooks import Hooks
from erstwhile.memories.store import any_about, queries
from erstwhile.storage import Row, Transaction, column
from erstwhile.tables import listed
from erstwhile.tables.model import Erasing, Table
from erstwhile.tables.owner import Owner


class MemoryOwner(Owner):
    tables = (
        Table(
            "memories",
            ("person", "said_by", "edited_by", "deleted_by"),
            ("channel",),
            listed=True,
            words=("text", "title"),
        ),
        Table("memory_sources", memory=("id",)),
        Table("versions", ("writer",), memory=("id",), listed=True, words=("text", "kept")),
    )

    async def erase(self, tx: Transaction, erasing: Erasing) -> None:
        """Delete or wipe the versions of listed memories, which layers have deleted already."""
        subject, since = erasing.subject, erasing.since
        gone = await wipe_versions(tx, since)
        gone += await tx.run(queries.wipe_versions_by, person=subject.person, hand=subject.hand)
        erasing.counts["versions"] += gone

    async def knows(self, tx: Transaction, person: str) -> bool:
        return await any_about(tx, person)


OWNER: Final = MemoryOwner()


async def wipe_versions(tx: Transaction, since: int | None) -> int:
    """Delete or wipe the versions of listed memories. Versions since then, of memories that no
    longer exist, lose their text too, because nobody can tell whose it was. Return how many."""
    gone = await tx.run(queries.drop_versions) + await tx.run(queries.wipe_versions)
    if since is not None:
        gone += await tx.run(queries.wipe_loose_versions, since=since)
    return gone


async def made_of_listed(tx: Transaction) -> bool:
    """Return whether a memory was made of a listed message."""
    return await tx.first(queries.made_of_listed) is not None


async def list_memories(tx: Transaction, owners: Sequence[Hooks], person: str | None) -> None:
    """List memories about the person, by them, or made of listed messages or channels. What a
    person wrote is not listed, unless its own message is erased."""
    kinds = [kind.name for owner in owners for kind in owner.kinds if kind.ranged]
    await tx.run(queries.list_erased, kinds=json.dumps(kinds), person=person)
    before = -1
    # What goes takes with it what other layers made of it.
    while (count := await listed.count(tx)) != before:
        before = count
        for owner in owners:
            await owner.list_erased(tx, person)
    if person is not None:
        await tx.run(queries.remove_deleter, person=person)


async def listed_of(tx: Transaction, kind: str) -> list[str]:
    """Return the listed memories of a kind."""
    return await column(tx, queries.erased_of, kind=kind)


async def listed_categories(tx: Transaction, kind: str) -> list[str]:
    """Return the categories of the listed memories of a kind."""
    return await column(tx, queries.listed_categories, kind=kind)


async def people_of_listed(tx: Transaction, kind: str) -> list[str]:
    """Return whose memories of a kind are listed or rest on what is, in one order for all."""
    return await column(tx, queries.people_of_listed, kind=kind)


async def people_of_listed_messages(tx: Transaction, kind: str) -> list[str]:
    """Return about whom memories of a kind were said in listed messages."""
    return await column(tx, queries.people_of_listed_messages, kind=kind)


async def list_deleted_with_sources(tx: Transaction, kind: str) -> None:
    """List memories of a kind that someone deleted, with what they were made from."""
    await tx.run(queries.list_deleted_with_sources, kind=kind)


async def covers_listed(tx: Transaction, kind: str) -> bool:
    """Return whether a memory of a kind covers the time of a listed message."""
    return await tx.first(queries.covers_listed, kind=kind) is not None


async def listed_times(tx: Transaction, kind: str, person: str | None) -> list[Row]:
    """Return category and channel of the memories of a kind that are about the person, of listed
    channels, or cover the time of listed messages."""
    return await tx.all(queries.listed_times, kind=kind, person=person)


async def listed_times_made_of(tx: Transaction, kind: str, slack: int) -> list[Row]:
    """Return the same of listed messages only, without memories made before the message was stored.
    `slack`: how far clocks may differ, in microseconds."""
    return await tx.all(queries.listed_times_made_of, kind=kind, slack=slack)


async def take(tx: Transaction, owner: Hooks) -> dict[str, int]:
    """Delete the rows of a layer's listed memories. Return how many of each kind. Their documents
    and versions are deleted for all layers at once."""
    counts: dict[str, int] = {}
    for kind in owner.kinds:
        ids = await listed_of(tx, kind.name)
        kept = await owner.erasing(tx, ids) if ids else ()
        ids = [id for id in ids if id not in kept]
        counts[kind.plural] = counts.get(kind.plural, 0) + len(ids)
        if ids:
            await tx.run(queries.drop, ids=json.dumps(ids))
            await tx.run(queries.drop_sources, ids=json.dumps(ids))
            await owner.removed(tx, ids)
    return counts
