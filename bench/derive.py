"""CPU and disk per message when everything is derived without a model:
`python -m bench.derive [small-talk|replies …] [--messages 1000] [--repeat 3] [--disk]`.

Two people talk in channels of 500 messages; or a user asks and an assistant replies in about 1,500 characters of Markdown. The messages
are added in batches of 100 to a new SQLite database, the recipe is the default. Then the clock moves on until notes, days and the nightly
run are due, and everything is derived. CPU is that of the whole process; the smallest of the repeats counts. `--disk` lists the largest
tables and indexes. For a profile of all threads: `py-spy record -o derive.svg -- python -m bench.derive small-talk`.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import apsw

import erstwhile
from bench import sayings
from erstwhile.testing import FixedClock

START = datetime(2026, 3, 2, 8, tzinfo=UTC)
BATCH = 100
PEOPLE = (("mina", "Mina"), ("theo", "Theo"))


@dataclass(frozen=True)
class Figures:
    adding: float
    deriving: float
    size: int
    tables: dict[str, int]
    text: int


def small_talk(number: int) -> Iterator[dict[str, Any]]:
    for place, text in enumerate(sayings.channel(number)):
        person, name = PEOPLE[place % 2]
        yield {"role": "user", "text": text, "person": person, "name": name}


def replies(number: int) -> Iterator[dict[str, Any]]:
    """A question, a long reply, and so on. Hardly a sentence comes twice, or caches would flatter the figure."""
    chance = random.Random(f"replies {number}")
    for question in sayings.channel(number):
        yield {"role": "user", "text": question, "person": "mina", "name": "Mina"}
        yield {"role": "assistant", "text": _reply(chance), "model": "some-model"}


def _reply(chance: random.Random) -> str:
    """About 1,500 characters: a paragraph, a list, a paragraph."""

    def sentence() -> str:
        text = sayings.message(chance)
        return text[0].upper() + text[1:] + "."

    listed = "\n".join(f"- **{sentence().split()[0]}**: {sentence()}" for _ in range(4))
    return f"{sentence()} {sentence()} {sentence()}\n\n{listed}\n\n{sentence()} {sentence()} {sentence()}"


CASES: dict[str, Callable[[int], Iterator[dict[str, Any]]]] = {"small-talk": small_talk, "replies": replies}


async def derive(case: str, messages: int, file: Path, first: int = 0) -> Figures:
    clock = FixedClock(START)
    async with erstwhile.open(str(file), clock=clock, worker=False, model="extractive") as memory:
        chosen = batches(case, messages, first)
        started = time.process_time()
        for channel, said in chosen:
            await memory.channel(channel).add_many(said)
        added = time.process_time()
        for hours in (0, 3, 24):
            clock.now = START + timedelta(seconds=30 * messages, hours=hours)
            settled = await memory.settle()
            assert settled.waiting == settled.parked == 0
        done = time.process_time()
    text = sum(len(each["text"].encode()) for _, said in chosen for each in said)
    return Figures(added - started, done - added, file.stat().st_size, tables(file), text)


async def warm_up(folder: Path) -> None:
    """Load patterns and weights, with a database and messages of their own."""
    async with erstwhile.open(str(folder / "warm.db"), worker=False, model="extractive") as memory:
        await memory.channel("chat").add_many(list(replies(-1))[:100])
        await memory.settle()


def batches(case: str, messages: int, first: int = 0) -> list[tuple[str, list[dict[str, Any]]]]:
    """Return the messages in the order they are added, each half a minute after the one before."""
    found: list[tuple[str, list[dict[str, Any]]]] = []
    left, number, at = messages, first, START
    while left:
        said = list(CASES[case](number))[: min(left, sayings.CHANNEL)]
        for each in said:
            each["at"] = at
            at += timedelta(seconds=30)
        found += [(f"channel-{number}", said[start : start + BATCH]) for start in range(0, len(said), BATCH)]
        left -= len(said)
        number += 1
    return found


def tables(file: Path) -> dict[str, int]:
    """Return the bytes of each table and index, the largest first."""
    with apsw.Connection(str(file)) as connection:
        rows = connection.execute("SELECT name, sum(pgsize) FROM dbstat GROUP BY name ORDER BY 2 DESC")
        return {str(name): int(size) for name, size in rows}


def measure(case: str, given: argparse.Namespace) -> None:
    found = []
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(warm_up(Path(folder)))
    for turn in range(given.repeat):
        first = turn * given.messages  # other messages each time, so that no cache has seen them
        with tempfile.TemporaryDirectory() as folder:
            found.append(asyncio.run(derive(case, given.messages, Path(folder) / "derive.db", first)))
    best = min(found, key=lambda each: each.adding + each.deriving)
    adding, deriving = best.adding / given.messages * 1000, best.deriving / given.messages * 1000
    print(
        f"| {case} | {best.text / given.messages:,.0f} | {adding:.2f} | {deriving:.2f} | {adding + deriving:.2f}"
        f" | {best.size / given.messages:,.0f} |",
        flush=True,
    )
    if given.disk:
        for name, size in best.tables.items():
            if size / given.messages >= 1:
                print(f"    {name:32} {size / given.messages:8,.1f} bytes/message")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", nargs="*", default=list(CASES))
    parser.add_argument("--messages", type=int, default=1000)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--disk", action="store_true")
    options = parser.parse_args()
    print(f"\n### Deriving without a model, {date.today()}, {options.messages:,} messages\n")  # noqa: DTZ011
    print("| case | bytes | adding, CPU ms | deriving, CPU ms | both | disk bytes |\n|---|---|---|---|---|---|")
    for chosen in options.cases:
        measure(chosen, options)
