"""Killed at each named point: nothing lost, nothing doubled, the same memories. `make soak` kills on both databases, and at the second
time too."""

from __future__ import annotations

import asyncio
import re
import shutil
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from crashing import CHANNELS, Contents, broken_promises, contents, die_at, everything, finished, undisturbed

from databases import ReusedDatabase
from soak.size import NUMBER, SOAK
from support import crash_points

UNTIL = 13
# Some have their own: test_profile_crashes.py, test_erasure_crashes.py, test_archive_crashes.py, test_retention_crashes.py,
# test_index_crashes.py.
POINTS = [
    point
    for point in crash_points.POINTS
    if not point.startswith(("profiles.", "erasure.", "archive.", "retention.", "index."))
]
BOTH = ("sqlite", "postgres")
# Each once, every third on Postgres, where it takes twice the time; in `make soak` on both.
KILLS = [("sqlite" if number % 3 else "postgres", point, 1) for number, point in enumerate(POINTS)]
if SOAK:  # in each of ten pieces two other times; a database is migrated only once, and the spare one
    KILLS = [
        (dialect, point, time)
        for dialect in BOTH
        for point in POINTS
        for time in ((1, 2) if point.startswith("migrate") else (2 * NUMBER - 1, 2 * NUMBER))
    ]


@pytest.fixture(scope="module")
def reference(tmp_path_factory: pytest.TempPathFactory) -> Contents:
    """One for both databases: they hold the same memories of the same conversation."""
    path = tmp_path_factory.mktemp("reference") / "reference.db"
    return asyncio.run(undisturbed(str(path), dict.fromkeys(CHANNELS[:2], UNTIL), telling=True))


@pytest.fixture(params=BOTH)
def empty_url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """A database without any table, for the points of a migration; for others it has the schema already."""
    bare = request.node.callspec.params.get("point", "migrate").startswith("migrate")
    if request.param == "sqlite":
        path = tmp_path / "crash.db"
        yield str(path if bare else shutil.copy(request.getfixturevalue("sqlite_template"), path))
    elif bare:
        yield request.getfixturevalue("bare_postgres")
    else:
        reused: ReusedDatabase = request.getfixturevalue("reused_postgres")
        yield reused.url
        reused.empty()


def test_the_reference_has_every_kind_of_memory(reference: Contents) -> None:
    assert len(reference.messages) == 2 * UNTIL
    assert {row[1] for row in reference.chunks} == {0, 1}
    assert reference.facts
    assert any(row[16] is not None for row in reference.structured), "one was said again in the other channel"
    assert [row[3] for row in reference.told] == ["mina collects stamps.\nmina lives in Oslo.\nmina owns a boat."]
    assert len(reference.structurings) == len(reference.extracts)
    assert all(row[4] for row in reference.briefs)
    assert len(reference.briefs) == 2
    assert {row[1] for row in reference.notes} == {"note", "topic"}
    assert reference.buffers == []
    assert len(reference.extracts) == 2 * (UNTIL // 4 + 1), "and the tail of each"


async def test_a_run_that_nobody_kills_gives_the_reference(empty_url: str, reference: Contents) -> None:
    """Rebuilt on the way, and on Postgres as on SQLite."""
    await everything(empty_url, UNTIL)
    assert await finished(empty_url) == reference


@pytest.mark.parametrize(("empty_url", "point", "time"), KILLS, indirect=["empty_url"])
async def test_a_crash_at_a_named_point_leaves_nothing_half_done(
    empty_url: str, reference: Contents, tmp_path: Path, point: str, time: int
) -> None:
    # A database is migrated once, so for the second time the process makes another one first.
    spare = [str(tmp_path / "spare.db")] if point.startswith("migrate") and time == 2 else []
    died = die_at(f"{point}:{time}", empty_url, *spare)
    if time > 2 and died.returncode == 0:
        assert await finished(empty_url) == reference
        pytest.skip(f"{point} is not reached {time} times")
    assert died.returncode == -signal.SIGKILL, f"{point} was not reached: {died.stderr}"
    acknowledged = died.stdout.splitlines()
    assert all(re.fullmatch(r"\w+/\d+ \d+", line) for line in acknowledged)

    if point.startswith("migrate"):
        assert acknowledged == []
    else:
        assert broken_promises(await contents(empty_url), acknowledged) == []
    await everything(empty_url, UNTIL)
    found = await finished(empty_url)
    assert found == reference


async def test_a_crash_at_a_point_that_does_not_exist_is_no_crash(tmp_path: Path) -> None:
    """The control: it is the point that kills, not the harness."""
    lived = await asyncio.to_thread(die_at, "no.such.point", str(tmp_path / "lives.db"))
    assert lived.returncode == 0, lived.stderr
    assert len(lived.stdout.splitlines()) >= 2 * UNTIL
