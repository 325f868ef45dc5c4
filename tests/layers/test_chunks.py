"""Chunk and meta summaries (D1–D3), on both databases, with the scripted model on the other side where one matters."""

from __future__ import annotations

import asyncio
import random

import pytest
from stored_rows import calls, calm, even, gaps, ranges, rows, said, texts

import erstwhile
from erstwhile.testing import Call, Fault, FixedClock, ModelServer, Reply
from erstwhile.testing.answers import sensible, step

pytestmark = pytest.mark.usefixtures("quiet_never_comes")

CANARY = "the-summary-itself"


def with_model(url: str, clock: FixedClock, server: ModelServer, **more: object) -> erstwhile.Memory:
    settings = {"model": "openai-compatible:scripted", "model_timeout_seconds": 60, "api_key": "test-key"} | more
    return erstwhile.open(url, clock=clock, worker=False, base_url=server.base_url, **settings)


# D1: where a channel is cut


async def test_nothing_is_made_before_ten_messages(memory: erstwhile.Memory) -> None:
    """D1"""
    for each in said(9):
        await memory.channel("chat").add(**each)
    assert await memory.jobs.list() == []
    assert (await memory.settle()).done == 0
    assert await rows(memory, "chunks") == []


async def test_the_tenth_message_makes_one_chunk_and_never_again(memory: erstwhile.Memory) -> None:
    """D1"""
    chat = memory.channel("chat")
    for each in said(10):
        await chat.add(**each)
    assert (await memory.settle()).done == 1, "one job: its summary, its facts, its structured memories"
    assert await ranges(memory) == [(1, 10)]
    await chat.add_many(said(9, start=11))
    assert (await memory.settle()).done == 0
    assert await ranges(memory) == [(1, 10)]
    assert len(await rows(memory, "extracts")) == 1


async def test_a_batch_of_35_makes_three_chunks_and_leaves_five_for_later(memory: erstwhile.Memory) -> None:
    """D1"""
    chat = memory.channel("chat")
    await chat.add_many(said(35))
    await memory.settle()
    assert await ranges(memory) == [(1, 10), (11, 20), (21, 30)]
    await chat.add_many(said(5, start=36))
    await memory.settle()
    assert await ranges(memory) == [(1, 10), (11, 20), (21, 30), (31, 40)]
    assert [row["number"] for row in await rows(memory, "chunks")] == [0, 1, 2, 3]


async def test_a_repeated_message_does_not_count_towards_a_chunk(memory: erstwhile.Memory) -> None:
    chat = memory.channel("chat")
    for _ in range(3):
        await chat.add_many([{**each, "key": each["text"]} for each in said(9)])
    assert await memory.jobs.list() == []
    await chat.add("user", "the tenth")
    await memory.settle()
    assert await ranges(memory) == [(1, 10)]


async def test_channels_and_spaces_are_cut_by_themselves(memory: erstwhile.Memory) -> None:
    await memory.channel("one").add_many(said(10))
    await memory.channel("two").add_many(said(9))
    await memory.channel("one", space="other").add_many(said(20))
    await memory.settle()
    assert [(row["channel"], row["first_seq"]) for row in await rows(memory, "chunks")] == [("one", 1)]
    assert await ranges(memory, space="other") == [(1, 10), (11, 20)]
    ids = [row["id"] for space in ("default", "other") for row in await rows(memory, "chunks", space)]
    assert len(set(ids)) == 3


async def test_concurrent_writers_leave_no_gap_and_no_overlap(database_url: str, clock: FixedClock) -> None:
    """D1, R6: eight writers over two connections to one channel."""
    async with (
        erstwhile.open(database_url, clock=clock, worker=False) as one,
        erstwhile.open(database_url, clock=clock, worker=False) as two,
    ):

        async def write(memory: erstwhile.Memory, writer: int) -> None:
            chance = random.Random(writer)
            left = 20
            while left:
                count = min(left, chance.randint(1, 7))
                await memory.channel("chat").add_many(said(count))
                left -= count

        await asyncio.gather(*(write((one, two)[n % 2], n) for n in range(8)))
        assert await one.channel("chat").size() == 160
        await one.settle()
        assert await ranges(one) == even(1, 160, 10)


