"""Expire messages that no step needs any longer, page by page, with their search documents."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

from erstwhile.base.clock import micros
from erstwhile.base.records import dataclass
from erstwhile.events import store as events
from erstwhile.index import documents
from erstwhile.jobs import store as jobs
from erstwhile.layers.brief import store as briefs
from erstwhile.layers.brief.steps import FOLD
from erstwhile.layers.contract import Layer
from erstwhile.layers.retention.steps import Run
from erstwhile.layers.summaries import store as summaries
from erstwhile.layers.summaries.steps import SUMMARISE
from erstwhile.log import erase as log_erase
from erstwhile.log import store as log
from erstwhile.memories import store as memories
from erstwhile.memories.expire import PAGE
from erstwhile.storage import Transaction, column, value
from erstwhile.storage.queries import load

queries = load(__package__)

_EVER = 2**62


@dataclass(frozen=True, slots=True)
class OldMessages:
    """Messages before `before`, without the `recent` latest. `cut`: only those in chunks."""

    before: datetime
    recent: int
    cut: bool

    @property
    def bounds(self) -> dict[str, int]:
        return {"before": micros(self.before), "recent": self.recent, "cut": int(self.cut)}


async def expire(run: Run, layers: Iterable[Layer], old: OldMessages) -> int:
    channels = await run.read(lambda tx: column(tx, queries.channels_of_old, **old.bounds))
    gone = 0
    for channel in channels:
        after: int | None = 0
        while after is not None:
            place = channel, after
            count, after = await run.write(lambda tx: _page(tx, layers, *place, old))  # noqa: B023
            gone += count
    return gone


async def _page(
    tx: Transaction, layers: Iterable[Layer], channel: str, after: int, old: OldMessages
) -> tuple[int, int | None]:
    """Expire a page. Return how many, and where to continue. Locks the channel and its chunks, so
    that no work on them is requested. A channel erased meanwhile is not created again."""
    if not await log.hold_channel(tx, channel):
        return 0, None
    if old.cut:
        await summaries.hold(tx, channel)
    place = {"channel": channel, "after": after, "limit": PAGE}
    rows = await tx.all(queries.old_messages, **place, **old.bounds)
    held = await _held(tx, layers, channel) if rows else []
    free = [row for row in rows if not any(first <= row["seq"] <= last for first, last in held)]
    if free:
        await documents.remove(tx, [row["id"] for row in free])
        await log_erase.expire(tx, channel, [row["seq"] for row in free])
        first, last = free[0], free[-1]
        place = {"channel": channel, "seq": first["seq"], "until": last["seq"]}
        await events.emit(tx, "message", "expired", last["id"], **place)
        await _settle(tx, layers, channel, [row["seq"] for row in free])
    return len(free), rows[-1]["seq"] if len(rows) == PAGE else None


async def _held(tx: Transaction, layers: Iterable[Layer], channel: str) -> list[tuple[int, int]]:
    """Return the ranges that unfinished jobs have to read."""
    readers = (SUMMARISE, *(kind for layer in layers for kind in layer.reads))
    ranges = [payload for kind in readers for payload in await jobs.open_payloads(tx, kind)]
    held = [(each["first"], each["last"]) for each in ranges if each["channel"] == channel]
    for fold in await jobs.open_payloads(tx, FOLD):
        if fold["channel"] == channel:
            brief = await briefs.get(tx, channel)
            held.append((brief.covers + 1 if brief is not None else 1, int(fold["until"]) or _EVER))
    return held


async def _settle(
    tx: Transaction, layers: Iterable[Layer], channel: str, seqs: Sequence[int]
) -> None:
    """Make drafts final whose messages are gone, because no model can read them any more."""
    kinds = [kind.name for layer in layers for kind in layer.kinds if kind.ranged]
    await memories.settle(tx, kinds, channel, seqs[0], seqs[-1])
    for layer in layers:
        await layer.messages_expired(tx, channel, seqs[0], seqs[-1])


async def count(tx: Transaction, old: OldMessages) -> int:
    """Count old messages. Some of them may stay, because a job has still to read them."""
    return int(await value(tx, queries.count_old_messages, **old.bounds))
