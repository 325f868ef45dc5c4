"""The expressions of time in a text as one language reads it: what the rules find, opened and
joined by the words around it (since, before, after, until, between … and …).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime
from itertools import pairwise
from operator import attrgetter, itemgetter
from typing import Final, NamedTuple

from erstwhile.base.later import late_pattern
from erstwhile.language.meaning import Meaning, MeaningRange, TimeThird
from erstwhile.language.time import Connective, TimeWords, Token, TokenKind
from erstwhile.text.when.grammar import matches
from erstwhile.text.when.resolve import Window, window
from erstwhile.text.when.tokenizer import places, read

_FIRST: Final = attrgetter("first")
_KIND: Final = itemgetter(0)  # of a token
_SIDES: Final = ("before", "after", "since", "until")
# Ahead of a date: "since", "before the"; with what happened then: "before the trip in". Read
# backwards from the date, within so many tokens that the longest of them fits.
_AHEAD: Final = late_pattern("([cbB])T{0,3}I?$")
_AHEAD_OF_EVENT: Final = late_pattern("([cB])(?:T{1,3}u{1,3}[IoT]{0,3}|u{2,3}[IoT]{1,3})$")
_LONGEST_AHEAD: Final = 12
_OPENING: Final = frozenset("cbB")
_BEHIND: Final = late_pattern("T{0,2}([cAH])")
_BEHIND_EVENT: Final = late_pattern("T{0,2}u{1,4}T{0,2}([cAH])")
_JOINED: Final = late_pattern("T{0,2}([kdcI])T{0,3}I?T?")
_CLOSED: Final = late_pattern("T?[jc]")


class Expression(NamedTuple):
    """`tokens[first:last]` say `meaning`, or what lies to one side of it."""

    first: int
    last: int
    meaning: Meaning
    side: Connective | None = None
    event: bool = False  # the side is that of something that happened then, who knows when

    def window(self, now: datetime) -> Window | None:
        whole = window(self.meaning, now)
        if whole is None or self.side is None:
            return whole
        # Where the edge itself is not known ("the end of March") the side takes all of it in.
        sharp = not self.event and not isinstance(self.meaning, TimeThird)
        if self.side in ("before", "until"):
            last = whole.first if sharp and self.side == "before" else whole.last
            return None if last is None else Window(None, last, whole.certain)
        first = whole.last if sharp and self.side == "after" else whole.first
        return None if first is None else Window(first, None, whole.certain)


class Expressions(NamedTuple):
    """Those of a text in one language: in order, none overlapping. `said`: its words and marks."""

    language: TimeWords
    text: str
    said: Sequence[str]
    tokens: Sequence[Token]
    found: Sequence[Expression]

    def is_plain(self) -> bool:
        """Return whether they are what is said, also where nobody looks at their places."""
        apart = all(one.last <= other.first for one, other in pairwise(self.found))
        return apart and not self.language.doubtful

    def places(self) -> list[tuple[int, int]]:
        """Return where each is in the text."""
        at = [token[2:] for token in self.tokens]
        if at[self.found[0].first][0] < 0:
            at = places(self.text)
        return [(at[each.first][0], at[each.last - 1][1]) for each in self.found]


def expressions(text: str, language: TimeWords, said: Sequence[str]) -> Expressions | None:
    """Return the expressions of a text, None without one. `said`: its words and marks."""
    tokens = read(text, language, said)
    around = _Surroundings(text, tokens, language)
    told = [Expression(*each) for each in matches(tokens, around.kinds, language)]
    if language.script == "hangul":
        told = [each for each in told if around.stands_alone(each)]
    if not told:
        return None
    return Expressions(language, text, said, tokens, around.connected(_longest(told)))


def _longest(found: list[Expression]) -> list[Expression]:
    """Return them in order. Where expressions overlap, the longest counts."""
    found.sort(key=_FIRST)
    if all(one.last <= other.first for one, other in pairwise(found)):
        return found
    kept: list[Expression] = []
    taken = bytearray(max(each.last for each in found))
    for each in sorted(found, key=lambda each: each.first - each.last):
        if not any(taken[each.first : each.last]):
            taken[each.first : each.last] = b"\1" * (each.last - each.first)
            kept.append(each)
    return sorted(kept, key=_FIRST)


class _Surroundings:
    """The tokens around an expression."""

    def __init__(self, text: str, tokens: list[Token], language: TimeWords) -> None:
        self.text = text
        self.tokens = tokens
        self.language = language
        self.kinds = "".join(map(_KIND, tokens))

    def stands_alone(self, found: Expression) -> bool:
        """In Korean a word may end in particles but is not the piece of another: 지난 주 is no part of
        지난 주인."""
        start = self.tokens[found.first].start
        return not (start and _is_hangul(self.text[start - 1])) and self._ends_well(found.last)

    def _ends_well(self, last: int) -> bool:
        end = self.tokens[last - 1].end
        if self.language.script != "hangul" or not _is_hangul(self.text[end : end + 1]):
            return True
        return self.text.startswith(self.language.particles, end)

    def connected(self, found: list[Expression]) -> list[Expression]:
        done: list[Expression] = []
        waiting = found[::-1]
        while waiting:
            one = waiting.pop()
            if waiting and (both := self._joined(one, waiting[-1])):
                waiting.pop()
                one = both
            ranged = isinstance(one.meaning, MeaningRange)
            done.append(self._closed(one) if ranged else self._sided(one))
        return done

    def _joined(self, one: Expression, other: Expression) -> Expression | None:
        between = _JOINED.fullmatch(self.kinds, one.last, other.first)
        if not between:
            return None
        joiner = self.tokens[between.start(1)]
        match joiner.kind:
            case TokenKind.DASH:
                fits = type(one.meaning) is type(other.meaning)
            case TokenKind.JOINER:
                fits = joiner.value == "to" or self._is_between(one, other)
            case TokenKind.IN:
                fits = joiner.value == "to"
            case _:
                follows = self.language.connectives_follow
                fits = joiner.value == "until" or (follows and joiner.value == "since")
        both = MeaningRange(one.meaning, other.meaning)
        return Expression(one.first, other.last, both) if fits else None

    def _is_between(self, one: Expression, other: Expression) -> bool:
        opener = self._ahead(one)
        if opener is not None and self.tokens[opener].value == "between":
            return True
        closed = _CLOSED.match(self.kinds, other.last)
        return bool(closed and "j" in closed[0])

    def _ahead(self, found: Expression, pattern: re.Pattern[str] = _AHEAD) -> int | None:
        """Return the token ahead of an expression that opens it."""
        match = pattern.search(self.kinds, max(0, found.first - _LONGEST_AHEAD), found.first)
        return match.start(1) if match else None

    def _is_led(self, found: Expression) -> bool:
        """Return whether anything ahead of an expression may open it."""
        start = max(0, found.first - _LONGEST_AHEAD)
        return not _OPENING.isdisjoint(self.kinds[start : found.first])

    def _closed(self, found: Expression) -> Expression:
        """With the words that go with a range: from, between; まで, 之间."""
        opener = self._ahead(found)
        if opener is not None and self.tokens[opener].kind is not TokenKind.AGO_FIRST:
            found = found._replace(first=opener)
        closed = _CLOSED.match(self.kinds, found.last)
        if closed and (self.language.connectives_follow or "j" in closed[0]):
            found = found._replace(last=closed.end())
        return found

    def _sided(self, found: Expression) -> Expression:
        sided = self._sided_behind(found) if self.language.connectives_follow else None
        if sided is None and self._is_led(found):
            sided = self._sided_ahead(found)
        return sided or found

    def _sided_ahead(self, found: Expression) -> Expression | None:
        for pattern in (_AHEAD, _AHEAD_OF_EVENT):
            opener = self._ahead(found, pattern)
            if opener is None:
                continue
            kind, value = self.tokens[opener][:2]
            if self.language.connectives_follow and kind is TokenKind.CONNECTIVE:
                continue
            side = _side("since" if value == "from" and self._goes_on(found) else value)
            if side:
                return found._replace(first=opener, side=side, event=pattern is _AHEAD_OF_EVENT)
        return None

    def _goes_on(self, found: Expression) -> bool:
        """从三月 goes on from there, but "notes from March" are those of March, unless it says "from
        March onwards"."""
        closed = self.kinds.startswith(TokenKind.CLOSER, found.last)
        return closed or self.language.connectives_follow

    def _sided_behind(self, found: Expression) -> Expression | None:
        for pattern in (_BEHIND, _BEHIND_EVENT):
            match = pattern.match(self.kinds, found.last)
            side = _side(self.tokens[match.start(1)].value) if match else None
            event = pattern is _BEHIND_EVENT
            if match is None or side is None or not self._ends_well(match.end()):
                continue
            if event and side in ("since", "until"):
                continue
            opener = self._ahead(found)
            from_here = opener is not None and self.tokens[opener].value == "from"
            first = opener if from_here and opener is not None else found.first
            return found._replace(first=first, last=match.end(), side=side, event=event)
        return None


def _side(value: object) -> Connective | None:
    return value if value in _SIDES else None


def _is_hangul(character: str) -> bool:
    return "\uac00" <= character <= "\ud7a3"
