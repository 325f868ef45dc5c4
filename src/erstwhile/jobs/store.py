"""The table of jobs. Every function runs inside the caller's transaction."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from erstwhile.base import ids
from erstwhile.base.clock import micros, moment
from erstwhile.base.errors import LeaseLost
from erstwhile.base.records import from_row
from erstwhile.events import store as events
from erstwhile.jobs.model import GRACE, PARKED, STATES, WAITING, Job, ListedJob, NewJob, QueueCount
from erstwhile.jobs.retry import RetryDecision
from erstwhile.storage import EVERYWHERE, Database, Row, Transaction
from erstwhile.storage.queries import load

queries = load(__package__)
_encode = json.JSONEncoder(ensure_ascii=False).encode


def real_now() -> int:
    """Return the real time, for pacing: limits of a provider do not follow an injected clock."""
    return time.time_ns() // 1000


async def enqueue(tx: Transaction, job: NewJob, now: datetime, *, revive: bool = True) -> None:
    await enqueue_all(tx, [job], now, revive=revive)


async def enqueue_all(
    tx: Transaction, jobs: Sequence[NewJob], now: datetime, *, revive: bool = True
) -> None:
    """Enqueue jobs in one statement."""
    if jobs:
        rows = {(job.kind, job.key): _row(job, now) for job in jobs}
        await tx.run_many(queries.enqueue, list(rows.values()), revive=int(revive))


async def dues(tx: Transaction, kind: str, keys: Sequence[str]) -> dict[str, datetime]:
    """Return when those of these jobs are due that wait."""
    rows = await tx.all(queries.dues, kind=kind, keys=json.dumps(list(keys)))
    return {row["key"]: moment(row["due_at"]) for row in rows if row["state"] == WAITING}


def _row(job: NewJob, now: datetime) -> dict[str, Any]:
    return {
        "kind": job.kind,
        "key": job.key,
        "id": ids.new("job"),
        "lane": job.lane,
        "pace": job.pace,
        "payload": _encode(job.payload),
        "due": micros(job.due or now),
        "limit_at": None if job.limit is None else micros(job.limit),
        # Not 0: a job that was deleted and created again must not match an old token.
        "token": ids.at_random(30),
        "now": micros(now),
    }


async def claim(
    tx: Transaction, worker: str, now: datetime, *, limit: int, gaps: Mapping[str, timedelta]
) -> list[Job]:
    """Claim up to `limit` due jobs: one per lane, and one per gap for each pace that has one."""
    found = await tx.all(queries.due, now=micros(now), real_now=real_now(), limit=limit)
    taken: list[Job] = []
    lanes: set[tuple[str, str]] = set()
    for row in found:
        lane = (row["space"], row["lane"])
        if row["lane"] is not None and lane in lanes:
            continue
        gap = gaps.get(row["pace"])
        if gap and not await _take_pace(tx, row, gap):
            continue
        place = {name: row[name] for name in ("space", "kind", "key", "token")}
        if await tx.run(queries.claim, **place, worker=worker):
            lanes.add(lane)
            taken.append(_job(row))
    return taken


async def _take_pace(tx: Transaction, row: Row, gap: timedelta) -> bool:
    now = real_now()
    free_at = now + int(gap.total_seconds() * 1_000_000)
    which = {"space": row["space"], "pace": row["pace"]}
    return bool(await tx.run(queries.take_pace, **which, real_now=now, free_at=free_at))


def _job(row: Row) -> Job:
    mine = {"attempts": row["attempts"] + 1, "token": row["token"] + 1}
    return from_row(Job, row, payload=json.loads(row["payload"]), **mine)


async def finish(tx: Transaction, job: Job, now: datetime) -> None:
    if not await tx.run(queries.finish, **job.place, now=micros(now)):
        raise LeaseLost(f"Job {job.id} was taken over by another worker; this result is discarded.")


async def check_held(tx: Transaction, job: Job) -> None:
    """Raise if the job no longer belongs to the worker; for steps that write several times."""
    if not await tx.first(queries.held, **job.place):
        raise LeaseLost(
            f"Job {job.id} was taken over by another worker, or is needed no longer; the rest is left to it."
        )


async def put_off(tx: Transaction, job: Job, decision: RetryDecision, now: datetime) -> None:
    parked = decision.parked
    row = {"state": PARKED if parked else WAITING, "due": micros(now + decision.wait)}
    row |= {"fault": int(decision.fault), "finished_at": micros(now) if parked else None}
    if not await tx.run(queries.put_off, **job.place, **row, reason=decision.reason):
        raise LeaseLost(f"Job {job.id} was taken over by another worker.")
    if parked:
        await events.emit(tx, "job", PARKED, job.id)


async def next_due(tx: Transaction, now: datetime) -> datetime | None:
    row = await tx.first(queries.next_due, now=micros(now), real_now=real_now())
    return moment(row["due_at"]) if row and row["due_at"] is not None else None


async def pace_free(tx: Transaction, now: datetime) -> timedelta | None:
    """Return the wait until a due but paced job may start; None if there is none."""
    row = await tx.first(queries.pace_free, now=micros(now))
    free = row["free_at"] if row else None
    return None if free is None else timedelta(microseconds=free - real_now())


async def counts(tx: Transaction, now: datetime) -> dict[str, int]:
    """Count jobs by state, without timers that are not due."""
    rows = await tx.all(queries.counts, only=tx.space or None, now=micros(now))
    return dict.fromkeys(STATES, 0) | {row["state"]: row["jobs"] for row in rows}


async def listed(
    tx: Transaction, now: datetime, *, state: str | None, limit: int
) -> list[ListedJob]:
    given = {"only": tx.space or None, "state": state, "limit": limit, "now": micros(now)}
    return [from_row(ListedJob, row) for row in await tx.all(queries.list, **given)]


async def queue(tx: Transaction, now: datetime) -> list[QueueCount]:
    """Count jobs by state and kind, with timers."""
    rows = await tx.all(queries.queue, only=tx.space or None, now=micros(now))
    return [from_row(QueueCount, row, retried=int(row["retried"])) for row in rows]


async def retry(tx: Transaction, id: str | None, now: datetime) -> int:
    rows = await tx.all(queries.retry, id=id, only=tx.space or None, now=micros(now))
    for row in rows:
        await events.emit(tx, "job", "retried", row["id"], space=row["space"])
    return len(rows)


async def hurry(tx: Transaction, kinds: Sequence[str], now: datetime) -> None:
    """Make due, in all spaces, what only waits for more messages of an import."""
    given = {"now": micros(now), "until": micros(now + GRACE)}
    await tx.run(queries.hurry, kinds=json.dumps(list(kinds)), **given)


async def park(tx: Transaction, id: str, reason: str, now: datetime) -> int:
    rows = await tx.all(queries.park, id=id, only=tx.space or None, reason=reason, now=micros(now))
    for row in rows:
        await events.emit(tx, "job", PARKED, row["id"], space=row["space"])
    return len(rows)


async def states(tx: Transaction, kind: str, keys: Sequence[str]) -> dict[str, Row]:
    """Return state, attempts and reason of these jobs, by key."""
    rows = await tx.all(queries.states, kind=kind, keys=json.dumps(list(keys))) if keys else []
    return {row["key"]: row for row in rows}


async def open_payloads(tx: Transaction, kind: str) -> list[Mapping[str, Any]]:
    """Return the payloads of unfinished jobs of a kind."""
    return [json.loads(row["payload"]) for row in await tx.all(queries.open_payloads, kind=kind)]


async def due_payloads(tx: Transaction, kind: str, now: datetime) -> list[Mapping[str, Any]]:
    """Return the payloads of the jobs of a kind that run or are due."""
    rows = await tx.all(queries.due_payloads, kind=kind, now=micros(now))
    return [json.loads(row["payload"]) for row in rows]


async def restart(tx: Transaction, kind: str, key: str) -> None:
    """Restart a job whose input changed: a running one's result will be refused."""
    await tx.run(queries.restart, kind=kind, key=key)


