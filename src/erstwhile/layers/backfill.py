"""Facts for conversations that have none yet: those of an older database, or of a time without facts.

Every range that was never read gets its ordinary job, at a pace of its own, so that a killed backfill goes on where it was: what it had
read is kept, and what it had asked for is still asked for. Other layers are asked for what they never read there; the counts are of facts.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from erstwhile.base.clock import Clock
from erstwhile.configuration.writer_pool import Desk
from erstwhile.jobs import store as jobs
from erstwhile.jobs.model import DONE, RUNNING, WAITING
from erstwhile.jobs.worker import Worker
from erstwhile.layers.contract import Layer
from erstwhile.layers.facts import store as facts
from erstwhile.layers.facts.steps import EXTRACT, Facts
from erstwhile.layers.summaries.model import Range
from erstwhile.layers.summaries.steps import Chunks
from erstwhile.log import store as log
from erstwhile.log.model import Channel
from erstwhile.storage import Database, Row, Transaction

PACE: Final = "backfill"
GAP: Final = timedelta(milliseconds=500)  # between model calls, so that it never crowds out the day's work
_LOOK_SECONDS: Final = 0.2

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Backfilled:
    """Chunks `processed` now, facts `created` from them, chunks `skipped` because they had been read before, and chunks that could
    not be read (`errors`): their jobs are tried again later, or parked with a reason."""

    processed: int
    created: int
    skipped: int
    errors: int


class Backfill:
    def __init__(
        self,
        database: Database,
        writers: Desk,
        worker: Worker,
        readers: tuple[Chunks, Facts, Sequence[Layer]],
        clock: Clock,
    ) -> None:
        self._database = database
        self._writers = writers
        self._worker = worker
        self._chunks, self._facts, self._layers = readers
        self._clock = clock

    async def backfill(self, space: str, progress: Progress) -> Backfilled:
        pace = (
            None if (await self._writers.for_space(space)).best.draft else PACE
        )  # without a model there is no call to space out
        wanted: dict[str, Range] = {}
        skipped = 0
        for channel in await self._database.read(space, log.channels):
            found, had = await self._database.write(space, lambda tx: self._ask(tx, channel, pace))  # noqa: B023
            wanted |= {range.key: range for range in found}
            skipped += had
        states = await self._until_tried(space, list(wanted), progress)
        done = [range for key, range in wanted.items() if key not in states or states[key]["state"] == DONE]
        created = await self._database.read(space, lambda tx: _created(tx, done))
        return Backfilled(len(wanted), created, skipped, len(wanted) - len(done))

    async def _ask(self, tx: Transaction, channel: Channel, pace: str | None) -> tuple[list[Range], int]:
        """Cuts what was never cut, and asks for what was never read. Also says how many chunks had been read."""
        now = self._clock()
        fresh = await self._chunks.cut(tx, channel.channel, channel.last_seq, now)
        made = await facts.unread(tx, channel.channel)
        asked = [range for range in await _asked(tx) if range.channel == channel.channel]
        unread = {range.key: range for range in (*fresh, *asked, *made)}
        states = await jobs.states(tx, EXTRACT, list(unread))
        for key, range in unread.items():
            if key not in states or states[key]["state"] != RUNNING:
                await self._facts.ask(tx, range, now, pace=pace)
        for layer in self._layers:
            await layer.ask_unread(tx, channel.channel, now, pace)
        return list(unread.values()), await facts.read_in(tx, channel.channel)

    async def _until_tried(self, space: str, keys: list[str], progress: Progress) -> Mapping[str, Row]:
        """Works, beside whatever other workers there are, until each of these jobs has had its turn."""
        work = asyncio.create_task(self._worker.settle(), name="erstwhile-backfill")
        try:
            while True:
                await asyncio.wait([work], timeout=_LOOK_SECONDS)
                states = await self._database.read(space, lambda tx: jobs.states(tx, EXTRACT, keys))
                left = sum(_untried(row) for row in states.values())
                progress(len(keys) - left, len(keys))
                if work.done():
                    work.result()
                    if not left:
                        return states
                    await asyncio.sleep(_LOOK_SECONDS)  # another worker has them
                    work = asyncio.create_task(self._worker.settle(), name="erstwhile-backfill")
        finally:
            work.cancel()


def _untried(job: Row) -> bool:
    return bool(job["state"] == RUNNING or (job["state"] == WAITING and job["attempts"] == 0))


async def _asked(tx: Transaction) -> list[Range]:
    """Ranges whose job is still open and that have no facts yet, not even drafts."""
    found = [Range(**payload) for payload in await jobs.open_payloads(tx, EXTRACT)]
    return [range for range in found if await facts.found_in(tx, range) is None]


async def _created(tx: Transaction, ranges: list[Range]) -> int:
    return sum([await facts.found_in(tx, range) or 0 for range in ranges])
