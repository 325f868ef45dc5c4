"""Words for time: each has a kind, for the grammar in `text.when`, and a value."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from itertools import product
from typing import Literal, NamedTuple

from erstwhile import language
from erstwhile.language import meaning

Connective = Literal["before", "after", "since", "until"]


class TokenKind(StrEnum):
    """One letter each. The comment gives the type of the token's value."""

    DIGITS = "N"  # int
    NUMBER_WORD = "i"  # int
    ORDINAL = "O"  # int
    ORDINAL_WORD = "v"  # int
    FEW = "F"
    YEAR_NUMBER = "Y"  # int; four digits that could be anything
    YEAR_MARKED = "y"  # int; 2022年
    YEAR_WORD = "K"  # int, counted from this one; 去年
    MONTH = "M"  # int
    MONTH_NAME = "n"  # a month that is also a name or another word, unless the context tells
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
    RELATIVE_AFTER = "r"  # after its noun
    RELATIVE_EITHER = "x"
    PAST = "V"  # the past (three weeks), until now; Meaning if it can stand alone
    AGO = "A"  # Connective, its meaning if no number precedes: 3일 전, 3월 전
    AGO_FIRST = "B"  # the same, before the number: vor drei Tagen, vor März
    HENCE = "H"  # Connective, as AGO
    # "hence" where it also counts ahead: in two weeks; "to" where it also joins: du 3 au 7
    IN = "I"
    ON = "o"
    OF = "T"  # articles, "of", particles: what may be in between; "in" if it follows its noun: 봄에
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
    """Numbers in characters: the value of each, the one for ten, and how many may be combined."""

    values: dict[str, int]
    ten: str
    run: str

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        return re.compile(self.run)


Phrase = tuple[list[str], TokenKind, object]
"""The words after the first, the kind and the value."""


class Token(NamedTuple):
    """`start` is -1 where nobody asks for the place."""

    kind: TokenKind
    value: object
    start: int = -1
    end: int = -1


OTHER_WORD = Token(TokenKind.UNKNOWN, None)


@dataclass(frozen=True)
class TimeWords:
    """The words of a language for time, and how its grammar differs.

    Words are folded: lower case, Latin letters without accents.
    """

    code: str
    script: str
    words: dict[str, tuple[TokenKind, object]]
    ordinal: str = ""  # a pattern that makes digits an ordinal
    day_first: bool = True  # 7/5/2023 is in May
    month_marks: tuple[str, ...] = ()
    year_marks: tuple[str, ...] = ()
    connectives_follow: bool = False
    weekdays_by_week: bool = False  # 上周五 is the Friday of last week, on every day of this one
    particles: tuple[str, ...] = ()  # what may be attached to a word without changing it
    doubtful: frozenset[str] = field(default=frozenset())  # words of another language too: hier
    numerals: Numerals | None = None
    short_year: str = ""  # a pattern: two digits before it are a year, 23년 5월
    asking: str = ""  # a pattern that matches a question for a time
    pointing: str = ""  # words that refer to the past without saying when, between commas
    pointing_alone: str = ""  # the same, as a pattern
    not_pointing: str = ""  # a pattern of words that contain one of these
    future: str = ""  # a pattern that matches a clause of what is still to come
    past: str = ""  # the same of what was: "in two weeks" is how long it took then
    clause: str = ""  # a pattern of what stands between two clauses

    @cached_property
    def by_head(self) -> dict[str, list[tuple[str, TokenKind, object]]]:
        """Return the entries by first word, or character in unspaced scripts, longest first."""
        found: dict[str, list[tuple[str, TokenKind, object]]] = {}
        for words, (kind, value) in self.words.items():
            head = words.split()[0] if self.script == "latin" else words[0]
            found.setdefault(head, []).append((words, kind, value))
        for entries in found.values():
            entries.sort(key=lambda entry: -len(entry[0]))
        return found

    @cached_property
    def phrases(self) -> dict[str, list[Phrase]]:
        """Return the same of a language with spaces, with the words after the first."""
        entries = self.by_head.items() if self.script == "latin" else ()
        return {
            head: [(words.split()[1:], kind, value) for words, kind, value in found]
            for head, found in entries
        }

    @cached_property
    def alone(self) -> dict[str, Token]:
        """Return the tokens of words by themselves, and of marks in ASCII."""
        marks = [mark for mark in map(chr, range(128)) if not mark.isalnum()]
        found = dict.fromkeys(marks, Token(TokenKind.STOP, None))
        found[","] = Token(TokenKind.COMMA, None)
        for head, phrases in self.phrases.items():
            words, kind, value = phrases[-1]  # the shortest
            found[head] = OTHER_WORD if words else Token(kind, value)
        return found

    @cached_property
    def pairs(self) -> frozenset[tuple[str, str]]:
        """Return the first two words of each phrase of several."""
        known = self.phrases.items()
        return frozenset((head, words[0]) for head, each in known for words, *_ in each if words)

    @cached_property
    def seconds(self) -> frozenset[str]:
        return frozenset(second for _, second in self.pairs)

    @cached_property
    def future_pattern(self) -> re.Pattern[str] | None:
        return re.compile(self.future) if self.future else None

    @cached_property
    def past_pattern(self) -> re.Pattern[str] | None:
        return re.compile(self.past) if self.past else None

    @cached_property
    def clause_pattern(self) -> re.Pattern[str] | None:
        return re.compile(self.clause) if self.clause else None

    @cached_property
    def ordinal_mark(self) -> re.Pattern[str] | None:
        return re.compile(self.ordinal) if self.ordinal else None


def read(known: language.Language) -> TimeWords:
    """Read the words of a language from its `time.toml`."""
    data = known.data("time")
    other = language.of(data.pop("shares")).time if "shares" in data else None
    words = _words(data.pop("words"))
    if other:  # its numerals, and its words that are no time
        words |= {
            word: entry for word, entry in other.words.items() if entry[0] is TokenKind.UNKNOWN
        }
        data |= {"numerals": other.numerals, "short_year": other.short_year}
    elif "numerals" in data:
        data["numerals"] = Numerals(**data["numerals"])
    for name in ("month_marks", "year_marks", "particles"):
        data[name] = tuple(data.get(name, "").split())
    data["doubtful"] = frozenset(data.get("doubtful", ()))
    return TimeWords(known.code, known.script, words, **data)


def _words(tables: Mapping[str, str | dict[str, str]]) -> dict[str, tuple[TokenKind, object]]:
    """Return kind and value of all words. Those without a value are plain text or at key "-"."""
    found: dict[str, tuple[TokenKind, object]] = {}
    for name, table in tables.items():
        kind = TokenKind[name.upper()]
        for value, said in table.items() if isinstance(table, dict) else (("-", table),):
            for words in _spellings(said):
                if words in found:
                    raise ValueError(f"{words} is there twice")
                found[words] = kind, _value(kind, value)
    return found


def _value(kind: TokenKind, written: str) -> object:
    if written == "-":
        return None
    if written.lstrip("-").isdecimal():
        return int(written)
    match kind:
        case TokenKind.FIXED | TokenKind.PAST:
            return meaning.read(written)
        case TokenKind.SEASON:
            return meaning.SEASONS[written]
        case TokenKind.HOURS:
            return meaning.HOURS[written]
    return written


def _spellings(said: str) -> Iterator[str]:
    """Split words at commas and expand them; `letzt(e|en|er)` is each of the three."""
    for words in map(str.strip, said.split(",")):
        if "(" not in words:
            yield words
            continue
        pieces = [piece.split("|") for piece in re.split(r"[()]", words)]
        yield from map("".join, product(*pieces))
