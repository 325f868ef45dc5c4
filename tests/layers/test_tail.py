"""The end of a quiet conversation is read before its chunk is full, and replaced when it is (D1), on both databases."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from stored_rows import calls, ranges, rows, texts

import erstwhile
from erstwhile.layers.summaries.tail import Tail, TailPlan, plan
from erstwhile.testing import FixedClock, ModelServer

NOW = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
QUIET = timedelta(minutes=25)
TOLD = (
    "I moved to Busan on 3 January 2026.",
    "My sister Hana works at a bakery in Daegu.",
    "I'm allergic to peanuts.",
    "We adopted a cat called Miso.",
    "I have two kids, Leo and Mia.",
    "I quit smoking in March.",
    "My birthday is on 14 June.",
    "I prefer tea to coffee.",
    "Theo signed the contract for the studio in Jeonpo.",
    "We booked flights to Lisbon for 12 October.",
    "I'm learning Portuguese with a tutor called Ana.",
    "Our landlady Mrs. Bae sold the house to her nephew.",
)


def said(count: int, start: int = 1) -> list[dict[str, Any]]:
    """Messages with a fact of its own in each."""
    return [
        {"role": "user", "person": ("alice", "bob")[n % 2], "text": TOLD[(n - 1) % len(TOLD)]}
        for n in range(start, start + count)
    ]


async def test_a_short_conversation_leaves_memories_once_it_is_quiet(
    memory: erstwhile.Memory, clock: FixedClock
) -> None:
    chat = memory.channel("chat")
    await chat.add_many(said(6))
    await memory.settle()
    assert await rows(memory, "chunks") == []
    clock.advance(minutes=26)
    await memory.settle()
    assert await ranges(memory) == [(1, 6)]
    assert len(await texts(memory)) == 5, "the most that six messages give"
    assert await rows(memory, "structured") != []


async def test_timers_are_set_to_the_minute_and_messages_of_one_minute_leave_them(
    memory: erstwhile.Memory, clock: FixedClock
) -> None:
    async def dues() -> dict[str, datetime]:
        return {job.kind: job.due_at for job in await memory.jobs.list(state="timer") if job.kind in timers}

    timers = ("chunks.read_tail", "notes.flush")
    chat, begun = memory.channel("chat"), clock().replace(second=0, microsecond=0)
    clock.advance(seconds=(begun - clock()).total_seconds() + 65)  # five seconds into a minute
    await chat.add("user", TOLD[0], person="alice")
    due = begun + timedelta(minutes=2) + QUIET
    assert await dues() == dict.fromkeys(timers, due)
    clock.advance(seconds=50)
    await chat.add("user", TOLD[1], person="alice")
    assert await dues() == dict.fromkeys(timers, due)
    clock.advance(seconds=20)
    await chat.add("user", TOLD[2], person="alice")
    assert await dues() == dict.fromkeys(timers, due + timedelta(minutes=1))
    clock.advance(minutes=27)
    await memory.settle()
    assert await ranges(memory) == [(1, 3)]


async def test_an_import_that_is_over_is_read_at_once(memory: erstwhile.Memory, clock: FixedClock) -> None:
    old = clock() - timedelta(days=40)
    await memory.channel("chat").add_many([{**each, "at": old} for each in said(7)])
    await memory.settle()
    assert await ranges(memory) == [(1, 7)]
    assert len(await texts(memory)) == 6


async def test_a_full_chunk_replaces_the_provisional_one(memory: erstwhile.Memory, clock: FixedClock) -> None:
    chat = memory.channel("chat")
    await chat.add_many(said(6))
    clock.advance(minutes=26)
    await memory.settle()
    early = {row["text"]: row["id"] for row in await rows(memory, "facts")}
    [first] = await rows(memory, "chunks")
    await chat.add_many(said(2, start=7))
    clock.advance(minutes=26)
    await memory.settle()
    assert await ranges(memory) == [(1, 8)]
    await chat.add_many(said(4, start=9))
    await memory.settle()
    assert await ranges(memory) == [(1, 10)]
    [full] = await rows(memory, "chunks")
    assert (full["id"], full["number"]) == (first["id"], 0)
    assert [(row["first_seq"], row["last_seq"]) for row in await rows(memory, "extracts")] == [(1, 10)]
    assert [(row["first_seq"], row["last_seq"]) for row in await rows(memory, "structurings")] == [(1, 10)]
    facts = await rows(memory, "facts")
    seqs = [row["seq"] for row in facts]
    assert len(seqs) == len(set(seqs)) > 5, "no message is in two facts"
    assert {row["last_seq"] for row in facts} == {10}
    assert {early[row["text"]] for row in facts if row["text"] in early} <= {row["id"] for row in facts}
    assert {row["last_seq"] for row in await rows(memory, "structured")} == {10}
    clock.advance(minutes=26)
    await memory.settle()
    assert await ranges(memory) == [(1, 10), (11, 12)]


async def test_ten_chunks_make_a_meta_and_a_provisional_one_does_not_count(
    memory: erstwhile.Memory, clock: FixedClock
) -> None:
    chat = memory.channel("chat")
    await chat.add_many(said(95))
    clock.advance(minutes=26)
    await memory.settle()
    assert await ranges(memory) == [(n, n + 9) for n in range(1, 91, 10)] + [(91, 95)]
    assert await ranges(memory, level=1) == []
    await chat.add_many(said(5, start=96))
    await memory.settle()
    assert await ranges(memory, level=1) == [(1, 100)]
    assert [row["number"] for row in await rows(memory, "chunks") if row["level"] == 0] == list(range(10))


async def test_what_people_changed_in_a_provisional_chunk_outlives_it(
    memory: erstwhile.Memory, clock: FixedClock
) -> None:
    chat = memory.channel("chat")
    await chat.add_many(said(6))
    clock.advance(minutes=26)
    await memory.settle()
    one, two, *_ = await rows(memory, "facts")
    await memory.memories.edit(one["id"], "One lantern is blue.", by="alice")
    await memory.memories.delete(two["id"], by="alice")
    await chat.add_many(said(4, start=7))
    await memory.settle()
    found = await rows(memory, "facts")
    assert "One lantern is blue." in [row["text"] for row in found]
    assert two["id"] not in {row["id"] for row in found}
    assert two["text"] not in {row["text"] for row in found}
    assert len(found) > 5


async def test_a_rebuild_reads_the_tail_again(memory: erstwhile.Memory, clock: FixedClock) -> None:
    chat = memory.channel("chat")
    await chat.add_many(said(13))
    clock.advance(minutes=26)
    await memory.settle()
    before = await texts(memory)
    await memory.spaces.rebuild()
    await memory.settle()
    assert await ranges(memory) == [(1, 10), (11, 13)]
    assert await texts(memory) == before


async def test_erasing_a_message_takes_it_out_of_the_provisional_chunk(
    memory: erstwhile.Memory, clock: FixedClock
) -> None:
    chat = memory.channel("chat")
    added = await chat.add_many(said(6))
    clock.advance(minutes=26)
    await memory.settle()
    await memory.erase(message=added[2].id)
    await memory.settle()
    assert not any("peanuts" in each for each in await texts(memory))
    await chat.add_many(said(4, start=7))
    await memory.settle()
    assert await ranges(memory) == [(1, 10)]
    assert not any("peanuts" in each for each in await texts(memory))
    assert len(await texts(memory)) > 5


async def test_a_model_is_asked_only_once_a_conversation_is_over(
    database_url: str, clock: FixedClock, model_server: ModelServer
) -> None:
    settings = {"model": "openai-compatible:scripted", "api_key": "test-key", "base_url": model_server.base_url}
    async with erstwhile.open(database_url, clock=clock, worker=False, recipe="dual", **settings) as memory:
        chat = memory.channel("chat")
        await chat.add_many(said(6))
        clock.advance(minutes=26)
        await memory.settle()
        assert not model_server.calls
        assert [row["draft"] for row in await rows(memory, "chunks")] == [1]
        clock.advance(days=1)
        await memory.settle()
        assert len(calls(model_server, "extract")) == 1
        assert [row["draft"] for row in await rows(memory, "chunks")] == [0]
        await chat.add_many(said(1, start=7))
        clock.advance(days=2)
        await memory.settle()
        assert len(calls(model_server, "extract")) == 1, "one message more is not worth a call"
        await chat.add_many(said(3, start=8))
        await memory.settle()
        assert len(calls(model_server, "extract")) == 2
        assert await ranges(memory) == [(1, 10)]
        assert [row["draft"] for row in await rows(memory, "chunks")] == [0]


def test_a_tail_is_read_when_it_is_quiet() -> None:
    quiet = Tail(1, 6, NOW - QUIET)
    assert plan(quiet, QUIET, NOW, model=False) == TailPlan(read=True)
    assert plan(Tail(1, 6, NOW), QUIET, NOW, model=False) == TailPlan(read=False, again=NOW + QUIET)
    assert plan(Tail(1, 6, NOW - QUIET, read_to=6), QUIET, NOW, model=False) == TailPlan(read=False)
    assert plan(Tail(1, 7, NOW - QUIET, read_to=6), QUIET, NOW, model=False).read
    assert plan(quiet, QUIET, NOW, model=True).again == quiet.at + timedelta(days=1)


def test_a_model_reads_a_tail_again_when_it_has_doubled() -> None:
    over = NOW - timedelta(days=3)
    assert plan(Tail(11, 13, over), QUIET, NOW, model=True).read
    assert not plan(Tail(11, 15, over, read_to=13, draft=False), QUIET, NOW, model=True).read
    assert plan(Tail(11, 16, over, read_to=13, draft=False), QUIET, NOW, model=True).read
