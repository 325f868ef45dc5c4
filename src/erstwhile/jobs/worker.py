"""Run due jobs: in the background, in `erstwhile worker`, or once for `settle`."""

from __future__ import annotations

import asyncio
import random
import time
import traceback
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import field
from datetime import datetime, timedelta
from pathlib import Path

from erstwhile.base import crash, tracing
from erstwhile.base.clock import Clock
from erstwhile.base.errors import Error, LeaseLost, StorageError
from erstwhile.base.logs import Log
from erstwhile.base.records import dataclass
from erstwhile.jobs import store
from erstwhile.jobs.leases import Leases, stop_if_cancelled
from erstwhile.jobs.model import Job, Outcome, Settled, Step
from erstwhile.jobs.retry import decide
from erstwhile.storage import EVERYWHERE, Database, Transaction

log = Log(__name__)

_HOUSEKEEPING_SECONDS = 3600
_LOOK_SECONDS = 0.5  # between looks around of a worker that always has something to do
_FIRST_HOUSEKEEPING_SECONDS = 1  # a process that only adds a message and ends is spared it

FindWork = Callable[[], Awaitable[None]]
Chore = Callable[[datetime], Awaitable[None]]  # housekeeping of other packages


@dataclass(frozen=True, slots=True)
class Pacing:
    """Settings of a worker. `gaps`: the time between starts of two jobs of a pace; a pace without
    one is not limited."""

    concurrency: int = 4
    poll_seconds: float = 1.0
    lease_seconds: float = 30.0
    retry_base_seconds: float = 2.0
    gaps: Mapping[str, timedelta] = field(default_factory=dict)
    keep_done: timedelta = timedelta(days=1)


