"""What is kept without a model, by language, on labelled chats: precision first, no language much worse than Korean."""

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


@pytest.mark.parametrize("code", languages.codes())
@pytest.mark.parametrize("which", languages.SETS)
def test_little_that_is_kept_is_wrong(code: str, which: str) -> None:
    facts, memories = languages.count(code, which)
    assert facts.precision >= 0.85, facts.wrong
    assert len(memories.wrong) <= max(1, 0.15 * len(memories.kept)), memories.wrong  # one of four is too few to tell
    assert facts.recall >= 0.5, facts.missed
    assert memories.recall >= 0.9, memories.missed


@pytest.mark.parametrize("code", NEW)
@pytest.mark.parametrize("which", languages.SETS)
def test_no_language_keeps_much_less_than_korean(code: str, which: str) -> None:
    (facts, memories), (known, noted) = languages.count(code, which), languages.count("ko", which)
    assert facts.recall >= known.recall - 0.2
    assert memories.recall >= noted.recall


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
