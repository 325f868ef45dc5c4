"""Durable messages per second: `python -m bench.ingest [sqlite|postgres …] [--seconds 5]`.

A message counts when `add` or `add_many` has returned, that is, when it is on disk with its search terms and jobs. Nothing is derived
meanwhile: this is the speed of the log. The first half second of a row is not counted. "CPU us" is what a message cost this process and the
Postgres server: it means something on a busy machine too.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import platform
import random
import shutil
import statistics
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import date
from pathlib import Path

import erstwhile
from bench.machine import postgres, postgres_cpu

WORDS = [line.strip() for line in (Path(__file__).parent / "words.txt").read_text().splitlines()]


def text(chance: random.Random) -> str:
    """About as long as people's chat messages are: 5 to 40 words."""
    return " ".join(chance.choices(WORDS, k=chance.randint(5, 40)))


async def single(memory: erstwhile.Memory, adders: int, seconds: float) -> tuple[int, list[float]]:
    """Each adder waits for its message to be on disk before it sends the next, each into a channel of its own."""
    until = time.perf_counter() + seconds
    waits: list[float] = []

    async def adder(number: int) -> None:
        chance, chat = random.Random(number), memory.channel(f"channel-{number}")
        while (started := time.perf_counter()) < until:
            await chat.add("user", text(chance), person=f"person-{number}")
            waits.append(time.perf_counter() - started)

    await asyncio.gather(*map(adder, range(adders)))
    return len(waits), waits


def _batch(chance: random.Random) -> list[dict[str, str]]:
    return [{"role": "user", "text": text(chance), "person": f"person-{i % 5}"} for i in range(100)]


async def batched(memory: erstwhile.Memory, adders: int, seconds: float) -> tuple[int, list[float]]:
    made = [[_batch(chance) for _ in range(20)] for chance in map(random.Random, range(adders))]
    until = time.perf_counter() + seconds
    waits: list[float] = []

    async def adder(number: int) -> None:
        batches, chat = itertools.cycle(made[number]), memory.channel(f"batch-{number}")
        while (started := time.perf_counter()) < until:
            await chat.add_many(next(batches))
            waits.append(time.perf_counter() - started)

    await asyncio.gather(*map(adder, range(adders)))
    return len(waits) * 100, waits


CASES: list[tuple[str, Callable[[erstwhile.Memory, int, float], Awaitable[tuple[int, list[float]]]], int]] = [
    ("add, 1 adder", single, 1),
    ("add, 8 adders", single, 8),
    ("add, 64 adders", single, 64),
    ("add_many of 100, 1 adder", batched, 1),
    ("add_many of 100, 4 adders", batched, 4),
]


@asynccontextmanager
async def opened(kind: str, folder: Path, names: itertools.count[int]) -> AsyncIterator[erstwhile.Memory]:
    if kind == "sqlite":
        url = str(folder / f"ingest-{next(names)}.db")
    else:
        url = postgres(folder / "postgres", f"ingest_{next(names)}")
    async with erstwhile.open(url, worker=False, model="extractive") as memory:
        yield memory


async def measure(kinds: list[str], seconds: float) -> None:
    folder, names = Path(tempfile.mkdtemp(prefix="erstwhile-bench-")), itertools.count()
    folder.chmod(0o755)
    print(f"\n### Ingest, {date.today()}, {platform.machine()}, {seconds:g} s a row\n")  # noqa: DTZ011
    print("| database | how | messages/s | p50 ms | p99 ms | CPU us | Postgres CPU us |\n|---|---|---|---|---|---|---|")
    try:
        for kind, (name, run, adders) in itertools.product(kinds, CASES):
            async with opened(kind, folder, names) as memory:
                await run(memory, adders, 0.5)
                started, ours, theirs = time.perf_counter(), time.process_time(), postgres_cpu(folder / "postgres")
                count, waits = await run(memory, adders, seconds)
                rate = count / (time.perf_counter() - started)
                ours, theirs = time.process_time() - ours, postgres_cpu(folder / "postgres") - theirs
            cuts = statistics.quantiles(waits, n=100)
            spent = f"{ours * 1e6 / count:,.0f} | {theirs * 1e6 / count:,.0f}"
            latency = f"{cuts[49] * 1000:.1f} | {cuts[98] * 1000:.1f}"
            print(f"| {kind} | {name} | {rate:,.0f} | {latency} | {spent} |", flush=True)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kinds", nargs="*", default=["sqlite", "postgres"])
    parser.add_argument("--seconds", type=float, default=5.0)
    given = parser.parse_args()
    asyncio.run(measure(given.kinds, given.seconds))


if __name__ == "__main__":
    main()
