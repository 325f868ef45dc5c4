from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from erstwhile.memories.model import StoredMemory
from erstwhile.storage import Row

DAY = "day"
OVER = 24  # the bucket of a day that is over
WEEK = 6  # the days before today that make the history
EVERYTHING = "*"  # the view of whoever runs the memory, who hears all


@dataclass(frozen=True, slots=True)
class Day:
    """What one person did on one day, as far as its audience may hear: "" is everyone in the space, else a private channel.
    It runs from `from_at` to `to_at`."""

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
class Batch:
    """The days of all people before one audience, as they were last made: from so many `messages`, up to the hour `bucket`."""

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
    """The days of one person up to `until` as one text; `hash` is of the days it was made from."""

    audience: str
    until: date
    hash: str
    text: str
    draft: bool


@dataclass(frozen=True, slots=True)
class Portrait:
    """What is known of a person: `told` what someone asked to remember, `today` and `history` (the six days before) what they did, `text`
    the three in one; `merged` says that a model made it of them, `view` for whom: "" for everyone, "*" for whoever runs the memory, else
    for those of a channel. The ids are of what each was made from."""

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

    @property
    def known(self) -> tuple[str, ...]:
        """Those of the three that say anything, in the order in which they count."""
        return tuple(text for text in (self.told, self.today, self.history) if text)


@dataclass(frozen=True, slots=True)
class View:
    """Who is asked about, and who hears the answer: those in the channel `here`, and `asker`. `here` None is whoever runs the memory; ""
    is a talk with nobody but the asker. `within`: the app says of which channels it may be."""

    person: str
    here: str | None = None
    asker: str | None = None
    within: Sequence[str] | None = None


@dataclass(frozen=True, slots=True)
class Moment:
    """Now, where the days of the space begin and end."""

    now: datetime
    zone: ZoneInfo

    @property
    def today(self) -> date:
        return self.now.astimezone(self.zone).date()

    @property
    def hour(self) -> int:
        return self.now.astimezone(self.zone).hour


def bounds(day: date, zone: ZoneInfo) -> tuple[datetime, datetime]:
    """From one local midnight to the next: 23 to 25 hours."""
    return _midnight(day, zone), _midnight(day + timedelta(days=1), zone)


def _midnight(day: date, zone: ZoneInfo) -> datetime:
    return datetime.combine(day, time.min, zone)


def day_of(memory: StoredMemory) -> Day:
    return Day(
        id=memory.id,
        day=date.fromisoformat(memory.category),
        audience=memory.channel,
        person=memory.person or "",
        from_at=memory.from_at or memory.at,
        to_at=memory.to_at or memory.at,
        text=memory.text,
        writer=memory.writer,
        draft=memory.draft,
        made_at=memory.created_at,
    )


def batch_from_row(row: Row) -> Batch:
    return Batch(
        date.fromisoformat(row["day"]), row["audience"], row["bucket"], row["messages"], draft=bool(row["draft"])
    )


def week_from_row(row: Row) -> Week:
    return Week(row["audience"], date.fromisoformat(row["until"]), row["hash"], row["text"], draft=bool(row["draft"]))
