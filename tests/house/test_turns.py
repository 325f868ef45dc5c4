"""Which database a test uses in `make test`: one by turns above the queries, both where databases, faults or attacks are tested."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

import turns
from soak.rows import ROWS


def made(place: str, database: str | None, *marks: pytest.Mark) -> Any:
    """A test as pytest has it after collecting."""
    call = SimpleNamespace(params={"database_url": database} if database else {})
    node = f"tests/{place}[{database}]"
    return SimpleNamespace(
        nodeid=node,
        callspec=call,
        iter_markers=lambda name: [each for each in marks if each.name == name],
        get_closest_marker=lambda name: next((each for each in marks if each.name == name), None),
    )


def left(place: str, *marks: pytest.Mark) -> list[str]:
    items = [made(place, each, *marks) for each in ("sqlite", "postgres")]
    out = turns.left_out(items)
    return [each.callspec.params["database_url"] for each in items if each not in out]


def test_above_the_queries_a_test_uses_one_and_every_third_uses_postgres() -> None:
    chosen = [left(f"layers/test_facts.py::test_{number}") for number in range(300)]
    assert {len(each) for each in chosen} == {1}
    assert 80 <= chosen.count(["postgres"]) <= 120


def test_the_parameters_of_a_test_do_not_change_its_turn() -> None:
    assert turns.turn("tests/layers/test_facts.py::test_one[sqlite-a]") == turns.turn(
        "tests/layers/test_facts.py::test_one"
    )


@pytest.mark.parametrize(
    "place", ["storage/test_units.py", "search/test_isolation.py", "layers/erasure/test_erasing.py"]
)
def test_what_is_about_databases_uses_both(place: str) -> None:
    assert all(left(f"{place}::test_{number}") == ["sqlite", "postgres"] for number in range(30))


def test_a_test_of_a_fault_or_an_attack_that_concerns_the_database_uses_both() -> None:
    rows = [row for row in ROWS if row.id not in turns.ROWS_BY_TURNS]
    named = [each if "::" in each else f"{each}::test_any" for row in rows for each in row.tests]
    assert [each for each in named if left(each) != ["sqlite", "postgres"]] == []


def test_the_cases_of_a_test_take_turns() -> None:
    items = [made("storage/test_units.py::test_one", each) for each in ("sqlite", "postgres") for _ in range(4)]
    for number, item in enumerate(items):
        item.nodeid = item.nodeid.replace("]", f"-{number % 4}]")
    kept = [item for item in items if item not in turns.left_out(items)]
    assert sorted(item.nodeid[-2] for item in kept) == ["0", "1", "2", "3"]
    assert len({item.callspec.params["database_url"] for item in kept}) == 2


def test_a_long_test_is_left_out() -> None:
    assert left("house/test_docs_site.py::test_one", pytest.mark.long.mark) == []


def test_a_test_that_names_its_database_keeps_it() -> None:
    mark = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True).mark
    assert all(left(f"layers/test_facts.py::test_{number}", mark) == ["sqlite", "postgres"] for number in range(30))


def test_without_a_database_a_test_always_runs() -> None:
    assert turns.left_out([made("layers/test_facts.py::test_one", None)]) == []
