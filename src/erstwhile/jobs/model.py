from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from erstwhile.storage import Unit

WAITING, RUNNING, DONE, PARKED = STATES = ("waiting", "running", "done", "parked")
SHOWN = (*STATES, "timer")  # one that waits for its time, not for a worker


@dataclass(frozen=True, slots=True)
class Job:
    """A claimed job. `attempts` counts this one too; `faults` are those that spoke against the job itself: no outage of others."""

    space: str
    kind: str
    key: str
    id: str
    payload: Mapping[str, Any]
    attempts: int
    faults: int
    token: int


@dataclass(frozen=True, slots=True)
class NewJob:
    """`lane`: of jobs with the same lane only one runs at a time. `pace`: jobs of one pace start no faster than the limit set for it.
    `due` and `limit`: asking again for a waiting job pushes it out to the new `due`, never past its first `limit`; such a job is a timer
    until it is due."""

    kind: str
    key: str
    payload: Mapping[str, Any]
    lane: str | None = None
    pace: str | None = None
    due: datetime | None = None
    limit: datetime | None = None


@dataclass(frozen=True, slots=True)
class Listed:
    """A job as people see it; its state is one of `SHOWN`."""

    id: str
    space: str
    kind: str
    key: str
    state: str
    attempts: int
    due_at: datetime
    reason: str | None


@dataclass(frozen=True, slots=True)
class Queued:
    """The jobs of one kind and state that are not done. `oldest` is when the first of them was, or will be, due; `retried` of them were
    tried before, one of them without success for this `reason`."""

    state: str
    kind: str
    jobs: int
    oldest: datetime
    retried: int
    reason: str | None


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a step made, to be written together with the job's completion. With a `failure`, it is written and the job is tried again."""

    effects: Unit[None]
    failure: Exception | None = None


Step = Callable[[Job], Awaitable[Outcome]]


@dataclass(frozen=True, slots=True)
class Settled:
    """`done` in this call; `waiting` for another try or running elsewhere, timers not counted; `parked` until someone looks."""

    done: int
    waiting: int
    parked: int
