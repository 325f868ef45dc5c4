"""A pattern that matches a text is never passed over because of the words of the text."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from re import _constants as codes  # type: ignore[attr-defined]
from re import _parser  # type: ignore[attr-defined]
from typing import Any

import pytest

from erstwhile import language
from erstwhile.language.triggers import Triggers, alternatives
from erstwhile.text import suspect
from erstwhile.writers.extractive.judgement import signals_of

WRITTEN = {codes.CATEGORY_DIGIT: "7", codes.CATEGORY_SPACE: " ", codes.CATEGORY_WORD: "w", codes.CATEGORY_NOT_WORD: "-"}
SPEAKING = [each.code for each in language.languages() if each.facts]


def example(items: Any, chance: random.Random) -> str:
    """Return a text that the pattern probably matches."""
    return "".join(written(op, value, chance) for op, value in items)


def written(op: Any, value: Any, chance: random.Random) -> str:
    if op is codes.LITERAL:
        return chr(value)
    if op is codes.SUBPATTERN:
        return example(value[3], chance)
    if op is codes.BRANCH:
        return example(chance.choice(value[1]), chance)
    if op in (codes.MAX_REPEAT, codes.MIN_REPEAT, codes.POSSESSIVE_REPEAT):
        times = chance.randint(value[0], min(value[1], value[0] + 2))
        return "".join(example(value[2], chance) for _ in range(times))
    if op is codes.IN:
        kind, each = chance.choice(value)
        if kind is codes.NEGATE:
            return "x"
        if kind is codes.RANGE:
            return chr(chance.randint(*each))
        return chr(each) if kind is codes.LITERAL else WRITTEN.get(each, "q")
    return "x" if op in (codes.ANY, codes.NOT_LITERAL) else ""


def patterns(code: str) -> dict[str, re.Pattern[str]]:
    signals = signals_of(code)
    named = {name: getattr(signals, name) for name in ("unreal", "vague", "settled", "addressed", "asking", "lost")}
    kinds = {name: getattr(signals.evidence, name) for name in ("day", "amount", "name", "kin", "matter", "recent")}
    primary = {f"primary {place}": pattern for place, (_, pattern) in enumerate(signals.primary)}
    return named | kinds | primary | suspect._patterns()


def texts(pattern: re.Pattern[str], chance: random.Random) -> Iterator[str]:
    for each in alternatives(pattern.pattern):
        parsed = _parser.parse(each, pattern.flags)
        for _ in range(4):
            text = example(parsed, chance)
            yield from (text, f"well {text} indeed", text.upper(), f"({text})", f"{text}x", f"x{text}")


@pytest.mark.parametrize("code", SPEAKING)
def test_what_matches_is_found(code: str) -> None:
    given, chance, matched = patterns(code), random.Random(code), 0
    triggers = Triggers(given)
    for name, pattern in given.items():
        for text in texts(pattern, chance):
            found = pattern.search(text) is not None
            matched += found
            assert triggers.match(name, text, triggers.candidates(text)) is found, (name, text)
    assert matched > 300


def test_words_that_are_missing_rule_a_pattern_out() -> None:
    triggers = Triggers({"moved": re.compile(r"\b(?:i|we) (?:moved|relocated)\b|\bnew flat", re.IGNORECASE)})
    assert triggers.candidates("We went to the lake on Sunday") == 0
    assert triggers.candidates("My new flatmate MOVED") != 0
    assert triggers.match("moved", "WE MOVED", triggers.candidates("WE MOVED"))


@pytest.mark.parametrize("text", ["I miſſed it", "ı missed it", "İ missed it"])
def test_letters_that_only_match_when_case_is_ignored(text: str) -> None:
    pattern = re.compile(r"\bi missed\b", re.IGNORECASE)
    triggers = Triggers({"missed": pattern})
    assert triggers.match("missed", text, triggers.candidates(text)) is (pattern.search(text) is not None)


def test_only_outermost_bars_split() -> None:
    assert alternatives(r"a(?:b|c)|[|]]|\||d") == ["a(?:b|c)", "[|]]", r"\|", "d"]
    assert alternatives(r"[]|x]|[^]|]|y") == ["[]|x]", "[^]|]", "y"]
