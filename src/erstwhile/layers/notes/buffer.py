"""Decide when a channel's buffer is split, and when it is due. Plain functions over the times of
messages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from typing import Final

from erstwhile.base.records import dataclass
from erstwhile.base.settings import Settings
from erstwhile.jobs.model import GRACE
from erstwhile.layers.notes.model import Buffer
from erstwhile.log.model import Message

MOST: Final = 200  # messages of one buffer
FEW: Final = 12  # messages that are not divided further where a model refuses what some say
SPEAKS: Final = "user"  # the role of people; messages of bots, tools and the system are not noted


@dataclass(frozen=True, slots=True)
class Timing:
    """`quiet`: a buffer is noted after so long without a message; `limit`: its greatest age;
    `hour`: when the nightly run starts; `grace`: how long old messages, as of an import, wait for
    more."""

    quiet: timedelta = timedelta(minutes=25)
    limit: timedelta = timedelta(minutes=120)
    hour: int = 3
    zone: tzinfo = UTC
    topics: int = 8
    grace: timedelta = timedelta(0)

    def day(self, at: datetime) -> date:
        """Return the day of a time in the configured zone."""
        try:
            return at.astimezone(self.zone).date()
        except OverflowError:  # the first and the last day of the calendar
            return at.date()

    def night_of(self, day: date) -> datetime:
        """Return when the nightly run of a day starts: `hour` hours into the next day."""
        if day >= date.max - timedelta(days=1):
            return datetime.max.replace(tzinfo=UTC)
        return datetime.combine(day + timedelta(days=1), time(self.hour), self.zone).astimezone(UTC)

    def last_closed(self, now: datetime) -> date:
        """Return the last day whose nightly run is due."""
        today = self.day(now)
        for back in (1, 2):
            day = today - timedelta(days=back)
            if self.night_of(day) <= now:
                return day
        return today - timedelta(days=3)


def timing_of(settings: Settings, zone: tzinfo) -> Timing:
    given = settings.notes
    return Timing(
        quiet=timedelta(minutes=given.quiet_minutes),
        limit=timedelta(minutes=given.limit_minutes),
        hour=given.nightly_hour,
        zone=zone,
        topics=given.topics,
        grace=GRACE if settings.worker else timedelta(0),
    )


def by_people(messages: Iterable[Message], now: datetime) -> list[Message]:
    """Return the messages of people, none of them later than now."""
    said = (each for each in messages if each.role == SPEAKS)
    return [each if each.at <= now else replace(each, at=now) for each in said]


def fits(buffer: Buffer, at: datetime, timing: Timing) -> bool:
    """Return whether a message of this time belongs to the buffer's conversation. One from long
    before its start belongs to an older conversation that is being imported."""
    return (
        at - buffer.updated_at < timing.quiet
        and at - buffer.started_at < timing.limit
        and buffer.started_at - at < timing.quiet
        and buffer.messages < MOST
    )


def split(
    opened: Buffer | None,
    channel: str,
    said: Sequence[Message],
    timing: Timing,
    taken: Sequence[range] = (),
) -> list[Buffer]:
    """Continue the open buffer with these messages. All returned buffers but the last are closed.
    Messages in `taken` are in a note already, and no buffer spans them."""
    return list(_split(opened, channel, said, timing, taken))


def _split(
    current: Buffer | None,
    channel: str,
    said: Sequence[Message],
    timing: Timing,
    taken: Sequence[range],
) -> Iterator[Buffer]:
    for each in said:
        if current is not None and (
            not fits(current, each.at, timing) or _between(current.last_seq, each.seq, taken)
        ):
            yield replace(current, closed=True)
            current = None
        if taken and any(each.seq in stretch for stretch in taken):
            continue
        if current is None:
            current = Buffer(channel, each.seq, each.seq, 1, each.at, each.at, closed=False)
        else:
            current = current.extended(each.seq, each.at)
    if current is not None:
        yield current


def halves(buffer: Buffer, said: Sequence[Message]) -> list[Buffer]:
    """Return two closed buffers in place of one."""
    half = len(said) // 2
    second = said[half].seq
    ranges = (buffer.first_seq, second - 1, said[:half]), (second, buffer.last_seq, said[half:])
    found = []
    for first, last, some in ranges:
        times = [each.at for each in some]
        span = len(some), min(times), max(times)
        found.append(Buffer(buffer.channel, first, last, *span, closed=True))
    return found


def _between(after: int, seq: int, taken: Sequence[range]) -> bool:
    return bool(taken) and any(after < stretch.start <= seq for stretch in taken)


def due(buffer: Buffer, timing: Timing, now: datetime) -> datetime:
    """Return when its note is to be written."""
    if buffer.closed or buffer.messages >= MOST:
        return now
    when = min(buffer.updated_at + timing.quiet, buffer.started_at + timing.limit)
    return when if when > now else now + timing.grace
