"""What `make test` leaves out: tests that are marked as long, and of most others one of the two databases.

Tests of what sits on top of the queries use SQLite or Postgres by turns, every third one Postgres, always the same: on
Postgres a test takes twice the time. Nearly all queries are one text for both. Where the databases do differ (storage, log,
index, events, archive, erasure, exports), and in every row of the table of faults and attacks but some, tests use both; where
such a test has other parameters too, its cases take turns.
`make soak ROWS=R25`, and pytest itself without `ERSTWHILE_TEST_TURNS`, run everything on both.
"""

from __future__ import annotations

import os
import zlib

import pytest

from soak.rows import ROWS

TURNS = "ERSTWHILE_TEST_TURNS"
FOLDERS = next(row.tests for row in ROWS if row.id == "R25")
# What a model or a platform does is the same on both.
ROWS_BY_TURNS = (*("R5", "R6", "R7", "R8", "R21", "R25"), *("S1", "S2", "S3", "S4", "S5", "S6", "S24", "S25", "S26"))
# In these folders: what may not be told or not be kept, and other tests of a fault or an attack.
ALWAYS_BOTH = (
    "faces/test_http_hostile.py",
    "faces/test_trust_everywhere.py",
    "layers/erasure/",
    "layers/test_a_new_layer.py",
    "layers/test_audiences.py",
    "layers/test_days_leaks.py",
    "layers/test_masked_secrets.py",
    "layers/test_retention",
    "layers/test_told_withheld.py",
    *(each for row in ROWS if row.id not in ROWS_BY_TURNS for each in row.tests),
)


def wanted() -> bool:
    return bool(os.environ.get(TURNS)) and not os.environ.get("ERSTWHILE_SOAK")


def left_out(items: list[pytest.Item]) -> list[pytest.Item]:
    """Return the tests whose database does not have the turn."""
    found = [item for item in items if item.get_closest_marker("long")]
    cases: dict[str, dict[str, int]] = {}
    for item in filter(_on_either, items):
        database = _database(item)
        name, _, case = item.nodeid.partition("[")
        numbers = cases.setdefault(name, {})
        number = numbers.setdefault(case.replace(database, ""), len(numbers))
        if _above_the_queries(item):
            chosen = turn(name)
        elif len(case) > len(f"{database}]"):
            chosen = ("sqlite", "postgres")[(number + zlib.crc32(name.encode())) % 2]
        else:
            continue  # both
        if database != chosen:
            found.append(item)
    return found


def turn(nodeid: str) -> str:
    """Return the database of a test, whatever its parameters are."""
    name = nodeid.partition("[")[0].encode()
    return "sqlite" if zlib.crc32(name) % 3 else "postgres"


def _database(item: pytest.Item) -> str:
    call = getattr(item, "callspec", None)
    return str(call.params.get("database_url", "")) if call else ""


def _on_either(item: pytest.Item) -> bool:
    """Whether a test uses a database, and not only ever one of the two."""
    marks = item.iter_markers("parametrize")
    return bool(_database(item)) and not any("database_url" in mark.args[0] for mark in marks)


def _above_the_queries(item: pytest.Item) -> bool:
    place = item.nodeid.partition("tests/")[2]
    return place.startswith(FOLDERS) and not place.startswith(ALWAYS_BOTH)