@pytest.mark.parametrize(("before", "after"), [(10, 4), (4, 10), (10, 7), (3, 2)])
async def test_a_changed_chunk_size_leaves_no_gap_and_no_overlap(
    database_url: str, clock: FixedClock, before: int, after: int
) -> None:
    async with erstwhile.open(database_url, clock=clock, worker=False, chunk_size=before) as memory:
        await memory.channel("chat").add_many(said(25))
        await memory.settle()
    async with erstwhile.open(database_url, clock=clock, worker=False, chunk_size=after) as memory:
        for n in range(26, 61):
            await memory.channel("chat").add(**said(1, start=n)[0])
        await memory.settle()
        found = await ranges(memory)
        assert list(gaps(found)) == []
        assert found[0][0] == 1
        sizes = [last - first + 1 for first, last in found]
        old = 25 // before
        assert sizes == [before] * old + [after] * (len(sizes) - old)
        assert 60 - found[-1][1] < 2 * after, "no more waits than the new size, give or take where the old one ended"
        assert [row["number"] for row in await rows(memory, "chunks") if row["level"] == 0] == list(range(len(found)))


# D2: both from the raw messages, at the same time


@pytest.mark.usefixtures("unchecked")
async def test_summary_and_facts_are_asked_for_at_the_same_time(
    prompted: erstwhile.Memory, model_server: ModelServer
) -> None:
    """D2: the calls are in flight together; that for facts writes the structured memories too."""
    await prompted.channel("warm up").add_many(said(10))
    await prompted.settle()
    seen = len(model_server.calls)
    model_server.then(*[Reply('{"facts": [], "memories": [], "summary": "A summary."}', delay=1.5)] * 2)
    await prompted.channel("chat").add_many(said(10))
    assert (await prompted.settle()).done == 3
    asked = model_server.calls[seen:]
    assert {step(call.system) for call in asked} == {"summarise", "structure"}
    assert max(call.at for call in asked) - min(call.at for call in asked) < 1.4


async def test_facts_never_come_from_summaries(database_url: str, clock: FixedClock) -> None:
    """D2: only the metas ever read a summary; facts and summaries read every raw message."""

    def script(call: Call) -> str:
        return CANARY + sensible(call) if step(call.system) != "extract" else sensible(call)

    with ModelServer(script) as server:
        async with with_model(database_url, clock, server, meta_size=2) as memory:
            messages = said(40)
            await memory.channel("chat").add_many(messages)
            assert (await memory.settle()).waiting == 0
        assert len(calls(server, "extract")) == len(calls(server, "summarise")) == 4
        assert len(calls(server, "condense")) == 3
        assert all(CANARY in call.prompt for call in calls(server, "condense"))
        for kind in ("extract", "summarise"):
            asked = "".join(call.user for call in calls(server, kind))
            assert CANARY not in asked
            assert all(each["text"] in asked for each in messages)


@pytest.mark.usefixtures("unchecked")
async def test_two_workers_make_each_summary_and_reading_once(
    database_url: str, clock: FixedClock, model_server: ModelServer
) -> None:
    """D2: unique per (channel, first, last) under concurrent workers; no model call is spent twice."""
    async with (
        with_model(database_url, clock, model_server) as one,
        with_model(database_url, clock, model_server) as two,
    ):
        await one.channel("chat").add_many(said(100))
        await asyncio.gather(one.settle(), two.settle())
        assert (await one.settle()).waiting == 0
        assert await ranges(one) == even(1, 100, 10)
        assert [(row["first_seq"], row["last_seq"]) for row in await rows(one, "extracts")] == even(1, 100, 10)
        assert await ranges(one, level=1) == [(1, 100)]
    assert [len(calls(model_server, kind)) for kind in ("summarise", "condense")] == [10, 1]
    assert 10 <= len(calls(model_server, "structure")) + len(calls(model_server, "extract")) <= 20


