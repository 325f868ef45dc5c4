"""Which of the two databases a test uses in `make test`.

Tests of what sits on top of the queries use SQLite or Postgres by turns, every third one Postgres, always the same: on
Postgres a test takes twice the time. Nearly all queries are one text for both. Where the databases do differ (storage, log,
index, events, archive, erasure, exports), and in every row of the table of faults and attacks but R25, tests use both.
`make soak ROWS=R25`, and pytest itself without `ERSTWHILE_TEST_TURNS`, use both for all.
"""

from __future__ import annotations

import os
import zlib

import pytest

from soak.rows import ROWS

TURNS = "ERSTWHILE_TEST_TURNS"
FOLDERS = next(row.tests for row in ROWS if row.id == "R25")
# In these folders: what may not be told or not be kept, and every test of a fault or an attack.
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
    *(each for row in ROWS if row.id != "R25" for each in row.tests),
)


def wanted() -> bool:
    return bool(os.environ.get(TURNS)) and not os.environ.get("ERSTWHILE_SOAK")


def left_out(items: list[pytest.Item]) -> list[pytest.Item]:
    """Return the tests whose database does not have the turn."""
    return [item for item in items if _by_turns(item) and _database(item) != turn(item.nodeid)]


def turn(nodeid: str) -> str:
    """Return the database of a test, whatever its parameters are."""
    name = nodeid.partition("[")[0].encode()
    return "sqlite" if zlib.crc32(name) % 3 else "postgres"


def _database(item: pytest.Item) -> object:
    call = getattr(item, "callspec", None)
    return call.params.get("database_url") if call else None


def _by_turns(item: pytest.Item) -> bool:
    if _database(item) is None or any("database_url" in mark.args[0] for mark in item.iter_markers("parametrize")):
        return False  # without a database, or only ever on one
    place = item.nodeid.partition("tests/")[2]
    return place.startswith(FOLDERS) and not place.startswith(ALWAYS_BOTH)