async def restart_many(tx: Transaction, kind: str, keys: Sequence[str]) -> None:
    """Restart several jobs. Nobody claims waiting ones before the commit."""
    for key in sorted(keys):
        await tx.run(queries.refuse, kind=kind, key=key)


async def hold_kind(tx: Transaction, kind: str) -> None:
    """Lock the jobs of a kind, before changing what they lock when they complete: one order avoids
    deadlocks."""
    await tx.run(queries.hold_kind, kind=kind)


async def finish_same_kind(tx: Transaction, job: Job, now: datetime) -> None:
    """Complete all waiting jobs of this kind, in all spaces, together with this one."""
    await tx.run(queries.leave_to, kind=job.kind, id=job.id, now=micros(now))


async def restart_all(tx: Transaction) -> None:
    """Restart all jobs of the space. Nobody claims waiting ones before the commit."""
    await tx.run(queries.restart_all)


async def readers(tx: Transaction, channel: str, first: int, last: int) -> list[Row]:
    """Return kind and key of jobs that may have read these messages, and the `first_seq` of what
    they are about, if they have one."""
    quoted = json.dumps(channel, ensure_ascii=False)  # as written in a payload
    place = {"channel": channel, "quoted": quoted, "first": first, "last": last}
    return await tx.all(queries.readers, **place)


async def run_again(tx: Transaction, kind: str, key: str, now: datetime) -> None:
    """Run a done or running job once more."""
    await tx.run(queries.again, kind=kind, key=key, now=micros(now))


async def cancel_naming(tx: Transaction, named: str, fields: Sequence[str]) -> int:
    """Cancel jobs whose payload has this value in one of the fields; return how many. The result of
    a running one will be refused."""
    gone = 0
    for row in await tx.all(queries.naming, quoted=json.dumps(named, ensure_ascii=False)):
        payload = json.loads(row["payload"])
        if any(payload.get(field) == named for field in fields):
            gone += await tx.run(queries.drop, kind=row["kind"], key=row["key"])
    return gone


async def mark_done(
    tx: Transaction, kind: str, key: str, now: datetime, *, waiting: bool = False
) -> bool:
    """Mark a job as done, because its work was just done elsewhere. A late result is refused. With `waiting`, only if
    nobody has begun it. Return whether there was one."""
    given = {"now": micros(now), "waiting": int(waiting)}
    return bool(await tx.run(queries.make_needless, kind=kind, key=key, **given))


async def delete_done(database: Database, before: datetime) -> None:
    async def unit(tx: Transaction) -> None:
        await tx.run(queries.forget_done, before=micros(before))

    await database.write(EVERYWHERE, unit)


async def drop_kinds(tx: Transaction, pattern: str) -> None:
    """Delete the jobs whose kind is LIKE the pattern."""
    await tx.run(queries.drop_kinds, prefix=pattern)
