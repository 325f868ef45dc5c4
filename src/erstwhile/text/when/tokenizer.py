"""A folded query to tokens, by the words of one language. What is said about time becomes a letter;
a rule of the grammar is a pattern over those letters.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import pairwise, repeat
from typing import Final, cast

from erstwhile.base.later import late_pattern
from erstwhile.language import languages
from erstwhile.language.time import OTHER_WORD, Phrase, TimeWords, Token, TokenKind
from erstwhile.text.when.numbers import BLOB, shape, spelled

# The words and marks of a text in ASCII, without what is skipped.
_WORDS: Final = late_pattern("[a-z]+|[^a-z \t']")
_NOT_PLAIN: Final = frozenset("0123456789-")
# A word, or the first character of something else, behind what is skipped.
_NEXT: Final = late_pattern("[ \t\u3000']*(?:([qt][1-4](?![a-z0-9])|[a-z]+)|.)?", re.DOTALL)
_BETWEEN_WORDS: Final = late_pattern("[ '-]{0,2}")
_SKIPPED: Final = " \t\u3000'"
_DASHES: Final = "-–—~〜"
_MARKS: Final[dict[str, TokenKind]] = {",": TokenKind.COMMA, "、": TokenKind.COMMA} | dict.fromkeys(
    _DASHES, TokenKind.DASH
)
_MONEY_BEFORE: Final = frozenset("$€£¥₩#@.,:/+_&=")
_SPOILS: Final = frozenset("$€£¥₩%_:/+°")
_SHAPE_KINDS: Final[dict[str, TokenKind]] = {
    "number": TokenKind.DIGITS,
    "year": TokenKind.YEAR_NUMBER,
    "date": TokenKind.DATE,
    "dash": TokenKind.DASH,
    "comma": TokenKind.COMMA,
}


def words(text: str) -> list[str]:
    """Return the words and marks of a folded text."""
    return _WORDS.findall(text)


def places(text: str) -> list[tuple[int, int]]:
    """Return where each of them is."""
    return [match.span() for match in _WORDS.finditer(text)]


def read(text: str, language: TimeWords, said: Sequence[str]) -> list[Token]:
    """Return a token for each word, and at least one for whatever else is not skipped; none is empty. Those of a
    plain text are one for each of `said`, its words and marks, and don't tell their places."""
    plain = text.isascii() and language.script == "latin" and _NOT_PLAIN.isdisjoint(said)
    if plain and (language.seconds.isdisjoint(said) or language.pairs.isdisjoint(pairwise(said))):
        return list(map(language.alone.get, said, repeat(OTHER_WORD)))
    return _read(text, language)


def _read(text: str, language: TimeWords) -> list[Token]:
    """Word by word: with phrases of several words, and with whatever else is no word."""
    tokens: list[Token] = []
    add, phrases, next_match = tokens.append, language.phrases, _NEXT.match
    at, length = 0, len(text)
    while at < length:
        match = next_match(text, at)
        assert match is not None  # every part of it may be missing
        word, at = match[1], match.end()
        if word is None:
            if text[at - 1] in _SKIPPED:
                break  # the rest is skipped
            tokens.extend(_next(text, at - 1, language))
            at = tokens[-1].end
            continue
        found = phrases.get(word)
        if found is None:
            add(OTHER_WORD)
        else:
            add(_word(text, at - len(word), at, found))
            at = tokens[-1].end
    return tokens


def _next(text: str, at: int, language: TimeWords) -> Iterator[Token]:
    """Yield the token that begins at `at`, which is no Latin letter; several for digits with
    something between them."""
    character = text[at]
    if "0" <= character <= "9":
        yield from _digits(text, at, language)
    elif character in _MARKS:
        yield Token(_MARKS[character], None, at, at + 1)
    elif character.isalpha() or character in "〇々":
        yield _unspaced(text, at, language)
    else:
        yield Token(TokenKind.STOP, None, at, at + 1)


