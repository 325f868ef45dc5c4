"""From the tokens a rule of the grammar has matched to what they mean; None where they mean nothing
after all.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, cast

from erstwhile.base.records import dataclass
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
    Weekday,
    Year,
)
from erstwhile.language.time import TimeWords, Token, TokenKind


@dataclass(frozen=True, slots=True)
class TokenMatch:
    """The tokens a rule has matched: `tokens[first:last]`."""

    tokens: list[Token]
    first: int
    last: int
    language: TimeWords

    def all(self, *kinds: TokenKind) -> list[Token]:
        return [token for token in self.tokens[self.first : self.last] if token.kind in kinds]

    def has(self, *kinds: TokenKind) -> bool:
        return bool(self.all(*kinds))

    def number(self, *kinds: TokenKind) -> int:
        return cast(int, self.all(*kinds)[0].value)

    def neighbour(self, index: int) -> str:
        """Return the kind of the token at `index`, "" past either end."""
        return self.tokens[index].kind.value if 0 <= index < len(self.tokens) else ""


Build = Callable[[TokenMatch], Meaning | None]

_NUMBERS: Final = (TokenKind.DIGITS, TokenKind.NUMBER_WORD)
_DAYS: Final = (*_NUMBERS, TokenKind.ORDINAL, TokenKind.ORDINAL_WORD)
_MONTHS: Final = (
    *(TokenKind.MONTH, TokenKind.MONTH_NAME),
    *(TokenKind.MONTH_VERB, TokenKind.MONTH_SHORT),
)
_RELATIVES: Final = (TokenKind.RELATIVE, TokenKind.RELATIVE_AFTER, TokenKind.RELATIVE_EITHER)
_YEARS: Final = (TokenKind.YEAR_NUMBER, TokenKind.YEAR_MARKED, TokenKind.YEAR_WORD, TokenKind.YEAR)


def fixed(found: TokenMatch) -> Meaning | None:
    meaning = cast(Meaning, found.all(TokenKind.FIXED, TokenKind.DATE)[0].value)
    of_day = found.all(TokenKind.HOURS)
    if not of_day:
        return meaning
    if not isinstance(meaning, Calendar):
        return None
    return Hours(meaning, *cast(tuple[int, int], of_day[0].value))


def hours(found: TokenMatch) -> Meaning | None:
    shift = found.number(*_RELATIVES)
    first, last = cast(tuple[int, int], found.all(TokenKind.HOURS)[0].value)
    return Hours(Calendar("day", shift), first, last) if shift in (-1, 0) else None


def _unit(found: TokenMatch) -> Unit:
    token = found.all(TokenKind.UNIT, TokenKind.DAY, TokenKind.YEAR, TokenKind.QUARTER_UNIT)[0]
    names: dict[TokenKind, Unit] = {TokenKind.DAY: "day", TokenKind.YEAR: "year"}
    names[TokenKind.QUARTER_UNIT] = "quarter"
    return names.get(token.kind) or cast(Unit, token.value)


def ago(found: TokenMatch) -> Meaning | None:
    if not found.has(*_NUMBERS):
        return FewUnits(_unit(found))
    return TimeAgo(_unit(found), found.number(*_NUMBERS))


def ahead(found: TokenMatch) -> Meaning | None:
    """In two weeks; but in five minutes is not about a day.

    Never certain: "how often in a week" is not about the next one, and 三天后 may count from something
    else."""
    if not found.has(TokenKind.HENCE) and found.all(TokenKind.IN)[0].value != "hence":
        return None
    number, unit = found.number(*_NUMBERS), _unit(found)
    return TimeAgo(unit, -number, certain=False) if unit not in ("hour", "minute") else None


def rolling(found: TokenMatch) -> Meaning | None:
    relative = found.all(*_RELATIVES)
    if relative and cast(int, relative[0].value) not in (-1, 0):
        return None
    if found.has(TokenKind.FEW):
        return FewUnits(_unit(found), until_now=True)
    return RollingSpan(_unit(found), found.number(*_NUMBERS) if found.has(*_NUMBERS) else 1)


def within(found: TokenMatch) -> Meaning | None:
    """In the last month: the calendar's last, or the days since a month ago; so both."""
    unit = _unit(found)
    if found.number(*_RELATIVES) != -1 or unit in ("hour", "minute", "weekend"):
        return None
    return MeaningRange(Calendar(unit, -1), Calendar("day", 0))


def past(found: TokenMatch) -> Meaning | None:
    """最近 alone is a time; "the past" is none."""
    return cast(Meaning | None, found.all(TokenKind.PAST)[0].value)


def relative(found: TokenMatch) -> Meaning | None:
    unit = _unit(found)
    return Calendar(unit, found.number(*_RELATIVES)) if unit not in ("hour", "minute") else None


def this(found: TokenMatch) -> Meaning | None:
    """Return the end of the month, without saying of which."""
    unit = _unit(found)
    return Calendar(unit, 0) if unit not in ("hour", "minute") else None


def _year(found: TokenMatch) -> Year | None:
    """Return the year that is said among the tokens, if one is."""
    years = found.all(*_YEARS)
    kinds = (TokenKind.YEAR_NUMBER, TokenKind.YEAR_MARKED)
    numbered = [token for token in years if token.kind in kinds]
    if numbered:
        return Year(cast(int, numbered[0].value))
    if not years:
        return None
    if years[0].kind is TokenKind.YEAR_WORD:
        return Year(cast(int, years[0].value), relative=True)
    return Year(found.number(*_RELATIVES) if found.has(*_RELATIVES) else 0, relative=True)


