"""How long a backup and its restore take: `python -m bench.backup [--size 20000] [--embedded-postgres] [--database FILE]`.

A database is filled as `bench.search` fills it, unless one is named; it is backed up, checked, and restored into a new one of each kind.
"peak MB" is the most memory that the process of this step took, all of it: interpreter and libraries are some 60 of it.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import platform
import resource
import subprocess
import sys
import tempfile
import time
from datetime import date
from pathlib import Path

from bench import machine

HEAD = "| step | messages | seconds | CPU s | messages/s | zip MB | peak MB |\n|---|---|---|---|---|---|---|"


async def step(what: str, database: str, file: str) -> None:
    """One step, in a process of its own so that its memory can be told."""
    import erstwhile
    from erstwhile.api.archive import restore
    from erstwhile.archive import backup

    started = time.perf_counter()
    if what == "backup":
        async with erstwhile.open(database, worker=False, embedder="none") as memory:
            started = time.perf_counter()
            done = await memory.archive.backup(to=file)
    elif what == "check":
        done = backup.check(Path(file))
    else:
        done = await restore(database, file)
    seconds, used = time.perf_counter() - started, resource.getrusage(resource.RUSAGE_SELF)
    busy = used.ru_utime + used.ru_stime
    sys.stdout.write(json.dumps([done.messages, seconds, busy, done.bytes / 1e6, used.ru_maxrss / 1024]))


def measured(label: str, what: str, database: str, file: Path) -> None:
    words = [sys.executable, "-m", "bench.backup", "--step", what, "--database", database, "--file", str(file)]
    done = subprocess.run(words, check=True, stdout=subprocess.PIPE, text=True)
    messages, seconds, busy, size, peak = json.loads(done.stdout)
    rate = f"{messages / seconds:,.0f}"
    sys.stdout.write(f"| {label} | {messages:,} | {seconds:.1f} | {busy:.1f} | {rate} | {size:,.0f} | {peak:,.0f} |\n")
    sys.stdout.flush()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", type=int, default=20_000)
    parser.add_argument("--embedded-postgres", action="store_true")
    parser.add_argument("--database")
    parser.add_argument("--step", choices=["backup", "check", "restore"])
    parser.add_argument("--file")
    given = parser.parse_args()
    if given.step:
        asyncio.run(step(given.step, given.database, given.file))
        return
    with tempfile.TemporaryDirectory(prefix="erstwhile-bench-") as name:
        folder = Path(name)
        database, file = given.database or str(folder / "from.db"), folder / "backup.zip"
        if not given.database:
            words = [sys.executable, "-m", "bench.systems", "erstwhile", "fill", database, "--size", str(given.size)]
            subprocess.run(words, check=True, stdout=sys.stderr)
        sys.stdout.write(f"{date.today()}, {platform.machine()}, Python {platform.python_version()}\n\n{HEAD}\n")  # noqa: DTZ011
        measured("backup, sqlite", "backup", database, file)
        measured("check", "check", database, file)
        measured("restore, sqlite", "restore", str(folder / "to.db"), file)
        if given.embedded_postgres:
            url = machine.postgres(folder / "postgres", "backup")
            measured("restore, postgres", "restore", url, file)
            measured("backup, postgres", "backup", url, folder / "again.zip")


if __name__ == "__main__":
    main()
