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


def test_the_tree_names_every_folder() -> None:
    tree = structure.PAGE.read_text().split("```text\nsrc/erstwhile/\n")[1].partition("```")[0]
    named = set(re.findall(r"(\w+)/", tree))
    assert named == {each.parent.name for each in structure.SOURCE.glob("*/__init__.py")}


def test_the_layers_are_counted_by_their_folders() -> None:
    folders = {each.parent.name for each in structure.SOURCE.glob("layers/*/steps.py")}
    assert set(structure.LAYERS) == folders - {"erasure", "retention"}
