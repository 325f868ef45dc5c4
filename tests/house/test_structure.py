"""The structure of the source only gets better, and docs/architecture.md says how it is."""

from __future__ import annotations

import re

import pytest
from bench import structure


@pytest.mark.parametrize("measure", structure.MEASURES, ids=lambda measure: measure.name)
def test_a_measure_stays_within_its_limit(measure: structure.Measure) -> None:
    assert measure.count() <= measure.limit


def test_the_table_is_current() -> None:
    assert structure.written() == structure.table(), "run `python -m bench.structure --write`"


def test_the_walk_names_only_files_that_exist() -> None:
    """The section "One message in, one context out" names each file that a message and a context pass."""
    walk = re.search(r"^## One message in, one context out$(.*?)(?=^## |\Z)", structure.PAGE.read_text(), re.M | re.S)
    named = re.findall(r"`([\w/]+\.(?:py|sql|md))`", walk[1]) if walk else []
    assert [file for file in named if not (structure.SOURCE / file).is_file()] == []
