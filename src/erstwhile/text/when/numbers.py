"""Numbers as they are written: digits in the shape of a date, and numerals spelled in
characters.
"""

from __future__ import annotations

from typing import Final, Literal

from erstwhile.base.later import late_pattern
from erstwhile.language.meaning import Date, Meaning, Months, Year
from erstwhile.language.time import Numerals

Shape = Literal["number", "year", "date", "dash", "comma"]
Piece = tuple[Shape, int | Meaning | None, int, int]

# Everything that hangs together, so that no piece of a telephone number or an address is taken for
# a year.
BLOB: Final = late_pattern(
    r"[0-9]{4}\. [0-9]{1,2}\. [0-9]{1,2}(?![0-9])|[0-9]+(?:[.,:/\-–—~〜][0-9]+)*"
)
_YEAR_FIRST: Final = late_pattern(r"([0-9]{4})([-/.]|\. )([0-9]{1,2})\2([0-9]{1,2})")
_YEAR_LAST: Final = late_pattern(r"([0-9]{1,2})([-/.])([0-9]{1,2})\2([0-9]{4})")
_YEAR_MONTH: Final = late_pattern(r"([0-9]{4})([-/])([0-9]{2})")
_PAIR: Final = late_pattern(r"([0-9]{1,4})([-–—~〜,])([0-9]{1,4})")
_EARLIEST, _LATEST = 1900, 2199


def shape(blob: str, at: int, day_first: bool) -> list[Piece]:
    """Return what a blob of digits that begins at `at` can be; nothing if it is no number of a
    date."""
    if blob.isdigit():
        piece = _plain(blob, at)
        return [piece] if piece else []
    whole = _date(blob, day_first)
    if whole:
        return [("date", whole, at, at + len(blob))]
    pair = _PAIR.fullmatch(blob)
    if not pair:
        return []
    one, other = _plain(pair[1], at), _plain(pair[3], at + pair.start(3))
    if one is None or other is None:
        return []
    middle = at + pair.start(2)
    if pair[2] == ",":
        if (one[0], other[0]) != ("number", "year"):
            return []
        return [one, ("comma", None, middle, middle + 1), other]
    return [one, ("dash", None, middle, middle + 1), other] if one[0] == other[0] else []


def _plain(digits: str, at: int) -> Piece | None:
    number = int(digits) if len(digits) <= 4 else 0
    if len(digits) == 4 and _EARLIEST <= number <= _LATEST:
        return "year", number, at, at + 4
    return ("number", number, at, at + len(digits)) if len(digits) <= 3 else None


def _date(blob: str, day_first: bool) -> Meaning | None:
    if match := _YEAR_FIRST.fullmatch(blob):
        return _checked(int(match[1]), int(match[3]), int(match[4]))
    if match := _YEAR_MONTH.fullmatch(blob):
        return Months(int(match[3]), year=Year(int(match[1]))) if 1 <= int(match[3]) <= 12 else None
    if match := _YEAR_LAST.fullmatch(blob):
        one, other, year = int(match[1]), int(match[3]), int(match[4])
        day, month = (one, other) if day_first or match[2] == "." else (other, one)
        return _checked(year, month, day) or _checked(year, day, month)
    return None


def _checked(year: int, month: int, day: int) -> Date | None:
    return Date(month, day, Year(year)) if 1 <= month <= 12 and 1 <= day <= 31 and year else None


def spelled(text: str, at: int, numerals: Numerals | None) -> tuple[int, int] | None:
    """Return the number spelled in characters at `at`, and where it ends."""
    match = numerals.pattern.match(text, at) if numerals else None
    if numerals is None or match is None:
        return None
    value = _value(match[0], numerals.ten, numerals.values)
    return None if value is None else (value, match.end())


def _value(run: str, ten: str, values: dict[str, int]) -> int | None:
    if ten not in run:
        digits = "".join(str(values[each]) for each in run)
        return int(digits) if len(digits) in (1, 4) else None
    tens, _, ones = run.partition(ten)
    if len(tens) > 1 or len(ones) > 1 or ten in ones:
        return None
    return (values[tens] if tens else 1) * 10 + (values[ones] if ones else 0)
