"""Expire messages that no step needs any longer, page by page, with their search documents."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

from erstwhile.base.clock import micros
from erstwhile.base.records import dataclass
from erstwhile.events import store as events
from erstwhile.jobs import store as jobs
from erstwhile.layers.brief import store as briefs
from erstwhile.layers.brief.steps import FOLD
from erstwhile.layers.contract import Layer
from erstwhile.layers.notes import store as notes
from erstwhile.layers.retention.steps import Run
from erstwhile.layers.summaries import store as summaries
from erstwhile.layers.summaries.steps import SUMMARISE
from erstwhile.log import erase as log_erase
from erstwhile.log import store as log
from erstwhile.memories import store as memories
from erstwhile.memories.expire import PAGE
from erstwhile.storage import Transaction

_EVER = 2**62


@dataclass(frozen=True, slots=True)
class OldMessages:
    """Messages before `before`, without the `recent` latest. `cut`: only those in chunks."""

    before: datetime
    recent: int
    cut: bool

    @property
    def bounds(self) -> dict[str, int]:
        return {"before": micros(self.before), "recent": self.recent}


async def expire(run: Run, layers: Iterable[Layer], old: OldMessages) -> int:
    channels = await run.read(lambda tx: log_erase.old_channels(tx, old.bounds))
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
    held = (await _held(tx, layers, channel)).get(channel, [])
    if old.cut:
        cut_to, _ = await summaries.hold(tx, channel)
        held.append((cut_to + 1, _EVER))
    rows = await log_erase.old_messages(tx, channel, held, {**old.bounds, "after": after}, PAGE)
    if rows:
        await log_erase.expire(tx, channel, rows)
        first, last = rows[0], rows[-1]
        place = {"channel": channel, "seq": first["seq"], "until": last["seq"]}
        await events.emit(tx, "message", "expired", last["id"], **place)
        await _settle(tx, layers, channel, [row["seq"] for row in rows])
    return len(rows), rows[-1]["seq"] if len(rows) == PAGE else None


async def _held(
    tx: Transaction, layers: Iterable[Layer], channel: str | None = None
) -> dict[str, list[tuple[int, int]]]:
    """Return the ranges of each channel, or of one, that unfinished jobs and notes have to read."""
    held: dict[str, list[tuple[int, int]]] = {}
    for buffer in await notes.buffers(tx, channel):
        held.setdefault(buffer.channel, []).append((buffer.first_seq, buffer.last_seq))
    for kind in (SUMMARISE, *(kind for layer in layers for kind in layer.reads)):
        for each in await jobs.open_payloads(tx, kind):
            held.setdefault(each["channel"], []).append((each["first"], each["last"]))
    for fold in await jobs.open_payloads(tx, FOLD):
        if channel in (None, fold["channel"]):
            brief = await briefs.get(tx, fold["channel"])
            first = brief.covers + 1 if brief is not None else 1
            held.setdefault(fold["channel"], []).append((first, int(fold["until"]) or _EVER))
    return held


async def _settle(
    tx: Transaction, layers: Iterable[Layer], channel: str, seqs: Sequence[int]
) -> None:
    """Make drafts final whose messages are gone, because no model can read them any more."""
    kinds = [kind.name for layer in layers for kind in layer.kinds if kind.ranged]
    await memories.settle(tx, kinds, channel, seqs[0], seqs[-1])
    for layer in layers:
        await layer.messages_expired(tx, channel, seqs[0], seqs[-1])


async def count(tx: Transaction, layers: Iterable[Layer], old: OldMessages) -> int:
    """Count the old messages that nothing holds back."""
    held = await _held(tx, layers)
    cut = await summaries.cut_to(tx) if old.cut else {}
    found = 0
    for channel in await log_erase.old_channels(tx, old.bounds):
        ranges = held.get(channel, [])
        if old.cut:
            ranges.append((cut.get(channel, 0) + 1, _EVER))
        found += await log_erase.count_old(tx, channel, ranges, old.bounds)
    return found
