"""Read the times `since` and `until` of a request."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta

from erstwhile.base.clock import micros, parse
from erstwhile.base.errors import InvalidInput

Time = datetime | date | str


def between(since: Time | None, until: Time | None) -> tuple[int | None, int | None]:
    """Return a period in microseconds: from the first up to, not with, the second. A day is meant whole, in UTC, also as the end."""
    first = None if since is None else _micros("since", since, 0)
    last = None if until is None else _micros("until", until, 1)
    return first, last


def _micros(what: str, given: Time, days: int) -> int:
    if isinstance(given, str):
        given = _read(what, given)
    if isinstance(given, datetime):
        return micros(given)
    try:
        return micros(datetime.combine(given, time(), UTC) + timedelta(days=days))
    except OverflowError:
        raise InvalidInput(f"`{what}` is later than there are days.") from None


def _read(what: str, text: str) -> datetime | date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        pass
    try:
        return parse(text)
    except InvalidInput as error:
        raise InvalidInput(f"`{what}`: {error} Or name a day: 2026-03-01.") from None
