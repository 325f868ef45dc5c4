"""Flags: reasons why a memory should be reviewed, written with its document. They contain no text of it."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from erstwhile.base.records import dataclass
from erstwhile.storage import Row, Transaction, value
from erstwhile.storage.queries import load
from erstwhile.text import suspect

queries = load(__package__)

CONTRADICTION = "contradiction"
UNVERIFIED = "unverified"  # its words could not be compared with those of the messages
REASONS = (*suspect.REASONS, UNVERIFIED, CONTRADICTION)


async def mark(
    tx: Transaction, memories: Sequence[tuple[str, str, int]], unverified: Collection[str] = ()
) -> None:
    """Flag memories, given with their words and times. A review stays, unless the words no longer give that reason.
    `unverified`: the ids of those that could not be compared with their messages."""
    doubts = dict.fromkeys(unverified, (UNVERIFIED,))
    found = {id: ((*suspect.reasons(words), *doubts.get(id, ())), at) for id, words, at in memories}
    if not found:
        return
    kept = [f"{id} {reason}" for id, (reasons, _) in found.items() for reason in reasons]
    await tx.run(queries.drop_other_flags, ids=json.dumps(list(found)), kept=json.dumps(kept))
    rows = [
        {"id": id, "reason": reason, "at": at}
        for id, (reasons, at) in found.items()
        for reason in reasons
    ]
    if rows:
        await tx.run_many(queries.put_flags, rows)


async def unmark(tx: Transaction, ids: Sequence[str]) -> None:
    """Drop the flags of documents that are removed, perhaps to be made again; reviewed flags stay."""
    await tx.run(queries.drop_unreviewed_flags, ids=json.dumps(list(ids)))


@dataclass(frozen=True, slots=True)
class FlagFilter:
    reason: str | None
    reviewed: bool
    limit: int
    before: str | None = None


async def page(
    tx: Transaction, filters: FlagFilter, kinds: Sequence[str], after: tuple[int, str]
) -> list[Row]:
    """Return a page of flagged memories, newest first, each with its reasons. `kinds`: those that
    can contradict each other; `after`: time and id of the last one of the page before."""
    narrow = {"reason": filters.reason, "reviewed": int(filters.reviewed), "limit": filters.limit}
    given = {"kinds": json.dumps(list(kinds)), "at": after[0], "id": after[1]}
    return await tx.all(queries.flagged, **narrow, **given)


async def to_check(tx: Transaction, doc: int, limit: int) -> list[Row]:
    """Return a page of the documents of memories after a number."""
    return await tx.all(queries.page_after, after=doc, limit=limit)


async def counts(tx: Transaction, kinds: Sequence[str]) -> dict[str, int]:
    """Count the memories to review by reason."""
    rows = await tx.all(queries.flag_counts, kinds=json.dumps(list(kinds)))
    return {row["reason"]: row["count"] for row in rows}


async def flagged_at(tx: Transaction, id: str, kinds: Sequence[str]) -> int | None:
    """Return since when a memory is flagged."""
    at: int | None = await value(tx, queries.flagged_at, id=id, kinds=json.dumps(list(kinds)))
    return at


async def last_review(tx: Transaction, id: str) -> Row | None:
    return await tx.first(queries.flags_of, id=id)


async def review(tx: Transaction, id: str, decided: Mapping[str, Any]) -> int:
    """Mark the flags of a memory as reviewed: `decision`, `by`, `now` and the `version` that was
    seen. Return how many it has."""
    return await tx.run(queries.review_flags, id=id, **decided)


async def reopen(tx: Transaction, id: str) -> int:
    """Mark the flags of a memory as not reviewed. Return how many it has."""
    return await tx.run(queries.reopen_flags, id=id)


async def contradicted(tx: Transaction, id: str, at: int) -> None:
    """Flag a memory because something else was said later."""
    await tx.run_many(queries.put_flags, [{"id": id, "reason": CONTRADICTION, "at": at}])


async def drop(tx: Transaction, ids: Sequence[str]) -> None:
    if ids:
        await tx.run(queries.drop_flags, ids=json.dumps(list(ids)))