async def test_failing_facts_do_not_hold_up_the_summary(database_url: str, clock: FixedClock) -> None:
    def script(call: Call) -> str | Fault:
        return Fault.server_error(503) if step(call.system) == "extract" else sensible(call)

    with ModelServer(script) as server:
        async with with_model(database_url, clock, server) as memory:
            await memory.channel("chat").add_many(said(10))
            settled = await memory.settle()
            assert (settled.done, settled.waiting) == (2, 1)
            (chunk,) = await rows(memory, "chunks")
            assert not chunk["draft"]
            (extract,) = await rows(memory, "extracts")
            assert extract["draft"]


# D3: metas


async def test_ten_chunks_make_a_meta(prompted: erstwhile.Memory, model_server: ModelServer) -> None:
    """D3, with the default sizes."""
    chat = prompted.channel("chat")
    await chat.add_many(said(99))
    await prompted.settle()
    assert await ranges(prompted, level=1) == []
    await chat.add_many(said(1, start=100))
    await prompted.settle()
    assert await ranges(prompted, level=1) == [(1, 100)]
    (call,) = calls(model_server, "condense")
    parts = [row["text"] for row in await rows(prompted, "chunks") if row["level"] == 0]
    places = [call.user.index(text) for text in parts]
    assert places == sorted(places), "all ten, in order"


async def test_levels_grow_without_limit(memory: erstwhile.Memory, database_url: str, clock: FixedClock) -> None:
    """D3: with chunks of 2 and metas of 3, 54 messages reach level 3."""
    async with erstwhile.open(database_url, clock=clock, worker=False, chunk_size=2, meta_size=3) as small:
        for start in range(1, 55, 6):
            await small.channel("chat").add_many(said(6, start=start))
            await small.settle()
        assert await ranges(small, 0) == even(1, 54, 2)
        assert await ranges(small, 1) == even(1, 54, 6)
        assert await ranges(small, 2) == even(1, 54, 18)
        assert await ranges(small, 3) == [(1, 54)]
        assert await ranges(small, 4) == []
        await _check_tree(small)


async def _check_tree(memory: erstwhile.Memory) -> None:
    """Each meta covers exactly what its parts cover, in order; each part has one parent."""
    found = await rows(memory, "chunks")
    for meta in (row for row in found if row["level"] > 0):
        parts = sorted((row for row in found if row["parent"] == meta["id"]), key=lambda row: row["number"])
        assert {part["level"] for part in parts} == {meta["level"] - 1}
        assert (parts[0]["first_seq"], parts[-1]["last_seq"]) == (meta["first_seq"], meta["last_seq"])
        assert not list(gaps([(part["first_seq"], part["last_seq"]) for part in parts]))


async def test_metas_are_complete_when_an_early_chunk_comes_last(database_url: str, clock: FixedClock) -> None:
    """D3: the first chunk's answer is the slowest; every group behind it still gets its meta, without another message."""

    def script(call: Call) -> Reply:
        slow = step(call.system) == "summarise" and "own 1 red" in call.user
        return Reply(sensible(call), delay=1.0 if slow else 0.0)

    with ModelServer(script) as server:
        async with with_model(database_url, clock, server, chunk_size=2, meta_size=3) as memory:
            await memory.channel("chat").add_many(said(36))
            assert (await memory.settle()).waiting == 0
            assert await ranges(memory, 1) == even(1, 36, 6)
            assert await ranges(memory, 2) == even(1, 36, 18)
            await _check_tree(memory)


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.long) for seed in (1, 2))])
async def test_metas_are_gap_free_in_whatever_order_chunks_finish(
    database_url: str, clock: FixedClock, seed: int
) -> None:
    """D3, under two workers and answers that take different times."""
    chance = random.Random(seed)
    with ModelServer(lambda call: Reply(sensible(call), delay=chance.random() * 0.1)) as server:
        async with (
            with_model(database_url, clock, server, chunk_size=2, meta_size=3) as one,
            with_model(database_url, clock, server, chunk_size=2, meta_size=3) as two,
        ):
            await one.channel("chat").add_many(said(54))
            for _ in range(20):
                settled = await asyncio.gather(one.settle(), two.settle())
                if not any(each.waiting for each in settled):
                    break
            for level, size in enumerate((2, 6, 18, 54)):
                assert await ranges(one, level) == even(1, 54, size)
            await _check_tree(one)
        assert len(calls(server, "condense")) == 9 + 3 + 1


