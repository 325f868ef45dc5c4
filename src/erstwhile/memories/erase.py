"""Taking memories away with what they were made of. What goes is listed in the table `erasing` first."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache

from erstwhile.memories.hooks import Hooks
from erstwhile.memories.store import queries
from erstwhile.storage import Transaction
from erstwhile.storage.queries import Query, make


async def list_memories(tx: Transaction, owners: Sequence[Hooks], person: str | None) -> None:
    """List what is about the person, or by them, or was made of messages or a channel that are listed. What a person wrote stays, unless
    it rests on a message that goes."""
    kinds = [kind.name for owner in owners for kind in owner.kinds if kind.ranged]
    await tx.run(queries.list_erased, kinds=json.dumps(kinds), person=person)
    listed = -1
    while (count := await _count_listed(tx)) != listed:  # what goes takes with it what other layers made of it
        listed = count
        for owner in owners:
            await owner.list_erased(tx, person)
    if person is not None:
        await tx.run(queries.unname_deleter, person=person)


async def _count_listed(tx: Transaction) -> int:
    row = await tx.first(queries.count_listed)
    return int(row["number"]) if row else 0


async def list_ids(tx: Transaction, ids: Sequence[str]) -> None:
    if ids:
        await tx.run_many(queries.list_id, [{"id": id} for id in ids])


async def listed(tx: Transaction, kind: str) -> list[str]:
    """The memories of a kind that go."""
    return [row["id"] for row in await tx.all(queries.erased_of, kind=kind)]


async def count_beside(tx: Transaction, owners: Sequence[Hooks]) -> dict[str, int]:
    """How many rows the layers' further tables have."""
    rows = {table: await tx.first(_counting(table)) for owner in owners for table in owner.counted}
    return {table: row["number"] if row else 0 for table, row in rows.items()}


@cache
def _counting(table: str) -> Query:
    """Names of tables come from the layers, never from outside."""
    sql = f"SELECT count(*) AS number FROM {table} WHERE space = :space"
    return make(f"count_{table}", sql, sql)


async def take(tx: Transaction, owner: Hooks) -> dict[str, int]:
    """Take the rows of a layer's memories that are listed; how many of each kind. Their documents and versions go with the list."""
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
