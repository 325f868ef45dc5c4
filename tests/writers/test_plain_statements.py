"""Plain statements about oneself become facts without a model, and chatter of the same shape does not."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from bench import plain

from erstwhile.writers.extractive import facts
from erstwhile.writers.port import TranscriptLine

MONDAY = datetime(2025, 3, 3, 18, 0, tzinfo=UTC)


def told(*lines: tuple[str, str]) -> list[str]:
    said = [TranscriptLine(name, text, MONDAY, "assistant" if name == "assistant" else "user") for name, text in lines]
    return [row.partition("): ")[2] for row in facts.extract(said).splitlines()]


@pytest.mark.parametrize("half", plain.HALVES)
def test_most_plain_statements_are_kept_and_little_chatter(half: str) -> None:
    found = [
        (wanted, plain.is_fact(text))
        for file in plain.STATEMENTS.glob("*.txt")
        for wanted, text in plain.statements(file, half)
    ]
    kept = [is_fact for wanted, is_fact in found if wanted]
    chatter = [is_fact for wanted, is_fact in found if not wanted]
    assert sum(kept) >= 0.6 * len(kept)
    assert sum(chatter) <= 0.05 * len(chatter)


def test_one_lasting_clause_of_a_sentence_is_a_fact() -> None:
    assert told(("Nora", "I would love that, but I'm allergic to bees")) == ["I'm allergic to bees"]
    assert told(("Nora", "I have a Volvo van from 2009 if you need one")) == ["I have a Volvo van from 2009"]


def test_an_opening_goes_with_its_dash() -> None:
    assert told(("Ana", "Yes - I moved to Busan in May")) == ["I moved to Busan in May"]


def test_an_answer_about_a_person_comes_with_its_question() -> None:
    assert told(("Haruka", "Where do you live?"), ("Tim", "in Bristol")) == ["in Bristol (Haruka: Where do you live?)"]
    assert told(("Haruka", "Where did you put it?"), ("Tim", "in Bristol")) == []


def test_she_in_the_next_message_joins_the_woman_before() -> None:
    before = ("Ed", "my wife works at Leeds university")
    assert told(before, ("Jo", "ah"), ("Ed", "she teaches statistics")) == [
        "my wife works at Leeds university. she teaches statistics"
    ]
    assert told(before, ("Jo", "ah"), ("Ed", "he teaches statistics")) == [before[1]]


@pytest.mark.parametrize(
    "said", ["The bar is sold", "We land at 9:40", "my brother can open the gate", "I got the job"]
)
def test_what_leans_on_the_lines_around_it_is_left_out(said: str) -> None:
    assert told(("Nora", said)) == []
