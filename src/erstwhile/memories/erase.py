"""Erase memories together with their messages. What to erase is first listed in `erasing`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache

from erstwhile.memories.hooks import Hooks
from erstwhile.memories.store import queries
from erstwhile.storage import Transaction, column, value
from erstwhile.storage.queries import Query, make


async def list_memories(tx: Transaction, owners: Sequence[Hooks], person: str | None) -> None:
    """List memories about the person, by them, or made of listed messages or channels. What a
    person wrote is not listed, unless its own message is erased."""
    kinds = [kind.name for owner in owners for kind in owner.kinds if kind.ranged]
    await tx.run(queries.list_erased, kinds=json.dumps(kinds), person=person)
    listed = -1
    # What goes takes with it what other layers made of it.
    while (count := await value(tx, queries.count_listed) or 0) != listed:
        listed = count
        for owner in owners:
            await owner.list_erased(tx, person)
    if person is not None:
        await tx.run(queries.remove_deleter, person=person)


async def list_ids(tx: Transaction, ids: Sequence[str]) -> None:
    if ids:
        await tx.run_many(queries.list_id, [{"id": id} for id in ids])


async def listed(tx: Transaction, kind: str) -> list[str]:
    """Return the listed memories of a kind."""
    return await column(tx, queries.erased_of, kind=kind)


async def count_beside(tx: Transaction, owners: Sequence[Hooks]) -> dict[str, int]:
    """Count the rows of the layers' own tables."""
    tables = [table for owner in owners for table in owner.counted]
    return {table: await value(tx, _counting(table)) or 0 for table in tables}


@cache
def _counting(table: str) -> Query:
    """Names of tables come from the layers, never from outside."""
    sql = f"SELECT count(*) AS number FROM {table} WHERE space = :space"
    return make(f"count_{table}", sql, sql)


async def take(tx: Transaction, owner: Hooks) -> dict[str, int]:
    """Delete the rows of a layer's listed memories. Return how many of each kind. Their documents
    and versions are deleted for all layers at once."""
    counts: dict[str, int] = {}
    for kind in owner.kinds:
        ids = await listed(tx, kind.name)
        kept = await owner.erasing(tx, ids) if ids else ()
        ids = [id for id in ids if id not in kept]
        counts[kind.plural] = counts.get(kind.plural, 0) + len(ids)
        if ids:
            await tx.run(queries.drop, ids=json.dumps(ids))
            await tx.run(queries.drop_sources, ids=json.dumps(ids))
            await owner.removed(tx, ids)
    return counts