async def test_a_chunk_that_fails_for_a_while_leaves_no_gap_above(database_url: str, clock: FixedClock) -> None:
    """D3: chunk 2 of 3 fails three times; its meta then follows the real summary."""
    fails = iter([True] * 3)

    def script(call: Call) -> str | Fault:
        hit = step(call.system) == "summarise" and "own 3 red" in call.user
        return Fault.server_error() if hit and next(fails, False) else sensible(call)

    with ModelServer(script) as server:
        async with with_model(database_url, clock, server, chunk_size=2, meta_size=3) as memory:
            await memory.channel("chat").add_many(said(18))
            settled = await memory.settle()
            assert settled.waiting == 1
            assert await ranges(memory, 1) == even(1, 18, 6), "drafts keep the shape complete"
            assert (await calm(memory, clock)).parked == 0
            found = await rows(memory, "chunks")
            assert [row["level"] for row in found if row["draft"] or row["stale"]] == []
            assert await ranges(memory, 2) == [(1, 18)]
            await _check_tree(memory)


async def test_a_meta_that_is_refused_is_parked_and_not_asked_for_over_and_over(
    database_url: str, clock: FixedClock
) -> None:
    def script(call: Call) -> str | Fault:
        return Fault.bad_request() if step(call.system) == "condense" else sensible(call)

    with ModelServer(script) as server:
        async with with_model(database_url, clock, server, meta_size=2) as memory:
            await memory.channel("chat").add_many(said(20))
            async with asyncio.timeout(120):
                settled = await memory.settle()
            assert (settled.done, settled.waiting, settled.parked) == (6, 0, 1)
            assert len(calls(server, "condense")) == 1
            assert [row["draft"] for row in await rows(memory, "chunks") if row["level"] == 1] == [1]


# What the model is asked, and when prompts may be cached


async def test_what_the_model_is_asked(prompted: erstwhile.Memory, model_server: ModelServer) -> None:
    """D4: temperature 0, at most 1,024 output tokens (and as many more for a list), messages cut at 1,200 characters, lines labelled."""
    chat = prompted.channel("chat")
    await chat.add("user", "x" * 1199 + "yz-beyond", person="alice", name="Alice")
    await chat.add("assistant", "I am the assistant.", model="m")
    await chat.add("user", "no name here")
    await chat.add("user", "only an id", person="bob-7")
    await chat.add_many(said(6))
    await prompted.settle()
    assert len(model_server.calls) == 2
    for call in model_server.calls:
        noting = step(call.system) == "structure"
        numbers = [f"#{n} " if noting else "" for n in range(1, 5)]
        assert call.body["temperature"] == 0
        assert call.body["max_tokens"] == (2048 if noting else 1024)
        assert f"\n{numbers[0]}Alice: " + "x" * 1199 + "y…" in call.user
        assert "beyond" not in call.user
        assert f"\n{numbers[1]}ASSISTANT: I am the assistant." in call.user
        assert f"\n{numbers[2]}USER: no name here" in call.user
        assert f"\n{numbers[3]}bob-7: only an id" in call.user
        assert call.user.startswith("<conversation>\n")
        assert "\n</conversation>\n\n" in call.user  # then what to write, and in which language


