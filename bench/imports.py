"""Messages per second of each import format: `python -m bench.imports [--messages 50000] [--formats jsonl,discord] [--embedded-postgres]`.

(Not bench.import, which Python can't import.) Each export is made up, as its product writes it. A dry run comes first, into an empty
database, then the import, then the same again, each in a process of its own; the peak is of that process. Nothing is derived meanwhile.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import platform
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import date
from pathlib import Path

import erstwhile
from bench.machine import postgres
from erstwhile.importers import load
from erstwhile.importers.loading import NAMES
from support.exports import MAKERS

WAYS = ("dry run", "first time", "again")


@dataclass(frozen=True, slots=True)
class Measured:
    messages: int
    seconds: float
    cpu: float
    peak: int  # megabytes


async def one(url: str, path: Path, format: str, way: str) -> Measured:
    async with erstwhile.open(url, worker=False, model="extractive") as memory:
        started, used = time.perf_counter(), time.process_time()
        report = await load(memory, path, format=format, dry_run=way == "dry run")
        seconds, cpu = time.perf_counter() - started, time.process_time() - used
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    return Measured(report.messages + report.already, seconds, cpu, peak)


def measured(*given: str) -> Measured:
    done = subprocess.run(
        [sys.executable, "-m", "bench.imports", "--one", *given], stdout=subprocess.PIPE, text=True, check=True
    )
    return Measured(**json.loads(done.stdout))


def databases(folder: Path, names: list[str], kinds: list[str]) -> Iterator[tuple[str, str, str]]:
    for kind in kinds:
        for name in names:
            url = str(folder / f"{name}.db") if kind == "sqlite" else postgres(folder / "postgres", f"import_{name}")
            yield kind, name, url


def measure(messages: int, names: list[str], kinds: list[str]) -> None:
    folder = Path(tempfile.mkdtemp(prefix="erstwhile-bench-"))
    folder.chmod(0o755)
    print(f"\n### Imports, {date.today()}, {platform.machine()}, {messages:,} messages\n")  # noqa: DTZ011
    print("| database | format | MB | " + " | ".join(f"{way}, messages/s" for way in WAYS), end=" | ")
    print("CPU, again to first | peak MB |\n|---|---|---|---|---|---|---|---|")
    try:
        for kind, name, url in databases(folder, names, kinds):
            (folder / name).mkdir()
            source = MAKERS[name](folder / name, messages)
            size = sum(file.stat().st_size for file in (folder / name).rglob("*") if file.is_file()) / 1e6
            found = [measured(url, str(source), name, way) for way in WAYS]
            assert {each.messages for each in found} == {messages}, found
            rates = " | ".join(f"{each.messages / each.seconds:,.0f}" for each in found)
            faster, peak = found[1].cpu / found[2].cpu, max(each.peak for each in found)
            print(f"| {kind} | {name} | {size:,.0f} | {rates} | 1 to {faster:.1f} | {peak} |", flush=True)
            shutil.rmtree(folder / name)
            Path(url).unlink(missing_ok=True)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--messages", type=int, default=50_000)
    parser.add_argument("--formats", default=",".join(name for name in NAMES if name in MAKERS))
    parser.add_argument("--embedded-postgres", action="store_true", help="on Postgres too")
    parser.add_argument("--one", nargs=4, metavar=("URL", "PATH", "FORMAT", "WAY"), help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.one:
        url, path, format, way = given.one
        print(json.dumps(asdict(asyncio.run(one(url, Path(path), format, way)))))
    else:
        kinds = ["sqlite", "postgres"] if given.embedded_postgres else ["sqlite"]
        measure(given.messages, given.formats.split(","), kinds)


if __name__ == "__main__":
    main()
