"""A message that repeats one thing goes through the whole of the product: its cost grows with its length and no faster.

Added, worked on by every layer (summaries, facts, structured memories, notes, topics, profiles, the brief, days), found, and
written into contexts of every recipe; and imported from every format. CPU time is compared for a run of each unit at
two sizes, the second four times as long. `make soak` uses runs of 1 MB, the largest message.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from itertools import count
from pathlib import Path
from typing import Any

import pytest

import erstwhile
from erstwhile.context.recipes import RECIPES
from erstwhile.importers import load
from erstwhile.testing import FixedClock, ModelServer
from soak.size import SOAK
from support import exports
from support.long_runs import FLOOR, LARGE, LIMIT, SMALL, UNITS, run

SETTINGS: dict[str, Any] = {
    "worker": False,
    "chunk_size": 2,
    "meta_size": 2,
    "recipe": "full",
    "brief": {"threshold": 60, "cap": 50, "turns": 1},
    "model_timeout_seconds": 600,
    "limits": {"message_bytes": 8 * LARGE},  # a run is counted in characters
}
on_sqlite = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)  # SQL gets the text as it is
_numbers = count()

Work = Callable[[str], Awaitable[object]]


async def cost(work: Work, unit: str, size: int) -> float:
    """CPU seconds of this process, with the model's server."""
    text = run(unit, size, next(_numbers))
    begun = time.process_time()
    await work(text)
    return time.process_time() - begun


def units(number: int, of: int) -> tuple[str, ...]:
    """Outside of a soak: every so many."""
    return UNITS if SOAK else UNITS[number::of]


async def is_linear(work: Work, unit: str) -> bool:
    for _ in range(3):
        spent = await cost(work, unit, LARGE)
        if spent < FLOOR or spent < LIMIT * max(FLOOR, await cost(work, unit, SMALL)):
            return True
    return False


async def live(memory: erstwhile.Memory, clock: FixedClock, text: str) -> str:
    """Everything that is made of a conversation, in a space of its own."""
    space = f"space-{next(_numbers)}"
    hall = memory.channel("hall", space)
    await memory.channels.set_privacy(hall, "open")
    await hall.add_many(
        [
            {"role": "user", "person": "jun", "name": "Jun", "text": "I moved to Busan. Mina, what about you?"},
            {"role": "user", "person": "mina", "name": "Mina", "text": text},
            {"role": "assistant", "text": "Welcome."},
            {"role": "user", "person": "jun", "name": "Jun", "text": "I like jasmine tea."},
            {"role": "assistant", "text": "Noted."},
        ]
    )
    await memory.settle()
    clock.advance(hours=30)  # notes are due, and the night
    await memory.settle()
    await memory.notes.nightly(space=space)
    await memory.settle()
    for person in ("mina", "jun"):
        await memory.about(person, space=space)
    await memory.settle()
    for recipe in RECIPES:
        await hall.context("Where did Jun move?", person="jun", recipe=recipe)
    await memory.search(text[:200], space=space)
    return space


@on_sqlite
@pytest.mark.timeout(3600 if SOAK else 600)
@pytest.mark.parametrize("writer", ["rules", "model"])
async def test_a_long_message_goes_through_every_layer_in_linear_time(
    database_url: str, clock: FixedClock, writer: str
) -> None:
    with ModelServer() as server:
        model = {"model": "openai-compatible:scripted", "base_url": server.base_url, "api_key": "k"}
        chosen = model if writer == "model" else {"model": "extractive"}
        async with erstwhile.open(database_url, clock=clock, **SETTINGS, **chosen) as memory:
            space = await live(memory, clock, "I moved to Busan. " * 20)  # loads its words
            made = {each.kind for each in await memory.memories.list(limit=100, space=space)}
            assert {"chunk", "meta", "fact", "structured", "note", "profile", "day"} <= made, made
            assert await memory.channels.brief(memory.channel("hall", space)) is not None
            chosen_units = units(4, 20) if writer == "model" else units(0, 10)
            slow = [unit for unit in chosen_units if not await is_linear(lambda text: live(memory, clock, text), unit)]
            assert not slow


@on_sqlite
@pytest.mark.timeout(3600 if SOAK else 600)
@pytest.mark.parametrize("format", exports.MAKERS)
async def test_a_long_message_is_imported_in_linear_time(
    database_url: str, clock: FixedClock, tmp_path: Path, format: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with erstwhile.open(database_url, clock=clock, **SETTINGS) as memory:

        async def imported(text: str) -> None:
            space = f"space-{next(_numbers)}"
            folder = tmp_path / space
            folder.mkdir()
            monkeypatch.setattr(exports, "saying", lambda _: text)
            await load(memory, exports.MAKERS[format](folder, 3), format=format, space=space)

        await imported("I moved to Busan.")
        formats = list(exports.MAKERS)
        chosen = units(formats.index(format), len(formats))
        slow = [unit for unit in chosen if not await is_linear(imported, unit)]
        assert not slow
