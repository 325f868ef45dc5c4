"""Take out of a memory the dates that its messages bear out: what they say, and when they were written."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Final

from erstwhile.text import when
from erstwhile.writers.port import TranscriptLine

_YEAR: Final = re.compile(r"(?<!\d)\d{4}(?!\d)")
_Time = tuple[datetime | None, datetime | None]
_DAY, _WEEK = timedelta(days=1), timedelta(days=7)


def _times(line: TranscriptLine, at: datetime) -> Iterator[_Time]:
    """Yield when it was written and the times it names; a weekday may be the last or the next."""
    yield at, at + _DAY
    for span in when.spans(line.text, at):
        first, last = span.first, span.last
        yield first, last
        if first and last and at - _WEEK <= first <= at and last - first <= _DAY:
            yield first + _WEEK, last + _WEEK


def without_dates(claim: str, lines: Sequence[TranscriptLine]) -> str:
    """Take out the dates that the messages say or that they were written on."""
    now = next((each.at for each in reversed(lines) if each.at), None)
    if now is None:
        return claim
    spans = when.spans(claim, now)
    if not spans:
        return claim
    known = [time for each in lines if each.at for time in _times(each, each.at)]
    for span in reversed(spans):
        readings = list(_readings(span, dated=_YEAR.search(span.text) is not None))
        if any(_same_time(time, each) for time in readings for each in known):
            claim = claim[: span.start] + " " + claim[span.end :]
    return claim


def _readings(span: when.TimeSpan, *, dated: bool) -> Iterator[_Time]:
    """Yield the time; without a year, also that of the years before and after."""
    yield span.first, span.last
    if not dated and span.first and span.last and span.last - span.first <= 31 * _DAY:
        for years in (-1, 1):
            with suppress(ValueError):  # 29 February
                first = span.first.replace(year=span.first.year + years)
                yield first, first + (span.last - span.first)


def _same_time(one: _Time, other: _Time) -> bool:
    """Return whether two times are the same, or a day is in a week or month. An open end says
    nothing."""
    if None in one or None in other:
        return bool({*one, *other} - {None}) and (one[0] or one[1]) in other
    (first, last), (begin, end) = one, other
    assert first is not None
    assert last is not None
    assert begin is not None
    assert end is not None
    return first < end and begin < last and last - first <= 40 * _DAY
