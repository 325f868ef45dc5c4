"""A day's load, compressed: memory, open files and the write-ahead log stay where they are (R23)."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import apsw
import pytest

import erstwhile
from soak.size import SOAK, measured

MESSAGES = 20_000 if SOAK else 400
ROUNDS = 8
PER_MESSAGE = 2048  # bytes of memory: the index of the space grows with what was said
WAL = 64 * 2**20
HELD, KEPT = (200 if SOAK else 24) * 2**20, 17 * 2**20
DAY = """
import asyncio, json, os, sys
import erstwhile
from erstwhile.testing import FixedClock

path, messages, rounds, leaking = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4] == "leak"
held = []

def log_size():
    return os.stat(path + "-wal").st_size if os.path.exists(path + "-wal") else 0

def sample(wal):
    pages = int(open("/proc/self/statm").read().split()[1])
    return {"rss": pages * os.sysconf("SC_PAGE_SIZE"), "files": len(os.listdir("/proc/self/fd")), "wal": wal}

async def main():
    clock = FixedClock()
    samples = []
    async with erstwhile.open(path, clock=clock, worker=False) as memory:
        for round in range(rounds):
            wal = 0
            for start in range(0, messages // rounds, 20):
                chat = memory.channel(f"channel {start // 20 % 5}")
                await chat.add_many([
                    {"role": "user", "person": f"p{n % 7}", "key": f"{round}-{start + n}",
                     "text": f"On day {round} I met person {n % 9} at place {(start + n) % 97} and paid {n} coins."}
                    for n in range(20)
                ])
                await chat.context("whom did I meet", person="p1")
                await memory.search(f"place {start % 97}", limit=5)
                await chat.edit(f"{round}-{start}", f"On day {round} I met nobody.")
                await chat.delete([f"{round}-{start + 1}"])
                wal = max(wal, log_size())
                if leaking:
                    held.extend(os.urandom(1_000_000) for _ in range(4))
            clock.advance(hours=24 / rounds)
            await memory.settle()
            samples.append(sample(max(wal, log_size())))
    print(json.dumps(samples))

asyncio.run(main())
"""


def day(path: Path, *, leaking: bool = False, messages: int = MESSAGES) -> list[dict[str, Any]]:
    command = [sys.executable, "-c", DAY, str(path), str(messages), str(ROUNDS), "leak" if leaking else ""]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return list(json.loads(done.stdout))


def broken(samples: list[dict[str, Any]], messages: int) -> list[str]:
    """What grew since the middle of the day, where everything was used once."""
    half, end = samples[ROUNDS // 2], samples[-1]
    most = half["rss"] * 1.1 + PER_MESSAGE * messages / 2
    found = [f"memory {half['rss']:,} to {end['rss']:,}"] if end["rss"] > most else []
    found += [f"files {half['files']} to {end['files']}"] if end["files"] > half["files"] else []
    return found + [f"WAL {each['wal']:,}" for each in samples if each["wal"] > WAL]


@pytest.mark.timeout(3600 if SOAK else 600)
def test_a_day_takes_no_more_memory_files_or_log_at_its_end(tmp_path: Path) -> None:
    samples = day(tmp_path / "day.db")
    half, end = samples[ROUNDS // 2], samples[-1]
    measured(
        f"memory {half['rss'] / 1e6:.0f} to {end['rss'] / 1e6:.0f} MB, largest WAL {max(each['wal'] for each in samples) / 1e6:.1f} MB"
    )
    assert broken(samples, MESSAGES) == []


async def test_a_reader_that_stays_long_does_not_leave_a_long_log_behind(tmp_path: Path) -> None:
    """While it holds its snapshot, no checkpoint can start the log anew. Writing goes on, and afterwards the log is cut."""
    path, log = tmp_path / "read.db", tmp_path / "read.db-wal"
    async with erstwhile.open(str(path), worker=False) as memory:
        chat = memory.channel("chat")
        await chat.add("user", "The first word.")
        reader = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
        reader.execute("BEGIN")
        assert reader.execute("SELECT count(*) FROM messages").get == 1
        while log.stat().st_size < HELD:
            await chat.add("user", "a" * 1_000_000)
        assert reader.execute("SELECT count(*) FROM messages").get == 1, "its snapshot"
        reader.close()
        for number in range(3):  # the first finds the log free, is checkpointed, and the next begins at its start
            await chat.add("user", f"Afterwards {number}.")
        assert log.stat().st_size <= KEPT


@pytest.mark.long
def test_the_measure_can_see_a_leak(tmp_path: Path) -> None:
    """The control: the same day with memory that nobody gives back."""
    assert broken(day(tmp_path / "leak.db", leaking=True, messages=400), 400)[0].startswith("memory")
