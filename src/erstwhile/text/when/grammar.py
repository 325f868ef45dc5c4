"""The grammar: which sequences of tokens are an expression of time, and what builds the meaning of
each.

A rule is a pattern in the names below and those of the kinds; blanks mean nothing. Every rule holds
for every language: what a language does not say, its words do not lead to. Repetition is bounded
everywhere, so a rule takes linear time on any text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache
from typing import Final

from erstwhile.base.later import late_pattern
from erstwhile.language import voters
from erstwhile.language.meaning import Meaning
from erstwhile.language.time import TimeWords, Token, TokenKind
from erstwhile.text.when import builders
from erstwhile.text.when.builders import Build, TokenMatch

NAMES: Final = {kind.name.lower(): kind.value for kind in TokenKind} | {
    "number": "[Ni]",
    "month_any": "[Mnma]",
    "month_full": "[Mnm]",
    "unit_any": "[UgJq]",
    "unit_long": "[Uq]",
    "before_noun": "[Rx]",
    "after_noun": "[rx]",
    "of_any": "T{0,3}",
    "year_any": "(?:[YyK]|JT?Y|[Rx]T?J|JT?[rx])",
    "year_digits": "[Yy]",
    "unit_past": "[UqJ]",
    "month_safe": "[Mna]",
    "day_number": "[NO]",
    "day_of": "[gh]",
    "nth": "[Ov]",
    "of_some": "T{1,3}",
    "join": "[kd]",
    "joined": "[kdc]",
    "joined_in": "[kdcI]",
    "after_on": "(?<=o)",
    "uncounted": "(?<![Ni])",
    "unless_every": "(?<!e)(?<!eT)",
    "not_repeated": "(?<![Nie])(?<!eT)",
    "before_no_noun": "(?![uUgJ])",
    # A year or a month that could be another word stands behind something that tells.
    "told": "(?:(?<=[Icb])|(?<=[Icb]T)|(?<=[Icb]TT)|(?<=BT)|(?<=B))",
}

_YEAR: Final = "(?: year_any of_any )?"  # ahead of what is in it
_OF_YEAR: Final = "(?: comma? of_any year_any )?"
_MONTH_OF_YEAR: Final = "of_any month_any (?: of_any year_any )?"
_WEEKDAY: Final = "(?: weekday comma? of_any )?"
_UNIT_SAID: Final = "of_any (?: before_noun unit | unit after_noun )"
_QUARTER_BEHIND: Final = "year_any of_any (?: quarter | of? number quarter_unit )"

RULES: Final[tuple[tuple[str, Build], ...]] = (
    ("date", builders.fixed),
    ("fixed (?: of_any hours )?", builders.fixed),
    ("hours of_any fixed", builders.fixed),
    ("before_noun hours", builders.hours),
    ("(?: number | few ) of? unit_any of? ago", builders.ago),
    ("ago_first of_any (?: few? number | few ) of? unit_any", builders.ago),
    ("connective of? number unit_any", builders.since_number),
    ("in number unit_any", builders.ahead),
    ("number unit_any hence", builders.ahead),
    ("(?: before_noun | past ) of? (?: number | few ) of? unit_any", builders.rolling),
    ("(?: number | few ) after_noun unit_any", builders.rolling),
    ("past of? unit_any", builders.rolling),
    ("past", builders.past),
    ("before_noun of? unit_long", builders.relative),
    ("in of before_noun unit_past", builders.within),
    ("unit_long of? after_noun", builders.relative),
    ("part of_any before_noun of? unit_long", builders.part(builders.relative)),
    ("part of_any unit_long of? after_noun", builders.part(builders.relative)),
    ("before_noun of? unit_long of_any part", builders.part(builders.relative)),
    ("part of_some unit_long", builders.part(builders.this)),
    # A day of a month.
    (f"{_WEEKDAY} day_number of_any month_any {_OF_YEAR}", builders.day),
    (f"{_WEEKDAY} month_any of? day_number {_OF_YEAR}", builders.day),
    ("day_number of_any month_any after_noun", builders.day),
    ("day_number dash month_any dash year_number", builders.day),
    (f"{_YEAR} month of_any number day_of", builders.day),
    (f"ordinal_word of_some month_any {_OF_YEAR} | month_safe ordinal_word", builders.day),
    (f"before_noun of? unit of_any number day_of | day_number {_UNIT_SAID}", builders.day_of_month),
    ("after_on of? ordinal before_no_noun", builders.day_of_month),
    (f"day_number joined_in of_any day_number of_any month_any {_OF_YEAR}", builders.days),
    (f"month_any day_number join of_any day_number {_OF_YEAR}", builders.days),
    (f"{_YEAR} month of_any number day_of? joined number day_of", builders.days),
    # Months.
    ("unless_every month | told month_full", builders.month),
    ("month_any comma? of_any year_any", builders.month),
    ("year_any of_any (?: in? of_any month_full | month )", builders.month),
    ("before_noun of? month_full | month_full after_noun", builders.month),
    (f"part dash? of_any month_any {_OF_YEAR}", builders.part(builders.month)),
    (f"{_YEAR} month of_any part", builders.part(builders.month)),
    (f"opener? {_MONTH_OF_YEAR} joined {_MONTH_OF_YEAR} closer?", builders.two),
    ("opener? year_any of_any month of? joined of_any month closer?", builders.two),
    (f"{_YEAR} number join month", builders.numbered_months),
    # Seasons and quarters.
    ("(?: before_noun | past ) of? season | season after_noun", builders.season),
    ("season of_any year_any | year_any in? of_any season | told season", builders.season),
    ("season of", builders.season_then),
    ("number year ago of_any (?: season | month )", builders.of_year_ago),
    (f"quarter (?: of_any year_any )? | {_QUARTER_BEHIND}", builders.quarter),
    ("number quarter_unit | nth unit of_any year_any | told nth unit", builders.quarter),
    # Weekdays.
    ("not_repeated weekday | after_on weekday_short", builders.weekday),
    ("before_noun (?: weekday | weekday_short ) | weekday after_noun", builders.weekday),
    (f"before_noun of? unit of_any weekday | weekday {_UNIT_SAID}", builders.weekday),
    # Years.
    ("year_marked | year_word | before_noun of? year | year of? after_noun", builders.whole_year),
    ("told year_number | year year_number", builders.whole_year),
    ("part dash? of_any (?: year_any | of year )", builders.part(builders.whole_year)),
    ("year_any of_any year? part | uncounted year part", builders.part(builders.whole_year)),
    ("opener? year_number join year_digits", builders.two),
)


# Every rule has one of these; most questions have none.
_ANCHORS: Final = frozenset("DZPUgJqMnmaWwSQyKYVOv")
_ALONE: Final = frozenset[str]()
_DIGIT: Final = late_pattern("[0-9]")
_LETTERS: Final = late_pattern("[a-z]+")


# What a text must have one of to say anything about time, and what else it must have then.
Anchors = Mapping[str, Sequence[frozenset[str]]]


def anchors(language: TimeWords) -> Anchors:
    """Return the words of the phrases without which there is no time, by the one of each that says
    most; in other scripts their first characters; and the characters of numbers."""
    found: dict[str, list[frozenset[str]]] = {}
    for words in _phrases(language):
        if len(words) == 1:
            found.setdefault(words[0], []).append(_ALONE)
            continue
        word = max(words, key=lambda word: (word not in voters(), len(word)))
        found.setdefault(word, []).append(frozenset(words) - {word})
    return {word: [_ALONE] if _ALONE in others else others for word, others in found.items()}


def longest_words(language: TimeWords) -> frozenset[str]:
    """Return the longest word of each of these phrases, and the characters of numbers."""
    return frozenset(max(words, key=len) for words in _phrases(language))


def _phrases(language: TimeWords) -> Iterator[list[str]]:
    latin, numerals = language.script == "latin", language.numerals
    for words, (kind, _) in language.words.items():
        if kind not in _ANCHORS:
            continue
        if not latin:
            yield [words[0]]
        elif words.isascii() and words.isalpha():
            yield [words]
        elif not _DIGIT.search(words):  # else digits tell
            yield _LETTERS.findall(words)
    yield from map(list, "0123456789")
    yield from ([each] for each in (*numerals.values, *numerals.ten) if each) if numerals else ()


@cache
def _compiled() -> tuple[tuple[re.Pattern[str], Build], ...]:
    return tuple((re.compile(_letters(pattern)), build) for pattern, build in RULES)


def _letters(pattern: str) -> str:
    """Return a rule's pattern with the letters of the kinds for their names."""
    named = re.sub(r"[a-z]+(?:_[a-z]+)*", lambda match: NAMES.get(match[0], match[0]), pattern)
    return named.replace(" ", "")


