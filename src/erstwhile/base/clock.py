"""Time. Due times and "today" follow an injected clock; leases do not (see jobs)."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta

from erstwhile.base.errors import InvalidInput

Clock = Callable[[], datetime]

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_FIRST = (datetime.min.replace(tzinfo=UTC) - _EPOCH) // _MICROSECOND
_LAST = (datetime.max.replace(tzinfo=UTC) - _EPOCH) // _MICROSECOND


def utc_now() -> datetime:
    return datetime.now(UTC)


def first_midnight(until: datetime, days: int) -> datetime:
    """Return midnight UTC of the first of `days` days that end with the day of `until`."""
    midnight = until.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    return midnight - timedelta(days=days - 1)


def micros(moment: datetime) -> int:
    """Convert a time to microseconds since 1970, as it is stored; exact for years 1 to 9999."""
    if moment.tzinfo is None:
        raise InvalidInput(
            f"The time {moment.isoformat()} has no zone. Add one, for example {moment.isoformat()}+00:00 or {moment.isoformat()}Z."
        )
    stored = (moment - _EPOCH) // _MICROSECOND
    if not _FIRST <= stored <= _LAST:  # an offset can move it out of the years 1 to 9999
        raise InvalidInput(f"The time {moment.isoformat()} is outside the years 1 to 9999 in UTC.")
    return stored


def moment(stored: int) -> datetime:
    return _EPOCH + timedelta(0, 0, stored)


def day(at: date) -> str:
    """Return the day as people write it: 3 May 2026."""
    return f"{at.day} {at:%b %Y}"


def parse(text: str) -> datetime:
    try:
        parsed = datetime.fromisoformat(text)
    except ValueError:
        how = "Write it like 2026-03-01T09:30:00+09:00."
        raise InvalidInput(f"{text!r} is not a time. {how}") from None
    micros(parsed)  # refuses a time without a zone
    return parsed
