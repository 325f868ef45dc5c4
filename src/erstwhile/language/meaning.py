"""What an expression of time means before it is known when it was said. Each is a small value; `resolve` turns it into dates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

Unit = Literal["minute", "hour", "day", "week", "weekend", "month", "quarter", "year"]


@dataclass(frozen=True, slots=True)
class Calendar:
    """A unit of the calendar, counted from the one that holds now: yesterday, this week, last month, next year."""

    unit: Unit
    shift: int


@dataclass(frozen=True, slots=True)
class Ago:
    """So many units back, or ahead when negative: three weeks ago, in two days."""

    unit: Unit
    number: int
    certain: bool = True


@dataclass(frozen=True, slots=True)
class Rolling:
    """The stretch that ends now: the past three days."""

    unit: Unit
    number: int


@dataclass(frozen=True, slots=True)
class Few:
    """An unknown small number of units: a few days ago, or, if it lasts until now, the last few days."""

    unit: Unit
    until_now: bool = False


@dataclass(frozen=True, slots=True)
class Vague:
    """Days counted back from today, for words without a number: recently, the other day, long ago."""

    first: int | None
    last: int


@dataclass(frozen=True, slots=True)
class Year:
    """A year by its number, or counted from this one."""

    number: int
    relative: bool = False


@dataclass(frozen=True, slots=True)
class Months:
    """A run of months: a month, a season, a quarter. Without a year, `which` tells: -1 last, 0 this, 1 next, None unsaid."""

    month: int
    count: int = 1
    year: Year | None = None
    which: int | None = None


@dataclass(frozen=True, slots=True)
class Date:
    """A day of a month, with or without its year."""

    month: int
    day: int
    year: Year | None = None
    which: int | None = None


@dataclass(frozen=True, slots=True)
class MonthDay:
    """A day of the month counted from this one; of the latest that has had it if that is not said: on the 12th."""

    day: int
    shift: int | None = None


@dataclass(frozen=True, slots=True)
class Weekday:
    """A day of the week (Monday is 0): by `which` as for months, or in the week counted from this one."""

    day: int
    which: int | None = None
    week: int | None = None


@dataclass(frozen=True, slots=True)
class ThirdOf:
    """The early (0), middle (1) or late (2) third of something."""

    of: Meaning
    third: int


@dataclass(frozen=True, slots=True)
class Hours:
    """Some hours of a day; past 24 they run into the next one."""

    of: Meaning
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Between:
    """From the start of the one to the end of the other."""

    one: Meaning
    other: Meaning


Meaning = Calendar | Ago | Rolling | Few | Vague | Year | Months | Date | MonthDay | Weekday | ThirdOf | Hours | Between

SPRING: Final = (3, 3)
SUMMER: Final = (6, 3)
AUTUMN: Final = (9, 3)
WINTER: Final = (12, 3)
FIRST_HALF: Final = (1, 6)
SECOND_HALF: Final = (7, 6)

# Said of a time of day people mean more than the clock does, so these overlap.
MORNING: Final = (0, 12)
AFTERNOON: Final = (12, 18)
EVENING: Final = (17, 29)

TODAY: Final = Calendar("day", 0)
YESTERDAY: Final = Calendar("day", -1)
BEFORE_YESTERDAY: Final = Calendar("day", -2)
TOMORROW: Final = Calendar("day", 1)
AFTER_TOMORROW: Final = Calendar("day", 2)
THIS_MORNING: Final = Hours(TODAY, *MORNING)
TONIGHT: Final = Hours(TODAY, *EVENING)
LAST_NIGHT: Final = Hours(YESTERDAY, *EVENING)

RECENTLY: Final = Vague(30, -1)
OTHER_DAY: Final = Vague(14, 0)
NOT_LONG_AGO: Final = Vague(60, 0)
WHILE_AGO: Final = Vague(None, 14)
LONG_AGO: Final = Vague(None, 365)
