"""What is kept without a model, by language, on labelled chats: precision first, and a floor for each language."""

from __future__ import annotations

import re
import runpy
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from bench import languages

from erstwhile import language

NEW = ("de", "es", "fr", "ja", "zh")
LINEAR = runpy.run_path(str(Path(__file__).parents[1] / "text" / "test_linear_patterns.py"))


# The least recall of facts and of memories: what was measured on 20 November 2026, less one statement of twelve
# and one memory of five.
FLOORS = {
    "tuned": {
        "de": (0.68, 0.95),
        "en": (0.54, 0.90),
        "es": (0.75, 0.90),
        "fr": (0.72, 0.95),
        "ja": (0.68, 0.95),
        "ko": (0.65, 0.90),
        "zh": (0.72, 0.95),
    },
    "held out": {
        "de": (0.50, 0.65),
        "en": (0.41, 0.80),
        "es": (0.58, 0.80),
        "fr": (0.41, 0.80),
        "ja": (0.50, 0.80),
        "ko": (0.41, 0.60),
        "zh": (0.58, 0.60),
    },
}


@pytest.mark.parametrize("code", languages.codes())
@pytest.mark.parametrize("which", languages.SETS)
def test_little_that_is_kept_is_wrong_and_not_less_than_before(code: str, which: str) -> None:
    facts, memories = languages.count(code, which)
    told, noted = FLOORS[which][code]
    assert facts.precision >= 0.85, facts.wrong
    assert len(memories.wrong) <= max(1, 0.15 * len(memories.kept)), memories.wrong  # one of four is too few to tell
    assert facts.recall >= told, facts.missed
    assert memories.recall >= noted, memories.missed


@pytest.mark.parametrize("code", languages.codes())
def test_twelve_statements_are_held_out(code: str) -> None:
    facts, _ = languages.count(code, "held out")
    assert facts.wanted >= 12


@pytest.mark.parametrize("code", languages.codes())
def test_there_are_enough_messages_and_half_give_nothing(code: str) -> None:
    lines = [label for which in languages.SETS for chat in languages.chats(code, which) for label in chat]
    assert len(lines) >= 90
    assert len([label for label in lines if not label.words]) >= 0.5 * len(lines)


def test_the_page_shows_what_the_command_counts() -> None:
    assert languages.PAGE.read_text("utf-8") == languages.page(), "python -m bench.languages writes it"


def patterns(code: str) -> Iterator[re.Pattern[str]]:
    known = language.of(code)
    facts, rules, dates = known.facts, known.memory_rules, known.dates
    assert facts
    assert rules
    assert dates
    yield from (pattern for _, pattern in facts.primary)
    yield from (rule.pattern for rule in rules.rules)
    yield dates.found
    for held in (facts, facts.evidence, rules):
        for name in type(held).__dataclass_fields__:
            value = getattr(held, name)
            if isinstance(value, re.Pattern):
                yield value


@pytest.mark.parametrize("code", NEW)
def test_patterns_are_linear(code: str) -> None:
    def stop(*_: object) -> None:
        raise LINEAR["Stopped"]

    kept = signal.signal(signal.SIGVTALRM, stop)
    try:
        slow = [
            f"{pattern.pattern[:100]!r} on {large[:20]!r}"
            for pattern in patterns(code)
            for small, large in LINEAR["texts"](pattern)
            if not LINEAR["is_linear"](pattern, small, large)
        ]
    finally:
        signal.signal(signal.SIGVTALRM, kept)
    assert not slow
