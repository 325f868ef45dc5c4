"""Facts for conversations that have none yet (D11): found, read at a gentle pace, and taken up again after a kill -9."""

from __future__ import annotations

import asyncio
import os
import signal
import sys

import pytest
from stored_rows import calls, even, rows, said

import erstwhile
from erstwhile.index import documents
from erstwhile.storage.queries import make
from erstwhile.testing import Call, Fault, FixedClock, ModelServer
from erstwhile.testing.answers import sensible, step
from inside import runtime
from support import forks

_OLD = (
    "DELETE FROM memories WHERE space = :space AND kind = 'fact' AND first_seq > :after AND edited_at IS NULL",
    "DELETE FROM readings WHERE space = :space AND kind = 'fact' AND first_seq > :after",
    "DELETE FROM jobs WHERE space = :space AND kind = 'facts.extract' AND :after >= 0",
)
_UNCUT = ("DELETE FROM chunk_cursors WHERE space = :space", "DELETE FROM jobs WHERE space = :space")


async def grow_old(memory: erstwhile.Memory, after: int = 0) -> None:
    """As a database is that was made before there were facts: summaries, and nothing that was read for facts."""

    gone = [row["id"] for row in await rows(memory, "facts") if row["first_seq"] > after and not row["edited_at"]]

    async def unit(tx) -> None:
        await documents.remove(tx, gone)
        for sql in _OLD:
            await tx.run(make("old", sql, sql), after=after)

    await runtime(memory).database.write("default", unit)


def modelled(url: str, clock: FixedClock, server: ModelServer, **more: object) -> erstwhile.Memory:
    settings: dict[str, object] = {"worker": False, "model": "openai-compatible:scripted", "api_key": "k"}
    return erstwhile.open(url, clock=clock, **settings | {"base_url": server.base_url} | more)


async def test_what_was_never_read_is_read_and_the_rest_is_skipped(
    database_url: str, clock: FixedClock, model_server: ModelServer
) -> None:
    async with modelled(database_url, clock, model_server) as memory:
        await memory.channel("chat").add_many(said(45))
        await memory.settle()
        before = [row["id"] for row in await rows(memory, "facts")]
        await grow_old(memory, after=20)
        assert len(await rows(memory, "facts")) == 20
        asked = len(model_server.calls)
        told: list[tuple[int, int]] = []
        done = await memory.memories.backfill(progress=lambda *numbers: told.append(numbers))
        assert done == erstwhile.BackfillReport(processed=2, created=20, skipped=2, errors=0)
        assert told[-1] == (2, 2)
        assert [row["id"] for row in await rows(memory, "facts")] == before
        assert [step(call.system) for call in model_server.calls[asked:]] == ["extract", "extract"]
        assert await memory.memories.backfill() == erstwhile.BackfillReport(processed=0, created=0, skipped=4, errors=0)
        assert len(model_server.calls) == asked + 2


async def test_calls_are_half_a_second_apart(database_url: str, clock: FixedClock, model_server: ModelServer) -> None:
    async with modelled(database_url, clock, model_server, jobs={"concurrency": 8}) as memory:
        await memory.channel("chat").add_many(said(50))
        await memory.settle()
        await grow_old(memory)
        asked = len(model_server.calls)
        assert (await memory.memories.backfill()).processed == 5
        times = sorted(call.at for call in model_server.calls[asked:])
        assert len(times) == 5
        assert times[-1] - times[0] >= 4 * 0.5 * 0.9


async def test_without_a_model_there_is_nothing_to_wait_for(memory: erstwhile.Memory) -> None:
    await memory.channel("chat").add_many(said(100))
    await memory.settle()
    await grow_old(memory)
    done = await memory.memories.backfill()
    assert (done.processed, done.skipped, done.errors) == (10, 0, 0)
    assert done.created == len(await rows(memory, "facts")) > 0
    paces = make("paces", *["SELECT pace FROM paces WHERE space = :space"] * 2)
    assert await runtime(memory).database.read("default", lambda tx: tx.all(paces)) == []


