"""Run rows of the table at full size, and write the table: `make soak`, `make soak ROWS="R1 S8"`, `make soak ROWS=table`.

A row that takes longer than an hour has pieces: `ROWS=R1` runs all of them, `ROWS="R1:3 R1:4"` some, `ROWS=missing` runs
whatever has not passed at its size, and `ROWS=whole` what `make test` runs whole. The result of each is kept in
`results.json` with what its tests have measured, so that several runs add up; the table of docs/tested.md is written from there.
A result counts for the tests it was made with: once one of their files changes, the row counts as not run.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

from soak.row import Row
from soak.rows import ROWS

HOUSE = Path(__file__).parents[2]
RESULTS = Path(__file__).with_name("results.json")
TESTS = HOUSE / "tests"
PAGE = HOUSE / "docs" / "tested.md"
BEGIN, END = "<!-- soak: begin -->", "<!-- soak: end -->"
LONGEST = 3600  # seconds of a row, or of a piece of one

Results = Mapping[str, Mapping[str, Any]]


def results() -> dict[str, dict[str, Any]]:
    return json.loads(RESULTS.read_text()) if RESULTS.exists() else {}


def chosen_tests(row: Row, piece: str) -> tuple[str, ...]:
    test = piece.partition("#")[0]
    return (test,) if test in row.tests else row.tests


@cache
def digest(tests: tuple[str, ...]) -> str:
    """A digest of which tests these are, and of the files that they are in."""
    found = hashlib.sha256(repr(tests).encode())
    for each in tests:
        place = TESTS / each.partition("::")[0]
        for file in sorted(place.rglob("*.py")) if place.is_dir() else [place]:
            found.update(file.read_bytes())
    return found.hexdigest()[:16]


def commit() -> str:
    """The commit of the code, with a plus if the code has changed since."""
    head = subprocess.check_output(["git", "rev-parse", "--short=9", "HEAD"], cwd=HOUSE, text=True).strip()
    code = ["git", "diff", "--quiet", "HEAD", "--", "*.py", "*.sql", "*.toml", "*.md", "*.[ch]", ":!docs"]
    return head + "+" * subprocess.run(code, cwd=HOUSE, check=False).returncode


def run(row: Row, piece: str) -> dict[str, Any]:
    """Run the tests of a row, or of a piece of it, at full size. Return what is to be kept."""
    which = chosen_tests(row, piece)
    of = {"digest": digest(which), "commit": commit()}
    tests = [f"tests/{each}" for each in which]
    figures = Path(tempfile.mkdtemp()) / "figures"
    environment = {
        **os.environ,
        "ERSTWHILE_SOAK": "1",
        "ERSTWHILE_SOAK_PIECE": piece.rpartition("#")[2],
        **dict(row.more),
    }
    environment["ERSTWHILE_SOAK_FIGURES"] = str(figures)
    words = [sys.executable, "-m", "pytest", "-q", "--no-header", "-p", "no:cacheprovider", *tests]
    begun = time.monotonic()
    try:
        done = subprocess.run(words, cwd=HOUSE, env=environment, timeout=LONGEST, capture_output=True, text=True)
    except subprocess.TimeoutExpired:
        outcome, told = "not finished in an hour", ""
    else:
        outcome, told = "passed" if done.returncode == 0 else "FAILED", done.stdout
    if outcome == "FAILED":
        print(told[-4000:])
    last = told.strip().splitlines()[-1].strip("= ") if told.strip() else ""
    found = {
        "date": f"{datetime.now(UTC):%Y-%m-%d}",
        "result": outcome,
        "size": row.full or row.ci,
        **of,
        "tests": last.rpartition(" in ")[0],
        "seconds": round(time.monotonic() - begun),
    }
    measured = figures.read_text().splitlines() if figures.exists() else []
    shutil.rmtree(figures.parent)
    return {**found, "measured": measured} if measured else found


def command(row: Row) -> str:
    """What runs a row at its size."""
    return f"make soak ROWS={row.id}"


def places(row: Row) -> dict[str, str]:
    """The pieces of a row by the names they are run and kept under; a row without pieces is one."""
    return {f"{row.id}:{piece}": piece for piece in row.pieces} or {row.id: ""}


def counts(row: Row, piece: str, found: Mapping[str, Any] | None) -> bool:
    """Whether a result is one of these tests at this size."""
    wanted = row.full or row.ci, digest(chosen_tests(row, piece))
    return found is not None and (found["size"], found.get("digest")) == wanted


def passed(row: Row, piece: str, found: Mapping[str, Any] | None) -> bool:
    return counts(row, piece, found) and found is not None and found["result"] == "passed"


def table(known: Results) -> str:
    """The table as it stands in the docs."""
    lines = [
        "| row | what is tried | tests | in `make test` | in `make soak` | command | last full run |",
        "|---|---|---|---|---|---|---|",
    ]
    lines += [_line(row, known) for row in ROWS]
    return "\n".join(lines)


def _line(row: Row, known: Results) -> str:
    names = ", ".join(f"`{each}`" for each in dict.fromkeys(each.partition("::")[0] for each in row.tests))
    full = row.full or "the same"
    if row.pieces:
        full += f", in {len(row.pieces)} pieces"
    cells = (row.id, row.what, names, row.ci, full, f"`{command(row)}`", _last_run(row, known))
    return f"| {' | '.join(cells)} |"


def _last_run(row: Row, known: Results) -> str:
    size = row.full or row.ci
    ran = {name: known[name] for name in places(row) if name in known and known[name]["size"] == size}
    if not ran:
        return "not yet run at full size" if row.full else "not yet run by itself; it is in `make test`"
    good = [found for found in ran.values() if found["result"] == "passed"]
    outcome = "passed" if len(good) == len(places(row)) else f"{len(good)} of {len(places(row))} pieces passed"
    if not row.pieces:
        outcome = ran[row.id]["result"]
    told = [f"{outcome} ({_added(found['tests'] for found in ran.values())}; {_seconds(ran):,} s)"]
    told += [f"{name} {found['result']}" for name, found in ran.items() if row.pieces and found not in good]
    told += dict.fromkeys(figure for found in ran.values() for figure in found.get("measured", ()))
    if not all(counts(row, piece, ran[name]) for name, piece in places(row).items() if name in ran):
        told.append("its tests have changed since")
    commits = ", ".join(dict.fromkeys(found.get("commit", "an earlier commit") for found in ran.values()))
    return f"{max(found['date'] for found in ran.values())} at {commits}: {'; '.join(told)}".replace("|", "\\|")


def _seconds(ran: Results) -> int:
    return sum(found["seconds"] for found in ran.values())


def _added(tests: Iterable[str]) -> str:
    """`3 passed` and `4 passed, 1 skipped` make `7 passed, 1 skipped`."""
    counts: Counter[str] = Counter()
    for number, outcome in re.findall(r"(\d+) (\w+)", " ".join(tests)):
        counts[outcome] += int(number)
    return ", ".join(f"{count} {outcome}" for outcome, count in counts.items())


def page(known: Results) -> str:
    """The page with the table in it."""
    before, _, rest = PAGE.read_text().partition(BEGIN)
    return f"{before}{BEGIN}\n{table(known)}\n{END}{rest.partition(END)[2]}"


def chosen(names: Sequence[str]) -> list[tuple[str, Row, str]]:
    """What is to be run: by what name it is kept, its row and which piece of it. Raises KeyError for a name that means nothing."""
    known = results()
    every = [(name, row, piece) for row in ROWS for name, piece in places(row).items()]
    unknown = set(names) - {name for name, _, _ in every} - {row.id for row in ROWS} - {"table", "missing", "whole"}
    if unknown:
        raise KeyError(", ".join(sorted(unknown)))
    return [
        (name, row, piece)
        for name, row, piece in every
        if not names
        or {name, row.id} & set(names)
        or ("missing" in names and (row.full or row.pieces) and not passed(row, piece, known.get(name)))
        or ("whole" in names and not (row.full or row.pieces))
    ]


def main(names: Sequence[str]) -> int:
    try:
        work = chosen(names)
    except KeyError as unknown:
        print(f"There is no row {unknown.args[0]}. Rows are {ROWS[0].id} to R25, S1 to {ROWS[-1].id}; of pieces: R1:2.")
        return 2
    failed = []
    for number, (name, row, piece) in enumerate(work, start=1):
        print(f"[{number}/{len(work)}] {name}: {row.what} ({row.full or row.ci}) …", flush=True)
        found = run(row, piece)
        print(f"    {found['result']}, {found['tests']}, {found['seconds']} s", flush=True)
        failed += [name] if found["result"] != "passed" else []
        kept = {**results(), name: found}
        order = [each for row in ROWS for each in places(row)]
        RESULTS.write_text(json.dumps({each: kept[each] for each in order if each in kept}, indent=1) + "\n")
        PAGE.write_text(page(kept))
    PAGE.write_text(page(results()))
    print(f"{len(work) - len(failed)} of {len(work)} passed. The table is in {PAGE.relative_to(HOUSE)}.")
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
