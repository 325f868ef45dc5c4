"""Where the time of a search and a context goes: `python -m bench.profile [--messages 10000] [--talk 600] [--keep FILE]`.

A space with that many messages in channels of 500, of which only what search needs is derived, and one channel of --talk messages
with everything.
Each figure is per call, after a warm-up and without embedding the question: wall time, CPU time of all threads of the process, database
statements and transactions. A second round runs under cProfile, which is slow itself: compare its rows, not its sums.
"""

from __future__ import annotations

import argparse
import asyncio
import cProfile
import os
import platform
import pstats
import statistics
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from datetime import date
from functools import wraps
from pathlib import Path
from typing import Any

from bench import sayings
from bench.machine import postgres
from bench.search import scratch

WARM = 20
HEAD = "| database | messages | call | p50 ms | p95 ms | CPU p50 ms | statements | transactions |\n|---|---|---|---|---|---|---|---|"
_STATEMENTS = {"sqlite": ("all", "run", "run_many"), "postgres": ("all", "first", "run", "run_many")}

Call = Callable[[str], Awaitable[Any]]


async def fill(where: str, messages: int, talk: int) -> None:
    import erstwhile

    def said(number: int) -> list[dict[str, Any]]:
        speakers = [{"role": "user", "person": f"person-{number % 50}"}, {"role": "assistant"}]
        return [{**speakers[place % 2], "text": text} for place, text in enumerate(sayings.channel(number))]

    async with erstwhile.open(
        where, worker=False, model="extractive", recipe="brief", brief={"threshold": 10**9}
    ) as memory:
        for number in range((messages - talk) // sayings.CHANNEL):
            chat = memory.channel(f"channel-{number}")
            if not await chat.size():
                await chat.add_many(said(number))
        await memory.settle()
    async with erstwhile.open(where, worker=False, model="extractive") as memory:
        chat = memory.channel("talk")
        if not await chat.size():
            for number in range(100_000, 100_000 + -(-talk // sayings.CHANNEL)):
                await chat.add_many(said(number)[: talk - (number - 100_000) * sayings.CHANNEL])
        await memory.settle()


class Counts:
    """Counts the statements and transactions of both databases."""

    def __init__(self) -> None:
        from erstwhile.storage.postgres import PostgresDatabase, PostgresTransaction
        from erstwhile.storage.sqlite import SQLiteDatabase, SQLiteTransaction

        self.seen: Counter[str] = Counter()
        self.named: Counter[str] = Counter()
        for transaction, database in ((SQLiteTransaction, SQLiteDatabase), (PostgresTransaction, PostgresDatabase)):
            for name in _STATEMENTS[transaction.dialect]:
                self._count(transaction, name, "statements")
            self._count(database, "read", "transactions")

    def _count(self, owner: type, name: str, what: str) -> None:
        inner = getattr(owner, name)

        @wraps(inner)
        async def counted(*args: Any, **named: Any) -> Any:
            self.seen[what] += 1
            if what == "statements":
                self.named[args[1].name] += 1
            return await inner(*args, **named)

        setattr(owner, name, counted)


def without_embedding(memory: Any) -> None:
    """Look vectors up that were made before: embedding is measured by bench.embed."""
    embedder = memory._runtime.recall._embedder
    if embedder is None:
        return
    made: dict[str, Any] = {}
    inner = embedder.embed

    async def looked_up(texts: Sequence[str]) -> Any:
        for text in texts:
            if text not in made:
                made[text] = (await inner([text]))[0]
        return [made[text] for text in texts]

    embedder.embed = looked_up


async def figures(call: Call, questions: Sequence[str], counts: Counts) -> tuple[list[float], list[float]]:
    wall, cpu = [], []
    counts.seen.clear()
    counts.named.clear()
    for question in questions:
        at, spent = time.perf_counter(), time.process_time()
        await call(question)
        cpu.append((time.process_time() - spent) * 1000)
        wall.append((time.perf_counter() - at) * 1000)
    return wall, cpu


async def profiled(call: Call, questions: Sequence[str]) -> pstats.Stats:
    """Profile the CPU time of the event loop and, on SQLite, of the thread that reads."""
    from erstwhile.storage.sqlite import SQLiteDatabase

    loop, reader = cProfile.Profile(time.thread_time), cProfile.Profile(time.thread_time)
    inner = SQLiteDatabase._read
    SQLiteDatabase._read = lambda *args: reader.runcall(inner, *args)  # type: ignore[method-assign]
    loop.enable()
    for question in questions:
        await call(question)
    loop.disable()
    SQLiteDatabase._read = inner  # type: ignore[method-assign]
    reader.create_stats()
    return pstats.Stats(loop, reader) if reader.stats else pstats.Stats(loop)  # type: ignore[attr-defined]


async def measure(label: str, where: str, given: argparse.Namespace, counts: Counts) -> None:
    import erstwhile

    await fill(where, given.messages, given.talk)
    questions = sayings.questions(given.questions + WARM)
    async with erstwhile.open(where, worker=False, model="extractive") as memory:
        without_embedding(memory)
        talk = memory.channel("talk")
        calls: dict[str, Call] = {
            "search": lambda question: memory.search(question, kinds=["message"], limit=10),
            "context": lambda question: talk.context(question, person="person-0"),
        }
        size = f"{given.messages:,} ({given.talk:,})"
        for name, call in calls.items():
            for question in questions:
                await call(question)
            wall, cpu = await figures(call, questions[WARM:], counts)
            each = [counts.seen[what] / len(wall) for what in ("statements", "transactions")]
            print(
                f"| {label} | {size} | {name} | {statistics.median(wall):.2f} | {sorted(wall)[len(wall) * 19 // 20]:.2f} "
                f"| {statistics.median(cpu):.2f} | {each[0]:.1f} | {each[1]:.1f} |",
                flush=True,
            )
            if given.top:
                named = ", ".join(f"{query} {count / len(wall):.1f}" for query, count in counts.named.most_common())
                print(f"\nstatements per call: {named}")
                _details(len(wall), await profiled(call, questions[WARM:]), given.top)


def _details(calls: int, stats: pstats.Stats, top: int) -> None:
    rows = sorted(stats.stats.items(), key=lambda row: -row[1][2])[:top]  # type: ignore[attr-defined]
    for (file, line, function), (_, ncalls, own, cumulative, _) in rows:
        place = f"{os.path.relpath(file)}:{line}" if file.startswith("/") else file
        each = [1000 * own / calls, 1000 * cumulative / calls]
        print(f"{each[0]:8.3f} ms own {each[1]:8.3f} ms in all {ncalls / calls:8.1f} calls  {function}  {place[-70:]}")
    print(flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--messages", type=int, default=10_000)
    parser.add_argument("--talk", type=int, default=600, help="messages of the channel that contexts are made in")
    parser.add_argument("--questions", type=int, default=200)
    parser.add_argument("--top", type=int, default=25, help="functions shown; 0: only the table")
    parser.add_argument("--embedded-postgres", action="store_true", help="also on a Postgres started for the run")
    parser.add_argument("--database", help="also on this Postgres; it is filled, and kept")
    parser.add_argument("--keep", help="keep the SQLite database in this file, and use it again the next time")
    given = parser.parse_args()
    print(f"\n### Profile, {date.today()}, {platform.machine()}, {given.questions} questions a row\n")  # noqa: DTZ011
    print(HEAD, flush=True)
    counts = Counts()
    with scratch() as folder:
        asyncio.run(measure("sqlite", given.keep or str(folder / "profile.db"), given, counts))
        if given.database:
            asyncio.run(measure("--database", given.database, given, counts))
        if given.embedded_postgres:
            asyncio.run(measure("postgres", postgres(Path(folder) / "postgres", "profile"), given, counts))


if __name__ == "__main__":
    main()
