"""Flagged memories: suspicious ones, and those that contradict each other. People review them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from erstwhile.base import ids
from erstwhile.base.clock import micros, moment
from erstwhile.base.errors import NotFound
from erstwhile.base.records import dataclass
from erstwhile.events import store as events
from erstwhile.index import flags
from erstwhile.memories import history, kinds, select
from erstwhile.memories import store as memories
from erstwhile.memories.model import StoredMemory
from erstwhile.search import read
from erstwhile.search import sources as recall_sources
from erstwhile.search.model import Source
from erstwhile.storage import Row, Transaction

KEEP, REOPEN = DECISIONS = ("keep", "reopen")
_PAGE = 500
_END = 2**62


@dataclass(frozen=True, slots=True)
class FlaggedMemory:
    """`channel` and `seq` are those of the message it rests on, `speaker` said it; `person` is whom it is about. A
    contradiction names the later memory in `other`. `reviewed_by` reviewed it as it is now."""

    id: str
    kind: str
    text: str
    reasons: tuple[str, ...]
    at: datetime
    channel: str
    seq: int | None
    speaker: str | None
    person: str | None
    writer: str | None
    other: str | None = None
    other_text: str | None = None
    decision: str | None = None
    reviewed_by: str | None = None
    reviewed_at: datetime | None = None


async def counts(tx: Transaction) -> dict[str, int]:
    """Count the memories to review by reason; every reason is named."""
    found = await flags.counts(tx, kinds.timed())
    return {reason: found.get(reason, 0) for reason in flags.REASONS}


async def page(tx: Transaction, filters: flags.FlagFilter) -> list[FlaggedMemory]:
    """Return a page, the newest first."""
    place = (_END, "") if filters.before is None else await _place(tx, filters.before)
    found: list[FlaggedMemory] = []
    while len(found) < filters.limit:
        rows = await flags.page(tx, filters, kinds.timed(), place)
        found += [each for row in rows if (each := await _flagged(tx, row)) is not None]
        if len(rows) < filters.limit:
            break
        place = rows[-1]["at"], rows[-1]["id"]
    return found[: filters.limit]


async def _place(tx: Transaction, id: str) -> tuple[int, str]:
    at = await flags.flagged_at(tx, id, kinds.timed())
    if at is None:
        raise NotFound(f"Unknown cursor {id}. Start from the first page.")
    return at, id


async def _flagged(tx: Transaction, row: Row) -> FlaggedMemory | None:
    """None when the memory is no longer there."""
    id = row["id"]
    try:
        source = await recall_sources.sources(tx, id, deep=False)
    except NotFound:
        return None
    known = await flags.last_review(tx, id)
    rests_on = next((each for each in source.sources if each.kind == "message"), None)
    text = source.text
    stored = await memories.get(tx, id)
    person = stored.person if stored is not None else None
    # Also what is only quoted, and shown to nobody else.
    if stored is not None and memories.searched(stored) != stored.titled:
        text = stored.text
    other = row["other"]
    return FlaggedMemory(
        id=id,
        kind=source.kind,
        text=text,
        reasons=_in_order(row["reasons"]),
        at=moment(row["at"]),
        channel=source.channel or (rests_on.channel if rests_on else ""),
        seq=source.seq if source.seq is not None else (rests_on.seq if rests_on else None),
        speaker=rests_on.speaker if rests_on else None,
        person=person,
        writer=source.writer,
        other=other,
        other_text=await _text(tx, other) if other else None,
        **_review(known if row["reviewed"] else None),
    )


def _in_order(joined: str) -> tuple[str, ...]:
    found = set(joined.split(","))
    return tuple(reason for reason in flags.REASONS if reason in found)


def _review(row: Row | None) -> dict[str, Any]:
    if row is None or row["reviewed_at"] is None:
        return {}
    return {
        "decision": row["decision"],
        "reviewed_by": row["reviewed_by"],
        "reviewed_at": moment(row["reviewed_at"]),
    }


async def _text(tx: Transaction, id: str) -> str | None:
    try:
        found: Source = await recall_sources.sources(tx, id, deep=False)
    except NotFound:
        return None
    return found.text


async def review(tx: Transaction, id: str, decision: str, by: str, now: datetime) -> int:
    """Mark a memory as reviewed, or to be reviewed again. Returns the number of its flags."""
    kind = ids.kind_of(id)
    if decision == REOPEN:
        changed = await flags.reopen(tx, id)
    else:
        since = await select.contradicted_at(tx, id, kinds.timed())
        if since is not None:
            await flags.contradicted(tx, id, since)
        seen = {"now": micros(now), "version": await history.newest(tx, id)}
        changed = await flags.review(tx, id, {"decision": decision, "by": by, **seen})
    if not changed:
        raise NotFound(f"The {kind} {id} of space {tx.space!r} is not flagged.")
    await events.emit(tx, kind, "reviewed", id)
    return changed


async def flag_all(tx: Transaction) -> None:
    """Flag the memories of a space that were stored without it, as by an import of an export."""
    after = 0
    while rows := await flags.to_check(tx, after, _PAGE):
        stored = await memories.by_ids(tx, [row["id"] for row in rows])
        texts = await _texts(tx, rows, stored)
        doubted = {id for id, each in stored.items() if each.unverified}
        await flags.mark(
            tx,
            [(row["id"], texts[row["id"]], row["at"]) for row in rows if row["id"] in texts],
            doubted,
        )
        after = rows[-1]["doc"]
    await flags.mark(
        tx, [(each.id, each.text, micros(each.at)) for each in await memories.unsearched(tx)]
    )


async def _texts(
    tx: Transaction, rows: Sequence[Row], stored: Mapping[str, StoredMemory]
) -> dict[str, str]:
    by_kind: dict[str, list[str]] = {}
    for row in rows:
        by_kind.setdefault(row["kind"], []).append(row["id"])
    return await read.texts(tx, by_kind) | {id: each.text for id, each in stored.items()}
