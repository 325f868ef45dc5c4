"""Find out without trying them which of many patterns cannot match a text.

Of each pattern, words or beginnings of words are found of which every match has one. A text is split
into words once; patterns of which it has none need not be searched for. A pattern of which no such
words are found, as in languages without spaces, is always searched for.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from re import _constants as code  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any, Final

from erstwhile.base.later import late_pattern
from erstwhile.language import voters

_LONGEST: Final = 5  # characters of the beginning of a word
_COMMON: Final = 40  # what a word that is everywhere counts, where words are chosen
_SETS: Final = 3  # of words, of each pattern
_LARGE: Final = 2000  # characters of a pattern that takes long to compile
_SHORT: Final = 3  # characters: shorter words are everywhere
_REMEMBERED: Final = 20_000  # words
_LONG: Final = 24  # longer words hardly ever come again
_DIGIT, _FOREIGN = "a digit", "not ASCII"
_STRUCTURE: Final = late_pattern(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|[()|]", re.DOTALL)
_WORD: Final = late_pattern(r"\w+")
_HAS_DIGIT: Final = late_pattern(r"\d")
# Letters that match others when case is ignored, and not when both are in lower case.
_ODD: Final = late_pattern("[ıſİ]")

WORD, START, PART = range(3)
Key = tuple[str, int]
"""A whole word, the beginning of one, or characters anywhere."""


class Triggers:
    """Patterns by name. Each alternative of a pattern is one of its own, compiled with its first search.

    Always true: an alternative that matches a text is among its `candidates`, a number with a bit for each."""

    def __init__(self, patterns: Mapping[str, re.Pattern[str] | str]) -> None:
        """A pattern that is a text ignores case."""
        self._always = 0
        self._tables: tuple[dict[str, int], ...] = ({}, {}, {})  # of words, starts and parts
        self._by_word = _BitsByWord(*self._tables[:PART])
        spelt: list[tuple[str, int]] = []
        self._bits: dict[str, int] = {}
        for name, pattern in patterns.items():
            first = len(spelt)
            text, flags = (
                (pattern, re.IGNORECASE)
                if isinstance(pattern, str)
                else (pattern.pattern, pattern.flags)
            )
            spelt += [(each, flags) for each in alternatives(text)]
            self._bits[name] = (1 << len(spelt)) - (1 << first)
        self._patterns: list[tuple[str, int] | re.Pattern[str]] = [*spelt]
        self._size = len(spelt)
        for place, given in enumerate(spelt):
            needed = _needed(list(parser.parse(*given)), start=False, end=False)
            rarest = sorted(dict.fromkeys(needed), key=_commonness)
            # A match has a word of all three sets. The bits of each are beside those of the one before.
            for number in range(_SETS):
                self._add(1 << number * self._size + place, rarest[number : number + 1])

    def _add(self, bit: int, needed: Sequence[frozenset[Key]]) -> None:
        if not needed:
            self._always |= bit
        for keys in needed:
            for word, kind in keys:
                table, key = self._tables[kind], word[:_LONGEST] if kind == START else word
                table[key] = table.get(key, 0) | bit

    def bits(self, name: str) -> int:
        """Return the bits of a pattern's alternatives: if a text has none of them among its candidates, it can't match."""
        return self._bits[name]

    def match(self, name: str, text: str, candidates: int) -> bool:
        """Return whether a pattern is found in a text."""
        left, patterns = candidates & self._bits[name], self._patterns
        while left:
            bit = left & -left
            place = bit.bit_length() - 1
            pattern = patterns[place]
            if isinstance(pattern, tuple):
                pattern = patterns[place] = re.compile(*pattern)
            if pattern.search(text):
                return True
            left ^= bit
        return False

    def candidates(self, text: str, words: Sequence[str] = ()) -> int:
        """`words`: those of the text, in lower case, if they are known."""
        plain = text.isascii()
        if not plain and _ODD.search(text):
            return -1
        low = text.lower()
        found = self._always
        parts = self._tables[PART]
        for part, bits in parts.items():
            if part in low:
                found |= bits
        if not plain:
            found |= parts.get(_FOREIGN, 0)
        if _HAS_DIGIT.search(low):
            found |= parts.get(_DIGIT, 0)
        for bits in set(map(self._by_word.__getitem__, words or _WORD.findall(low))):
            found |= bits
        return found & (found >> self._size) & (found >> 2 * self._size)


class _BitsByWord(dict[str, int]):
    """The bits of the alternatives that have a word or its beginning. Words come again."""

    def __init__(self, words: Mapping[str, int], starts: Mapping[str, int]) -> None:
        super().__init__()
        self._words, self._starts = words, starts

    def __missing__(self, word: str) -> int:
        found = self._words.get(word, 0)
        for length in range(1, min(len(word), _LONGEST) + 1):
            found |= self._starts.get(word[:length], 0)
        if len(self) >= _REMEMBERED:
            self.clear()
        if len(word) < _LONG:
            self[word] = found
        return found


def alternatives(pattern: str) -> list[str]:
    """Split a pattern at its outermost bars, and a large piece that ends in a group at the bars of the group."""
    found, depth, start, opened, closed = list[str](), 0, 0, 0, 0
    for match in _STRUCTURE.finditer(f"{pattern}|"):
        depth += {"(": 1, ")": -1}.get(match[0], 0)
        if match[0] == "(" and depth == 1:
            opened = match.start()
        elif match[0] == ")" and depth == 0:
            closed = match.end()
        elif match[0] == "|" and depth == 0:
            piece, end = pattern[start : match.start()], match.start()
            ends_in_group = closed == end > start and pattern.startswith("(?:", opened)
            if ends_in_group and len(piece) > _LARGE:
                inner = alternatives(pattern[opened + 3 : end - 1])
                found += [pattern[start:opened] + each for each in inner]
            else:
                found.append(piece)
            start = match.end()
    return found


def _keys(items: Any, *, start: bool, end: bool) -> frozenset[Key] | None:
    """Return words of which a match of a sequence has one."""
    found = _needed(items, start=start, end=end)
    return min(found, key=_commonness) if found else None


def _needed(items: Any, *, start: bool, end: bool) -> list[frozenset[Key]]:
    """Return sets of words: a match of a sequence has one of each. `start`, `end`: whether a word
    starts before it, or ends after it."""
    found: list[frozenset[Key]] = []
    run, begun, state = "", start, start
    items = list(items)
    for place, (op, value) in enumerate(items):
        if op is code.LITERAL:
            begun = begun if run else state
            run += chr(value).lower()
            if place + 1 == len(items) or items[place + 1][0] is not code.LITERAL:
                found += _of_run(run, start=begun, end=_begins_gap(items[place + 1 :], end=end))
                run = ""
        elif op is code.SUBPATTERN:
            follows = _begins_gap(items[place + 1 :], end=end)
            found += _needed(value[3], start=state, end=follows)
        elif op in _TELLING:
            follows = _begins_gap(items[place + 1 :], end=end)
            found += filter(None, [_of_item(op, value, start=state, end=follows)])
        state = _ends(op, value, state)
    return found


def _of_run(run: str, *, start: bool, end: bool) -> list[frozenset[Key]]:
    found: list[frozenset[Key]] = [
        frozenset({(sign, PART)}) for sign in run if not (_is_word(sign) or sign == " ")
    ]
    for match in _WORD.finditer(run):
        if start or match.start():
            found.append(frozenset({(match[0], WORD if end or match.end() < len(run) else START)}))
        elif not match[0].isascii():
            found.append(frozenset({(_FOREIGN, PART)}))
        elif len(match[0]) > _SHORT:
            found.append(frozenset({(match[0], PART)}))
    return found


def _of_item(op: Any, value: Any, *, start: bool, end: bool) -> frozenset[Key] | None:
    if op is code.BRANCH:
        each = [_keys(items, start=start, end=end) for items in value[1]]
        return None if None in each else frozenset().union(*filter(None, each))
    if op in _REPEATS and value[0] > 0:
        return _keys(value[2], start=start, end=False)
    if op is code.IN:
        return _of_class(value)
    return None


def _of_class(items: Any) -> frozenset[Key] | None:
    if all(
        item == (code.CATEGORY, code.CATEGORY_DIGIT) or item == (code.RANGE, (48, 57))
        for item in items
    ):
        return frozenset({(_DIGIT, PART)})
    if all(_is_foreign(op, value) for op, value in items):
        return frozenset({(_FOREIGN, PART)})
    if all(op is code.LITERAL and not _is_word(chr(value)) for op, value in items):
        return frozenset((chr(value), PART) for _, value in items)
    return None


def _is_foreign(op: Any, value: Any) -> bool:
    """Return whether it is only characters that are not ASCII."""
    return (op is code.LITERAL and value > 127) or (op is code.RANGE and value[0] > 127)


def _ends(op: Any, value: Any, before: bool) -> bool:
    """Return whether a word can only start, not go on, after this, if it could `before`."""
    if op is code.LITERAL:
        return not _is_word(chr(value))
    if op is code.AT:
        return (
            before
            or _is_boundary(op, value)
            or value in (code.AT_BEGINNING, code.AT_BEGINNING_STRING)
        )
    if op is code.SUBPATTERN:
        return _all_end(value[3], before)
    if op is code.BRANCH:
        return all(_all_end(items, before) for items in value[1])
    if op in _REPEATS:
        return _all_end(value[2], before) and (before or value[0] > 0)
    if op in (code.ASSERT, code.ASSERT_NOT):
        return before
    return op is code.IN and all(_is_gap(*item) for item in value)


def _begins_gap(items: Any, *, end: bool) -> bool:
    """Return whether no word can go on into a sequence."""
    for place, (op, value) in enumerate(items):
        rest = items[place + 1 :]
        if op is code.AT:
            return _is_boundary(op, value) or value in (code.AT_END, code.AT_END_STRING)
        if op is code.SUBPATTERN:
            return _begins_gap([*value[3], *rest], end=end)
        if op is code.BRANCH:
            return all(_begins_gap([*each, *rest], end=end) for each in value[1])
        if op in _REPEATS:
            return _begins_gap([*value[2], *rest], end=end) and (
                value[0] > 0 or _begins_gap(rest, end=end)
            )
        if op not in (code.ASSERT, code.ASSERT_NOT):
            return all(_is_gap(*each) for each in value) if op is code.IN else _is_gap(op, value)
    return end


def _all_end(items: Any, before: bool) -> bool:
    for op, value in items:
        before = _ends(op, value, before)
    return before


def _is_gap(op: Any, value: Any) -> bool:
    if op is code.LITERAL:
        return not _is_word(chr(value))
    return op is code.CATEGORY and value in (code.CATEGORY_SPACE, code.CATEGORY_NOT_WORD)


def _is_boundary(op: Any, value: Any) -> bool:
    return op is code.AT and value is code.AT_BOUNDARY


def _is_word(letter: str) -> bool:
    return letter.isalnum() or letter == "_"


def _commonness(keys: frozenset[Key]) -> int:
    common: Mapping[str, Any] = voters()
    return sum(
        3 * _COMMON if len(word) < _SHORT else _COMMON if word in common else 1 for word, _ in keys
    )


_REPEATS: Final = (code.MAX_REPEAT, code.MIN_REPEAT, code.POSSESSIVE_REPEAT)
_TELLING: Final = (code.BRANCH, code.IN, *_REPEATS)
