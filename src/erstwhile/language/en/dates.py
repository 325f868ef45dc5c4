"""How English writes dates, and what "last week" was."""

from __future__ import annotations

import re
from datetime import date, timedelta
from typing import Final

from erstwhile.language.dates import Dates, weekday
from erstwhile.language.en.calendar import MONTHS_SHORT, WEEKDAYS

_NUMBERS: Final = {
    "a": 1,
    "an": 1,
    "one": 1,
    "two": 2,
    "three": 3,
    "four": 4,
    "five": 5,
    "six": 6,
    "ten": 10,
}
# "I haven't eaten meat in 8 years" tells how long, not when.
_SINCE: Final = re.compile(r"\b(?:\w{2,6}n't|not|never|first|longest)\b[^.,;!?]{0,40}\Z", re.I)
_NEAR: Final = {
    "day before yesterday": -2,
    "yesterday": -1,
    "last night": -1,
    "tomorrow": 1,
    "day after tomorrow": 2,
}


def _read(dates: Dates, match: re.Match[str], today: date) -> str:
    if match["near"]:
        return dates.write_day(today + timedelta(days=_NEAR.get(match["near"].lower(), 0)))
    if match["number"]:
        return dates.distance(today, -_number(match["number"]), match["unit"].lower())
    if match["ahead"]:
        if _SINCE.search(match.string, 0, match.start()):
            return ""
        return dates.distance(today, _number(match["ahead"]), match["later"].lower())
    step = {"last": -1, "this": 0, "next": 1}[match["which"].lower()]
    period = match["period"].lower()
    if period == "weekend":
        return f"weekend of {dates.write_day(weekday(today, step, 5))}"
    if period in WEEKDAYS:
        return dates.name_weekday(today, step, WEEKDAYS.index(period))
    return dates.distance(today, step, period)


def _number(written: str) -> int:
    return int(written) if written.isdecimal() else _NUMBERS[written.lower()]


DATES: Final = Dates(
    pattern=(
        r"\b(?:(?P<near>day before yesterday|day after tomorrow|yesterday|today|tomorrow|tonight|last night"
        r"|this (?:morning|evening))"
        r"|(?P<which>last|next|this) (?P<period>weekend|week|month|year|(?:mon|tues|wednes|thurs|fri|satur|sun)day)(?! of\b)"
        r"|(?P<number>\d{1,3}|an?|one|two|three|four|five|six|ten) (?P<unit>day|week|month|year)s? ago"
        r"|in (?P<ahead>\d{1,3}|an?|one|two|three|four|five|six|ten) (?P<later>day|week|month|year)s?(?! of\b))\b(?!')"
    ),
    day="{2} {1} {0}",
    month="{1} {0}",
    week="week of {0}",
    months=MONTHS_SHORT,
    read=_read,
    days_of_month="{0}–{1}",
    either="{0} or {1}",
)
