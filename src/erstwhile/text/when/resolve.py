"""Meanings to dates. Everything here is the asker's own calendar: naive local times, made aware at
the very end.

Weeks begin on Monday, seasons are those of the northern hemisphere in whole months (winter is
December to February, named after the year it begins in), and what has no year is the latest that
has begun.
"""

from __future__ import annotations

from calendar import monthrange
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Final, NamedTuple

from erstwhile.language.meaning import (
    Calendar,
    Date,
    FewUnits,
    Hours,
    Meaning,
    MeaningRange,
    MonthDay,
    Months,
    RollingSpan,
    TimeAgo,
    TimeThird,
    Unit,
    VagueDays,
    Weekday,
    Year,
)

_DAY: Final = timedelta(days=1)
_HOUR: Final = timedelta(hours=1)
_FEW: Final = 7
# A leap day can be eight years back (1904 to 1896).
_YEARS_TRIED: Final = 9


class Window(NamedTuple):
    """From `first` to before `last`, on the asker's calendar; None is open."""

    first: datetime | None
    last: datetime | None
    certain: bool = True


def window(meaning: Meaning, now: datetime) -> Window | None:
    """Return when `meaning` was, said at the local time `now`; None for a date that does not exist or a
    year out of range."""
    try:
        return _window(meaning, now)
    except (ValueError, OverflowError):
        return None


def aware(moment: datetime | None, now: datetime) -> datetime | None:
    """Return the UTC time of a local one in the zone of `now`."""
    if moment is None:
        return None
    given = moment.replace(tzinfo=now.tzinfo)
    return given if now.tzinfo is UTC else given.astimezone(UTC)


def may_be_upcoming(meaning: Meaning) -> bool:
    """Return whether the next such time is another one: it has no year, and no "last" or "next"."""
    match meaning:
        case Months() | Date():
            return meaning.year is None and meaning.which is None
        case Weekday():
            return meaning.week is None and meaning.which is None
        case MonthDay():
            return meaning.shift is None
        case TimeAgo():
            return not meaning.certain
        case TimeThird(of, _):
            return may_be_upcoming(of)
        case MeaningRange(_, other):
            return may_be_upcoming(other)
    return False


