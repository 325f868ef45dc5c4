"""The table of faults and attacks: every row names tests that exist, and the docs say what the command writes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from soak import run
from soak.rows import ROWS, Row

TESTS = Path(__file__).parents[1]


def test_every_row_of_the_design_is_there_once() -> None:
    assert [row.id for row in ROWS] == [f"R{n}" for n in range(1, 26)] + [f"S{n}" for n in range(1, 36)]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.id)
def test_a_row_names_tests_that_exist(row: Row) -> None:
    for each in row.tests:
        file, _, name = each.partition("::")
        source = _source(file)
        assert re.search(rf"^(?:async )?def {name or 'test_'}", source, re.MULTILINE), each


@pytest.mark.parametrize("row", [row for row in ROWS if row.full], ids=lambda row: row.id)
def test_what_has_a_full_size_is_larger_in_a_soak(row: Row) -> None:
    sources = [_source(each.partition("::")[0]) for each in row.tests]
    assert any("ERSTWHILE_SOAK" in source for source in sources)


def _source(place: str) -> str:
    """The text of a file of tests, or of all files of a folder and what chooses their databases."""
    path = TESTS / place
    files = [*path.rglob("test_*.py"), TESTS / "turns.py"] if path.is_dir() else [path]
    return "\n".join(each.read_text() for each in files)


def test_the_docs_have_the_table_that_the_command_writes() -> None:
    assert run.PAGE.read_text() == run.page(run.results()), "run `make soak ROWS=table`"


def test_a_row_says_when_it_was_not_run_at_its_size() -> None:
    was = {"date": "2026-01-01", "result": "passed", "size": "2,000 and 200", "tests": "4 passed", "seconds": 9}
    assert "2026-01-01: passed" in run.table({"R1": was})
    assert "2026-01-01" not in run.table({"R1": {**was, "size": "20"}})
