"""Embedding what is stored: `python -m bench.embedding [sqlite|postgres …] [--messages 100000]`.

A space is filled without deriving anything, then everything is embedded and the index stored. "CPU us" is what a message cost this
process and the Postgres server.
"""

from __future__ import annotations

import argparse
import asyncio
import platform
import random
import shutil
import tempfile
import time
from datetime import date
from pathlib import Path
from typing import Any

import erstwhile
from bench.ingest import text
from bench.machine import postgres, postgres_cpu

_BATCH = 500
# Leaves only what search itself needs.
_SETTINGS: dict[str, Any] = {"worker": False, "model": "extractive", "recipe": "brief", "brief": {"threshold": 10**9}}


async def fill(url: str, messages: int) -> None:
    chance = random.Random(7)
    async with erstwhile.open(url, **_SETTINGS, embedder="none") as memory:
        for number in range(messages // _BATCH):
            said = [{"role": "user", "text": text(chance)} for _ in range(_BATCH)]
            await memory.channel(f"channel-{number % 20}").add_many(said)


async def embed(url: str, folder: Path, messages: int) -> str:
    async with erstwhile.open(url, **_SETTINGS) as memory:
        started, ours, theirs = time.perf_counter(), time.process_time(), postgres_cpu(folder)
        await memory.settle()
        took = time.perf_counter() - started
        spent = (time.process_time() - ours, postgres_cpu(folder) - theirs)
    return f"{took:.1f} | " + " | ".join(f"{each * 1e6 / messages:.0f}" for each in spent)


def measure(kinds: list[str], messages: int) -> None:
    print(f"\n### Embedding {messages:,} messages, {date.today()}, {platform.machine()}\n")  # noqa: DTZ011
    print("| database | seconds | CPU us | Postgres CPU us |\n|---|---|---|---|", flush=True)
    folder = Path(tempfile.mkdtemp(prefix="erstwhile-bench-"))
    folder.chmod(0o755)
    try:
        for kind in kinds:
            url = str(folder / "embedding.db") if kind == "sqlite" else postgres(folder / "postgres", "embedding")
            asyncio.run(fill(url, messages))
            print(f"| {kind} | {asyncio.run(embed(url, folder / 'postgres', messages))} |", flush=True)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kinds", nargs="*", default=["sqlite", "postgres"])
    parser.add_argument("--messages", type=int, default=100_000)
    given = parser.parse_args()
    measure(given.kinds, given.messages)
