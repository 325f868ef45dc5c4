"""Run rows of the table at full size, and write the table: `make soak`, `make soak ROWS="R1 S8"`, `make soak ROWS=table`.

Each row is one piece of at most an hour. Its result is kept in `results.json`, so that several runs add up; the table of
docs/trust.md is written from there.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from soak.rows import ROWS, Row

HOUSE = Path(__file__).parents[2]
RESULTS = Path(__file__).with_name("results.json")
PAGE = HOUSE / "docs" / "trust.md"
BEGIN, END = "<!-- soak: begin -->", "<!-- soak: end -->"
LONGEST = 3600  # seconds of a row

Results = Mapping[str, Mapping[str, Any]]


def results() -> dict[str, dict[str, Any]]:
    return json.loads(RESULTS.read_text()) if RESULTS.exists() else {}


def run(row: Row) -> dict[str, Any]:
    """Run the tests of a row at full size. Return what is to be kept."""
    tests = [f"tests/{each}" for each in row.tests]
    environment = {**os.environ, "ERSTWHILE_SOAK": "1", **dict(row.more)}
    command = [sys.executable, "-m", "pytest", "-q", "--no-header", "-p", "no:cacheprovider", *tests]
    begun = time.monotonic()
    try:
        done = subprocess.run(command, cwd=HOUSE, env=environment, timeout=LONGEST, capture_output=True, text=True)
    except subprocess.TimeoutExpired:
        outcome, told = "not finished in an hour", ""
    else:
        outcome, told = "passed" if done.returncode == 0 else "FAILED", done.stdout
    if outcome == "FAILED":
        print(told[-4000:])
    last = told.strip().splitlines()[-1].strip("= ") if told.strip() else ""
    return {
        "date": f"{datetime.now(UTC):%Y-%m-%d}",
        "result": outcome,
        "size": row.full or row.ci,
        "tests": last.rpartition(" in ")[0],
        "seconds": round(time.monotonic() - begun),
    }


def table(known: Results) -> str:
    """The table as it stands in the docs."""
    lines = [
        "| row | what is tried | tests | in `make test` | in `make soak` | last full run |",
        "|---|---|---|---|---|---|",
    ]
    lines += [_line(row, known.get(row.id)) for row in ROWS]
    return "\n".join(lines)


def _line(row: Row, was: Mapping[str, Any] | None) -> str:
    names = ", ".join(f"`{each}`" for each in dict.fromkeys(each.partition("::")[0] for each in row.tests))
    if was is None or was["size"] != (row.full or row.ci):
        ran = "not yet run at full size" if row.full else "with `make test`"
    else:
        ran = f"{was['date']}: {was['result']} ({was['tests']}; {was['seconds']:,} s)"
    return f"| {row.id} | {row.what} | {names} | {row.ci} | {row.full or 'the same'} | {ran} |"


def page(known: Results) -> str:
    """The page with the table in it."""
    before, _, rest = PAGE.read_text().partition(BEGIN)
    return f"{before}{BEGIN}\n{table(known)}\n{END}{rest.partition(END)[2]}"


def main(names: Sequence[str]) -> int:
    chosen = [row for row in ROWS if not names or row.id in names]
    unknown = sorted(set(names) - {row.id for row in ROWS} - {"table"})
    if unknown:
        print(f"There is no row {', '.join(unknown)}. Rows are {ROWS[0].id} to R24, S1 to {ROWS[-1].id}.")
        return 2
    failed = []
    for number, row in enumerate(chosen, start=1):
        print(f"[{number}/{len(chosen)}] {row.id}: {row.what} ({row.full or row.ci}) …", flush=True)
        found = run(row)
        print(f"    {found['result']}, {found['tests']}, {found['seconds']} s", flush=True)
        failed += [row.id] if found["result"] != "passed" else []
        kept = {**results(), row.id: found}
        RESULTS.write_text(json.dumps({each.id: kept[each.id] for each in ROWS if each.id in kept}, indent=1) + "\n")
        PAGE.write_text(page(kept))
    PAGE.write_text(page(results()))
    print(f"{len(chosen) - len(failed)} of {len(chosen)} rows passed. The table is in {PAGE.relative_to(HOUSE)}.")
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
