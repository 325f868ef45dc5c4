"""Drafts: what stands while no model answers, and how a model's writing takes its place, once."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager

import pytest
from stored_rows import calls, calm, even, ranges, rows, said, texts

import erstwhile
from erstwhile.testing import Call, Fault, FixedClock, ModelServer
from erstwhile.testing.answers import sensible, step

pytestmark = pytest.mark.usefixtures("quiet_never_comes")

SMALL = {"chunk_size": 2, "meta_size": 3}


def extractive(url: str, clock: FixedClock) -> AbstractAsyncContextManager[erstwhile.Memory]:
    return erstwhile.open(url, clock=clock, worker=False, model="extractive", **SMALL)


def with_model(url: str, clock: FixedClock, server: ModelServer) -> AbstractAsyncContextManager[erstwhile.Memory]:
    return erstwhile.open(
        url,
        clock=clock,
        worker=False,
        model="openai-compatible:scripted",
        base_url=server.base_url,
        api_key="k",
        model_timeout_seconds=60,
        **SMALL,
    )


async def unfinished(memory: erstwhile.Memory) -> list[tuple[int, int]]:
    """Level and first message of every summary that is a draft or out of date."""
    found = await rows(memory, "chunks")
    return [(row["level"], row["first_seq"]) for row in found if row["draft"] or row["stale"]]


async def test_while_the_model_is_down_drafts_can_be_read_and_the_jobs_wait(
    prompted: erstwhile.Memory, model_server: ModelServer
) -> None:
    model_server.down()
    chat = prompted.channel("chat")
    await chat.add_many(said(20))
    settled = await prompted.settle()
    assert (settled.done, settled.waiting, settled.parked) == (0, 6, 0)
    assert len(await rows(prompted, "chunks")) == 2
    assert all(row["writer"].startswith("extractive") for row in await rows(prompted, "chunks"))
    assert await prompted.search("lanterns", kinds=["chunk"])
    assert await prompted.search("lanterns", kinds=["fact"])
    assert "lanterns" in (await chat.context("lanterns")).text
    assert {job.reason is not None for job in await prompted.jobs.list(state="waiting")} == {True}


async def test_when_the_model_is_back_each_draft_is_replaced_exactly_once_and_the_meta_follows(
    database_url: str, clock: FixedClock, model_server: ModelServer
) -> None:
    async with with_model(database_url, clock, model_server) as memory:
        model_server.down()
        await memory.channel("chat").add_many(said(18))
        for _ in range(3):
            await memory.settle()
            clock.advance(hours=1)
        drafts = {row["id"]: row["text"] for row in await rows(memory, "chunks")}
        assert len(drafts) == 9 + 3 + 1
        assert len(await unfinished(memory)) == 13
        before = len(model_server.calls)
        model_server.up()
        settled = await calm(memory, clock)
        assert (settled.waiting, settled.parked) == (0, 0)
        assert await unfinished(memory) == []
        written = {row["id"]: row["text"] for row in await rows(memory, "chunks")}
        assert written.keys() == drafts.keys(), "the same memories, better written"
        assert all(written[id] != drafts[id] for id in drafts)
        assert all(row["draft"] == 0 for row in await rows(memory, "extracts"))
        assert [row["draft"] for row in await rows(memory, "facts")] == [0] * 18
        counted = [len(calls(model_server, kind)) for kind in ("summarise", "extract", "structure", "condense")]
        assert counted == [9, 0, 9, 4], "one call for facts and memories"
        assert len(model_server.calls) - before == 22
        assert await ranges(memory, 2) == [(1, 18)]
        # What a search finds is what stands, not the draft.
        assert all(hit.text in written.values() for hit in await memory.search("lanterns", kinds=["chunk", "meta"]))


async def test_what_was_written_without_a_model_is_written_again_once_there_is_one(
    database_url: str, clock: FixedClock, model_server: ModelServer
) -> None:
    async with extractive(database_url, clock) as memory:
        await memory.channel("chat").add_many(said(54))
        await memory.channel("chat", space="other").add_many(said(6))
        await memory.settle()
        assert len(await unfinished(memory)) == 27 + 9 + 3 + 1
    async with with_model(database_url, clock, model_server) as memory:
        settled = await memory.settle()
        assert (settled.waiting, settled.parked) == (0, 0)
        assert await unfinished(memory) == []
        assert not any(row["draft"] for row in await rows(memory, "facts"))
        assert not any(row["draft"] for row in await rows(memory, "chunks", "other"))
        assert await ranges(memory, 3) == even(1, 54, 54)
        seen = len(model_server.calls)
        assert (await memory.settle()).done == 0
    async with with_model(database_url, clock, model_server) as memory:
        assert (await memory.settle()).done == 0
    assert len(model_server.calls) == seen
    assert len(calls(model_server, "condense")) == 9 + 3 + 1 + 1, "each meta once, after its parts"


async def test_a_model_that_goes_away_leaves_its_writing_standing(
    database_url: str, clock: FixedClock, model_server: ModelServer
) -> None:
    async with with_model(database_url, clock, model_server) as memory:
        await memory.channel("chat").add_many(said(6))
        await memory.settle()
        written = await texts(memory, "chunks")
    async with extractive(database_url, clock) as memory:
        await memory.channel("chat").add_many(said(6, start=7))
        await memory.settle()
        assert (await texts(memory, "chunks"))[:3] == written[:3]
        assert await unfinished(memory) == [(0, 7), (0, 9), (0, 11), (1, 7)]


async def test_a_meta_drafted_over_finished_chunks_is_written_once_there_is_a_model(
    database_url: str, clock: FixedClock
) -> None:
    """The model wrote the chunks but failed on the meta; a run without a model then finished that job with a draft."""

    def no_metas(call: Call) -> str | Fault:
        return Fault.server_error(503) if step(call.system) == "condense" else sensible(call)

    with ModelServer(no_metas) as server:
        async with with_model(database_url, clock, server) as memory:
            await memory.channel("chat").add_many(said(18))
            await memory.settle()
    clock.advance(hours=1)
    async with extractive(database_url, clock) as memory:
        assert (await memory.settle()).waiting == 0
        assert [level for level, _ in await unfinished(memory)] == [1, 1, 1, 2]
    with ModelServer() as server:
        async with with_model(database_url, clock, server) as memory:
            assert (await memory.settle()).waiting == 0
            assert await unfinished(memory) == []
        assert len(server.calls) == 4


async def test_fewer_facts_from_the_model_leave_none_of_the_draft(database_url: str, clock: FixedClock) -> None:
    async with extractive(database_url, clock) as memory:
        await memory.channel("chat").add_many(said(6))
        await memory.settle()
        drafted = [row["id"] for row in await rows(memory, "facts")]
        assert drafted

    def script(call: Call) -> str:
        return "No facts to record" if step(call.system) == "extract" else sensible(call)

    with ModelServer(script) as server:
        async with with_model(database_url, clock, server) as memory:
            await memory.settle()
            assert await rows(memory, "facts") == []
            assert await memory.search("lanterns", kinds=["fact"]) == []
            assert not {row["id"] for row in await rows(memory, "documents")} & set(drafted)