@pytest.mark.usefixtures("unchecked")
async def test_cache_keys_name_the_range_and_only_long_prompts_carry_them(
    database_url: str, clock: FixedClock, model_server: ModelServer
) -> None:
    """D8: summary:<channel>:<a>-<b> and so on, from 1,024 tokens on."""
    async with with_model(database_url, clock, model_server, model="openai:gpt-4.1") as memory:
        await memory.channel("short").add_many(said(10))
        await memory.channel("long").add_many([{"role": "user", "text": f"{n} " + "word " * 600} for n in range(20)])
        assert (await memory.settle()).waiting == 0
    assert {call.body.get("prompt_cache_key") for call in model_server.calls} == {
        None,
        "summary:long:1-10",
        "facts:long:1-10",
        "summary:long:11-20",
        "facts:long:11-20",
    }
    assert all("prompt_cache_key" not in call.body for call in model_server.calls if "lanterns" in call.user)


@pytest.mark.usefixtures("unchecked")
async def test_a_long_meta_prompt_is_cached_under_its_own_key(database_url: str, clock: FixedClock) -> None:
    """D8: meta:<channel>:<a>-<b>."""
    with ModelServer(lambda call: "A long summary. " + "word " * 700) as server:
        async with with_model(database_url, clock, server, model="openai:gpt-4.1", chunk_size=2, meta_size=6) as memory:
            await memory.channel("chat").add_many(said(12))
            await memory.settle()
        (call,) = calls(server, "condense")
        assert call.body["prompt_cache_key"] == "meta:chat:1-12"


# Sources


async def test_a_meta_leads_to_its_chunks_and_they_to_their_messages(
    memory: erstwhile.Memory, database_url: str, clock: FixedClock
) -> None:
    chat = memory.channel("chat")
    stored = await chat.add_many(said(100))
    await memory.settle()
    (meta,) = [row for row in await rows(memory, "chunks") if row["level"] == 1]
    tree = await memory.memories.sources(meta["id"])
    assert (tree.kind, len(tree.sources)) == ("meta", 10)
    assert {part.kind for part in tree.sources} == {"chunk"}
    assert [leaf.id for part in tree.sources for leaf in part.sources] == [message.id for message in stored]
    assert tree.sources[0].sources[0].seq == 1
    with pytest.raises(erstwhile.NotFound):
        await memory.memories.sources(meta["id"], space="elsewhere")


async def test_odd_summaries_are_stored_as_plain_text(database_url: str, clock: FixedClock) -> None:
    odd = iter(
        [
            '{"summary": "Alice bought lanterns.", "confidence": 1}',
            "```\nAlice bought lanterns.\n```",
            "Alice bought\x07 some \u2028 lanterns.",
            "앨리스는 등불을 샀다. 🏮",
        ]
    )

    def script(call: Call) -> str:
        return next(odd) if step(call.system) == "summarise" else sensible(call)

    with ModelServer(script) as server:
        async with with_model(database_url, clock, server, chunk_size=2) as memory:
            for start in (1, 3, 5, 7):
                await memory.channel("chat").add_many(said(2, start=start))
                settled = await memory.settle()
                assert (settled.waiting, settled.parked) == (0, 0)
            found = await texts(memory, "chunks")
            assert found[:2] == ["Alice bought lanterns."] * 2
            assert "lanterns" in found[2]
            assert found[3] == "앨리스는 등불을 샀다. 🏮"


async def test_the_doctor_counts_summaries_and_metas(database_url: str, clock: FixedClock) -> None:
    async with erstwhile.open(database_url, clock=clock, worker=False, chunk_size=2) as memory:
        await memory.channel("c").add_many([{"role": "user", "text": f"I read book number {n}."} for n in range(20)])
        await memory.settle()
        assert [each.what for each in await memory.doctor() if "; 10 summaries, 1 meta summaries; " in each.what]
