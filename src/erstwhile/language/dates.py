"""How a language writes dates and relative times, which are resolved from today."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from functools import cached_property

from erstwhile.language import Language


@dataclass(frozen=True)
class Relative:
    """The words in the groups of the pattern: `near`, `which` with `period` or `weekday`, `year`, and
    `number` with `unit` and `side`; `which2` is `which` where the words have another order."""

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
    months: Sequence[str] = tuple(map(str, range(1, 13)))
    relative: Relative | None = None
    read: Callable[[Dates, re.Match[str], date], str] | None = None
    """Converts a match to a date; without it `relative` does."""
    days_of_month: str = ""
    """The format of two days in one month: number of the first, and the formatted second."""
    either: str = ""
    """The format of two days of which one is meant; without it a weekday is that of the week named."""

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
        if unit == "month":
            return self._month(today, number)
        return self.year.format(today.year + number)

    def _month(self, today: date, months: int) -> str:
        index = today.year * 12 + today.month - 1 + months
        return self.month.format(index // 12, self.months[index % 12])

    def _told(self, match: re.Match[str], today: date) -> str:
        words = self.relative
        if words is None:
            return ""
        said = {name.rstrip("2"): each.lower() for name, each in match.groupdict().items() if each}
        if "near" in said:
            return self.write_day(today + timedelta(days=words.near[said["near"]]))
        if "year" in said:
            return self.distance(today, words.years[said["year"]], "year")
        if "number" in said:
            written = said["number"]
            number = int(written) if written.isdecimal() else words.numbers[written]
            sign = -1 if said["side"] == words.before else 1
            return self.distance(today, sign * number, words.units[said["unit"]])
        step = words.which[said["which"]]
        if said.get("period") == words.month:
            return self._month(today, step)
        if "weekday" in said:
            names = words.weekdays.split() if " " in words.weekdays else list(words.weekdays)
            day = names.index(said["weekday"]) if said["weekday"] in names else 6
            if self.either:
                return self.name_weekday(today, step, day)
            return self.write_day(weekday(today, step, day))
        return self.distance(today, step, "week")

    def name_weekday(self, today: date, step: int, day: int) -> str:
        """Resolve a weekday. "Next Friday" may be the coming one or that of next week: give both."""
        if step < 0:
            return self.write_day(today - timedelta(days=(today.weekday() - day - 1) % 7 + 1))
        after = weekday(today, step, day)
        coming = today + timedelta(days=(day - today.weekday() - 1) % 7 + 1)
        if step == 0 or coming == after:
            return self.write_day(after)
        one = str(coming.day) if coming.month == after.month else self.write_day(coming)
        return self.either.format(one, self.write_day(after))


def weekday(today: date, weeks: int, day: int) -> date:
    """Return a day of the week that is so many weeks from this one; Monday is 0."""
    return today - timedelta(days=today.weekday()) + timedelta(weeks=weeks, days=day)


def read(language: Language) -> Dates:
    """Read how a language writes dates from its data."""
    data = language.data("dates")
    return Dates(**{**data, "relative": Relative(**data["relative"])})