async def test_a_channel_that_was_never_cut_is_cut(memory: erstwhile.Memory) -> None:
    await memory.channel("chat").add_many(said(30))

    async def unit(tx) -> None:
        for sql in _UNCUT:
            await tx.run(make("uncut", sql, sql))

    await runtime(memory).database.write("default", unit)
    done = await memory.memories.backfill()
    assert (done.processed, done.skipped, done.errors) == (3, 0, 0)
    assert [(row["first_seq"], row["last_seq"]) for row in await rows(memory, "chunks")] == even(1, 30, 10)


async def test_what_was_only_just_said_is_read_too(memory: erstwhile.Memory) -> None:
    await memory.channel("chat").add_many(said(20))
    assert (await memory.memories.backfill()).processed == 2


async def test_what_can_not_be_read_is_counted_and_named(database_url: str, clock: FixedClock) -> None:
    def script(call: Call) -> str | Fault:
        return Fault.bad_request() if "own 15 red" in call.user and broken else sensible(call)

    broken = False
    with ModelServer(script) as server:
        async with modelled(database_url, clock, server) as memory:
            await memory.channel("chat").add_many(said(30))
            await memory.settle()
            await grow_old(memory)
            broken = True
            done = await memory.memories.backfill()
            assert done == erstwhile.BackfillReport(processed=3, created=20, skipped=0, errors=1)
            (parked,) = await memory.jobs.list(state="parked")
            assert parked.key == "chat:0:11-20"
            broken = False
            assert await memory.jobs.retry() == 1
            await memory.settle()
            assert len(await rows(memory, "facts")) == 30


async def test_two_at_once_read_each_chunk_once(
    database_url: str, clock: FixedClock, model_server: ModelServer
) -> None:
    async with modelled(database_url, clock, model_server) as one, modelled(database_url, clock, model_server) as two:
        await one.channel("chat").add_many(said(40))
        await one.settle()
        await grow_old(one)
        asked = len(calls(model_server, "extract"))
        await asyncio.gather(one.memories.backfill(), two.memories.backfill())
        assert len(await rows(one, "facts")) == 40
        assert len(calls(model_server, "extract")) - asked <= 5, "at most one that was just running was asked for again"


async def test_a_deleted_fact_stays_deleted_and_an_edited_one_edited(memory: erstwhile.Memory) -> None:
    chat = memory.channel("chat")
    await chat.add_many(said(10))
    await memory.settle()
    facts = await memory.facts.list(chat)
    await memory.memories.edit(facts[0].id, "By hand.", by="alice")
    await memory.memories.delete(facts[1].id, by="alice")
    await grow_old(memory)
    await memory.memories.backfill()
    assert [fact.id for fact in await memory.facts.list(chat) if fact.edited_by] == [facts[0].id]
    assert {fact.id for fact in await memory.facts.list(chat)} == {fact.id for fact in facts} - {facts[1].id}


@pytest.mark.parametrize("after", [1, 3] if os.environ.get("ERSTWHILE_SOAK") else [3])
async def test_a_killed_backfill_goes_on_where_it_was(
    database_url: str, clock: FixedClock, model_server: ModelServer, after: int
) -> None:
    async with modelled(database_url, clock, model_server) as memory:
        await memory.channel("chat").add_many(said(50))
        await memory.settle()
        before = [row["id"] for row in await rows(memory, "facts")]
        await grow_old(memory)
    asked = len(calls(model_server, "extract"))
    environment = {
        **os.environ,
        "ERSTWHILE_DATABASE": database_url,
        "ERSTWHILE_MODEL": "openai-compatible:scripted",
        "ERSTWHILE_BASE_URL": model_server.base_url,
        "ERSTWHILE_API_KEY": "k",
        "ERSTWHILE_CRASH_AT": f"facts.after_facts:{after}",
    }
    command = [sys.executable, "-m", "erstwhile", "memories", "backfill", "--json"]
    killed = await asyncio.to_thread(forks.run, command, env=environment, timeout=180)
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    async with modelled(database_url, clock, model_server) as memory:
        done = await memory.memories.backfill()
        assert (done.processed, done.skipped, done.errors) == (5 - (after - 1), after - 1, 0)
        assert [row["id"] for row in await rows(memory, "facts")] == before
        assert len(await rows(memory, "extracts")) == 5
    assert len(calls(model_server, "extract")) - asked <= 5 + 1, "only the one it died on is read twice"
