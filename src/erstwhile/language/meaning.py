"""What an expression of time means before it is known when it was said; see `resolve`."""

from __future__ import annotations

from typing import Final, Literal, cast, get_args

from erstwhile.base.records import dataclass

Unit = Literal["minute", "hour", "day", "week", "weekend", "month", "quarter", "year"]


@dataclass(frozen=True, slots=True)
class Calendar:
    """A unit of the calendar, counted from the current one: yesterday, this week, next year."""

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
    """A span that ends now: the past three days."""

    unit: Unit
    number: int


@dataclass(frozen=True, slots=True)
class Few:
    """An unknown small number of units: a few days ago, or, until now, the last few days."""

    unit: Unit
    until_now: bool = False


@dataclass(frozen=True, slots=True)
class Vague:
    """Days counted back from today, for words without a number: recently, long ago."""

    first: int | None
    last: int


@dataclass(frozen=True, slots=True)
class Year:
    """A year by its number, or counted from this one."""

    number: int
    relative: bool = False


@dataclass(frozen=True, slots=True)
class Months:
    """A month, season or quarter. Without a year, `which`: -1 last, 0 this, 1 next, else None."""

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
    """A day of a month counted from this one, or of the latest month with it: on the 12th."""

    day: int
    shift: int | None = None


@dataclass(frozen=True, slots=True)
class Weekday:
    """A day of the week (Monday is 0): by `which` as above, or in a week counted from this one."""

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
    """Some hours of a day; hours past 24 are in the next one."""

    of: Meaning
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Between:
    """From the start of one to the end of the other."""

    one: Meaning
    other: Meaning


_Relative = Calendar | Ago | Rolling | Few | Vague
_Dated = Year | Months | Date | MonthDay | Weekday
Meaning = _Relative | _Dated | ThirdOf | Hours | Between

# The first month, and how many.
SEASONS: Final = {
    "spring": (3, 3),
    "summer": (6, 3),
    "autumn": (9, 3),
    "winter": (12, 3),
    "first half": (1, 6),
    "second half": (7, 6),
}

# People use these words loosely, so the hours overlap.
HOURS: Final = {"morning": (0, 12), "afternoon": (12, 18), "tarde": (12, 21), "evening": (17, 29)}

_NAMED: Final[dict[str, Meaning]] = {
    "today": Calendar("day", 0),
    "yesterday": Calendar("day", -1),
    "before yesterday": Calendar("day", -2),
    "tomorrow": Calendar("day", 1),
    "after tomorrow": Calendar("day", 2),
    "early this year": ThirdOf(Year(0, relative=True), 0),
    "late this year": ThirdOf(Year(0, relative=True), 2),
    "recently": Vague(30, -1),
    "the other day": Vague(14, 0),
    "not long ago": Vague(60, 0),
    "a while ago": Vague(None, 14),
    "long ago": Vague(None, 365),
}


def read(written: str) -> Meaning:
    """Read a meaning as language files write it: "yesterday evening", "-2 week", "6 month ago"."""
    if written in _NAMED:
        return _NAMED[written]
    match written.split():
        case ["few", unit, "ago"]:
            return Few(_unit(unit))
        case ["few", unit]:
            return Few(_unit(unit), until_now=True)
        case ["past", number, unit]:
            return Rolling(_unit(unit), int(number))
        case [number, unit, "ago"]:
            return Ago(_unit(unit), int(number))
        case [number, unit, "hence"]:
            return Ago(_unit(unit), -int(number), certain=False)
        case [*day, hours] if hours in HOURS:
            return Hours(_NAMED[" ".join(day)], *HOURS[hours])
        case [shift, unit]:
            return Calendar(_unit(unit), int(shift))
    raise ValueError(f"{written} is no meaning of a time")


def _unit(name: str) -> Unit:
    if name not in get_args(Unit):
        raise ValueError(f"{name} is no unit of time")
    return cast(Unit, name)
