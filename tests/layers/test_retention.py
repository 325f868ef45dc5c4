"""F12: what has been kept long enough goes, and what was made of it stays sound."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Any

import pytest
from stored_rows import calls, rows, said

import erstwhile
from erstwhile import ExpiryReport, Memory
from erstwhile.base.settings import load
from erstwhile.storage import Row
from erstwhile.storage.queries import make
from erstwhile.testing import FixedClock, ModelServer
from inside import runtime

Opened = Callable[..., AbstractAsyncContextManager[Memory]]


@pytest.fixture
def opened(database_url: str, clock: FixedClock) -> Opened:
    def open_with(**settings: Any) -> AbstractAsyncContextManager[Memory]:
        usual = {"recipe": "dual", "recent_messages": 5, "retention": {"message": 30}, "worker": False}
        return erstwhile.open(database_url, clock=clock, **(usual | settings))

    return open_with


async def run(memory: Memory, sql: str, **params: Any) -> None:
    query = make("test", sql, sql)
    await runtime(memory).database.write("default", lambda tx: tx.run(query, **params))


async def read(memory: Memory, sql: str, **params: Any) -> list[Row]:
    query = make("test", sql, sql)
    return await runtime(memory).database.read("default", lambda tx: tx.all(query, **params))


async def seqs(memory: Memory, channel: str = "chat") -> list[int]:
    return [message.seq async for message in memory.channel(channel).messages()]


# Settings


def test_a_wrong_retention_is_refused_with_a_sentence() -> None:
    assert load(retention={"message": 30, "day": 0.5}).retention == {"message": 30, "day": 0.5}
    with pytest.raises(erstwhile.SettingsError, match=r"no retention for 'mesage', only for message, told, day"):
        load(retention={"mesage": 30})
    for days in (0, -1, float("nan"), float("inf")):
        with pytest.raises(erstwhile.SettingsError, match="more than 0 days; leave it out to keep it for good"):
            load(retention={"note": days})


async def test_a_space_can_have_its_own_retention(opened: Opened, clock: FixedClock) -> None:
    async with opened() as memory:
        for space in ("usual", "short", "long"):
            await memory.channel("chat", space).add_many(said(20))
        await memory.settle()
        await memory.spaces.configure(space="short", retention="message=2, note=1.5")
        await memory.spaces.configure(space="long", retention="never")
        shown = {each.name: each for each in await memory.spaces.configuration(space="short")}
        assert (shown["retention"].value, shown["retention"].whose) == ("message=2,note=1.5", "space")
        shown = {each.name: each for each in await memory.spaces.configuration(space="usual")}
        assert (shown["retention"].value, shown["retention"].whose) == ("message=30", "default")
        clock.advance(days=3)
        assert (await memory.archive.expire(space="short")).message == 15
        assert (await memory.archive.expire(space="usual")).message == 0
        clock.advance(days=30)
        assert (await memory.archive.expire(space="usual")).message == 15
        assert (await memory.archive.expire(space="long")).message == 0
        for wrong in ("message", "message=soon", "messages=3", "message=0"):
            with pytest.raises(erstwhile.InvalidInput):
                await memory.spaces.configure(space="short", retention=wrong)
        await memory.spaces.configure(space="short", retention="")
        assert {each.name: each.whose for each in await memory.spaces.configuration(space="short")}[
            "retention"
        ] == "default"


async def test_without_a_retention_nothing_goes(opened: Opened, clock: FixedClock) -> None:
    async with opened(retention={}) as memory:
        await memory.channel("chat").add_many(said(30))
        await memory.settle()
        clock.advance(days=5000)
        assert await memory.archive.expire() == ExpiryReport()
        assert len(await seqs(memory)) == 30


# Messages


async def test_old_messages_go_and_what_was_made_of_them_stays(opened: Opened, clock: FixedClock) -> None:
    async with opened() as memory:
        chat = memory.channel("chat")
        stored = await chat.add_many(said(43))
        await memory.settle()
        facts = await memory.facts.list(chat)
        clock.advance(days=29)
        assert await memory.archive.expire() == ExpiryReport()
        clock.advance(days=2)
        assert await memory.archive.expire() == ExpiryReport(message=38)
        assert await memory.archive.expire() == ExpiryReport(), "a second run finds nothing to do"

        assert await seqs(memory) == [39, 40, 41, 42, 43], "the latest stay"
        assert await chat.size() == 43
        assert (await chat.add("user", "A new one", person="alice")).seq == 44
        documents = await rows(memory, "documents")
        assert {row["kind"] for row in documents} == {"message", "chunk", "fact"}
        assert sum(row["kind"] == "message" for row in documents) == 6
        assert [(fact.id, fact.text) for fact in await memory.facts.list(chat)] == [
            (fact.id, fact.text) for fact in facts
        ]
        hits = await memory.search("7 red lanterns", limit=50)
        assert hits
        assert not {hit.id for hit in hits} & {message.id for message in stored[:38]}
        assert (await chat.context("lanterns")).text
        assert not [each for each in await memory.doctor() if each.level == "problem"]
        with pytest.raises(erstwhile.NotFound):
            await memory.memories.sources(stored[0].id)


async def test_sources_show_what_is_left_and_say_how_many_expired(opened: Opened, clock: FixedClock) -> None:
    async with opened() as memory:
        chat = memory.channel("chat")
        await chat.add_many(said(40))
        await memory.settle()
        clock.advance(days=31)
        await memory.archive.expire()
        chunks = [await memory.memories.sources(row["id"]) for row in await rows(memory, "chunks")]
        assert [(chunk.expired, len(chunk.sources)) for chunk in chunks] == [(10, 0), (10, 0), (10, 0), (5, 5)]
        fact = await memory.memories.sources((await memory.facts.list(chat))[0].id)
        assert (fact.expired, fact.sources) == (10, ())
        by_hand = await memory.facts.add(chat, "Robin likes tea", by="jun")
        assert (await memory.memories.sources(by_hand.id)).expired == 0
        for hit in await memory.search("lanterns", kinds=["fact", "chunk"], limit=40):
            assert len(hit.sources) <= 5


async def test_what_work_still_needs_waits(opened: Opened, clock: FixedClock) -> None:
    async with opened() as memory:
        chat = memory.channel("chat")
        await chat.add_many(said(35))
        clock.advance(days=40)
        assert await memory.archive.expire() == ExpiryReport(), "nothing is summed up yet"
        parked = next(
            job for job in await memory.jobs.list() if job.kind == "facts.extract" and job.key.endswith(":11-20")
        )
        await memory.jobs.park(parked.id, "to be looked at")
        await memory.settle()
        assert await memory.archive.expire() == ExpiryReport(message=20), (
            "a parked job still holds its range; 31–35 are not cut"
        )
        assert await seqs(memory) == [*range(11, 21), *range(31, 36)]
        await memory.jobs.retry()
        await memory.settle()
        assert await memory.archive.expire() == ExpiryReport(message=10)
        assert len(await rows(memory, "extracts")) == 4, "three chunks, and the end of the quiet conversation"


async def test_what_is_in_a_buffer_waits_for_its_note(opened: Opened, clock: FixedClock) -> None:
    async with opened(recipe="dual") as memory:
        await memory.channel("chat").add_many(said(30))
        await memory.settle()
        await run(
            memory,
            "INSERT INTO buffers (space, channel, first_seq, last_seq, messages, started_at, updated_at, closed) "
            "VALUES (:space, 'chat', 8, 12, 5, 0, 0, 1)",
        )
        clock.advance(days=31)
        assert await memory.archive.expire() == ExpiryReport(message=20)
        assert await seqs(memory) == [8, 9, 10, 11, 12, 26, 27, 28, 29, 30]


async def test_a_conversation_is_read_on_over_a_wide_gap(opened: Opened, clock: FixedClock) -> None:
    async with opened(recipe="brief", recent_messages=3) as memory:
        chat = memory.channel("chat")
        await chat.add_many([{"role": "user", "text": f"Number {n}", "at": clock()} for n in range(1, 4)])
        clock.advance(days=40)
        old = "2025-01-01T00:00:00Z"
        await chat.add_many([{"role": "user", "text": f"Old {n}", "at": old} for n in range(4, 1204)])
        await chat.add_many([{"role": "user", "text": f"New {n}"} for n in range(1204, 1208)])
        clock.advance(days=-15)  # the first three are not so old
        assert (await memory.archive.expire()).message == 1200
        assert await seqs(memory) == [1, 2, 3, *range(1204, 1208)]
        assert [each.seq async for each in chat.messages(2, limit=3)] == [3, 1204, 1205]
        assert [each.seq async for each in chat.messages(3, limit=0)] == []


async def test_an_expired_range_is_not_made_again(opened: Opened, clock: FixedClock) -> None:
    async with opened() as memory:
        chat = memory.channel("chat")
        await chat.add_many(said(40))
        await memory.settle()
        clock.advance(days=31)
        await memory.archive.expire()
        before = await rows(memory, "facts")
        for what in ("chunk", "facts", "structured"):
            with pytest.raises(erstwhile.NotFound, match=r"5 of the 10 messages 31–40 of 'chat' have expired"):
                await memory.memories.regenerate(chat, 31, 40, what)
        assert (await memory.memories.regenerate(chat, 31, 40, "embeddings")).replaced
        assert await rows(memory, "facts") == before
        assert (await memory.memories.backfill()).processed == 0


async def test_a_rebuild_keeps_what_can_not_be_made_again(opened: Opened, clock: FixedClock) -> None:
    async with opened(meta_size=2) as memory:
        chat = memory.channel("chat")
        await chat.add_many(said(65))
        await memory.settle()
        expected = {table: await rows(memory, table) for table in ("chunks", "facts", "extracts")}
        clock.advance(days=31)
        await chat.add_many(said(20, start=66))
        assert await memory.archive.expire() == ExpiryReport(message=60)
        await memory.settle()
        before = {table: [row["id"] for row in await rows(memory, table)] for table in ("chunks", "facts", "documents")}
        for _ in range(2):
            await memory.spaces.rebuild()
            kept = [row for row in await rows(memory, "chunks") if row["level"] == 0]
            assert [(row["first_seq"], row["text"]) for row in kept] == [
                (row["first_seq"], row["text"]) for row in expected["chunks"] if row["level"] == 0
            ]
            settled = await memory.settle()
            assert (settled.waiting, settled.parked) == (0, 0)
            after = {table: [row["id"] for row in await rows(memory, table)] for table in before}
            assert {table: sorted(ids) for table, ids in after.items()} == {
                table: sorted(ids) for table, ids in before.items()
            }
            texts = {row["id"]: row["text"] for row in await rows(memory, "facts")}
            assert {row["id"]: row["text"] for row in expected["facts"]}.items() <= texts.items()
        found = [row for row in await rows(memory, "chunks") if row["level"] == 1]
        assert [(row["first_seq"], row["last_seq"]) for row in found] == [(1, 20), (21, 40), (41, 60), (61, 80)]


async def test_a_chunk_between_expired_ones_is_made_again_in_its_place(opened: Opened, clock: FixedClock) -> None:
    async with opened() as memory:
        chat = memory.channel("chat")
        days = [0] * 10 + [100] * 10 + [0] * 10 + [100] * 10
        start = clock()
        clock.advance(days=100)
        await chat.add_many(
            [
                {**message, "at": start.replace(year=start.year + (1 if day else 0))}
                for message, day in zip(said(40), days, strict=True)
            ]
        )
        await memory.settle()
        assert await memory.archive.expire() == ExpiryReport(message=20)
        before = [(row["first_seq"], row["number"], row["text"]) for row in await rows(memory, "chunks")]
        await memory.spaces.rebuild()
        assert [row["first_seq"] for row in await rows(memory, "chunks")] == [1, 21]
        await memory.settle()
        assert [(row["first_seq"], row["number"], row["text"]) for row in await rows(memory, "chunks")] == before


async def test_a_model_that_comes_later_leaves_the_drafts_of_what_expired(
    opened: Opened, clock: FixedClock, model_server: ModelServer
) -> None:
    async with opened(recipe="full") as memory:
        await memory.channel("chat").add_many(said(30))
        await memory.settle()
        clock.advance(days=31)
        await memory.settle()  # what is in a buffer is kept until it is noted
        assert (await memory.archive.expire()).message == 25
    async with opened(
        recipe="full", model="openai-compatible:scripted", base_url=model_server.base_url, api_key="k"
    ) as memory:
        settled = await memory.settle()
        assert (settled.waiting, settled.parked) == (0, 0)
        assert calls(model_server, "summarise") == []
        assert {(row["draft"], row["writer"]) for row in await rows(memory, "chunks")} == {(0, "extractive/1")}
        assert len(await rows(memory, "chunks")) == 3


async def test_a_brief_goes_on_from_its_draft(opened: Opened, clock: FixedClock, model_server: ModelServer) -> None:
    small = {"recipe": "brief", "brief": {"threshold": 60, "turns": 1}, "recent_messages": 2}
    async with opened(**small) as memory:
        chat = memory.channel("chat")
        for n in range(1, 11):
            await chat.add("user", f"I own {n} red lanterns from a market in Busan.", person="alice")
            await chat.add("assistant", f"That makes {n} lanterns.")
        await memory.settle()
        drafted = (await read(memory, "SELECT * FROM briefs WHERE space = :space"))[0]
        assert (drafted["cursor"], drafted["draft_cursor"]) == (0, 18)
        clock.advance(days=31)
        assert (await memory.archive.expire()).message == 18
        brief = await memory.memories.sources(drafted["id"])
        assert (brief.text, brief.expired, brief.sources) == (drafted["draft_text"], 18, ())
        assert drafted["draft_text"][:20] in (await chat.context("")).text
        await memory.spaces.rebuild()
        await memory.settle()
        assert (await memory.memories.sources(drafted["id"])).text == drafted["draft_text"]
        assert [hit.id for hit in await memory.search("lanterns", kinds=["brief"])] == [drafted["id"]]
    async with opened(
        **small, model="openai-compatible:scripted", base_url=model_server.base_url, api_key="k"
    ) as memory:
        chat = memory.channel("chat")
        for n in range(11, 16):
            await chat.add("user", f"I own {n} red lanterns from a market in Busan.", person="alice")
            await chat.add("assistant", f"That makes {n} lanterns.")
        settled = await memory.settle()
        assert (settled.waiting, settled.parked) == (0, 0)
        assert drafted["draft_text"][:20] in model_server.calls[0].user, "the model reads the draft as what was so far"
        assert (await read(memory, "SELECT * FROM briefs WHERE space = :space"))[0]["cursor"] == 28


async def test_a_space_that_begins_to_be_cut_passes_over_what_expired(opened: Opened, clock: FixedClock) -> None:
    async with opened(recipe="community", recent_messages=5) as memory:
        chat = memory.channel("chat")
        await chat.add_many(said(27))
        clock.advance(days=31)
        await run(memory, "DELETE FROM buffers WHERE space = :space")
        assert (await memory.archive.expire()).message == 22
        await memory.spaces.configure(recipe="dual")
        await chat.add_many(said(13, start=28))
        settled = await memory.settle()
        assert (settled.waiting, settled.parked) == (0, 0)
        assert [(row["first_seq"], row["last_seq"], row["number"]) for row in await rows(memory, "chunks")] == [
            (23, 32, 0)
        ]


async def test_it_is_due_in_every_space(opened: Opened, clock: FixedClock) -> None:
    async with opened() as memory:
        for space in ("one", "two"):
            await memory.channel("chat", space).add_many(said(20))
        await memory.settle()
        clock.advance(days=31)
        await memory.settle()
        for space in ("one", "two"):
            assert [each.seq async for each in memory.channel("chat", space).messages()] == [16, 17, 18, 19, 20]


async def test_a_worker_does_it_by_itself(opened: Opened, clock: FixedClock) -> None:
    async with opened() as memory:
        await memory.channel("chat").add_many(said(20))
        await memory.settle()
    clock.advance(days=31)
    async with opened(worker=True) as memory:
        for _ in range(500):
            if await seqs(memory) == [16, 17, 18, 19, 20]:
                return
            await asyncio.sleep(0.02)
        pytest.fail("the worker took nothing away")


async def test_an_expired_key_is_taken_again(opened: Opened, clock: FixedClock) -> None:
    async with opened() as memory:
        chat = memory.channel("chat")
        await chat.add_many([{**message, "key": f"k{n}"} for n, message in enumerate(said(20))])
        await memory.settle()
        clock.advance(days=31)
        await memory.archive.expire()
        assert (await chat.add("user", "again", key="k19")).seq == 20
        assert (await chat.add("user", "again", key="k0")).seq == 21
