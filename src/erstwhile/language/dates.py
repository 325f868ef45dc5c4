"""How a language writes dates and relative times, which are resolved from today."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date, timedelta
from functools import cached_property

from erstwhile.language import Language


@dataclass(frozen=True)
class Relative:
    """The words in the groups of the pattern: `near`, `which` and `period` (with `weekday`),
    `year`, and `number` with `unit` and `side`."""

    near: Mapping[str, int]
    which: Mapping[str, int]
    years: Mapping[str, int]
    units: Mapping[str, str]
    weekdays: str
    month: str
    before: str
    numbers: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Dates:
    """Formats get year, month and day, or a formatted day."""

    pattern: str
    day: str
    month: str
    week: str
    year: str = "{0}"
    days: str = "{0} – {1}"
    brackets: str = " ({0})"
    months: tuple[str, ...] = tuple(map(str, range(1, 13)))
    relative: Relative | None = None
    read: Callable[[Dates, re.Match[str], date], str] | None = None
    """Converts a match to a date; without it `relative` does."""
    days_of_month: str = ""
    """The format of two days in one month: number of the first, and the formatted second."""

    @cached_property
    def found(self) -> re.Pattern[str]:
        return re.compile(self.pattern, re.IGNORECASE)

    def said(self, match: re.Match[str], today: date) -> str:
        return self.read(self, match, today) if self.read else self._told(match, today)

    def write_day(self, on: date) -> str:
        return self.day.format(on.year, self.months[on.month - 1], on.day)

    def write_days(self, first: date, last: date) -> str:
        if self.days_of_month and (first.year, first.month) == (last.year, last.month):
            return self.days_of_month.format(first.day, self.write_day(last))
        return self.days.format(self.write_day(first), self.write_day(last))

    def distance(self, today: date, number: int, unit: str) -> str:
        """Format the date `number` units from today; a longer unit gives a less precise date."""
        if unit == "day":
            return self.write_day(today + timedelta(days=number))
        if unit == "week":
            return self.week.format(self.write_day(weekday(today, number, 0)))
        return self._month(today, number) if unit == "month" else self.year.format(today.year + number)

    def _month(self, today: date, months: int) -> str:
        index = today.year * 12 + today.month - 1 + months
        return self.month.format(index // 12, self.months[index % 12])

    def _told(self, match: re.Match[str], today: date) -> str:
        words = self.relative
        if words is None:
            return ""
        if match["near"]:
            return self.write_day(today + timedelta(days=words.near[match["near"]]))
        if match["year"]:
            return self.distance(today, words.years[match["year"]], "year")
        if match["number"]:
            written = match["number"]
            number = int(written) if written.isdecimal() else words.numbers[written]
            return self.distance(
                today, -number if match["side"] == words.before else number, words.units[match["unit"]]
            )
        step = words.which[match["which"]]
        if match["period"] == words.month:
            return self._month(today, step)
        if match["weekday"]:
            found = words.weekdays.find(match["weekday"])
            return self.write_day(weekday(today, step, found if found >= 0 else 6))
        return self.distance(today, step, "week")


def weekday(today: date, weeks: int, day: int) -> date:
    """Return a day of the week that is so many weeks from this one; Monday is 0."""
    return today - timedelta(days=today.weekday()) + timedelta(weeks=weeks, days=day)


def read(language: Language) -> Dates:
    """Read how a language writes dates from its data."""
    data = language.data("dates")
    return Dates(**{**data, "relative": Relative(**data["relative"])})