class Worker:
    def __init__(
        self,
        database: Database,
        steps: Mapping[str, Step],
        clock: Clock,
        pacing: Pacing,
        find_work: FindWork | None = None,
        chores: Sequence[Chore] = (),
    ) -> None:
        """`find_work` enqueues work that nobody enqueued, before due jobs are claimed."""
        self._database = database
        self._find_work = find_work
        self._steps = steps
        self._clock = clock
        self._pacing = pacing
        self._chores = chores
        self._leases = Leases(database, pacing.lease_seconds, clock)
        self._tasks: set[asyncio.Task[None]] = set()
        self._loop: asyncio.Task[None] | None = None
        self._wake = asyncio.Event()
        # So that `settle` does not miss jobs that the background loop is claiming.
        self._claiming = asyncio.Lock()
        self._random = random.Random()
        self._looked = float("-inf")
        self._more = False  # whether the last claim left jobs that are due
        self.done = 0

    @property
    def kinds(self) -> frozenset[str]:
        """The kinds of jobs that it can run."""
        return frozenset(self._steps)

    def start(self) -> None:
        """Run in the background until `stop`."""
        if self._loop is None:
            self._loop = asyncio.create_task(self.run(), name="erstwhile-worker")

    def wake(self) -> None:
        """Look for due jobs now, not at the next poll."""
        self._wake.set()

    async def stop(self) -> None:
        """Stop. Running jobs go back to waiting."""
        if self._loop is not None:  # first, and completely: it may be about to start another job
            self._loop.cancel()
            await asyncio.gather(self._loop, return_exceptions=True)
            self._loop = None
        running = list(self._tasks)
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)
        await self._leases.close()

    async def run(self) -> None:
        housekeeping = time.monotonic() + _FIRST_HOUSEKEEPING_SECONDS
        while True:
            try:
                if time.monotonic() >= housekeeping:
                    await self._delete_done()
                    for chore in self._chores:
                        await chore(self._clock())
                    housekeeping = time.monotonic() + _HOUSEKEEPING_SECONDS
                pause = 0.0 if await self._start_due() else await self._until_next()
            except StorageError as error:  # unavailable for now; jobs are safe in the database
                log.warning("worker.storage_unavailable", error=str(error))
                pause = self._pacing.poll_seconds
            stop_if_cancelled()
            await self._sleep(pause)

    async def settle(self) -> Settled:
        """Run everything that is due, and what becomes due by it, then count what is left."""
        before = self.done
        while True:
            busy = bool(self._tasks)
            if await self._start_due():
                continue
            if self._tasks:
                await asyncio.wait(self._tasks, return_when=asyncio.FIRST_COMPLETED)
            elif busy:
                continue  # one ended meanwhile: its follow-up jobs were not there yet
            elif (pause := await self._pace_wait()) is not None:
                await asyncio.sleep(pause)
            else:
                break
        await self._delete_done()
        counted = await self._database.read(EVERYWHERE, lambda tx: store.counts(tx, self._clock()))
        return Settled(
            done=self.done - before,
            waiting=counted["waiting"] + counted["running"],
            parked=counted["parked"],
        )

    async def _delete_done(self) -> None:
        await store.delete_done(self._database, self._clock() - self._pacing.keep_done)

    async def queue(self) -> tuple[dict[str, int], float]:
        """Count jobs by state in all spaces, and return for how many seconds the oldest has been
        due."""
        now = self._clock()

        async def unit(tx: Transaction) -> tuple[dict[str, int], datetime | None]:
            return await store.counts(tx, now), await store.next_due(tx, now)

        counted, due = await self._database.read(EVERYWHERE, unit)
        return counted, 0.0 if due is None else max(0.0, (now - due).total_seconds())

    # Claiming

    async def _start_due(self) -> bool:
        """Start due jobs up to the concurrency limit; return whether there were any."""
        if len(self._tasks) >= self._pacing.concurrency:
            await asyncio.wait(self._tasks, return_when=asyncio.FIRST_COMPLETED)
            return True
        async with self._claiming:
            return await self._claim()

    async def _claim(self) -> bool:
        room = self._pacing.concurrency - len(self._tasks)
        if room <= 0:
            return True
        if not self._more and not await self._any_due() and not await self._found_work():
            return False

        async def unit(tx: Transaction) -> list[Job]:
            worker, gaps = self._leases.worker, self._pacing.gaps
            return await store.claim(tx, worker, self._clock(), limit=room, gaps=gaps)

        jobs = await self._database.write(EVERYWHERE, unit)
        if self._more and not jobs:  # there were no more: look, as without that guess
            self._more = False
            return await self._claim()
        self._more = len(jobs) == room and not self._is_time_to_look()
        for job in jobs:
            crash.point("jobs.after_claim")
            task = asyncio.create_task(self._work(job), name=f"erstwhile-{job.kind}")
            self._tasks.add(task)
            task.add_done_callback(self._ended)
        return bool(jobs)

    async def _any_due(self) -> bool:
        """Check with a read, so that an idle worker never blocks writers. Look around now and then,
        also while there is always something due."""
        if self._is_time_to_look():
            await self._look()
        now = self._clock()
        due = await self._database.read(EVERYWHERE, lambda tx: store.next_due(tx, now))
        return due is not None and due <= now

    def _is_time_to_look(self) -> bool:
        return time.monotonic() - self._looked > _LOOK_SECONDS

    async def _found_work(self) -> bool:
        """Look around because nothing is due; return whether something is due now."""
        await self._look()
        return await self._any_due()

    async def _look(self) -> None:
        """Reclaim the jobs of dead workers, and enqueue work that nobody enqueued."""
        self._looked = time.monotonic()
        await self._leases.reclaim_abandoned()
        if self._find_work is not None:
            await self._find_work()

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        self.wake()

    async def _until_next(self) -> float:
        now = self._clock()
        due = await self._database.read(EVERYWHERE, lambda tx: store.next_due(tx, now))
        if due is None:
            return self._pacing.poll_seconds
        return min(self._pacing.poll_seconds, max(0.01, (due - now).total_seconds()))

    async def _pace_wait(self) -> float | None:
        """Return the seconds until a due but paced job may start; None if nothing is due."""
        if not any(self._pacing.gaps.values()):
            return None
        wait = await self._database.read(EVERYWHERE, lambda tx: store.pace_free(tx, self._clock()))
        return max(0.01, wait.total_seconds()) if wait is not None else None

    async def _sleep(self, seconds: float) -> None:
        with suppress(TimeoutError):
            # Not `wait_for`: that of Python 3.11 can swallow a cancellation.
            async with asyncio.timeout(seconds):
                await self._wake.wait()
        self._wake.clear()

    # Running

    async def _work(self, job: Job) -> None:
        self._leases.hold(job)
        try:
            step = self._steps.get(job.kind)
            if step is None:
                await self._fail(job, LookupError(f"no step for {job.kind}"))
                return
            told = {"space": job.space, "job": job.kind, "attempt": job.attempts}
            with tracing.span("job", f"job {job.kind}", **told):
                outcome = await step(job)
            crash.point("jobs.after_step")
            await self._complete(job, outcome)
            crash.point("jobs.after_completion")
        except LeaseLost as lost:
            log.warning("job.lease_lost", job=job.id, kind=job.kind, reason=str(lost))
        except Exception as error:  # noqa: BLE001 - whatever a step raises, the job is retried or parked, never lost
            await self._fail(job, error)
        finally:
            self._leases.release(job)

    async def _complete(self, job: Job, outcome: Outcome) -> None:
        async def unit(tx: Transaction) -> None:
            if outcome.failure is None:
                await store.finish(tx, job, self._clock())
            else:
                await self._put_off(tx, job, outcome.failure)
            await outcome.effects(tx)
            crash.point("jobs.after_effects")

        await self._database.write(job.space, unit)
        if outcome.failure is None:
            self.done += 1

    async def _fail(self, job: Job, error: Exception) -> None:
        try:
            await self._database.write(job.space, lambda tx: self._put_off(tx, job, error))
        except LeaseLost:
            log.warning("job.lease_lost", job=job.id, kind=job.kind)
        except StorageError as away:  # the lease expires and the job is claimed again
            log.warning("job.retry_not_stored", job=job.id, kind=job.kind, error=str(away))

    async def _put_off(self, tx: Transaction, job: Job, error: Exception) -> None:
        now = self._clock()
        base = self._pacing.retry_base_seconds
        decision = decide(error, job.attempts, base, self._random, job.faults)
        await store.put_off(tx, job, decision, now)
        log.warning(
            "job.parked" if decision.parked else "job.retry_scheduled",
            job=job.id,
            kind=job.kind,
            attempts=job.attempts,
            wait=round(decision.wait.total_seconds(), 3),
            reason=decision.reason,
            **({} if isinstance(error, Error) else {"raised": _traceback(error)}),
        )


def _traceback(error: Exception) -> str:
    """Return where it was raised. Its message is left out: it may quote what people said."""
    frames = traceback.extract_tb(error.__traceback__)[-4:]
    return f"{type(error).__name__} at " + " < ".join(
        f"{Path(frame.filename).name}:{frame.lineno}" for frame in reversed(frames)
    )