def upcoming(meaning: Meaning, now: datetime) -> Meaning:
    """Return the next such time, of one that may be; what counts ahead is certain then."""
    match meaning:
        case TimeAgo():
            return replace(meaning, certain=True)
        case Weekday():
            return replace(meaning, which=1)
        case Months():
            first = _months(meaning, now)
            over = first + meaning.count <= _index(now)
            return replace(meaning, year=Year(first // 12 + over))
        case Date():
            return replace(meaning, year=_next_year(meaning, now))
        case MonthDay():
            return replace(meaning, shift=_next_month(meaning.day, now))
        case TimeThird(of, third):
            return TimeThird(upcoming(of, now), third)
        case MeaningRange(one, other):
            return MeaningRange(one, upcoming(other, now))
    return meaning


def _next_year(date: Date, now: datetime) -> Year | None:
    """None for a date that no year has."""
    for year in range(now.year, now.year + _YEARS_TRIED):
        try:
            if now.replace(year=year, month=date.month, day=date.day) >= now:
                return Year(year)
        except ValueError:
            continue
    return None


def _next_month(day: int, now: datetime) -> int | None:
    """Return how many months on; None for a day that no month has. Of three in a row one has the
    day."""
    for shift in range(day < now.day, 3):
        month = _index(now) + shift
        if day <= monthrange(month // 12, month % 12 + 1)[1]:
            return shift
    return None


def _window(meaning: Meaning, now: datetime) -> Window:
    match meaning:
        case Calendar(unit, shift):
            return Window(*_calendar(unit, shift, now))
        case TimeAgo():
            return _ago(meaning, now)
        case RollingSpan(unit, number):
            return Window(_rolling(unit, number, now), _midnight(now) + _DAY)
        case FewUnits(unit, until_now):
            last = _midnight(now) + _DAY if until_now else _moved(_start(unit, now), unit, -1)
            return Window(_moved(_start(unit, now), unit, -_FEW), last, certain=False)
        case VagueDays(first, last_day):
            today = _midnight(now)
            begun = None if first is None else today - first * _DAY
            return Window(begun, today - last_day * _DAY, certain=False)
        case Year():
            year = _year(meaning, now)
            return Window(_month(year * 12), _month(year * 12 + 12))
        case Months():
            start = _months(meaning, now)
            return Window(_month(start), _month(start + meaning.count))
        case Date():
            day = _date(meaning, now)
            return Window(day, day + _DAY)
        case MonthDay(day_number, shift_of_month):
            day = _month_day(day_number, shift_of_month, now)
            return Window(day, day + _DAY)
        case Weekday():
            day = _weekday(meaning, now)
            return Window(day, day + _DAY)
        case TimeThird(of, third):
            return _third(_window(of, now), third)
        case Hours(of, first_hour, last_hour):
            start_of_day = _bound(_window(of, now).first)
            return Window(start_of_day + first_hour * _HOUR, start_of_day + last_hour * _HOUR)
        case MeaningRange():
            return _between(meaning, now)


def _midnight(moment: datetime) -> datetime:
    return moment.replace(hour=0, minute=0, second=0, microsecond=0)


def _month(index: int) -> datetime:
    """Return the first of a month, months counted from January of year 0."""
    return datetime(index // 12, index % 12 + 1, 1)  # noqa: DTZ001 - local time; see `aware`


def _index(moment: datetime) -> int:
    return moment.year * 12 + moment.month - 1


def _year(year: Year, now: datetime) -> int:
    return now.year + year.number if year.relative else year.number


def _calendar(unit: Unit, shift: int, now: datetime) -> tuple[datetime, datetime]:
    today = _midnight(now)
    monday = today - today.weekday() * _DAY
    match unit:
        case "day" | "hour" | "minute":
            return today + shift * _DAY, today + (shift + 1) * _DAY
        case "week":
            return monday + 7 * shift * _DAY, monday + 7 * (shift + 1) * _DAY
        case "weekend":
            return monday + (7 * shift + 5) * _DAY, monday + 7 * (shift + 1) * _DAY
        case "month":
            return _month(_index(now) + shift), _month(_index(now) + shift + 1)
        case "quarter":
            start = _index(now) // 3 * 3 + 3 * shift
            return _month(start), _month(start + 3)
        case "year":
            return _month((now.year + shift) * 12), _month((now.year + shift + 1) * 12)


def _start(unit: Unit, now: datetime) -> datetime:
    return now if unit in ("hour", "minute") else _midnight(now)


def _rolling(unit: Unit, number: int, now: datetime) -> datetime:
    return _moved(_start(unit, now), unit, -number)


def _moved(moment: datetime, unit: Unit, number: int) -> datetime:
    """Return the same day and hour so many units on; the last day of a shorter month."""
    match unit:
        case "minute":
            return moment + number * timedelta(minutes=1)
        case "hour":
            return moment + number * _HOUR
        case "day":
            return moment + number * _DAY
        case "week" | "weekend":
            return moment + 7 * number * _DAY
        case "month" | "quarter" | "year":
            months = number * {"month": 1, "quarter": 3, "year": 12}[unit]
            first = _month(_index(moment) + months)
            longest = (_month(_index(first) + 1) - first).days
            return moment.replace(year=first.year, month=first.month, day=min(moment.day, longest))


def _ago(meaning: TimeAgo, now: datetime) -> Window:
    """A day is that day and a year that year. With weeks, months and hours people are about half a
    unit out."""
    unit, number = meaning.unit, meaning.number
    if unit in ("day", "year", "quarter", "weekend"):
        return Window(*_calendar(unit, -number, now), certain=meaning.certain)
    middle = _moved(_start(unit, now), unit, -number)
    match unit:
        case "week":
            return Window(middle - 3 * _DAY, middle + 4 * _DAY, meaning.certain)
        case "month":
            return Window(middle - 15 * _DAY, middle + 16 * _DAY, meaning.certain)
        case _:
            return Window(middle - _HOUR / 2, middle + _HOUR / 2, meaning.certain)


def _months(meaning: Months, now: datetime) -> int:
    """Return the first month of the run."""
    if meaning.year is not None:
        return _year(meaning.year, now) * 12 + meaning.month - 1
    here = _index(now)
    begun = here - (here - (meaning.month - 1)) % 12
    over = begun + meaning.count <= here
    match meaning.which:
        case None:
            return begun
        case 0:
            return begun if not over else now.year * 12 + meaning.month - 1
        case which if which > 0:
            return begun + 12 * which
        case which:
            return (begun if over else begun - 12) + 12 * (which + 1)


def _date(meaning: Date, now: datetime) -> datetime:
    if meaning.year is not None:
        return _month(_year(meaning.year, now) * 12).replace(month=meaning.month, day=meaning.day)
    today = _midnight(now)
    if meaning.which == 0:
        return today.replace(month=meaning.month, day=meaning.day)
    step = 1 if meaning.which and meaning.which > 0 else -1
    for years in range(_YEARS_TRIED):
        try:
            year = today.year + step * years
            day = today.replace(year=year, month=meaning.month, day=meaning.day)
        except ValueError:
            continue
        if (day > today) if step > 0 else (day <= today):
            return day
    raise ValueError


def _month_day(number: int, shift: int | None, now: datetime) -> datetime:
    if shift is not None:
        return _month(_index(now) + shift).replace(day=number)
    # Of three months in a row at least one has the day and is not ahead.
    for back in range(3):
        month = _month(_index(now) - back)
        day = month + (number - 1) * _DAY
        if day.month == month.month and day <= now:
            return day
    raise ValueError


def _weekday(meaning: Weekday, now: datetime) -> datetime:
    today = _midnight(now)
    monday = today - today.weekday() * _DAY
    if meaning.week is not None or meaning.which == 0:
        return monday + (7 * (meaning.week or 0) + meaning.day) * _DAY
    back = (today.weekday() - meaning.day) % 7
    match meaning.which:
        case None:
            return today - back * _DAY
        case which if which > 0:
            return today + (7 * which - back) * _DAY
        case which:
            return today - ((back or 7) - 7 * (which + 1)) * _DAY


def _third(whole: Window, third: int) -> Window:
    first, last = _bound(whole.first), _bound(whole.last)
    days = (last - first).days
    if 28 <= days <= 31:
        edges = [first, first + 10 * _DAY, first + 20 * _DAY, last]
    elif days >= 365:
        edges = [_month(_index(first) + 4 * each) for each in range(4)]
    else:
        edges = [first + each * (last - first) / 3 for each in range(4)]
        edges[1:3] = [_midnight(edge) for edge in edges[1:3]]
    return Window(edges[third], edges[third + 1], whole.certain)


def _between(meaning: MeaningRange, now: datetime) -> Window:
    """A year said once counts for both ends; said for neither, the one is the latest before the
    other."""
    one, other = meaning.one, meaning.other
    if (
        isinstance(one, Months | Date)
        and isinstance(other, Months | Date)
        and one.year is not None
        and other.year is None
    ):
        start = _bound(_window(one, now).first)
        years = (Year(start.year), Year(start.year + 1))
        same, following = (_window(replace(other, year=year), now) for year in years)
        return Window(start, same.last if start < _bound(same.last) else following.last)
    end = _window(other, now)
    if isinstance(one, Months | Date) and one.year is None and isinstance(other, Months | Date):
        start = _bound(_window(replace(one, which=None), _bound(end.first)).first)
    elif isinstance(one, Weekday) and one.which is one.week is None and isinstance(other, Weekday):
        start = _bound(_window(one, _bound(end.first)).first)
    else:
        start = _bound(_window(one, now).first)
    return Window(start, end.last, end.certain)


def _bound(moment: datetime | None) -> datetime:
    if moment is None:
        raise ValueError
    return moment