def _word(text: str, at: int, end: int, phrases: Sequence[Phrase]) -> Token:
    """Return the longest phrase that begins with the word up to `end`, else the word alone."""
    gap = -1
    for rest, kind, value in phrases:
        if not rest:
            return Token(kind, value, at, end)
        if gap < 0:
            between = _BETWEEN_WORDS.match(text, end)
            gap = between.end() if between else end
        reached = _phrase_end(text, end, rest) if text.startswith(rest[0], gap) else 0
        if reached:
            return Token(kind, value, at, reached)
    return Token(TokenKind.UNKNOWN, None, at, end)


def _phrase_end(text: str, at: int, words: Sequence[str]) -> int:
    """Return where the rest of a phrase ends that has been read up to `at`; 0 if it does not go on
    like that."""
    for word in words:
        gap = _BETWEEN_WORDS.match(text, at)
        at = gap.end() if gap else at
        if not text.startswith(word, at):
            return 0
        at += len(word)
        if at < len(text) and "a" <= text[at] <= "z":
            return 0
    return at


def _unspaced(text: str, at: int, language: TimeWords) -> Token:
    if language.script == "latin":
        return Token(TokenKind.UNKNOWN, None, at, at + 1)
    for word, kind, value in language.by_head.get(text[at], ()):
        if text.startswith(word, at):
            return Token(kind, value, at, at + len(word))
    number = spelled(text, at, language.numerals)
    if number is None:
        return Token(TokenKind.UNKNOWN, None, at, at + 1)
    value, end = number
    kind = TokenKind.YEAR_NUMBER if value > 1000 else TokenKind.NUMBER_WORD
    return _marked(text, Token(kind, value, at, end), language)


def _digits(text: str, at: int, language: TimeWords) -> Iterator[Token]:
    match = BLOB.match(text, at)
    end = match.end() if match else at + 1
    read_as = [] if _is_spoiled(text, at) else shape(text[at:end], at, language.day_first)
    ordinal = language.ordinal_mark.match(text, end) if language.ordinal_mark else None
    if len(read_as) == 1 and read_as[0][0] == "number" and ordinal:
        yield Token(TokenKind.ORDINAL, read_as[0][1], at, ordinal.end())
    elif not read_as or _is_spoiled_behind(text, end):
        yield Token(TokenKind.UNKNOWN, None, at, end)
    else:
        for name, value, start, stop in read_as:
            yield _marked(text, Token(_SHAPE_KINDS[name], value, start, stop), language)


def _is_spoiled(text: str, at: int) -> bool:
    """Money, versions, names and telephone numbers are no dates."""
    before = text[at - 1] if at else " "
    named = before.isascii() and before.isalnum()
    return named or before in _MONEY_BEFORE or text[max(0, at - 2) : at] == "v."


def _is_spoiled_behind(text: str, end: int) -> bool:
    behind = text[end : end + 1]
    if behind in _SPOILS and behind:
        return True
    return "a" <= behind <= "z" and not (behind == "t" and text[end + 1 : end + 2].isdigit())


def _is_short_year(text: str, token: Token, language: TimeWords) -> bool:
    """Two digits are a year where a month follows: 23년 5월."""
    short = token.kind is TokenKind.DIGITS and token.end - token.start == 2
    if not short or not language.year_marks:
        return False
    return bool(_then_month().match(text, token.end))


@cache
def _then_month() -> re.Pattern[str]:
    known = [each.time.short_year for each in languages() if each.time]
    return re.compile("|".join(filter(None, known)))


def _marked(text: str, token: Token, language: TimeWords) -> Token:
    """With the character behind a number that makes it a month or a year: 5月, 2022년."""
    if _is_short_year(text, token, language):
        year = cast(int, token.value)
        whole = year + (2000 if year < 70 else 1900)
        token = Token(TokenKind.YEAR_NUMBER, whole, token.start, token.end)
    end = token.end + (text[token.end : token.end + 1] == " ")
    if token.kind is TokenKind.YEAR_NUMBER:
        for mark in language.year_marks:
            if text.startswith(mark, end):
                return Token(TokenKind.YEAR_MARKED, token.value, token.start, end + len(mark))
    elif token.kind in (TokenKind.DIGITS, TokenKind.NUMBER_WORD) and token.value in range(1, 13):
        for mark in language.month_marks:
            if text.startswith(mark, end):
                return Token(TokenKind.MONTH, token.value, token.start, end + len(mark))
    return token
