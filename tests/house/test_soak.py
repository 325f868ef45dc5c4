"""The table of faults and attacks: every row names tests that exist, and the docs say what the command writes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from soak import run
from soak.row import Row
from soak.rows import ROWS

TESTS = Path(__file__).parents[1]
SAME = ("R24",)  # each piece does the same again; what is drawn is drawn anew


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
    assert any("ERSTWHILE_SOAK" in source or "from soak.size import" in source for source in sources)


@pytest.mark.parametrize("row", [row for row in ROWS if row.pieces], ids=lambda row: row.id)
def test_the_pieces_of_a_row_are_its_tests_or_differ_by_what_the_tests_take_from_them(row: Row) -> None:
    taken = "\n".join(_source(each.partition("::")[0]) for each in row.tests)
    named = {each.partition("#")[0] for each in row.pieces}
    assert named == set(row.tests) or re.search("from soak.size import (NUMBER|PIECE)", taken) or row.id in SAME


def _source(place: str) -> str:
    """The text of a file of tests, or of all files of a folder and what chooses their databases."""
    path = TESTS / place
    files = [*path.rglob("test_*.py"), TESTS / "turns.py"] if path.is_dir() else [path]
    return "\n".join(each.read_text() for each in files)


def test_the_docs_have_the_table_that_the_command_writes() -> None:
    assert run.PAGE.read_text() == run.page(run.results()), "run `make soak ROWS=table`"


def test_a_row_says_when_it_was_not_run_at_its_size() -> None:
    was = result("R13", tests="4 passed", seconds=9)
    assert "2026-01-01" not in run.table({"R13": {**was, "size": "120 sites"}})
    assert "2026-01-01 at 0a1b2c3d4: passed (4 passed; 9 s)" in run.table({"R13": was})


def test_a_row_whose_tests_have_changed_since_counts_as_not_run(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    row = Row(
        "R1", "a trial", ("test_a.py::test_one", "folder"), full="large", pieces=("folder", "test_a.py::test_one#2")
    )
    (tmp_path / "folder").mkdir()
    for name in ("test_a.py", "folder/test_b.py"):
        (tmp_path / name).write_text("def test_one(): ...")
    monkeypatch.setattr(run, "TESTS", tmp_path)

    def digests() -> list[str]:
        run.digest.cache_clear()
        return [run.digest(run.chosen_tests(row, piece)) for piece in ("", *row.pieces)]

    before = digests()
    assert run.chosen_tests(row, row.pieces[1]) == ("test_a.py::test_one",)
    was = {"size": "large", "result": "passed", "digest": before[0]}
    assert run.passed(row, "", was)
    (tmp_path / "folder/test_b.py").write_text("def test_one(): assert True")
    after = digests()
    assert [one == other for one, other in zip(before, after, strict=True)] == [False, False, True]
    assert not run.passed(row, "", was)
    assert run.passed(row, row.pieces[1], {**was, "digest": before[2]})
    assert not run.passed(row, "", {"size": "large", "result": "passed"}), "a result from before there were digests"


def result(id: str, piece: str = "", **more: object) -> dict[str, object]:
    """Of a run at full size with the tests as they are."""
    row = next(each for each in ROWS if each.id == id)
    made = {"digest": run.digest(run.chosen_tests(row, piece)), "commit": "0a1b2c3d4", "date": "2026-01-01"}
    return {**made, "result": "passed", "size": row.full or row.ci, "tests": "4 passed", "seconds": 900, **more}


def test_a_row_has_its_command_and_what_was_measured() -> None:
    was = result("S9", tests="9 passed", seconds=4)
    assert "| `make soak ROWS=S9` | not yet run by itself; it is in `make test` |" in run.table({})
    told = run.table({"S9": {**was, "measured": ["0.40 s of CPU"]}})
    assert "2026-01-01 at 0a1b2c3d4: passed (9 passed; 4 s); 0.40 s of CPU |" in told
    assert {row.id for _, row, _ in run.chosen(["whole"])} == {row.id for row in ROWS if row.ci == "whole"}


def test_the_results_of_pieces_add_up() -> None:
    row = next(each for each in ROWS if each.id == "R2")
    was = result("R2", "1")
    known = {
        "R2:1": was,
        "R2:2": {**was, "result": "FAILED", "tests": "1 failed, 3 passed"},
        "R2:3": {**was, "size": ""},
    }
    told = run.table(known)
    assert "2026-01-01 at 0a1b2c3d4: 1 of 4 pieces passed (7 passed, 1 failed; 1,800 s); R2:2 FAILED" in told
    known = dict.fromkeys(run.places(row), was)
    assert "2026-01-01 at 0a1b2c3d4: passed (16 passed; 3,600 s)" in run.table(known)
    assert [name for name, _, _ in run.chosen(["R2:3", "R8"])] == ["R2:3", "R8"]
    assert len(run.chosen(["R2"])) == 4
    with pytest.raises(KeyError):
        run.chosen(["R2:5"])
