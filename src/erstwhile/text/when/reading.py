"""A folded query to tokens, by the words of one language. What is said about time becomes a letter; a rule of the grammar is
a pattern over those letters."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import Final, Literal, cast

from erstwhile.text.when.numbers import BLOB, Shape, shape, spelled

Connective = Literal["before", "after", "since", "until"]


class Kind(StrEnum):
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


@dataclass(frozen=True, slots=True)
class Token:
    kind: Kind
    value: object
    start: int
    end: int


@dataclass(frozen=True)
class Language:
    """The words of a language and the few ways in which its grammar differs."""

    code: str
    script: Literal["latin", "hangul", "han"]
    words: dict[str, tuple[Kind, object]]
    ordinal: str = ""  # what makes digits an ordinal, as a pattern
    day_first: bool = True  # 7/5/2023 is in May
    month_marks: tuple[str, ...] = ()
    year_marks: tuple[str, ...] = ()
    connectives_follow: bool = False
    weekdays_by_week: bool = False  # 上周五 is the Friday of last week, on every day of this one
    particles: tuple[str, ...] = ()  # what may be written to a word without making it another
    doubtful: frozenset[str] = field(default=frozenset())  # another language's words too: hier

    @cached_property
    def by_head(self) -> dict[str, list[tuple[str, Kind, object]]]:
        """The entries by their first word (or character, where words are not spaced), the longest first."""
        found: dict[str, list[tuple[str, Kind, object]]] = {}
        for words, (kind, value) in self.words.items():
            head = words.split()[0] if self.script == "latin" else words[0]
            found.setdefault(head, []).append((words, kind, value))
        for entries in found.values():
            entries.sort(key=lambda entry: -len(entry[0]))
        return found

    @cached_property
    def ordinal_mark(self) -> re.Pattern[str] | None:
        return re.compile(self.ordinal) if self.ordinal else None


def table(*rows: tuple[Kind, dict[object, str]]) -> dict[str, tuple[Kind, object]]:
    """Words as the language files list them: for each kind, by what they mean, separated by commas."""
    found: dict[str, tuple[Kind, object]] = {}
    for kind, by_value in rows:
        for value, said in by_value.items():
            for words in map(str.strip, said.split(",")):
                if words in found:
                    raise ValueError(f"{words} is there twice")
                found[words] = kind, value
    return found


_THEN_MONTH: Final = re.compile("(?:年|년) ?[0-9]{1,2}(?:月|월)")
_WORD: Final = re.compile("[qt][1-4](?![a-z0-9])|[a-z]+")
_BETWEEN_WORDS: Final = re.compile("[ '-]{0,2}")
_SKIPPED: Final = " \t\u3000'"
_DASHES: Final = "-–—~〜"
_MARKS: Final[dict[str, Kind]] = {",": Kind.COMMA, "、": Kind.COMMA} | dict.fromkeys(_DASHES, Kind.DASH)
_MONEY_BEFORE: Final = frozenset("$€£¥₩#@.,:/+_&=")
_SPOILS: Final = frozenset("$€£¥₩%_:/+°")
_NUMBER_KINDS: Final[dict[Shape, Kind]] = {"number": Kind.DIGITS, "year": Kind.YEAR_NUMBER, "date": Kind.DATE}


def read(text: str, language: Language) -> list[Token]:
    tokens: list[Token] = []
    at = 0
    while at < len(text):
        if text[at] in _SKIPPED:
            at += 1
            continue
        tokens.extend(_next(text, at, language))
        at = tokens[-1].end
    return tokens


def _next(text: str, at: int, language: Language) -> Iterator[Token]:
    """The token that begins at `at`; several for digits with something between them. At least one, and none is empty."""
    character = text[at]
    if "0" <= character <= "9":
        yield from _digits(text, at, language)
    elif "a" <= character <= "z":
        yield _word(text, at, language)
    elif character in _MARKS:
        yield Token(_MARKS[character], None, at, at + 1)
    elif character.isalpha() or character in "〇々":
        yield _unspaced(text, at, language)
    else:
        yield Token(Kind.STOP, None, at, at + 1)


def _word(text: str, at: int, language: Language) -> Token:
    match = _WORD.match(text, at)
    end = match.end() if match else at + 1
    for words, kind, value in language.by_head.get(text[at:end], ()) if language.script == "latin" else ():
        reached = _phrase_end(text, end, words.split()[1:])
        if reached:
            return Token(kind, value, at, reached)
    return Token(Kind.UNKNOWN, None, at, end)


def _phrase_end(text: str, at: int, words: list[str]) -> int:
    """Where the rest of a phrase ends that has been read up to `at`; 0 if it does not go on like that."""
    for word in words:
        gap = _BETWEEN_WORDS.match(text, at)
        at = gap.end() if gap else at
        if not text.startswith(word, at):
            return 0
        at += len(word)
        if at < len(text) and "a" <= text[at] <= "z":
            return 0
    return at


def _unspaced(text: str, at: int, language: Language) -> Token:
    if language.script == "latin":
        return Token(Kind.UNKNOWN, None, at, at + 1)
    for word, kind, value in language.by_head.get(text[at], ()):
        if text.startswith(word, at):
            return Token(kind, value, at, at + len(word))
    number = spelled(text, at, language.script)
    if number is None:
        return Token(Kind.UNKNOWN, None, at, at + 1)
    value, end = number
    return _marked(text, Token(Kind.YEAR_NUMBER if value > 1000 else Kind.NUMBER_WORD, value, at, end), language)


def _digits(text: str, at: int, language: Language) -> Iterator[Token]:
    match = BLOB.match(text, at)
    end = match.end() if match else at + 1
    read_as = [] if _is_spoiled(text, at) else shape(text[at:end], at, language.day_first)
    ordinal = language.ordinal_mark.match(text, end) if language.ordinal_mark else None
    if len(read_as) == 1 and read_as[0][0] == "number" and ordinal:
        yield Token(Kind.ORDINAL, read_as[0][1], at, ordinal.end())
    elif not read_as or _is_spoiled_behind(text, end):
        yield Token(Kind.UNKNOWN, None, at, end)
    else:
        for name, value, start, stop in read_as:
            kind = Kind.DASH if name == "dash" else Kind.COMMA if name == "comma" else _NUMBER_KINDS[name]
            yield _marked(text, Token(kind, value, start, stop), language)


def _is_spoiled(text: str, at: int) -> bool:
    """Money, versions, names and telephone numbers are no dates."""
    before = text[at - 1] if at else " "
    return before in _MONEY_BEFORE or (before.isascii() and before.isalnum()) or text[max(0, at - 2) : at] == "v."


def _is_spoiled_behind(text: str, end: int) -> bool:
    behind = text[end : end + 1]
    if behind in _SPOILS and behind:
        return True
    return "a" <= behind <= "z" and not (behind == "t" and text[end + 1 : end + 2].isdigit())


def _is_short_year(text: str, token: Token, language: Language) -> bool:
    """Two digits are a year where a month follows: 23년 5월."""
    if token.kind is not Kind.DIGITS or token.end - token.start != 2 or not language.year_marks:
        return False
    return bool(_THEN_MONTH.match(text, token.end))


def _marked(text: str, token: Token, language: Language) -> Token:
    """With the character behind a number that makes it a month or a year: 5月, 2022년."""
    if _is_short_year(text, token, language):
        year = cast(int, token.value)
        token = Token(Kind.YEAR_NUMBER, year + (2000 if year < 70 else 1900), token.start, token.end)
    end = token.end + (text[token.end : token.end + 1] == " ")
    if token.kind is Kind.YEAR_NUMBER:
        for mark in language.year_marks:
            if text.startswith(mark, end):
                return Token(Kind.YEAR_MARKED, token.value, token.start, end + len(mark))
    elif token.kind in (Kind.DIGITS, Kind.NUMBER_WORD) and isinstance(token.value, int) and 1 <= token.value <= 12:
        for mark in language.month_marks:
            if text.startswith(mark, end):
                return Token(Kind.MONTH, token.value, token.start, end + len(mark))
    return token
