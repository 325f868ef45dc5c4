"""The server under load: `python -m bench.server [--seconds 60] [--embedded-postgres] [--database URL] [--pause 0.25] [--worker]`.

64 writers, each on a connection of its own, put in messages with keys, one by one, then 20 at a time, each as soon as the last was
answered; then 20 at a time, as many as make 2,000 messages a second. Meanwhile 8 readers ask for contexts, each again `--pause` seconds
after its answer. The servers are processes of `erstwhile serve`, the clients a process of their own. An ack is counted when the server has
answered 201, that is, when the message is on disk with its search terms and jobs. At the end of each row every message is read back: what
was acknowledged must be there once, and no number of a channel may be left out. "CPU ms" is what the servers used for each message,
contexts included: it means something on a busy machine too.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from datetime import date
from pathlib import Path
from typing import Any

from bench.machine import postgres
from support import traffic
from support.serving import Served

HEAD = (
    "| database | servers | a request | messages/s | ack p50 ms | ack p99 ms | contexts/s | p50 ms | p99 ms | CPU ms | lost, twice |\n"
    "|---|---|---|---|---|---|---|---|---|---|---|"
)


@dataclass(frozen=True, slots=True)
class Case:
    database: str
    servers: int
    batch: int
    rate: float = 0.0


def clients(load: traffic.Load) -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, traffic.__file__, json.dumps(asdict(load))], stdout=subprocess.PIPE, check=True
    )
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def measure(case: Case, url: str, given: argparse.Namespace) -> str:
    words = ["--worker" if given.worker else "--no-worker"]
    with ExitStack() as stack:
        servers = [stack.enter_context(Served(url, *words, model="extractive")) for _ in range(case.servers)]
        load = traffic.Load(
            ports=[server.port for server in servers],
            writers=given.writers,
            readers=given.readers,
            seconds=given.seconds,
            batch=case.batch,
            rate=case.rate,
            pause=given.pause,
        )
        before = sum(cpu_seconds(server.pid) for server in servers)
        seen = clients(load)
        spent = sum(cpu_seconds(server.pid) for server in servers) - before
        held = asyncio.run(traffic.stored(load))
    acknowledged = [tuple(each) for each in seen["acknowledged"]]
    broken = traffic.broken_promises(acknowledged, held) + seen["refused"]
    for each in broken[:5]:
        print(each, file=sys.stderr)
    seen["cpu"] = spent
    return row(case, seen, broken)


def row(case: Case, seen: dict[str, Any], broken: list[str]) -> str:
    seconds, acks, contexts = seen["seconds"], cuts(seen["acks"]), cuts(seen["contexts"])
    cells = [
        case.database,
        str(case.servers),
        ("1 message" if case.batch == 1 else f"{case.batch} messages")
        + (f", {case.rate:,.0f}/s sent" if case.rate else ""),
        f"{len(seen['acknowledged']) / seconds:,.0f}",
        *acks,
        f"{len(seen['contexts']) / seconds:,.0f}",
        *contexts,
        f"{seen['cpu'] * 1000 / max(1, len(seen['acknowledged'])):.2f}",
        f"{len(broken)} wrong" if broken else "nothing",
    ]
    return "| " + " | ".join(cells) + " |"


def cpu_seconds(pid: int) -> float:
    """What a process has used so far."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def cuts(took: list[float]) -> tuple[str, str]:
    if len(took) < 2:
        return "", ""
    parts = statistics.quantiles(took, n=100)
    return f"{parts[49] * 1000:.1f}", f"{parts[98] * 1000:.1f}"


@contextmanager
def scratch() -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="erstwhile-bench-"))
    folder.chmod(0o755)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def cases(given: argparse.Namespace) -> Iterator[Case]:
    kinds = [("sqlite", 1)] + ([("postgres", 1), ("postgres", 2)] if given.embedded_postgres or given.database else [])
    for database, servers in kinds:
        yield Case(database, servers, 1)
        yield Case(database, servers, 20)
        yield Case(database, servers, 20, given.rate)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--writers", type=int, default=64)
    parser.add_argument("--readers", type=int, default=8)
    parser.add_argument("--pause", type=float, default=0.25, help="seconds a reader waits before it asks again")
    parser.add_argument("--rate", type=float, default=2000.0, help="messages a second that the third row sends")
    parser.add_argument("--worker", action="store_true", help="the servers also run the jobs, as they do by default")
    parser.add_argument("--embedded-postgres", action="store_true", help="also on a Postgres started for the run")
    parser.add_argument("--database", help="also on this Postgres, which must be empty")
    given = parser.parse_args()
    print(
        f"\n#### The server, {date.today()}, {platform.machine()}, {given.seconds:g} s a row, {given.writers} writers,"  # noqa: DTZ011
        f" {given.readers} readers, jobs {'beside' if given.worker else 'left waiting'}\n\n{HEAD}",
        flush=True,
    )
    with scratch() as folder:
        for number, case in enumerate(cases(given)):
            if case.database == "sqlite":
                url = str(folder / f"server-{number}.db")
            else:
                url = given.database or postgres(folder / "postgres", f"server_{number}")
                subprocess.run([sys.executable, "-m", "erstwhile", "migrate", "-d", url], check=True, stdout=sys.stderr)
            print(measure(case, url, given), flush=True)


if __name__ == "__main__":
    main()
