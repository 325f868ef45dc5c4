"""Memories edited, deleted and added by hand (D12): they stay as people left them, whatever is made again."""

from __future__ import annotations

import asyncio

import pytest
from stored_rows import rows, said, texts

import erstwhile
from erstwhile.testing import FixedClock, ModelServer

pytestmark = pytest.mark.usefixtures("unchecked")

SMALL = {"chunk_size": 4, "meta_size": 2}


def modelled(url: str, clock: FixedClock, server: ModelServer, **more: object) -> erstwhile.Memory:
    settings: dict[str, object] = {"worker": False, "model": "openai-compatible:scripted", "api_key": "k"}
    return erstwhile.open(url, clock=clock, **settings | {"base_url": server.base_url} | more)


async def filled(memory: erstwhile.Memory, count: int) -> erstwhile.Channel:
    chat = memory.channel("chat")
    await chat.add_many(said(count))
    await memory.settle()
    return chat


async def test_an_edit_is_found_shown_and_traced(memory: erstwhile.Memory) -> None:
    chat = await filled(memory, 10)
    fact, other = (await memory.facts.list(chat))[:2]
    await memory.memories.edit(fact.id, "  Bob collects zeppelins.  ", by="alice")
    hits = await memory.search("zeppelins", kinds=["fact"])
    assert [(hit.id, hit.text) for hit in hits] == [(fact.id, "Bob collects zeppelins.")]
    assert "zeppelins" in (await chat.context("zeppelins")).text
    assert (await memory.memories.sources(fact.id)).text == "Bob collects zeppelins."
    by = {each.id: each.edited_by for each in await memory.facts.list(chat)}
    assert (by[fact.id], by[other.id]) == ("alice", None)
    (chunk,) = await rows(memory, "chunks")
    await memory.memories.edit(chunk["id"], "They went ballooning.", by="alice")
    assert [hit.id for hit in await memory.search("ballooning")] == [chunk["id"]]
    assert "ballooning" in (await chat.context()).text


async def test_a_deleted_memory_is_gone_everywhere(memory: erstwhile.Memory) -> None:
    chat = await filled(memory, 10)
    (chunk,) = await rows(memory, "chunks")
    for id in [fact.id for fact in await memory.facts.list(chat)] + [chunk["id"]]:
        await memory.memories.delete(id, by="alice")
        with pytest.raises(erstwhile.NotFound):
            await memory.memories.sources(id)
        with pytest.raises(erstwhile.NotFound):
            await memory.memories.delete(id, by="alice")
        assert (await memory.memories.history(id))[-1].action == "deleted"
    assert await memory.facts.list(chat) == []
    assert await memory.search("lanterns", kinds=["fact", "chunk", "meta"]) == []
    assert [part.name for part in (await chat.context(recipe="dual")).parts] == ["recent"]


async def test_a_fact_added_by_hand_has_no_source_and_is_found(memory: erstwhile.Memory, clock: FixedClock) -> None:
    chat = await filled(memory, 12)
    fact = await memory.facts.add(chat, "Alice is allergic to buckwheat", by="carol", person="alice")
    assert (fact.writer, fact.edited_by, fact.person, fact.at) == ("hand:carol", "carol", "alice", clock())
    assert (fact.category, fact.importance) == ("preference", 5)
    assert await memory.facts.add(chat, "alice is allergic to buckwheat.", by="carol", person="alice") == fact
    (hit,) = await memory.search("buckwheat")
    assert (hit.id, hit.sources) == (fact.id, ())
    assert (await memory.memories.sources(fact.id)).sources == ()
    assert "buckwheat" in (await chat.context("buckwheat")).text
    assert [(each.action, each.by) for each in await memory.memories.history(fact.id)] == [("written", "carol")]
    assert (await memory.facts.list(chat))[-1] == fact


async def test_a_fact_can_be_added_where_nothing_was_said_yet(memory: erstwhile.Memory) -> None:
    chat = memory.channel("new", space="elsewhere")
    fact = await memory.facts.add(chat, "Alice likes tea", by="carol")
    await chat.add_many(said(10))
    await memory.settle()
    assert (await memory.facts.list(chat))[0] == fact


