"""The structure of the source only gets better, and docs/architecture.md says how it is."""

from __future__ import annotations

import pytest
from bench import structure


@pytest.mark.parametrize("measure", structure.MEASURES, ids=lambda measure: measure.name)
def test_a_measure_stays_within_its_limit(measure: structure.Measure) -> None:
    assert measure.count() <= measure.limit


def test_the_table_is_current() -> None:
    assert structure.written() == structure.table(), "run `python -m bench.structure --write`"