# No rule goes over `u` or `s`; what follows a run tells whether "on the 3rd" goes on.
_NO_ANCHOR: Final = "".join(sorted({kind.value for kind in TokenKind} - _ANCHORS - {"u", "s"}))
_RUN: Final = late_pattern(
    f"(?<![^us])[{_NO_ANCHOR}]*[{''.join(sorted(_ANCHORS))}][^us]*(?:[us]|$)"
)


@lru_cache(maxsize=4096)  # people say few things about time: most runs were met before
def _found(run: str) -> tuple[tuple[int, int, Build], ...]:
    found = [(build, match) for pattern, build in _compiled() for match in pattern.finditer(run)]
    return tuple((match.start(), match.end(), build) for build, match in found)


# What a run says in a language: most was said before, too.
_said: Final[dict[tuple[str, str, tuple[object, ...]], list[tuple[int, int, Meaning]]]] = {}
_REMEMBERED: Final = 4096


def _meanings(run: str, tokens: list[Token], language: TimeWords) -> list[tuple[int, int, Meaning]]:
    place = (language.code, run, tuple([token.value for token in tokens]))
    found = _said.get(place)
    if found is None:
        made = [
            (first, last, build(TokenMatch(tokens, first, last, language)))
            for first, last, build in _found(run)
        ]
        found = [(first, last, meaning) for first, last, meaning in made if meaning is not None]
        if len(_said) >= _REMEMBERED:
            _said.clear()
        _said[place] = found
    return found


def matches(tokens: list[Token], kinds: str, language: TimeWords) -> list[tuple[int, int, Meaning]]:
    """Return every expression a rule finds, as `tokens[first:last]` and its meaning; they may
    overlap. `kinds`: those of the tokens."""
    found: list[tuple[int, int, Meaning]] = []
    for run in _RUN.finditer(kinds):
        start = run.start()
        if _found(run[0]):
            for first, last, meaning in _meanings(run[0], tokens[start : run.end()], language):
                found.append((start + first, start + last, meaning))
    return found
