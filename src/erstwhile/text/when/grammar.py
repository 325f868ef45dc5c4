"""The grammar: which sequences of tokens are an expression of time, and what each means.

A rule is a pattern in the names below; blanks mean nothing. Every rule holds for every language: what a language does not
say, its words do not lead to. Repetition is bounded everywhere, so a rule takes linear time on any text.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Final, cast

from erstwhile.text.when.meaning import (
    Ago,
    Between,
    Calendar,
    Date,
    Few,
    Hours,
    Meaning,
    MonthDay,
    Months,
    Part,
    Rolling,
    Unit,
    Weekday,
    Year,
)
from erstwhile.text.when.reading import Kind, Language, Token

_NAMES: Final = {kind.name.lower(): kind.value for kind in Kind} | {
    "number": "[Ni]",
    "month_any": "[Mnma]",
    "month_full": "[Mnm]",
    "unit_any": "[UgJq]",
    "unit_long": "[Uq]",
    "before_noun": "[Rx]",
    "after_noun": "[rx]",
    "of_any": "T{0,3}",
    "year_any": "(?:[YyK]|JT?Y|[Rx]T?J|JT?[rx])",
    "join": "[kd]",
    # A year or a month that could be another word stands behind something that tells.
    "told": "(?:(?<=[Icb])|(?<=[Icb]T)|(?<=[Icb]TT)|(?<=BT)|(?<=B))",
}


@dataclass(frozen=True, slots=True)
class Found:
    """The tokens a rule has matched: `tokens[first:last]`."""

    tokens: list[Token]
    first: int
    last: int
    language: Language

    def all(self, *kinds: Kind) -> list[Token]:
        return [token for token in self.tokens[self.first : self.last] if token.kind in kinds]

    def has(self, *kinds: Kind) -> bool:
        return bool(self.all(*kinds))

    def number(self, *kinds: Kind) -> int:
        return cast(int, self.all(*kinds)[0].value)

    def neighbour(self, index: int) -> str:
        """The kind of the token at `index`, "" past either end."""
        return self.tokens[index].kind.value if 0 <= index < len(self.tokens) else ""


Build = Callable[[Found], Meaning | None]

_NUMBERS: Final = (Kind.DIGITS, Kind.NUMBER_WORD)
_DAYS: Final = (*_NUMBERS, Kind.ORDINAL, Kind.ORDINAL_WORD)
_MONTHS: Final = (Kind.MONTH, Kind.MONTH_NAME, Kind.MONTH_VERB, Kind.MONTH_SHORT)
_RELATIVES: Final = (Kind.RELATIVE, Kind.RELATIVE_AFTER, Kind.RELATIVE_EITHER)
_YEARS: Final = (Kind.YEAR_NUMBER, Kind.YEAR_MARKED, Kind.YEAR_WORD, Kind.YEAR)
_MOST: Final = 999


def _fixed(found: Found) -> Meaning | None:
    meaning = cast(Meaning, found.all(Kind.FIXED, Kind.DATE)[0].value)
    hours = found.all(Kind.HOURS)
    if not hours:
        return meaning
    return Hours(meaning, *cast(tuple[int, int], hours[0].value)) if isinstance(meaning, Calendar) else None


def _hours(found: Found) -> Meaning | None:
    shift = found.number(*_RELATIVES)
    hours = cast(tuple[int, int], found.all(Kind.HOURS)[0].value)
    return Hours(Calendar("day", shift), *hours) if shift in (-1, 0) else None


def _unit(found: Found) -> Unit:
    token = found.all(Kind.UNIT, Kind.DAY, Kind.YEAR, Kind.QUARTER_UNIT)[0]
    names: dict[Kind, Unit] = {Kind.DAY: "day", Kind.YEAR: "year", Kind.QUARTER_UNIT: "quarter"}
    return names.get(token.kind) or cast(Unit, token.value)


def _ago(found: Found) -> Meaning | None:
    if not found.has(*_NUMBERS):
        return Few(_unit(found))
    number = found.number(*_NUMBERS)
    return Ago(_unit(found), number) if number <= _MOST else None


def _ahead(found: Found) -> Meaning | None:
    """In two weeks; but in five minutes is not about a day. Behind its number it may count from something else."""
    if not found.has(Kind.HENCE) and found.all(Kind.IN)[0].value != "hence":
        return None
    number, unit = found.number(*_NUMBERS), _unit(found)
    return Ago(unit, -number, certain=not found.has(Kind.HENCE)) if unit not in ("hour", "minute") else None


def _rolling(found: Found) -> Meaning | None:
    relative = found.all(*_RELATIVES)
    if relative and cast(int, relative[0].value) not in (-1, 0):
        return None
    if found.has(Kind.FEW):
        return Few(_unit(found), until_now=True)
    return Rolling(_unit(found), found.number(*_NUMBERS) if found.has(*_NUMBERS) else 1)


def _last_few(found: Found) -> Meaning | None:
    """Ces derniers jours: what stands behind its noun for one stands ahead of it for several."""
    return Few(_unit(found), until_now=True) if found.number(*_RELATIVES) == -1 else None


def _past(found: Found) -> Meaning | None:
    """最近 alone is a time; "the past" is none."""
    return cast(Meaning | None, found.all(Kind.PAST)[0].value)


def _relative(found: Found) -> Meaning | None:
    unit = _unit(found)
    return Calendar(unit, found.number(*_RELATIVES)) if unit not in ("hour", "minute") else None


def _year(found: Found) -> Year | None:
    """The year that is said among the tokens, if one is."""
    years = found.all(*_YEARS)
    numbered = [token for token in years if token.kind in (Kind.YEAR_NUMBER, Kind.YEAR_MARKED)]
    if numbered:
        return Year(cast(int, numbered[0].value))
    if not years:
        return None
    if years[0].kind is Kind.YEAR_WORD:
        return Year(cast(int, years[0].value), relative=True)
    return Year(found.number(*_RELATIVES) if found.has(*_RELATIVES) else 0, relative=True)


def _which(found: Found) -> int | None:
    return None if found.has(*_YEARS) or not found.has(*_RELATIVES) else found.number(*_RELATIVES)


def _month(found: Found) -> Meaning | None:
    which = _which(found)
    verb = found.has(Kind.MONTH_VERB)
    if verb and which == 0:  # "this may be wrong"
        return None
    return Months(found.number(*_MONTHS), year=_year(found), which=which)


def _day(found: Found) -> Meaning | None:
    month, day = found.number(*_MONTHS), found.number(*_DAYS)
    if not 1 <= day <= 31:
        return None
    alone = found.has(Kind.MONTH_VERB) and not found.has(Kind.ORDINAL, *_YEARS)
    if alone and found.neighbour(found.last) == Kind.UNKNOWN and found.neighbour(found.first - 1) not in tuple("IocbT"):
        return None
    return Date(month, day, _year(found), _which(found))


def _days(found: Found) -> Meaning | None:
    """Two days of one month."""
    month, year = found.number(*_MONTHS), _year(found)
    one, other = (cast(int, token.value) for token in found.all(*_DAYS)[:2])
    if _follows_badly(found):
        return None
    return Between(Date(month, one, year), Date(month, other, year)) if 1 <= one < other <= 31 else None


def _follows_badly(found: Found) -> bool:
    """May 3rd *until*, *since* or *to* the 7th; not *before* or *in* it."""
    joined = all(token.value in ("since", "until") for token in found.all(Kind.CONNECTIVE))
    return not joined or any(token.value != "to" for token in found.all(Kind.IN))


def _two(found: Found) -> Meaning | None:
    """Two months or two years, each of which could be something else alone."""
    joiner = found.all(Kind.JOINER)
    if joiner and joiner[0].value == "and" and not (found.has(Kind.OPENER) or found.has(Kind.CLOSER)):
        return None
    if _follows_badly(found):
        return None
    months = found.all(*_MONTHS)
    if not months:
        one, other = (Year(cast(int, token.value)) for token in found.all(Kind.YEAR_NUMBER)[:2])
        return Between(one, other) if one.number <= other.number else None
    first_end = found.tokens.index(months[1])
    one_year = _year(Found(found.tokens, found.first, first_end, found.language))
    other_year = _year(Found(found.tokens, first_end, found.last, found.language))
    return Between(
        Months(cast(int, months[0].value), year=one_year), Months(cast(int, months[1].value), year=other_year)
    )


def _season(found: Found) -> Meaning | None:
    month, count = cast(tuple[int, int], found.all(Kind.SEASON)[0].value)
    return Months(month, count, _year(found), _which(found))


def _season_then(found: Found) -> Meaning | None:
    """Told by what is written behind it: 봄에."""
    return _season(found) if found.all(Kind.OF)[0].value == "in" else None


def _of_year_ago(found: Found) -> Meaning | None:
    """The summer, or May, of two years ago."""
    year = Year(-found.number(*_NUMBERS), relative=True)
    if not found.has(Kind.SEASON):
        return Months(found.number(*_MONTHS), year=year)
    month, count = cast(tuple[int, int], found.all(Kind.SEASON)[0].value)
    return Months(month, count, year)


def _day_of_month(found: Found) -> Meaning | None:
    day, relative = found.number(*_DAYS), found.all(*_RELATIVES)
    if not 1 <= day <= 31 or (relative and _unit_named(found) != "month"):
        return None
    return MonthDay(day, cast(int, relative[0].value) if relative else None)


def _unit_named(found: Found) -> Unit:
    return cast(Unit, found.all(Kind.UNIT)[0].value)


def _since_number(found: Found) -> Meaning | None:
    """Seit drei Tagen: three days up to now."""
    if found.all(Kind.CONNECTIVE)[0].value != "since":
        return None
    return Rolling(_unit(found), found.number(*_NUMBERS))


def _quarter(found: Found) -> Meaning | None:
    if found.has(Kind.UNIT) and _unit_named(found) != "quarter":
        return None
    quarter = found.number(Kind.QUARTER, *_DAYS)
    return Months(3 * quarter - 2, 3, _year(found)) if 1 <= quarter <= 4 else None


def _weekday(found: Found) -> Meaning | None:
    day = found.number(Kind.WEEKDAY, Kind.WEEKDAY_SHORT)
    relative = found.all(*_RELATIVES)
    if not relative:
        return Weekday(day)
    shift = cast(int, relative[0].value)
    by_week = found.has(Kind.UNIT) or found.language.weekdays_by_week
    if found.has(Kind.UNIT) and _unit_named(found) != "week":
        return None
    return Weekday(day, week=shift) if by_week else Weekday(day, which=shift)


def _part(build: Build) -> Build:
    def third(found: Found) -> Meaning | None:
        whole = build(found)
        return whole and Part(whole, found.number(Kind.PART))

    return third


def _whole_year(found: Found) -> Meaning | None:
    return _year(found)


_DAY_OF_MONTH: Final = "(?: [NO] | number [gh] )"
RULES: Final[tuple[tuple[str, Build], ...]] = (
    ("date", _fixed),
    ("fixed (?: of_any hours )?", _fixed),
    ("hours of_any fixed", _fixed),
    ("before_noun hours", _hours),
    ("(?: number | few ) of? unit_any of? ago", _ago),
    ("ago_first of_any (?: few? number | few ) of? unit_any", _ago),
    ("connective of? number unit_any", _since_number),
    ("in number unit_any", _ahead),
    ("number unit_any hence", _ahead),
    ("(?: before_noun | past ) of? (?: number | few ) of? unit_any", _rolling),
    ("(?: number | few ) after_noun unit_any", _rolling),
    ("relative_after unit_any", _last_few),
    ("past of? unit_any", _rolling),
    ("past", _past),
    ("before_noun of? unit_long", _relative),
    ("unit_long of? after_noun", _relative),
    ("part of_any before_noun of? unit_long", _part(_relative)),
    ("part of_any unit_long of? after_noun", _part(_relative)),
    ("before_noun of? unit_long of_any part", _part(_relative)),
    # A day of a month.
    ("(?: weekday comma? of_any )? [NO] of_any month_any (?: comma? of_any year_any )?", _day),
    ("(?: weekday comma? of_any )? month_any of? [NO] (?: comma? of_any year_any )?", _day),
    ("[NO] of_any month_any after_noun", _day),
    ("(?: year_any of_any )? month of_any number [gh]", _day),
    ("ordinal_word T{1,3} month_any (?: comma? of_any year_any )? | [Mna] ordinal_word", _day),
    ("before_noun of? unit of_any number [gh] | [NO] of_any (?: before_noun unit | unit after_noun )", _day_of_month),
    ("(?<= o ) of? ordinal (?! [uUgJ] )", _day_of_month),
    ("[NO] [kdcI] of_any [NO] of_any month_any (?: comma? of_any year_any )?", _days),
    ("month_any [NO] join of_any [NO] (?: comma? of_any year_any )?", _days),
    ("(?: year_any of_any )? month of_any number [ghU]? [kdc] number [gh]", _days),
    # Months.
    ("month | told month_full", _month),
    ("month_any comma? of_any year_any", _month),
    ("year_any of_any (?: in? of_any month_full | month )", _month),
    ("before_noun of? month_full | month_full after_noun", _month),
    ("part dash? of_any month_any (?: comma? of_any year_any )?", _part(_month)),
    ("(?: year_any of_any )? month of_any part", _part(_month)),
    ("opener? of_any month_any (?: of_any year_any )? [kdc] of_any month_any (?: of_any year_any )? closer?", _two),
    ("opener? year_any of_any month of? [kdc] of_any month closer?", _two),
    # Seasons and quarters.
    ("(?: before_noun | past ) of? season | season after_noun", _season),
    ("season of_any year_any | year_any of_any season | told season", _season),
    ("season of", _season_then),
    ("number year ago of_any (?: season | month )", _of_year_ago),
    ("quarter (?: of_any year_any )? | year_any of_any (?: quarter | of? number quarter_unit )", _quarter),
    ("number quarter_unit | [Ov] unit of_any year_any | told [Ov] unit", _quarter),
    # Weekdays.
    ("(?<! [Nie] ) (?<! eT ) weekday | (?<= o ) weekday_short", _weekday),
    ("before_noun (?: weekday | weekday_short ) | weekday after_noun", _weekday),
    (
        "before_noun of? unit of_any weekday | weekday of_any before_noun unit | weekday of_any unit after_noun",
        _weekday,
    ),
    # Years.
    (
        "year_marked | year_word | before_noun of? year | year of? after_noun | told year_number | year year_number",
        _whole_year,
    ),
    ("part dash? of_any (?: year_any | of year )", _part(_whole_year)),
    ("year_any of_any year? part | (?<! [Ni] ) year part", _part(_whole_year)),
    ("opener? year_number join year_number", _two),
)


@cache
def _compiled() -> tuple[tuple[re.Pattern[str], Build], ...]:
    return tuple((re.compile(_letters(pattern)), build) for pattern, build in RULES)


def _letters(pattern: str) -> str:
    """A rule's pattern with the letters of the kinds for their names."""
    named = re.sub(r"[a-z]+(?:_[a-z]+)*", lambda match: _NAMES.get(match[0], match[0]), pattern)
    return named.replace(" ", "")


def matches(tokens: list[Token], language: Language) -> list[tuple[int, int, Meaning]]:
    """Every expression a rule finds, as `tokens[first:last]` and its meaning; they may overlap."""
    kinds = "".join(token.kind.value for token in tokens)
    found: list[tuple[int, int, Meaning]] = []
    for pattern, build in _compiled():
        for match in pattern.finditer(kinds):
            meaning = build(Found(tokens, match.start(), match.end(), language))
            if meaning is not None:
                found.append((match.start(), match.end(), meaning))
    return found
