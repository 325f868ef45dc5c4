"""Retention as a job: on while something is kept for a time, once an hour however many work, and loud when it fails."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import AsyncExitStack
from datetime import timedelta
from typing import Any

import pytest

import erstwhile
from erstwhile.jobs.model import ListedJob
from erstwhile.layers.retention import messages, steps
from erstwhile.layers.retention.steps import EXPIRE
from erstwhile.memories import expire
from erstwhile.storage.queries import make
from erstwhile.testing import FixedClock
from inside import runtime

KEPT: dict[str, Any] = {"recipe": "dual", "recent_messages": 5, "worker": False, "retention": {"message": 30}}


async def timers(memory: erstwhile.Memory, space: str = "default", state: str = "timer") -> list[ListedJob]:
    return [each for each in await memory.jobs.list(space=space, state=state, limit=1000) if each.kind == EXPIRE]


async def say(memory: erstwhile.Memory, messages: int = 20, space: str | None = None) -> None:
    said = [{"role": "user", "text": f"I bought {n} lanterns.", "person": "alice"} for n in range(messages)]
    await memory.channel("chat", space).add_many(said)


async def seqs(memory: erstwhile.Memory) -> Sequence[int]:
    return [each.seq async for each in memory.channel("chat").messages()]


async def test_it_is_on_while_something_is_kept_for_a_time(memory: erstwhile.Memory, clock: FixedClock) -> None:
    await say(memory)
    assert await timers(memory) == []
    await memory.spaces.configure(retention="message=30")
    first = await timers(memory)
    assert [each.due_at for each in first] == [clock() + timedelta(hours=1)]
    clock.advance(minutes=50)
    await memory.spaces.configure(retention="message=20,note=5")
    assert [each.due_at for each in await timers(memory)] == [first[0].due_at], "whoever changes it does not put it off"
    clock.advance(minutes=20)
    await memory.settle()
    assert [each.due_at for each in await timers(memory)] == [clock() + timedelta(hours=1)]
    await memory.spaces.configure(retention="never")
    assert await timers(memory) == []
    clock.advance(hours=2)
    assert (await memory.settle()).done == 0
    await memory.spaces.configure(retention="day=3")
    await memory.spaces.configure(retention="")
    assert await timers(memory) == [], "the house keeps everything"


async def test_what_the_house_has_set_counts_too(database_url: str, clock: FixedClock) -> None:
    async with erstwhile.open(database_url, clock=clock, **{**KEPT, "retention": {}}) as memory:
        await say(memory, space="before")
    async with erstwhile.open(database_url, clock=clock, **KEPT) as memory:
        await say(memory, space="after")
        assert len(await timers(memory, "after")) == 1, "with the first word"
        await memory.settle()
        assert len(await timers(memory, "before")) == 1
        await memory.spaces.configure(space="after", retention="never")
        assert await timers(memory, "after") == []
        await memory.channel("another", "after").add("user", "Still kept.")
        assert await timers(memory, "after") == []
    async with erstwhile.open(database_url, clock=clock, **{**KEPT, "retention": {}}) as memory:
        await memory.settle()
        assert await timers(memory, "before") == [], "taken back"


async def test_it_runs_once_however_many_work(database_url: str, clock: FixedClock) -> None:
    async with AsyncExitStack() as stack:
        several = [await stack.enter_async_context(erstwhile.open(database_url, clock=clock, **KEPT)) for _ in range(3)]
        await say(several[0])
        await asyncio.gather(*(each.settle() for each in several))
        clock.advance(days=31)
        settled = await asyncio.gather(*(each.settle() for each in several))
        assert sum(each.done for each in settled) == 1
        assert await seqs(several[0]) == [16, 17, 18, 19, 20]
        clock.advance(minutes=59)
        assert sum(each.done for each in await asyncio.gather(*(each.settle() for each in several))) == 0
        clock.advance(minutes=1)
        assert sum(each.done for each in await asyncio.gather(*(each.settle() for each in several))) == 1


async def test_one_that_fails_is_tried_again_and_parked_with_its_reason(database_url: str, clock: FixedClock) -> None:
    async with erstwhile.open(database_url, clock=clock, **KEPT) as memory:
        await say(memory)
        await memory.settle()
        await memory.spaces.configure(retention="message=10")
        broken = make("broken", *["UPDATE space_settings SET value = 'message=many' WHERE space = :space"] * 2)
        await runtime(memory).database.write("default", lambda tx: tx.run(broken))
        clock.advance(days=31)
        await memory.settle()
        waiting = (await timers(memory, state="waiting"))[0]
        assert (waiting.attempts, waiting.due_at > clock()) == (1, True)
        for _ in range(4):
            clock.advance(hours=1)
            await memory.settle()
        parked = (await timers(memory, state="parked"))[0]
        assert "retention is days by kind" in (parked.reason or "")
        assert len(await seqs(memory)) == 20
        await memory.spaces.configure(retention="message=10")
        assert (await timers(memory))[0].due_at == clock() + timedelta(hours=1)
        clock.advance(hours=1)
        await memory.settle()
        assert await seqs(memory) == [16, 17, 18, 19, 20]


async def test_by_hand_it_is_done_at_once_and_next_in_an_hour(database_url: str, clock: FixedClock) -> None:
    async with erstwhile.open(database_url, clock=clock, **KEPT) as memory:
        await say(memory)
        await memory.settle()
        clock.advance(days=31)
        assert (await memory.archive.expire()).message == 15
        assert [each.due_at for each in await timers(memory)] == [clock() + timedelta(hours=1)]


async def test_a_worker_taken_for_dead_stops_at_its_next_page(
    database_url: str, clock: FixedClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (expire, messages, steps):
        monkeypatch.setattr(module, "PAGE", 4)  # many are left when the first is done
    async with erstwhile.open(database_url, clock=clock, **KEPT) as memory:
        await say(memory, 240)
        await memory.settle()
        clock.advance(days=31)
        settling = asyncio.create_task(memory.settle())
        while len(await seqs(memory)) == 240:  # noqa: ASYNC110
            await asyncio.sleep(0.001)
        taken = make("taken", *[f"UPDATE jobs SET token = token + 1 WHERE space = :space AND kind = '{EXPIRE}'"] * 2)
        await runtime(memory).database.write("default", lambda tx: tx.run(taken))
        await settling
        left = len(await seqs(memory))
        assert 5 < left < 240
