"""What a language's words for time are: each has a kind, for the grammar in `text.when`, and a value."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import Literal

Connective = Literal["before", "after", "since", "until"]


class TokenKind(StrEnum):
    """One letter each. The value a token of the kind carries stands behind it."""

    DIGITS = "N"  # int
    NUMBER_WORD = "i"  # int
    ORDINAL = "O"  # int
    ORDINAL_WORD = "v"  # int
    FEW = "F"
    YEAR_NUMBER = "Y"  # int; four digits that could be anything
    YEAR_MARKED = "y"  # int; 2022年
    YEAR_WORD = "K"  # int, counted from this one; 去年
    MONTH = "M"  # int
    MONTH_NAME = "n"  # a month that is also a name or another word, unless something tells
    MONTH_VERB = "m"  # one that a number does not tell either: "may 2 people"
    MONTH_SHORT = "a"
    WEEKDAY = "W"  # int, Monday is 0
    WEEKDAY_SHORT = "w"
    SEASON = "S"  # (int, int): its first month, how many
    QUARTER = "Q"  # int
    DAY = "g"
    YEAR = "J"
    UNIT = "U"  # Unit
    QUARTER_UNIT = "q"  # where "2 quarters" is the second: 2분기
    DAY_MARK = "h"  # 7号
    RELATIVE = "R"  # int: -1 last, 0 this, 1 next; before its noun
    RELATIVE_AFTER = "r"  # behind its noun
    RELATIVE_EITHER = "x"
    PAST = "V"  # the past (three weeks), until now; Meaning if it says something alone
    AGO = "A"  # Connective that it is where no number precedes: 3일 전, 3월 전
    AGO_FIRST = "B"  # the same, ahead of the number: vor drei Tagen, vor März
    HENCE = "H"  # Connective, as AGO
    IN = "I"  # "hence" where it also counts ahead: in two weeks; "to" where it also joins: du 3 au 7
    ON = "o"
    OF = "T"  # articles, "of", particles: what may stand between; "in" where it says so behind: 봄에
    PART = "E"  # int: 0 early, 1 middle, 2 late
    HOURS = "P"  # (int, int)
    FIXED = "Z"  # Meaning
    DATE = "D"  # Meaning
    CONNECTIVE = "c"  # Connective
    OPENER = "b"  # "from" or "between"
    JOINER = "k"  # "to" or "and"
    CLOSER = "j"
    DASH = "d"
    EVERY = "e"
    COMMA = "C"
    UNKNOWN = "u"
    STOP = "s"


@dataclass(frozen=True)
class Numerals:
    """Numbers written in characters: what each is worth, the one for ten, and how many stand together."""

    values: dict[str, int]
    ten: str
    run: str

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        return re.compile(self.run)


@dataclass(frozen=True)
class TimeWords:
    """The words of a language for time, and the few ways in which its grammar differs.

    Words are as they are folded: lower case, Latin letters without accents.
    """

    code: str
    script: Literal["latin", "hangul", "han", "kana"]
    words: dict[str, tuple[TokenKind, object]]
    ordinal: str = ""  # what makes digits an ordinal, as a pattern
    day_first: bool = True  # 7/5/2023 is in May
    month_marks: tuple[str, ...] = ()
    year_marks: tuple[str, ...] = ()
    connectives_follow: bool = False
    weekdays_by_week: bool = False  # 上周五 is the Friday of last week, on every day of this one
    particles: tuple[str, ...] = ()  # what may be written to a word without making it another
    doubtful: frozenset[str] = field(default=frozenset())  # another language's words too: hier
    numerals: Numerals | None = None
    short_year: str = ""  # a pattern: two digits before it are a year, 23년 5월
    pointing: str = ""  # words that point at the past without saying when, between commas
    pointing_alone: str = ""  # the same, as a pattern
    not_pointing: str = ""  # a pattern of words that hold one of these

    @cached_property
    def by_head(self) -> dict[str, list[tuple[str, TokenKind, object]]]:
        """The entries by their first word (or character, where words are not spaced), the longest first."""
        found: dict[str, list[tuple[str, TokenKind, object]]] = {}
        for words, (kind, value) in self.words.items():
            head = words.split()[0] if self.script == "latin" else words[0]
            found.setdefault(head, []).append((words, kind, value))
        for entries in found.values():
            entries.sort(key=lambda entry: -len(entry[0]))
        return found

    @cached_property
    def ordinal_mark(self) -> re.Pattern[str] | None:
        return re.compile(self.ordinal) if self.ordinal else None


def table(*rows: tuple[TokenKind, dict[object, str]]) -> dict[str, tuple[TokenKind, object]]:
    """Words as the language files list them: for each kind, by what they mean, separated by commas."""
    found: dict[str, tuple[TokenKind, object]] = {}
    for kind, by_value in rows:
        for value, said in by_value.items():
            for words in map(str.strip, said.split(",")):
                if words in found:
                    raise ValueError(f"{words} is there twice")
                found[words] = kind, value
    return found
