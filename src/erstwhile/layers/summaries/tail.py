"""Decide when the end of a quiet conversation is read. Plain functions over its state.

The messages after the last full chunk are its tail. Without a model it is read whenever it has been
quiet; a draft costs nothing. A model reads it once the conversation is over, and again only when it
has twice as many messages, so that a slow conversation does not cost calls for every message.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

from erstwhile.base.records import dataclass
from erstwhile.jobs.model import NewJob, to_the_minute

READ_TAIL: Final = "chunks.read_tail"
OVER: Final = timedelta(days=1)  # a conversation is over after so long without a message
_NEVER: Final = timedelta(days=36_500)


@dataclass(frozen=True, slots=True)
class Tail:
    """Messages `first` to `last`, read up to `read_to` (0: not at all), finally or as a `draft`."""

    first: int
    last: int
    at: datetime
    read_to: int = 0
    draft: bool = True


@dataclass(frozen=True, slots=True)
class TailPlan:
    """Whether to read the tail now, and when to look again."""

    read: bool
    again: datetime | None = None


def plan(tail: Tail, quiet: timedelta, now: datetime, *, model: bool) -> TailPlan:
    since = min(tail.at, now)
    if since + quiet > now:
        return TailPlan(read=False, again=since + quiet)
    more = tail.last > tail.read_to
    if not model:
        return TailPlan(read=more and (tail.draft or not tail.read_to))
    over = max(since + OVER, since + quiet)
    if over > now:
        return TailPlan(read=more and tail.draft, again=over)
    twice = tail.last - tail.first + 1 >= 2 * (tail.read_to - tail.first + 1)
    return TailPlan(read=tail.draft or (more and twice))


def timer(channel: str, due: datetime) -> NewJob:
    """Return the job that looks at a channel's tail. Each message postpones it."""
    payload = {"channel": channel}
    return NewJob(
        READ_TAIL, key=channel, payload=payload, pace="model", due=due, limit=due + _NEVER
    )


def due(at: datetime, quiet: timedelta, grace: timedelta, now: datetime) -> datetime:
    """Return when to look at a tail whose last message is from `at`. An old one waits a moment."""
    when = min(at, now) + quiet
    return to_the_minute(when, now) if when > now else now + grace
