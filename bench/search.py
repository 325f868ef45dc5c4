"""How long a search takes: `python -m bench.search [--sizes 1000,10000] [--embedded-postgres] [--database URL] [--keep FILE]`.

One space of channels with 500 messages each, `memory.search(kinds=["message"], limit=10)`, each row in a process of its own. "first" is
from opening the database in a new process to the first answer, with all that is loaded on the way. "without embedding" leaves out making
the question's vector. Memory is less what a process has over an empty space: "held" is its own, "mapped" are pages of files that
the system shares between processes and takes back when it needs room.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from bench.machine import postgres

ROOT = Path(__file__).parents[1]

HEAD = (
    "| system | messages | filled, messages/s | settled, s | first ms | p50 ms | p95 ms "
    "| p50 without embedding | p95 without embedding | MB held | MB mapped |\n|---|---|---|---|---|---|---|---|---|---|---|"
)


@dataclass(frozen=True, slots=True)
class Place:
    """What is measured, and where it keeps things."""

    label: str
    system: str
    where: str
    python: str = sys.executable
    seconds: float | None = None


def child(place: Place, what: str, *words: str) -> dict[str, Any]:
    environment = {**os.environ, "HF_HUB_OFFLINE": "1", "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "src")])}
    done = subprocess.run(
        [place.python, "-m", "bench.systems", place.system, what, place.where, *words],
        stdout=subprocess.PIPE,
        check=True,
        env=environment,
        cwd=ROOT,
        timeout=place.seconds,
    )
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def measure(place: Place, sizes: list[int], questions: int) -> None:
    empty = child(place, "ask", "--questions", "20", "--space", "nothing-here")
    for size in sizes:
        filled = child(place, "fill", "--size", str(size))
        if filled["messages"] > size:
            print(f"| {place.label} | {size:,} | holds {filled['messages']:,} already | | | | | | | | |", flush=True)
            continue
        asked = child(place, "ask", "--questions", str(questions))
        print(row(place, size, filled, asked, empty), flush=True)


def row(place: Place, size: int, filled: dict[str, Any], asked: dict[str, Any], empty: dict[str, Any]) -> str:
    rate = f"{filled['added'] / filled['add_seconds']:,.0f}" if filled["added"] else "kept"
    held, mapped = (asked[name] - empty[name] for name in ("own_mb", "mapped_mb"))
    each = f" ({held * 100_000 / size:,.0f} per 100k)" if size >= 100_000 else ""
    cells = [
        place.label,
        f"{size:,}",
        rate,
        f"{filled['settle_seconds']:.1f}",
        f"{asked['cold_ms']:.0f}",
        *(f"{cut:.1f}" for cut in (*cuts(asked["ms"]), *cuts(asked["bare_ms"]))),
        f"{held:,.0f}{each}",
        f"{mapped:,.0f}",
    ]
    return "| " + " | ".join(cells) + " |"


def cuts(ms: list[float]) -> tuple[float, float]:
    parts = statistics.quantiles(ms, n=20, method="inclusive")
    return parts[9], parts[18]


@contextmanager
def scratch() -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="erstwhile-bench-"))
    folder.chmod(0o755)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def places(given: argparse.Namespace, folder: Path) -> Iterator[tuple[Place, list[int]]]:
    yield Place("erstwhile, sqlite", "erstwhile", given.keep or str(folder / "search.db")), given.sizes
    if given.database:
        yield Place("erstwhile, --database", "erstwhile", given.database), given.sizes
    if given.embedded_postgres:
        yield Place("erstwhile, postgres", "erstwhile", postgres(folder / "postgres", "search")), given.sizes


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--sizes", type=lambda given: sorted(map(int, given.split(","))), default=[1000, 10_000, 100_000, 1_000_000]
    )
    parser.add_argument("--questions", type=int, default=200)
    parser.add_argument("--database", help="also measure on this one; it is filled, and kept")
    parser.add_argument("--embedded-postgres", action="store_true", help="also on a Postgres started for the run")
    parser.add_argument("--keep", help="keep the SQLite database in this file, and use it again the next time")
    given = parser.parse_args()
    print(f"\n### Search, {date.today()}, {platform.machine()}, {given.questions} questions a row\n")  # noqa: DTZ011
    print(HEAD, flush=True)
    with scratch() as folder:
        for place, sizes in places(given, folder):
            measure(place, sizes, given.questions)


if __name__ == "__main__":
    main()