@pytest.mark.parametrize("text", ["", "  ", "a\0b", "\ud800"])
async def test_what_can_not_be_a_memory_is_refused(memory: erstwhile.Memory, text: str) -> None:
    chat = await filled(memory, 10)
    fact = (await memory.facts.list(chat))[0]
    with pytest.raises(erstwhile.InvalidInput):
        await memory.memories.edit(fact.id, text, by="alice")
    with pytest.raises(erstwhile.InvalidInput):
        await memory.facts.add(chat, text, by="alice")
    with pytest.raises(erstwhile.InvalidInput):
        await memory.memories.edit(fact.id, "fine", by=" ")


async def test_messages_are_immutable_and_ids_of_other_spaces_unknown(memory: erstwhile.Memory) -> None:
    chat = await filled(memory, 10)
    message = await chat.add("user", "hello")
    for verb in (memory.memories.edit(message.id, "x", by="a"), memory.memories.delete(message.id, by="a")):
        with pytest.raises(erstwhile.InvalidInput, match="never changes"):
            await verb
    fact = (await memory.facts.list(chat))[0]
    with pytest.raises(erstwhile.NotFound):
        await memory.memories.edit(fact.id, "x", by="a", space="other")


async def test_a_model_that_comes_later_leaves_what_people_wrote(
    database_url: str, clock: FixedClock, model_server: ModelServer
) -> None:
    async with erstwhile.open(database_url, clock=clock, worker=False) as memory:
        chat = await filled(memory, 20)
        edited, deleted = (await memory.facts.list(chat))[:2]
        await memory.memories.edit(edited.id, "Edited by hand.", by="alice")
        await memory.memories.delete(deleted.id, by="alice")
        chunk = (await rows(memory, "chunks"))[0]
        await memory.memories.edit(chunk["id"], "Summed up by hand.", by="alice")
    async with modelled(database_url, clock, model_server) as memory:
        settled = await memory.settle()
        assert (settled.waiting, settled.parked) == (0, 0)
        assert (await rows(memory, "chunks"))[0]["text"] == "Summed up by hand."
        assert not any(row["draft"] for row in await rows(memory, "chunks"))
        found = await texts(memory)
        assert "Edited by hand." in found
        assert len(found) == len(set(found))


async def test_a_deleted_fact_does_not_come_back_when_its_range_is_read_again(
    database_url: str, clock: FixedClock
) -> None:
    """Neither in its first words nor in those it was given by hand; nor in other case or with a final stop."""
    answers = iter(["- Bob has a cat\n- Bob has a dog", "- BOB HAS A CAT.\n- Bob has a cow\n- Bob has a dog"])
    with ModelServer(
        lambda call: next(answers) if "facts" in call.system else "A summary of what they said."
    ) as server:
        async with modelled(database_url, clock, server, recipe="dual") as memory:
            chat = await filled(memory, 10)
            cat, dog = await memory.facts.list(chat)
            await memory.memories.edit(cat.id, "Bob has a cow", by="alice")
            await memory.memories.delete(cat.id, by="alice")
            await memory.memories.regenerate(chat, 1, 10, "facts")
            assert [fact.text for fact in await memory.facts.list(chat)] == ["Bob has a dog"]
            assert (await memory.facts.list(chat))[0].id == dog.id


async def test_a_rebuild_keeps_edits_additions_and_deletions(memory: erstwhile.Memory) -> None:
    chat = await filled(memory, 100)
    facts = await memory.facts.list(chat)
    edited, deleted = facts[0], facts[1]
    await memory.memories.edit(edited.id, "Edited zeppelin.", by="alice")
    await memory.memories.delete(deleted.id, by="alice")
    added = await memory.facts.add(chat, "Added zeppelin.", by="alice")
    chunks = await rows(memory, "chunks")
    await memory.memories.edit(chunks[0]["id"], "Chunk zeppelin.", by="alice")
    await memory.memories.delete(chunks[1]["id"], by="alice")
    await memory.memories.edit(chunks[-1]["id"], "Meta zeppelin.", by="alice")
    for _ in range(2):
        await memory.spaces.rebuild()
        assert len(await memory.search("zeppelin", limit=20)) == 4, "found at once"
        settled = await memory.settle()
        assert (settled.waiting, settled.parked) == (0, 0)
        now = {fact.id: fact.text for fact in await memory.facts.list(chat)}
        assert now[edited.id] == "Edited zeppelin."
        assert now[added.id] == "Added zeppelin."
        assert deleted.id not in now
        assert len(now) == len(facts)
        rebuilt = await rows(memory, "chunks")
        assert [row["id"] for row in rebuilt] == [row["id"] for row in chunks]
        assert [row["parent"] for row in rebuilt] == [row["parent"] for row in chunks]
        assert [rebuilt[n]["text"] for n in (0, 1, -1)] == ["Chunk zeppelin.", "", "Meta zeppelin."]
        assert len(await memory.search("zeppelin", limit=20)) == 4


