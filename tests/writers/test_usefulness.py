"""A small network tells which facts readers find useful."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
import pytest

from erstwhile.writers.extractive import usefulness
from erstwhile_vectors import VERSION

USEFUL = (
    "We moved to Berlin in 2019 and I work at the museum",
    "My sister Anna lives in Lisbon with her two kids",
    "I start as a nurse at the clinic in Leeds on 4 May",
)
USELESS = ("haha that was so good", "see you there then", "I think it's the other one", "no way, again?")


def scores(*texts: str) -> list[float]:
    return usefulness.scores([(text, "", 0) for text in texts])


def test_what_readers_find_useful_has_the_higher_score() -> None:
    assert min(scores(*USEFUL)) > 2.8
    assert max(scores(*USELESS)) < 0


def test_a_text_scores_the_same_alone_and_among_longer_ones() -> None:
    together = scores(*USEFUL, *USELESS)
    alone = [scores(text)[0] for text in (*USEFUL, *USELESS)]
    assert together == pytest.approx(alone, abs=1e-3)


@pytest.mark.parametrize("text", ["", "🎉", "?!", "12", "ก", "\u200b", "word " * 500, "数" * 400])
def test_any_text_has_a_score(text: str) -> None:
    assert np.isfinite(scores(text)[0])


def test_the_question_and_the_pattern_count() -> None:
    answer = "the 14th of June"
    asked = (answer, "Mia: When is your wedding?", 0)
    assert len(set(usefulness.scores([(answer, "", 0), asked, (answer, "", 5)]))) == 3


def test_the_network_was_taught_with_this_table_of_words() -> None:
    with np.load(Path(usefulness.__file__).with_name("usefulness.npz")) as stored:
        assert int(stored["table"]) == VERSION


def test_no_fact_needs_no_network() -> None:
    assert usefulness.scores([]) == []


def test_scores_wake_no_threads_of_blas() -> None:
    """They spin for longer than all sums take."""
    facts = [("I moved to Porto in May because my sister works there as a nurse, and the rent is lower. " * 2, "", 3)]
    usefulness.scores(facts)
    whole, own = time.process_time(), time.thread_time()
    for _ in range(20):
        usefulness.scores(facts)
    assert time.process_time() - whole < 1.5 * (time.thread_time() - own)
