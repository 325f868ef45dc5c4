"""Facts are kept by weights that were fitted to what readers said."""

from __future__ import annotations

import pytest
from bench import usefulness as fitted

from erstwhile.writers.extractive import usefulness


@pytest.fixture(scope="module")
def judged() -> list[fitted.JudgedFact]:
    return fitted.judged()


def test_the_weights_are_those_of_the_sheets(judged: list[fitted.JudgedFact]) -> None:
    weights = dict(zip(fitted.NAMES, fitted.fit(judged).tolist(), strict=True))
    assert pytest.approx(weights, abs=0.02) == usefulness.WEIGHTS


def test_sets_that_were_left_out_are_judged_well(judged: list[fitted.JudgedFact]) -> None:
    scored = [each for each in fitted.left_out(judged) if each[0].set != fitted.SETS[-1]]
    kept = [fact.useful for fact, score in scored if score >= usefulness.FEWEST]
    assert sum(kept) >= 0.83 * len(kept)
    assert sum(kept) >= 0.8 * sum(fact.useful for fact, _ in scored)