def _which(found: TokenMatch) -> int | None:
    return None if found.has(*_YEARS) or not found.has(*_RELATIVES) else found.number(*_RELATIVES)


def month(found: TokenMatch) -> Meaning | None:
    return Months(found.number(*_MONTHS), year=_year(found), which=_which(found))


def day(found: TokenMatch) -> Meaning | None:
    month, day = found.number(*_MONTHS), found.number(*_DAYS)
    if not 1 <= day <= 31:
        return None
    alone = found.has(TokenKind.MONTH_VERB) and not found.has(TokenKind.ORDINAL, *_YEARS)
    unled = found.neighbour(found.first - 1) not in tuple("IocbT")
    if alone and unled and found.neighbour(found.last) == TokenKind.UNKNOWN:
        return None
    return Date(month, day, _year(found), _which(found))


def days(found: TokenMatch) -> Meaning | None:
    """Two days of one month."""
    month, year = found.number(*_MONTHS), _year(found)
    one, other = (cast(int, token.value) for token in found.all(*_DAYS)[:2])
    if _follows_badly(found) or not 1 <= one < other <= 31:
        return None
    return MeaningRange(Date(month, one, year), Date(month, other, year))


def _follows_badly(found: TokenMatch) -> bool:
    """May 3rd *until*, *since* or *to* the 7th; not *before* or *in* it."""
    joined = all(token.value in ("since", "until") for token in found.all(TokenKind.CONNECTIVE))
    return not joined or any(token.value != "to" for token in found.all(TokenKind.IN))


def two(found: TokenMatch) -> Meaning | None:
    """Two months or two years, each of which could be something else alone."""
    joiner = found.all(TokenKind.JOINER)
    framed = found.has(TokenKind.OPENER) or found.has(TokenKind.CLOSER)
    if joiner and joiner[0].value == "and" and not framed:
        return None
    if _follows_badly(found):
        return None
    months = found.all(*_MONTHS)
    if not months:
        years = found.all(TokenKind.YEAR_NUMBER, TokenKind.YEAR_MARKED)[:2]
        one, other = (Year(cast(int, token.value)) for token in years)
        return MeaningRange(one, other) if one.number <= other.number else None
    places = range(found.first, found.last)
    first_end = next(index for index in places if found.tokens[index] is months[1])
    one_year = _year(TokenMatch(found.tokens, found.first, first_end, found.language))
    other_year = _year(TokenMatch(found.tokens, first_end, found.last, found.language))
    first, last = (cast(int, month.value) for month in months[:2])
    return MeaningRange(Months(first, year=one_year), Months(last, year=other_year))


def numbered_months(found: TokenMatch) -> Meaning | None:
    """3~5월; but 3-May is a day."""
    one, other, year = found.number(*_NUMBERS), found.number(*_MONTHS), _year(found)
    if not found.language.month_marks or not 1 <= one <= 12:
        return None
    return MeaningRange(Months(one, year=year), Months(other, year=year))


def season(found: TokenMatch) -> Meaning | None:
    month, count = cast(tuple[int, int], found.all(TokenKind.SEASON)[0].value)
    return Months(month, count, _year(found), _which(found))


def season_then(found: TokenMatch) -> Meaning | None:
    """Told by what is written behind it: 봄에."""
    return season(found) if found.all(TokenKind.OF)[0].value == "in" else None


def of_year_ago(found: TokenMatch) -> Meaning | None:
    """Return the summer, or May, of two years ago."""
    year = Year(-found.number(*_NUMBERS), relative=True)
    if not found.has(TokenKind.SEASON):
        return Months(found.number(*_MONTHS), year=year)
    month, count = cast(tuple[int, int], found.all(TokenKind.SEASON)[0].value)
    return Months(month, count, year)


def day_of_month(found: TokenMatch) -> Meaning | None:
    day, relative = found.number(*_DAYS), found.all(*_RELATIVES)
    if not 1 <= day <= 31 or (relative and _unit_named(found) != "month"):
        return None
    return MonthDay(day, cast(int, relative[0].value) if relative else None)


def _unit_named(found: TokenMatch) -> Unit:
    return cast(Unit, found.all(TokenKind.UNIT)[0].value)


def since_number(found: TokenMatch) -> Meaning | None:
    """Seit drei Tagen: three days up to now."""
    if found.all(TokenKind.CONNECTIVE)[0].value != "since":
        return None
    return RollingSpan(_unit(found), found.number(*_NUMBERS))


def quarter(found: TokenMatch) -> Meaning | None:
    if found.has(TokenKind.UNIT) and _unit_named(found) != "quarter":
        return None
    number = found.number(TokenKind.QUARTER, *_DAYS)
    return Months(3 * number - 2, 3, _year(found)) if 1 <= number <= 4 else None


def weekday(found: TokenMatch) -> Meaning | None:
    day = found.number(TokenKind.WEEKDAY, TokenKind.WEEKDAY_SHORT)
    relative = found.all(*_RELATIVES)
    if not relative:
        return Weekday(day)
    shift = cast(int, relative[0].value)
    by_week = found.has(TokenKind.UNIT) or found.language.weekdays_by_week
    if found.has(TokenKind.UNIT) and _unit_named(found) != "week":
        return None
    return Weekday(day, week=shift) if by_week else Weekday(day, which=shift)


def part(build: Build) -> Build:
    def third(found: TokenMatch) -> Meaning | None:
        whole = build(found)
        return whole and TimeThird(whole, found.number(TokenKind.PART))

    return third


def whole_year(found: TokenMatch) -> Meaning | None:
    return _year(found)
