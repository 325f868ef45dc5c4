"""A month as a calendar shows it, and days as they are written."""

from __future__ import annotations

from calendar import Calendar
from collections.abc import Mapping
from datetime import date, timedelta

from erstwhile.base.errors import InvalidInput
from erstwhile.base.records import dataclass
from erstwhile.layers.notes.model import NotedDay

WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
LEVELS = ("", "level-1", "level-2", "level-3", "level-4")  # how dark a day is


@dataclass(frozen=True, slots=True)
class Month:
    """`cells` are its days in rows of seven from Monday; None belongs to another month."""

    first: date
    last: date
    cells: tuple[date | None, ...]

    @property
    def name(self) -> str:
        return f"{self.first:%B %Y}"

    @property
    def earlier(self) -> str | None:
        """The month before, as in an address; None at the beginning of time."""
        return None if self.first == date.min else (self.first - timedelta(days=1)).isoformat()[:7]

    @property
    def later(self) -> str | None:
        return None if self.last == date.max else (self.last + timedelta(days=1)).isoformat()[:7]


def month_of(day: date) -> Month:
    cells = [
        day.replace(day=each) if each else None
        for each in Calendar().itermonthdays(day.year, day.month)
    ]
    days = [each for each in cells if each is not None]
    return Month(days[0], days[-1], tuple(cells))


def read_month(written: str) -> Month:
    try:
        return month_of(date.fromisoformat(f"{written}-01"))
    except ValueError:
        raise InvalidInput(f"{written!r} is not a month. Write it like 2026-03.") from None


def read_day(written: str) -> date:
    try:
        return date.fromisoformat(written)
    except ValueError:
        raise InvalidInput(f"{written!r} is not a day. Write it like 2026-03-02.") from None


def fullness(day: NotedDay | None, of: Mapping[date, NotedDay]) -> int:
    """Return how full a day is compared with the fullest, from 0 to 4."""
    most = max((each.notes for each in of.values()), default=0)
    return 0 if day is None or not most else max(1, -(-(len(LEVELS) - 1) * day.notes // most))


def long(day: date) -> str:
    return f"{day:%A} {day.day} {day:%B %Y}"
