"""The timer of a buffer: a job that each message postpones, so that it survives the process."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Final

from erstwhile.jobs import store as jobs
from erstwhile.jobs.model import FAR, NewJob, to_the_minute
from erstwhile.layers.notes import store
from erstwhile.layers.notes.buffer import Timing, due
from erstwhile.layers.notes.model import Buffer
from erstwhile.storage import Transaction

FLUSH: Final = "notes.flush"


def flush_job(channel: str, first: int, when: datetime, limit: datetime | None = None) -> NewJob:
    payload = {"channel": channel, "first_seq": first}
    return NewJob(
        FLUSH, key=f"{channel}:{first}", payload=payload, pace="model", due=when, limit=limit
    )


async def set_timer(tx: Transaction, buffer: Buffer, timing: Timing, now: datetime) -> None:
    await jobs.enqueue(tx, _timer(buffer, _times(buffer, timing, now)), now)


_Times = tuple[datetime, datetime | None]  # when a timer is due, and until when it may be postponed


def _times(buffer: Buffer, timing: Timing, now: datetime) -> _Times:
    when = to_the_minute(due(buffer, timing, now), now)
    # An old conversation, as of an import, has no limit: it waits for its other messages.
    limit = buffer.started_at + timing.limit if buffer.started_at + timing.limit > now else None
    return when, limit


async def put_buffers(
    tx: Transaction, buffers: Sequence[Buffer], timing: Timing, now: datetime
) -> None:
    """Store buffers, each with its timer."""
    await continue_buffers(tx, buffers, {}, timing, now)


async def continue_buffers(
    tx: Transaction,
    buffers: Sequence[Buffer],
    held: Mapping[str, Buffer],
    timing: Timing,
    now: datetime,
) -> None:
    """Store buffers that were open, with their timers, but for those that stay where they are."""
    await store.put_buffers(tx, buffers)
    moved = []
    for each in buffers:
        was, times = held.get(each.channel), _times(each, timing, now)
        if (
            was is None
            or was.first_seq != each.first_seq
            or times[0] - now < FAR
            or times != _times(was, timing, now)
        ):
            moved.append(_timer(each, times))
    await jobs.enqueue_all(tx, moved, now)


def _timer(buffer: Buffer, times: _Times) -> NewJob:
    return flush_job(buffer.channel, buffer.first_seq, *times)
