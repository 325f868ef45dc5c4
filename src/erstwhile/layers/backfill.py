"""Extract facts from chunks that have none yet, for example after an import.

Each chunk gets its usual job, at a slower pace. Safe to interrupt: it resumes, and its jobs stay
enqueued. Other layers enqueue what they have not read there; the counts are of facts.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Final

from erstwhile.base.clock import Clock
from erstwhile.base.records import dataclass
from erstwhile.configuration.writer_pool import WriterPool
from erstwhile.jobs import store as jobs
from erstwhile.jobs.model import DONE, RUNNING, WAITING
from erstwhile.jobs.worker import Worker
from erstwhile.layers.contract import PACE, Layer
from erstwhile.layers.facts.model import KIND
from erstwhile.layers.facts.steps import EXTRACT, FactLayer
from erstwhile.layers.summaries import readings
from erstwhile.layers.summaries.model import Range
from erstwhile.layers.summaries.steps import Chunks
from erstwhile.log import store as log
from erstwhile.log.model import ChannelRow
from erstwhile.memories.store import SourceRange
from erstwhile.storage import Database, Row, Transaction

_POLL_SECONDS: Final = 0.2

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class BackfillReport:
    """Chunks `processed` now, facts `created`, chunks `skipped` because they were read before.
    `errors`: chunks that could not be read. Their jobs are retried later, or parked with a
    reason."""

    processed: int
    created: int
    skipped: int
    errors: int


class Backfill:
    def __init__(
        self,
        database: Database,
        writers: WriterPool,
        worker: Worker,
        readers: tuple[Chunks, FactLayer, Sequence[Layer]],
        clock: Clock,
    ) -> None:
        self._database = database
        self._writers = writers
        self._worker = worker
        self._chunks, self._facts, self._layers = readers
        self._clock = clock

    async def backfill(self, space: str, progress: Progress) -> BackfillReport:
        writers = await self._writers.for_space(space)
        pace = None if writers.best.draft else PACE  # only model calls are slowed down
        wanted: dict[str, Range] = {}
        skipped = 0
        for channel in await self._database.read(space, log.channels):
            unit = partial(self._ask, channel=channel, pace=pace)
            found, had = await self._database.write(space, unit)
            wanted |= {range.key: range for range in found}
            skipped += had
        states = await self._until_tried(space, list(wanted), progress)
        failed = {key for key, row in states.items() if row["state"] != DONE}
        done = [range for key, range in wanted.items() if key not in failed]
        created = await self._database.read(space, lambda tx: _created(tx, done))
        return BackfillReport(len(wanted), created, skipped, len(wanted) - len(done))

    async def _ask(
        self, tx: Transaction, channel: ChannelRow, pace: str | None
    ) -> tuple[list[Range], int]:
        """Cut the channel and enqueue what was never read. Also return how many chunks were read."""
        now = self._clock()
        last = channel.last_seq
        fresh = await self._chunks.cut(tx, {channel.channel: (last + 1, last)}, now)
        made = await readings.unread(tx, KIND.name, channel.channel)
        # Those with an open job and no facts yet, not even drafts.
        open = [Range(**payload) for payload in await jobs.open_payloads(tx, EXTRACT)]
        here = [range for range in open if range.channel == channel.channel]
        asked = [range for range in here if await _found_in(tx, range) is None]
        unread = {range.key: range for range in (*fresh, *asked, *made)}
        states = await jobs.states(tx, EXTRACT, list(unread))
        for key, range in unread.items():
            if key not in states or states[key]["state"] != RUNNING:
                await self._facts.ask(tx, range, now, pace=pace)
        for layer in self._layers:
            await layer.ask_unread(tx, channel.channel, now, pace)
        return list(unread.values()), (await readings.counts(tx, KIND.name, channel.channel)).read

    async def _until_tried(
        self, space: str, keys: list[str], progress: Progress
    ) -> Mapping[str, Row]:
        """Work, along with other workers, until each of these jobs was tried."""
        work = asyncio.create_task(self._worker.settle(), name="erstwhile-backfill")
        try:
            while True:
                await asyncio.wait([work], timeout=_POLL_SECONDS)
                states = await self._database.read(space, lambda tx: jobs.states(tx, EXTRACT, keys))
                left = sum(
                    job["state"] == RUNNING or (job["state"] == WAITING and not job["attempts"])
                    for job in states.values()
                )
                progress(len(keys) - left, len(keys))
                if work.done():
                    work.result()
                    if not left:
                        return states
                    await asyncio.sleep(_POLL_SECONDS)  # another worker has them
                    work = asyncio.create_task(self._worker.settle(), name="erstwhile-backfill")
        finally:
            work.cancel()


async def _created(tx: Transaction, ranges: list[Range]) -> int:
    return sum([await _found_in(tx, range) or 0 for range in ranges])


async def _found_in(tx: Transaction, range: Range) -> int | None:
    """Count the facts of a range; None if it was not read."""
    row = await readings.at(tx, SourceRange(KIND.name, range.channel, range.first, range.last))
    return row["found"] if row else None
