"""Which times in a message are still to come.

A question asks for what was, so "in March" is the latest March. A message tells of both, and its
verbs say which: "we moved in March", "I'll move in March". A time without a year is the next one
where its clause has a marker of the future (`future` in `language/<code>/time.toml`).
"""

from __future__ import annotations

import re
from datetime import datetime
from functools import cache
from typing import Final

from erstwhile.base.later import late_pattern
from erstwhile.language.meaning import TimeAgo
from erstwhile.language.time import TimeWords
from erstwhile.language.triggers import Triggers
from erstwhile.text.when.expressions import Expression, Expressions
from erstwhile.text.when.resolve import may_be_upcoming, upcoming

_NEVER: Final = "(?!)"
_NO_LETTERS: Final = late_pattern(r"[\W\d_]+")
_JOINED: Final = frozenset("0123456789_")  # to the letters beside them, in a word
_MOST: Final = 8  # times of a sentence that are looked at: further ones don't count
_NEAR: Final = 200  # characters of a clause on each side of a time
# With fewer letters than these besides its time a clause has no verb: "and in March, …". In
# scripts without spaces a character or two are a word.
_VERB_LATIN: Final = 6
_VERB_OTHERS: Final = 3


def resolve_ahead(expressions: Expressions, now: datetime) -> Expressions:
    """Return the expressions of a message, those of the future as the next such time."""
    if not any(map(_may_be_ahead, expressions.found)):
        return expressions
    if not (any(map(_counts_ahead, expressions.found)) or _has_marker(expressions)):
        return expressions
    found = list(expressions.found)
    for number, (each, place) in enumerate(zip(found[:_MOST], expressions.places(), strict=False)):
        if _may_be_ahead(each) and _is_meant(
            each, _clause(expressions, *place), expressions.language
        ):
            found[number] = each._replace(meaning=upcoming(each.meaning, now))
    return expressions._replace(found=found)


def _has_marker(expressions: Expressions) -> bool:
    """Whether a text has a marker of the future: most have no word of one, which is quick to see."""
    text, markers = (
        expressions.text,
        _markers(expressions.language.code, expressions.language.future),
    )
    words = expressions.said if text.isascii() and _JOINED.isdisjoint(expressions.said) else ()
    return markers.match("future", text, markers.candidates(text, words))


@cache
def _markers(_code: str, future: str) -> Triggers:
    return Triggers({"future": re.compile(future)} if future else {"future": _NEVER})


def _may_be_ahead(expression: Expression) -> bool:
    """Not yesterday, last year or May 2023; and not what is open, which is left out anyway."""
    return expression.side is None and may_be_upcoming(expression.meaning)


def _is_meant(expression: Expression, clause: str, language: TimeWords) -> bool:
    """A time "in two weeks" is ahead by itself, unless its clause tells of the past ("done in two weeks")."""
    future, past = language.future_pattern, language.past_pattern
    if future and future.search(clause):
        return True
    return _counts_ahead(expression) and not (past and past.search(clause))


def _counts_ahead(expression: Expression) -> bool:
    return isinstance(expression.meaning, TimeAgo) and not expression.meaning.certain


def _clause(expressions: Expressions, start: int, end: int) -> str:
    """Return the clause around a time; with the next or the last one if it has no verb of its
    own."""
    text, between = expressions.text, expressions.language.clause_pattern
    least, most = max(0, start - _NEAR), min(len(text), end + _NEAR)
    edges = [least, most]
    if between:
        found = [match.start() for match in between.finditer(text, least, most)]
        edges[1:1] = [at for at in found if not start <= at < end and at > least]
    last = next(at for at in range(1, len(edges)) if edges[at] >= end)
    first = last - 1
    besides = text[edges[first] : start] + text[end : edges[last]]
    verb = _VERB_LATIN if expressions.language.script == "latin" else _VERB_OTHERS
    if len(_NO_LETTERS.sub("", besides)) < verb:
        if last + 1 < len(edges):
            last += 1
        elif first:
            first -= 1
    return text[edges[first] : edges[last]]
