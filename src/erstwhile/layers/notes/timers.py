"""The quiet timer of a buffer: a job that every further message pushes out, so that it outlives the process."""

from __future__ import annotations

from datetime import datetime
from typing import Final

from erstwhile.jobs import store as jobs
from erstwhile.jobs.model import NewJob
from erstwhile.layers.notes.buffer import Timing, due
from erstwhile.layers.notes.model import Buffer
from erstwhile.storage import Transaction

FLUSH: Final = "notes.flush"


def flush_job(channel: str, first: int, when: datetime, limit: datetime | None = None) -> NewJob:
    payload = {"channel": channel, "first_seq": first}
    return NewJob(FLUSH, key=f"{channel}:{first}", payload=payload, pace="model", due=when, limit=limit)


async def wind(tx: Transaction, buffer: Buffer, timing: Timing, now: datetime) -> None:
    when = due(buffer, timing, now)
    # What was over before it came in has no limit: it waits for the rest of it.
    limit = buffer.started_at + timing.limit if buffer.started_at + timing.limit > now else None
    await jobs.enqueue(tx, flush_job(buffer.channel, buffer.first_seq, when, limit), now)
