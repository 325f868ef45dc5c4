"""How soon a killed server is back: `python -m bench.restart [--database FILE_OR_URL] [--size 1000000] [--rounds 3]`.

The database is filled first, as `bench.search` fills it, unless it is there already. Each round puts messages in for a few seconds and
kills the server (kill -9), then starts it again: "ready" is from the start of the process to 200 of /readyz, "CPU" what the process had
used by then; "first context" is from asking the ready server to its answer, which fills the index of the space; the acks are of messages
sent one after the other meanwhile.
"""

from __future__ import annotations

import argparse
import asyncio
import platform
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from pathlib import Path

from bench.server import cpu_seconds, cuts
from support.serving import Served
from support.traffic import Connection

SPACE = "bench"
HEAD = (
    "| round | ready s | CPU s | first ack ms | first context s | acks meanwhile | p50 ms | p99 ms | longest ms | next context ms |\n"
    "|---|---|---|---|---|---|---|---|---|---|"
)


@contextmanager
def filled(given: argparse.Namespace) -> Iterator[str]:
    folder = Path(tempfile.mkdtemp(prefix="erstwhile-bench-"))
    where = given.database or str(folder / "restart.db")
    words = [sys.executable, "-m", "bench.systems", "erstwhile", "fill", where, "--size", str(given.size)]
    try:
        subprocess.run(words, check=True, stdout=sys.stderr)
        yield where
    finally:
        shutil.rmtree(folder, ignore_errors=True)


async def say(connection: Connection, text: str) -> float:
    started = time.perf_counter()
    path = f"/v1/spaces/{SPACE}/channels/restart/messages"
    status, answer = await connection.send("POST", path, {"role": "user", "text": text, "person": "person-1"})
    if status != 201:
        raise RuntimeError(answer.decode())
    return time.perf_counter() - started


async def ask(port: int) -> float:
    connection, started = Connection(port), time.perf_counter()
    path = f"/v1/spaces/{SPACE}/channels/channel-1/context?query=where%20did%20we%20put%20the%20tickets"
    status, answer = await connection.send("GET", path)
    connection.close()
    if status != 200:
        raise RuntimeError(answer.decode())
    return time.perf_counter() - started


async def busy(port: int, seconds: float) -> None:
    connections = [Connection(port) for _ in range(8)]

    async def one(connection: Connection) -> None:
        until = time.perf_counter() + seconds
        while time.perf_counter() < until:
            await say(connection, "and another thing, before the lights go out")
        connection.close()

    await asyncio.gather(*map(one, connections))


async def after(port: int) -> tuple[float, float, list[float], float]:
    """The first ack, the first context, the acks while it was made, and a second context."""
    connection = Connection(port)
    first = await say(connection, "is anybody there?")
    asking = asyncio.create_task(ask(port))
    meanwhile = []
    while not asking.done():
        meanwhile.append(await say(connection, "still talking"))
        await asyncio.sleep(0.02)
    connection.close()
    return first, await asking, meanwhile, await ask(port)


def measure(where: str, given: argparse.Namespace) -> None:
    server = Served(where, *(["--no-worker"] if given.no_worker else []), model="extractive")
    server.start()
    server.ready()
    for number in range(1, given.rounds + 1):
        asyncio.run(busy(server.port, given.seconds))
        server.kill()
        started = time.perf_counter()
        server.start()
        server.ready()
        ready, cpu = time.perf_counter() - started, cpu_seconds(server.pid)
        first, context, meanwhile, second = asyncio.run(after(server.port))
        cells = [
            str(number),
            f"{ready:.2f}",
            f"{cpu:.2f}",
            f"{first * 1000:.0f}",
            f"{context:.1f}",
            f"{len(meanwhile):,}",
            *cuts(meanwhile),
            f"{max(meanwhile) * 1000:.0f}",
            f"{second * 1000:.0f}",
        ]
        print("| " + " | ".join(cells) + " |", flush=True)
    server.stop()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--database", help="a SQLite file or a Postgres; filled if it has less than --size, and kept")
    parser.add_argument("--size", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=3.0, help="how long messages are put in before each kill")
    parser.add_argument("--no-worker", action="store_true", help="jobs are left waiting")
    given = parser.parse_args()
    print(f"\n#### Restart, {date.today()}, {platform.machine()}, {given.size:,} messages\n\n{HEAD}", flush=True)  # noqa: DTZ011
    with filled(given) as where:
        measure(where, given)


if __name__ == "__main__":
    main()
