"""Write dates, and resolve "last week" on the day it was said.

Only an unambiguous expression becomes a day. A week stays a week; "next Friday" gives both days.
"""

from __future__ import annotations

import re
from datetime import date, datetime

from erstwhile import language
from erstwhile.language.dates import Dates


def day(on: date, spoken: str = language.DEFAULT) -> str:
    dates = _dates(spoken)
    return dates.write_day(on) if dates else on.isoformat()


def span(first: date, last: date, spoken: str = language.DEFAULT) -> str:
    """Format the days from `first` to `last`, as briefly as is clear."""
    if first == last:
        return day(first, spoken)
    dates = _dates(spoken)
    return dates.write_days(first, last) if dates else f"{first.isoformat()} – {last.isoformat()}"


def resolve(text: str, said: datetime | None, spoken: str) -> str:
    """Add dates in parentheses after the first few relative dates of a text."""
    dates = _dates(spoken)
    if said is None or dates is None:
        return text
    today = said.date()

    def spelled(match: re.Match[str]) -> str:
        try:
            meant = dates.said(match, today)
        except (OverflowError, ValueError):  # a date before year 1 or after 9999
            meant = ""
        return match[0] + dates.brackets.format(meant) if meant else match[0]

    return dates.found.sub(spelled, text, count=3)


def _dates(spoken: str) -> Dates | None:
    return language.of(spoken).dates if spoken in language.codes() else None