async def test_a_rebuild_groups_summaries_that_were_all_edited(database_url: str, clock: FixedClock) -> None:
    """No summary is new then, and still the meta above them must be made."""
    async with erstwhile.open(database_url, clock=clock, worker=False, **SMALL) as memory:
        await filled(memory, 8)
        for row in (await rows(memory, "chunks"))[:2]:
            await memory.memories.edit(row["id"], f"By hand, {row['first_seq']}.", by="alice")
        await memory.spaces.rebuild()
        await memory.settle()
        low, high, meta = await rows(memory, "chunks")
        assert low["parent"] == high["parent"] == meta["id"]


async def test_editing_a_chunk_makes_every_meta_above_it_stale(
    database_url: str, clock: FixedClock, model_server: ModelServer
) -> None:
    async with modelled(database_url, clock, model_server, **SMALL) as memory:
        chat = await filled(memory, 16)
        chunks = await rows(memory, "chunks")
        assert [row["level"] for row in chunks] == [0, 0, 0, 0, 1, 1, 2]
        await memory.memories.edit(chunks[0]["id"], "They went ballooning in Busan.", by="alice")
        assert [row["stale"] for row in await rows(memory, "chunks")] == [0, 0, 0, 0, 1, 0, 1]
        assert (await memory.settle()).done == 0, "realigning is for whoever asks"
        assert await memory.memories.realign(chat) == 2
        after = await rows(memory, "chunks")
        assert not any(row["stale"] for row in after)
        assert "They went ballooning" in after[4]["text"]
        assert await memory.memories.realign(chat) == 0


async def test_a_meta_edited_by_hand_does_not_follow_its_parts(
    database_url: str, clock: FixedClock, model_server: ModelServer
) -> None:
    async with modelled(database_url, clock, model_server, **SMALL) as memory:
        chat = await filled(memory, 16)
        chunks = await rows(memory, "chunks")
        await memory.memories.edit(chunks[4]["id"], "The first half, by hand.", by="alice")
        assert await memory.memories.realign(chat) == 1, "the meta of metas"
        await memory.memories.edit(chunks[0]["id"], "They went ballooning.", by="alice")
        assert await memory.memories.realign(chat) == 1
        after = await rows(memory, "chunks")
        assert after[4]["text"] == "The first half, by hand."
        assert not any(row["stale"] for row in after)


async def test_an_emptied_chunk_leaves_no_gap(database_url: str, clock: FixedClock, model_server: ModelServer) -> None:
    """Its place stays, so that the metas above still form, of what is left."""
    async with modelled(database_url, clock, model_server, **SMALL) as memory:
        chat = await filled(memory, 4)
        (chunk,) = await rows(memory, "chunks")
        await memory.memories.delete(chunk["id"], by="alice")
        await chat.add_many(said(4, start=5))
        settled = await memory.settle()
        assert (settled.waiting, settled.parked) == (0, 0)
        assert [row["level"] for row in await rows(memory, "chunks")] == [0, 0, 1]
        assert "Summary of summaries" in (await rows(memory, "chunks"))[-1]["text"]


async def test_hands_and_readings_at_the_same_time(
    database_url: str, clock: FixedClock, model_server: ModelServer
) -> None:
    """What was deleted while its range was being read again stays deleted, whoever came first."""
    async with modelled(database_url, clock, model_server) as memory:
        chat = await filled(memory, 10)
        for fact in (await memory.facts.list(chat))[:5]:
            outcomes = await asyncio.gather(
                memory.memories.regenerate(chat, 1, 10, "facts"),
                memory.memories.delete(fact.id, by="alice"),
                return_exceptions=True,
            )
            assert not [each for each in outcomes if isinstance(each, BaseException)]
        await memory.memories.regenerate(chat, 1, 10, "facts")
        assert len(await memory.facts.list(chat)) == 5
        documents = [row["id"] for row in await rows(memory, "documents") if row["kind"] == "fact"]
        assert sorted(documents) == sorted(fact.id for fact in await memory.facts.list(chat))
