"""Disk per message when everything is derived without a model:
`python -m bench.disk [--sizes 1000,10000] [--databases sqlite,postgres]`.

Two people talk in channels of 500 messages of about 139 bytes, as in `bench.derive`. Everything is derived, embedded and stored in
the index; then the database is compacted. The table has the bytes per message of each table with its indexes, the largest
first, and of the files of the stored index, which lie beside a SQLite database and are rows of `index_pieces` on Postgres.
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
from datetime import date, timedelta
from pathlib import Path

import apsw
import psycopg

import erstwhile
from bench import derive, machine
from erstwhile.storage import postgres, sqlite_health
from erstwhile.testing import FixedClock

_SMALLEST = 1.0  # bytes per message; smaller tables are counted together
_INDEX = "stored index"


async def fill(url: str, messages: int) -> int:
    """Add messages and derive everything; return the bytes of their texts."""
    clock = FixedClock(derive.START)
    batches = derive.batches("small-talk", messages)
    async with erstwhile.open(url, clock=clock, worker=False, model="extractive") as memory:
        for channel, said in batches:
            await memory.channel(channel).add_many(said)
        for hours in (0, 3, 24, 48):
            clock.now = derive.START + timedelta(seconds=30 * messages, hours=hours)
            await memory._runtime.store_index.look(clock.now)  # as a worker does every hour
            settled = await memory.settle()
            assert settled.waiting == settled.parked == 0
    return sum(len(each["text"].encode()) for _, said in batches for each in said)


def sqlite_sizes(file: Path) -> dict[str, int]:
    connection = apsw.Connection(str(file))
    connection.execute("VACUUM")
    sizes = sqlite_health.sizes(connection)
    connection.close()
    folder = Path(f"{file}.index")
    # Blocks that are on disk: a file has holes where it may grow.
    stored = sum(each.stat().st_blocks * 512 for each in folder.iterdir()) if folder.is_dir() else 0
    return {**sizes, _INDEX: stored}


def postgres_sizes(url: str) -> dict[str, int]:
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("VACUUM FULL")
        sizes = {str(name): int(size) for name, size in connection.execute(postgres.SIZES).fetchall()}
    return {**sizes, _INDEX: sizes.pop("index_pieces", 0)}


def measure(database: str, messages: int, folder: Path) -> None:
    file = folder / f"{messages}.db"
    url = str(file) if database == "sqlite" else machine.postgres(folder, f"disk_{messages}")
    text = asyncio.run(fill(url, messages))
    sizes = sqlite_sizes(file) if database == "sqlite" else postgres_sizes(url)
    shares = {name: size / messages for name, size in sizes.items()}
    print(f"\n| {database}, {messages:,} messages of {text / messages:,.0f} bytes | bytes per message |\n|---|---|")
    for name, share in sorted(shares.items(), key=lambda each: -each[1]):
        if share >= _SMALLEST and name != _INDEX:
            print(f"| {name} | {share:,.0f} |")
    small = [share for share in shares.values() if share < _SMALLEST]
    print(f"| {len(small)} smaller tables | {sum(small):,.0f} |")
    print(f"| all tables | {sum(shares.values()) - shares[_INDEX]:,.0f} |")
    print(f"| {_INDEX} | {shares[_INDEX]:,.0f} |", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", default="1000,10000")
    parser.add_argument("--databases", default="sqlite,postgres")
    options = parser.parse_args()
    print(f"\n### Disk, {date.today()}")  # noqa: DTZ011
    for chosen in options.databases.split(","):
        with tempfile.TemporaryDirectory() as made:
            for size in options.sizes.split(","):
                measure(chosen, int(size), Path(made))
