"""Detect dead workers. A worker increments a beat on its jobs; others watch it with their own
monotonic clock.

So clocks need not agree and may jump: a job is reclaimed when its beat has not changed for a whole
lease. On the same machine an exited process is detected at once.
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

_MAX_CRASHES = 10  # crashes of workers on one job before it is parked
_own_workers: set[str] = set()  # the workers of this process


class Leases:
    def __init__(self, database: Database, seconds: float, clock: Clock) -> None:
        self._database = database
        self._seconds = seconds
        self._clock = clock
        self._held: set[str] = set()
        self._beating: asyncio.Task[None] | None = None
        self._seen: dict[tuple[str, str, str], tuple[int, int, float]] = {}
        self.worker = f"{_machine()}:{os.getpid()}:{secrets.token_hex(4)}"
        _own_workers.add(self.worker)

    def hold(self, job: Job) -> None:
        self._held.add(job.id)
        if self._beating is None:
            self._beating = asyncio.create_task(self._beat(), name="erstwhile-beat")

    def release(self, job: Job) -> None:
        self._held.discard(job.id)

    async def close(self) -> None:
        if self._beating is not None:
            self._beating.cancel()
            await asyncio.gather(self._beating, return_exceptions=True)
            self._beating = None
        _own_workers.discard(self.worker)

        async def unit(tx: Transaction) -> None:
            await tx.run(queries.release, worker=self.worker)

        with contextlib.suppress(StorageError):  # then others reclaim the jobs when the lease ends
            await self._database.write(EVERYWHERE, unit)

    async def _beat(self) -> None:
        async def unit(tx: Transaction) -> None:
            beats = [{"worker": self.worker, "id": id} for id in sorted(self._held)]
            await tx.run_many(queries.beat, beats)

        while True:
            await asyncio.sleep(self._seconds / 3)
            if self._held:
                with contextlib.suppress(StorageError):  # the lease allows for a missed beat
                    await self._database.write(EVERYWHERE, unit)
            stop_if_cancelled()

    async def reclaim_abandoned(self) -> None:
        running = await self._database.read(EVERYWHERE, lambda tx: tx.all(queries.running))
        # Our own but not held: neither its result nor its failure could be stored.
        dead = [row for row in running if row["id"] not in self._held and self._is_abandoned(row)]
        keys = {_key(row) for row in running}
        self._seen = {key: seen for key, seen in self._seen.items() if key in keys}
        if not dead:
            return

        async def unit(tx: Transaction) -> None:
            for row in dead:
                await self._reclaim(tx, row)

        await self._database.write(EVERYWHERE, unit)

    async def _reclaim(self, tx: Transaction, row: Row) -> None:
        hopeless = row["faults"] + 1 >= _MAX_CRASHES
        now = micros(self._clock())
        reason = "Its worker died."
        if hopeless:
            often = f"Its worker died {row['faults'] + 1} times."
            reason = f"{often} Read the worker's log, then use `erstwhile jobs retry`."
        place = {name: row[name] for name in ("space", "kind", "key", "token")}
        state, end = (PARKED, now) if hopeless else (WAITING, None)
        told = {"state": state, "reason": reason, "now": now, "finished_at": end}
        taken = await tx.run(queries.take_back, **place, **told)
        if taken and hopeless:
            await events.emit(tx, "job", PARKED, row["id"], space=row["space"])
        if taken:
            whose = {name: row[name] for name in ("kind", "key", "worker")}
            log.warning("job.reclaimed", **whose, parked=hopeless)

    def _is_abandoned(self, row: Row) -> bool:
        if _has_exited(row["worker"]):
            return True
        count, now = (row["token"], row["beat"]), time.monotonic()
        token, beat, since = self._seen.setdefault(_key(row), (*count, now))
        if (token, beat) != count:
            self._seen[_key(row)] = (*count, now)
            return False
        return now - since > self._seconds


def stop_if_cancelled() -> None:
    """Raise if the task was cancelled: a driver may turn a cancellation into its own error, or lose
    it (wait_for before Python 3.12)."""
    task = asyncio.current_task()
    if task is not None and task.cancelling():
        raise asyncio.CancelledError


def _key(row: Row) -> tuple[str, str, str]:
    return row["space"], row["kind"], row["key"]


@cache
def _machine() -> str:
    """Return the host and, in a container, its process namespace: the scope of a process id."""
    try:
        namespace = os.stat("/proc/self/ns/pid").st_ino
    except OSError:
        namespace = 0
    return f"{socket.gethostname()}/{namespace}"


def _has_exited(worker: str) -> bool:
    machine, pid, _ = worker.rsplit(":", 2)
    if machine != _machine():
        return False
    if int(pid) == os.getpid():
        return worker not in _own_workers
    if os.name == "nt":  # there, os.kill would end the process
        return False
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return True
    except PermissionError:
        return False
    return False
