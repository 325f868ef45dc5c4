"""Who is alive. A worker counts a beat on the jobs it runs; others watch the count by their own monotonic clock.

So no clock has to agree with another, and none may jump: a job is taken back when its count stood still for a whole lease. On the same
machine there is no need to wait: a process that is gone is seen to be gone.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import secrets
import socket
import time
from functools import cache

from erstwhile.base.clock import Clock, micros
from erstwhile.base.errors import StorageError
from erstwhile.base.logs import Log
from erstwhile.events import store as events
from erstwhile.jobs.model import PARKED, WAITING, Job
from erstwhile.jobs.store import queries
from erstwhile.storage import EVERYWHERE, Database, Row, Transaction

log = Log(__name__)

_DEATHS = 10  # workers that may die on one job before it is parked
_here: set[str] = set()  # the workers of this process


class Leases:
    def __init__(self, database: Database, seconds: float, clock: Clock) -> None:
        self._database = database
        self._seconds = seconds
        self._clock = clock
        self._held: set[str] = set()
        self._beating: asyncio.Task[None] | None = None
        self._seen: dict[tuple[str, str, str], tuple[int, int, float]] = {}
        self.worker = f"{_machine()}:{os.getpid()}:{secrets.token_hex(4)}"
        _here.add(self.worker)

    def hold(self, job: Job) -> None:
        self._held.add(job.id)
        if self._beating is None:
            self._beating = asyncio.create_task(self._beat(), name="erstwhile-beat")

    def let_go(self, job: Job) -> None:
        self._held.discard(job.id)

    async def close(self) -> None:
        if self._beating is not None:
            self._beating.cancel()
            await asyncio.gather(self._beating, return_exceptions=True)
            self._beating = None
        _here.discard(self.worker)

        async def unit(tx: Transaction) -> None:
            await tx.run(queries.release, worker=self.worker)

        with contextlib.suppress(StorageError):  # then others take the jobs back when the lease ends
            await self._database.write(EVERYWHERE, unit)

    async def _beat(self) -> None:
        async def unit(tx: Transaction) -> None:
            await tx.run_many(queries.beat, [{"worker": self.worker, "id": id} for id in sorted(self._held)])

        while True:
            await asyncio.sleep(self._seconds / 3)
            if self._held:
                with contextlib.suppress(StorageError):  # a missed beat is what the lease allows for
                    await self._database.write(EVERYWHERE, unit)
            stop_if_cancelled()

    async def take_back_from_the_dead(self) -> None:
        running = await self._database.read(EVERYWHERE, lambda tx: tx.all(queries.running))
        # One of our own that we don't hold: neither its result nor its failure could be written.
        dead = [row for row in running if row["id"] not in self._held and self._is_dead(row)]
        self._seen = {key: seen for key, seen in self._seen.items() if key in {_key(row) for row in running}}
        if not dead:
            return

        async def unit(tx: Transaction) -> None:
            for row in dead:
                await self._take_back(tx, row)

        await self._database.write(EVERYWHERE, unit)

    async def _take_back(self, tx: Transaction, row: Row) -> None:
        hopeless = row["faults"] + 1 >= _DEATHS
        now = micros(self._clock())
        taken = await tx.run(
            queries.take_back,
            space=row["space"],
            kind=row["kind"],
            key=row["key"],
            token=row["token"],
            state=PARKED if hopeless else WAITING,
            reason=f"Its worker died {row['faults'] + 1} times. Look at the worker's log, then `erstwhile jobs retry`."
            if hopeless
            else "Its worker died.",
            now=now,
            finished_at=now if hopeless else None,
        )
        if taken and hopeless:
            await events.emit(tx, "job", PARKED, row["id"], space=row["space"])
        if taken:
            log.warning("job.taken_back", kind=row["kind"], key=row["key"], worker=row["worker"], parked=hopeless)

    def _is_dead(self, row: Row) -> bool:
        if _gone(row["worker"]):
            return True
        count, now = (row["token"], row["beat"]), time.monotonic()
        token, beat, since = self._seen.setdefault(_key(row), (*count, now))
        if (token, beat) != count:
            self._seen[_key(row)] = (*count, now)
            return False
        return now - since > self._seconds


def stop_if_cancelled() -> None:
    """For loops: a cancellation can come out of the driver as its own error, or get lost in its pool (wait_for before Python 3.12)."""
    task = asyncio.current_task()
    if task is not None and task.cancelling():
        raise asyncio.CancelledError


def _key(row: Row) -> tuple[str, str, str]:
    return row["space"], row["kind"], row["key"]


@cache
def _machine() -> str:
    """The host and, in a container, its process namespace: where a process id means something."""
    try:
        namespace = os.stat("/proc/self/ns/pid").st_ino
    except OSError:
        namespace = 0
    return f"{socket.gethostname()}/{namespace}"


def _gone(worker: str) -> bool:
    machine, pid, _ = worker.rsplit(":", 2)
    if machine != _machine():
        return False
    if int(pid) == os.getpid():
        return worker not in _here
    if os.name == "nt":  # there, os.kill is no question but a kill
        return False
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return True
    except PermissionError:
        return False
    return False
