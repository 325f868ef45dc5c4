from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from erstwhile.base.records import dataclass
from erstwhile.storage import Transaction, Unit

WAITING, RUNNING, DONE, PARKED = STATES = ("waiting", "running", "done", "parked")
SHOWN = (*STATES, "timer")  # waits for its time, not for a worker
GRACE = timedelta(seconds=10)  # that work on old messages, as of an import, waits for more of them
FAR = timedelta(minutes=10)  # timers that are farther ahead are set to the minute
_MINUTE = timedelta(minutes=1)
_MIDNIGHT = datetime(1970, 1, 1, tzinfo=UTC)


def to_the_minute(due: datetime, now: datetime) -> datetime:
    """Return the whole minute after a time that is far ahead. Every message postpones a timer; so most leave it where it
    is, and need not write it."""
    return due + -(due - _MIDNIGHT) % _MINUTE if due - now >= FAR else due


@dataclass(frozen=True, slots=True)
class Job:
    """A claimed job. `attempts` includes this one; `faults` are attempts that failed because of the
    job itself, not because of an outage."""

    space: str
    kind: str
    key: str
    id: str
    payload: Mapping[str, Any]
    attempts: int
    faults: int
    token: int

    @property
    def place(self) -> dict[str, str | int]:
        """Where it is, as long as this worker has it."""
        return {"kind": self.kind, "key": self.key, "token": self.token}


@dataclass(frozen=True, slots=True)
class NewJob:
    """`lane`: only one job of a lane runs at a time. `pace`: jobs of a pace start no faster than
    its limit.

    `due` and `limit`: enqueueing a waiting job again moves it to the new `due`, but never past its
    first `limit`. Such a job is a timer until it is due.
    """

    kind: str
    key: str
    payload: Mapping[str, Any]
    lane: str | None = None
    pace: str | None = None
    due: datetime | None = None
    limit: datetime | None = None


@dataclass(frozen=True, slots=True)
class ListedJob:
    """A job as listed for people; its state is one of `SHOWN`."""

    id: str
    space: str
    kind: str
    key: str
    state: str
    attempts: int
    due_at: datetime
    reason: str | None


@dataclass(frozen=True, slots=True)
class QueueCount:
    """Unfinished jobs of one kind and state. `oldest`: when the first was or will be due. `retried`
    of them failed before, one of them for this `reason`."""

    state: str
    kind: str
    jobs: int
    oldest: datetime
    retried: int
    reason: str | None


async def nothing(_tx: Transaction) -> None:
    """Store nothing."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """Results of a step, stored together with the job's completion. With a `failure` they are
    stored and the job is retried."""

    effects: Unit[object] = nothing
    failure: Exception | None = None


Step = Callable[[Job], Awaitable[Outcome]]


@dataclass(frozen=True, slots=True)
class Settled:
    """`done` in this call; `waiting` for a retry or running elsewhere, without timers; `parked`
    until someone retries them."""

    done: int
    waiting: int
    parked: int
