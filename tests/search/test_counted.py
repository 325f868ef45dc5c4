"""How much a space holds, against counting it one by one."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, date, datetime, timedelta

import pytest

import erstwhile
from erstwhile.requests import store
from erstwhile.requests.model import Request
from erstwhile.storage import Transaction
from erstwhile.testing import FixedClock
from inserted import Rows
from inside import runtime


async def said_over(memory: erstwhile.Memory, now: datetime, channel: str, *days_ago: float) -> None:
    await memory.channel(channel).add_many(
        {
            "role": "user",
            "text": f"I own a stall with {n} lanterns in Busan.",
            "person": f"p{n % 3}",
            "at": now - timedelta(days=ago),
        }
        for n, ago in enumerate(days_ago)
    )


async def one_by_one(
    memory: erstwhile.Memory, since: date
) -> tuple[Counter[date], Counter[tuple[date, str]], Counter[str]]:
    said = Counter(
        [
            message.at.astimezone(UTC).date()
            for each in await memory.channels.list()
            async for message in memory.channel(each.channel).messages()
        ]
    )
    found = await memory.memories.list(limit=1000)
    by_day = Counter((hit.at.astimezone(UTC).date(), hit.kind) for hit in found)
    return (
        Counter({day: many for day, many in said.items() if day >= since}),
        Counter({key: many for key, many in by_day.items() if key[0] >= since}),
        Counter(hit.kind for hit in found),
    )


async def test_counts_are_what_counting_one_by_one_gives(memory: erstwhile.Memory, clock: FixedClock) -> None:
    now = clock()
    midnight = now.replace(hour=0, minute=0, second=0, microsecond=0)
    into_today = (now - midnight) / timedelta(days=1)
    await said_over(memory, now, "old", *(200 - n for n in range(120)), *([40.5] * 15))
    await said_over(memory, now, "new", *(29 - n / 4 for n in range(100)), into_today, into_today + 1e-9, 0, 0)
    await memory.channel("elsewhere", space="other").add("user", "Not here.", person="nobody")
    await Rows(memory).note("Lanterns", "They bought lanterns.", "new", (1, 4), str(now.date() - timedelta(days=3)))
    await memory.settle()

    held = await memory.spaces.counts(days=30)
    assert (held.space, held.channels, held.people) == ("default", 2, 3)
    assert held.messages == 239
    assert [each.day for each in held.daily] == [(midnight - timedelta(days=29 - n)).date() for n in range(30)]
    said, by_day, total = await one_by_one(memory, held.since.date())
    assert {each.day: each.messages for each in held.daily if each.messages} == said
    assert {(each.day, kind): many for each in held.daily for kind, many in each.memories.items()} == by_day
    assert held.memories == total
    assert {"chunk", "fact", "note"} <= set(held.memories)
    assert by_day

    week = await memory.spaces.counts(days=7)
    assert week.daily == held.daily[-7:]
    assert (week.messages, week.memories) == (held.messages, held.memories)

    every = await memory.spaces.counts(days=0)  # from the first message to the last, in steps that can be drawn
    assert every.step == 7
    assert sum(each.messages for each in every.daily) == held.messages
    assert every.daily[0].day == (now - timedelta(days=200)).date()
    assert len(every.daily) <= 92


async def test_a_space_without_anything_counts_nothing(memory: erstwhile.Memory) -> None:
    held = await memory.spaces.counts(space="nobody", days=2)
    assert (held.messages, held.channels, held.people, held.memories) == (0, 0, 0, {})
    assert [(each.messages, each.memories) for each in held.daily] == [(0, {})] * 2


@pytest.mark.parametrize("days", [-1, 367])
async def test_a_period_that_is_none_is_refused(memory: erstwhile.Memory, days: int) -> None:
    with pytest.raises(erstwhile.InvalidInput):
        await memory.spaces.counts(days=days)


async def test_the_queue_by_state_and_kind(memory: erstwhile.Memory, clock: FixedClock) -> None:
    assert await memory.jobs.queue() == []
    await said_over(memory, clock(), "chat", *([0] * 25))
    waiting = {each.kind: each for each in await memory.jobs.queue(space="default") if each.state == "waiting"}
    listed = await memory.jobs.list(space="default", state="waiting", limit=1000)
    assert {kind: each.jobs for kind, each in waiting.items()} == Counter(job.kind for job in listed)
    assert waiting["chunks.summarise"].oldest == min(job.due_at for job in listed if job.kind == "chunks.summarise")
    assert {each.state for each in await memory.jobs.queue()} <= {"waiting", "timer"}

    await memory.jobs.park(listed[0].id, "The provider refuses it.")
    parked = [each for each in await memory.jobs.queue(space="default") if each.state == "parked"]
    assert [(each.kind, each.jobs, each.reason) for each in parked] == [(listed[0].kind, 1, "The provider refuses it.")]
    assert await memory.jobs.queue(space="other") == []
    await memory.jobs.retry()
    await memory.settle()
    assert {each.state for each in await memory.jobs.queue()} <= {"timer"}


async def test_only_what_failed_newest_first(memory: erstwhile.Memory, clock: FixedClock) -> None:
    failed = [
        Request(f"req_{n}", clock() - timedelta(minutes=n), "ask", "chat" if n % 2 else "hall", error_stage=stage)
        for n, stage in enumerate(["model", None, "retrieval", "log", None])
    ]

    async def record(tx: Transaction) -> None:
        await store.add(tx, await store.rows(tx, failed))

    await runtime(memory).database.write("default", record)
    assert [each.id for each in await memory.requests.list(only="failed")] == ["req_0", "req_2", "req_3"]
    assert [each.id for each in await memory.requests.list(only="failed", channel="chat", limit=1)] == ["req_3"]
    assert len(await memory.requests.list()) == 5
    assert await memory.requests.list(space="other", only="failed") == []
