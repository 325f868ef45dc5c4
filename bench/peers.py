"""Search and inserts beside other memories, in one run: `make bench-peers`, or `python -m bench.peers [--sizes 10000,50000]`.

Each system is filled once for each size, in a process of its own, with the same messages and vectors. Then all are asked in turn, several
rounds of the same questions, each round in a new process: what the machine does besides hits all alike. A ratio is a system's p50 of a
round divided by erstwhile's of the same round; the middle of all rounds is given, and the smallest and the largest.
"""

from __future__ import annotations

import argparse
import platform
import statistics
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path

from bench.search import ROOT, Place, child, cuts, scratch
from bench.systems import NAMES

PYTHON = ROOT / ".venv-peers" / "bin" / "python"
LABELS = {
    "erstwhile": "erstwhile",
    "mem0": "mem0, Qdrant in the process (its default)",
    "mem0-faiss": "mem0, FAISS",
    "langgraph": "langgraph, SQLite store",
    "plain": "plain BM25 and vectors",
}
HEAD = (
    "| system | messages | inserted/s | times ours | p50 ms | times ours | p50 without embedding, ms | times ours |\n"
    "|---|---|---|---|---|---|---|---|"
)


def places(folder: Path, size: int, seconds: float) -> Iterator[Place]:
    for system in NAMES:
        where = folder / f"{system}-{size}"
        where.mkdir()
        if system == "erstwhile":
            yield Place(LABELS[system], system, str(where / "memory.db"))
        else:
            yield Place(LABELS[system], system, str(where), str(PYTHON), seconds)


def spread(ratios: Sequence[float]) -> str:
    middle, least, most = statistics.median(ratios), min(ratios), max(ratios)
    return f"{middle:.2g} ({least:.2g} to {most:.2g})" if middle < 10 else f"{middle:.0f} ({least:.0f} to {most:.0f})"


def measure(folder: Path, size: int, given: argparse.Namespace) -> None:
    rates: dict[str, float] = {}
    filled: list[Place] = []
    for place in places(folder, size, given.seconds):
        try:
            done = child(place, "fill", "--size", str(size))
        except subprocess.TimeoutExpired:
            print(f"| {place.label} | {size:,} | gave up after {given.seconds:g} s | | | | | |", flush=True)
            continue
        rates[place.label] = done["added"] / (done["add_seconds"] + done["settle_seconds"])
        filled.append(replace(place, seconds=None))
    ours = LABELS["erstwhile"]
    whole: dict[str, list[float]] = {place.label: [] for place in filled}
    bare: dict[str, list[float]] = {place.label: [] for place in filled}
    for _ in range(given.rounds):
        for place in filled:
            asked = child(place, "ask", "--questions", str(given.questions))
            whole[place.label].append(cuts(asked["ms"])[0])
            bare[place.label].append(cuts(asked["bare_ms"])[0])
    for label in whole:
        cells = [label, f"{size:,}", f"{rates[label]:,.0f}", f"{rates[label] / rates[ours]:.2g}"]
        for found in (whole, bare):
            ratios = [its / our for its, our in zip(found[label], found[ours], strict=True)]
            cells += [f"{statistics.median(found[label]):.1f}", spread(ratios)]
        print("| " + " | ".join(cells) + " |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", type=lambda text: [int(size) for size in text.split(",")], default=[10_000, 50_000])
    parser.add_argument("--questions", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=900, help="a system that takes longer to fill gives up")
    given = parser.parse_args()
    if not PYTHON.exists():
        parser.error("the other systems are not installed; run `make bench-peers`")
    today = date.today()  # noqa: DTZ011
    rounds = f"{given.rounds} rounds of {given.questions} questions"
    print(f"\n### Beside others, {today}, {platform.machine()}, {rounds}\n")
    print(HEAD, flush=True)
    with scratch() as folder:
        for size in given.sizes:
            measure(folder, size, given)


if __name__ == "__main__":
    main()
