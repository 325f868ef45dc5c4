"""Imports that are killed and begun again end as if nothing had happened, and take no more memory for more messages."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from killing import Importers
from made import MAKERS

import erstwhile
from erstwhile.storage.queries import make
from erstwhile.testing import FixedClock
from inside import runtime
from soak.size import PIECE, SOAK

ROUNDS = 20 if SOAK else 5
MESSAGES = 20_000 if SOAK else 1_000
SIZES = (500_000, 2_000_000) if SOAK else (5_000, 20_000)
# Outside of a soak: keys of its own, keys made of content, and whole conversations. What each reads is bounded: test_bounded.py.
KILLED = ([PIECE] if PIECE in MAKERS else list(MAKERS)) if SOAK else ["jsonl", "whatsapp", "chatgpt"]


@pytest.fixture(scope="module")
def importers() -> Iterator[Importers]:
    with Importers() as started:
        yield started


async def everything(url: str) -> dict[str, list[tuple[Any, ...]]]:
    async with erstwhile.open(url, clock=FixedClock(), worker=False) as memory:
        return {
            shown.channel: [
                (m.seq, m.role, m.person, m.name, m.text, m.at, m.key, dict(m.meta))
                async for m in memory.channel(shown.channel).messages()
            ]
            for shown in await memory.channels.list(limit=100)
        }


_MEMORIES = (
    "SELECT kind, channel, first_seq, last_seq, position, seq, person, title, text, data, at, valid_from, valid_to"
    " FROM memories WHERE space = :space AND kind IN ('chunk', 'meta', 'fact', 'structured', 'note')"
)


async def derived(url: str) -> list[tuple[Any, ...]]:
    """The memories that are made of it."""
    clock = FixedClock()
    clock.advance(days=1)
    async with erstwhile.open(url, clock=clock, worker=False) as memory:
        settled = await memory.settle()
        assert (settled.waiting, settled.parked) == (0, 0)
        query = make("memories", _MEMORIES, _MEMORIES)
        found = await runtime(memory).database.read("default", lambda tx: tx.all(query))
        return sorted((tuple(row.values()) for row in found), key=repr)


@pytest.mark.timeout(3600 if SOAK else 600)
@pytest.mark.parametrize("format", KILLED)
def test_killed_again_and_again_it_ends_as_one_clean_run(
    database_url: str, tmp_path: Path, format: str, importers: Importers
) -> None:
    if database_url.startswith("postgres") and format != "jsonl" and not SOAK:
        pytest.skip("one format will do: the database knows nothing of formats")
    source, calm = MAKERS[format](tmp_path, MESSAGES), str(tmp_path / "calm.db")
    importers.run(calm, source, format)
    wanted = asyncio.run(everything(calm))
    assert sum(map(len, wanted.values())) == MESSAGES
    chance, longest, killed = random.Random(7), 0.3, 0
    for _ in range(ROUNDS):
        ended = importers.run(database_url, source, format, chance.uniform(0.1, 1) * longest)
        killed += not ended.finished
        longest = longest * 0.5 if ended.finished else longest * 1.3
    assert killed, "nothing was ever broken off"
    assert importers.run(database_url, source, format).finished
    assert asyncio.run(everything(database_url)) == wanted
    memories = asyncio.run(derived(calm))
    assert len(memories) > MESSAGES / 10
    assert asyncio.run(derived(database_url)) == memories


@pytest.mark.timeout(7200 if SOAK else 600)
@pytest.mark.parametrize("format", KILLED if SOAK else ["discord"])
def test_four_times_the_messages_take_no_more_memory(tmp_path: Path, format: str, importers: Importers) -> None:
    """Storing them is the same for all formats: outside of a soak it is measured once, below."""
    assert _growth(tmp_path, format, importers, dry_run=not SOAK) < 1.15


@pytest.mark.long
def test_nor_does_storing_them(tmp_path: Path, importers: Importers) -> None:
    assert _growth(tmp_path, "jsonl", importers, dry_run=False, sizes=(2_000, 8_000) if SOAK else (500, 2_000)) < 1.15


def _growth(
    tmp_path: Path, format: str, importers: Importers, *, dry_run: bool, sizes: tuple[int, int] = SIZES
) -> float:
    peaks = []
    for size in sizes:
        folder = tmp_path / str(size)
        folder.mkdir()
        source = MAKERS[format](folder, size)
        peaks.append(importers.run(str(folder / "test.db"), source, format, dry_run=dry_run).peak)
    return peaks[1] / peaks[0]
