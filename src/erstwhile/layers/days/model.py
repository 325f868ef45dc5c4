from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime, time, timedelta, tzinfo

from erstwhile.base.records import copied, dataclass
from erstwhile.memories.model import StoredMemory

DAY = "day"
OVER = 24  # the bucket of a day that is over
WEEK = 6  # days before today in the history
EVERYTHING = "*"  # the view of the operator, who sees all


@dataclass(frozen=True, slots=True)
class Day:
    """What one person did on one day, from `from_at` to `to_at`. `audience`: "" if everyone in the
    space may see it, else a private channel."""

    id: str
    day: date
    audience: str
    person: str
    from_at: datetime
    to_at: datetime
    text: str
    writer: str
    draft: bool
    made_at: datetime


@dataclass(frozen=True, slots=True)
class DayBatch:
    """The days of all people for one audience: made of so many `messages`, in the hour `bucket`."""

    day: date
    audience: str
    bucket: int
    messages: int
    draft: bool

    @property
    def over(self) -> bool:
        return self.bucket == OVER


@dataclass(frozen=True, slots=True)
class Week:
    """One text about a person's days up to `until`; `hash` is of the days it was made from."""

    audience: str
    until: date
    hash: str
    text: str
    draft: bool


@dataclass(frozen=True, slots=True)
class Portrait:
    """What is known about a person. `told`: what someone asked to remember; `today` and `history`
    (the six days before): what they did; `text`: the three as one text, by a model if `merged`.
    `view`: who may see it, "" for everyone, "*" for the operator, else a channel. `stated`: facts on file, one per line.
    The ids are those of the sources."""

    person: str
    name: str
    told: str = ""
    today: str = ""
    history: str = ""
    text: str = ""
    merged: bool = False
    view: str = ""
    told_ids: tuple[str, ...] = ()
    today_ids: tuple[str, ...] = ()
    history_ids: tuple[str, ...] = ()
    stated: str = ""
    stated_ids: tuple[str, ...] = ()

    @property
    def known(self) -> tuple[str, ...]:
        """The texts that are not empty, the most important first."""
        return tuple(text for text in (self.told, self.today, self.history) if text)


@dataclass(frozen=True, slots=True)
class View:
    """A question about a person, and who reads the answer: the people in `here`, and `asker`.
    `here` None is the operator; "" is a conversation with the asker alone. `within`: only content
    of these channels."""

    person: str
    here: str | None = None
    asker: str | None = None
    within: Sequence[str] | None = None


@dataclass(frozen=True, slots=True)
class Moment:
    """A time and the time zone in which days begin and end."""

    now: datetime
    zone: tzinfo

    @property
    def today(self) -> date:
        return self.now.astimezone(self.zone).date()

    @property
    def hour(self) -> int:
        return self.now.astimezone(self.zone).hour


def bounds(day: date, zone: tzinfo) -> tuple[datetime, datetime]:
    """Return one local midnight and the next: 23 to 25 hours."""
    next_day = day + timedelta(days=1)
    return datetime.combine(day, time.min, zone), datetime.combine(next_day, time.min, zone)


def day_of(memory: StoredMemory) -> Day:
    return copied(
        Day,
        memory,
        day=date.fromisoformat(memory.category),
        audience=memory.channel,
        person=memory.person or "",
        from_at=memory.from_at or memory.at,
        to_at=memory.to_at or memory.at,
        made_at=memory.created_at,
    )
