"""Looking through a space: channels, summaries, the brief, memories page by page; and changing only what still says the same."""

from __future__ import annotations

import asyncio

import pytest
from stored_rows import said

import erstwhile
from erstwhile.testing import FixedClock
from inside import pages

SMALL = {"chunk_size": 4, "meta_size": 2}


@pytest.fixture
async def small(database_url: str, clock: object) -> object:
    async with erstwhile.open(database_url, clock=clock, worker=False, recipe="dual", **SMALL) as opened:  # type: ignore[arg-type]
        yield opened


async def filled(memory: erstwhile.Memory, count: int = 20) -> erstwhile.Channel:
    chat = memory.channel("chat")
    await chat.add_many(said(count))
    await memory.settle()
    return chat


async def test_channels_with_their_size_and_what_was_declared(memory: erstwhile.Memory) -> None:
    assert await memory.channels.list() == []
    told = await memory.channel("b").add("user", "hello", person="alice")
    await memory.channel("a").add_many(said(3))
    await memory.channel("elsewhere", space="other").add("user", "hello")
    await memory.channels.set_privacy(memory.channel("b"), "private", people=["bob"])
    a, b = await memory.channels.list()
    assert (a.channel, a.size, a.privacy) == ("a", 3, None)
    assert (b.channel, b.size, b.privacy, b.last_at) == ("b", 1, "private", told.at)


async def test_channels_page_by_page_with_what_was_made_of_each(small: erstwhile.Memory) -> None:
    await filled(small)
    for name in ("100%_a", "100xxa", "Zebra"):
        await small.channel(name).add("user", "hello", at="2020-01-01T00:00:00Z")
    assert [each.channel for each in await small.channels.list(matching="100%_")] == ["100%_a"]
    assert [each.channel for each in await small.channels.list(matching="zeb")] == ["Zebra"]
    assert [each.channel for each in await small.channels.list(order="recent", limit=1)] == ["chat"]
    named = [each.channel for each in await small.channels.list()]
    first = await small.channels.list(limit=1)
    second = await small.channels.list(cursor=first.next, limit=2)
    assert [each.channel for each in second] == named[1:3]
    (shown,) = await small.channels.list(matching="chat", counts=True)
    made = erstwhile.MemoryCounts(chunks=5, metas=3, levels=2, facts=len(await small.facts.list(small.channel("chat"))))
    assert (shown.made, await small.channels.get(small.channel("chat"))) == (made, shown)
    assert (await small.channels.get(small.channel("nowhere"))).made == erstwhile.MemoryCounts()
    for wrong in ({"order": "size"}, {"limit": 0}, {"cursor": first.next, "order": "recent"}):
        with pytest.raises(erstwhile.InvalidInput):
            await small.channels.list(**wrong)  # type: ignore[arg-type]


async def test_a_preview_names_who_is_in_it_and_what_was_said_last(memory: erstwhile.Memory, clock: FixedClock) -> None:
    chat = memory.channel("square")
    for number in range(6):
        await chat.add("user", f"hello {number}", person=f"p{number}", name=f"Person {number}")
    clock.advance(minutes=1)  # of two names at the same time, either is the latest
    await chat.add("user", "Renamed, and a long word: " + "x" * 500, person="p0", name="Mina")
    await memory.channel("hall").add("assistant", "Nobody is here.")
    hall, square = await memory.channels.list(previews=True)
    assert square.preview is not None
    assert (square.preview.people, square.preview.many) == (("Mina", "Person 1", "Person 2", "Person 3"), 6)
    assert (square.preview.by, len(square.preview.text)) == ("Mina", 200)
    assert hall.preview is not None
    assert (hall.preview.people, hall.preview.by, hall.preview.text) == ((), "assistant", "Nobody is here.")
    assert [each.channel for each in await memory.channels.list(matching="PERSON 5")] == ["square"]
    assert (await memory.channels.list())[0].preview is None


async def test_what_touches_a_stretch_of_the_conversation(small: erstwhile.Memory) -> None:
    chat = await filled(small)
    every = await small.channels.summaries(chat)
    assert await small.channels.summaries(chat, first=6, last=9) == [
        each for each in every if each.first <= 9 and each.last >= 6
    ]
    chunks = await small.channels.summaries(chat, level=0)
    assert await small.channels.summaries(chat, level=0, last=12, limit=2) == chunks[1:3]
    top = await small.channels.summaries(chat, limit=1)
    assert await small.channels.summaries(chat, cursor=top.next) == every[:-1]
    read = await small.facts.list(chat)
    assert await small.facts.list(chat, first=5, last=8) == [each for each in read if each.first_seq == 5]
    latest = await small.facts.list(chat, limit=3)
    assert latest == read[-3:]
    assert await small.facts.list(chat, limit=2, cursor=latest.next) == read[-5:-3]
    added = await small.facts.add(chat, "Alice prefers trains.", by="bob")
    assert added in await small.facts.list(chat, first=17, last=20)
    assert added not in await small.facts.list(chat, first=1, last=19)
    assert [each.id for each in await small.facts.list(chat, limit=1)] == [added.id]
    for wrong in ({"first": -1}, {"last": -1}, {"limit": 0}):
        with pytest.raises(erstwhile.InvalidInput):
            await small.facts.list(chat, **wrong)


async def test_summaries_by_level(small: erstwhile.Memory) -> None:
    chat = await filled(small)
    chunks, metas = await small.channels.summaries(chat, level=0), await small.channels.summaries(chat, level=1)
    assert [(each.level, each.last - each.first) for each in chunks] == [(0, 3)] * len(chunks)
    assert metas
    assert (metas[0].first, metas[0].last) == (chunks[0].first, chunks[1].last)
    assert (await small.channels.summaries(chat))[: len(chunks) + len(metas)] == chunks + metas
    assert not metas[0].stale
    await small.memories.edit(chunks[0].id, "They bought lanterns.", by="alice")
    assert (await small.channels.summaries(chat, level=1))[0].stale
    assert (await small.channels.summaries(chat, level=0))[0].edited_by == "alice"
    await small.memories.delete(chunks[0].id, by="alice")
    assert [each.id for each in await small.channels.summaries(chat, level=0)] == [each.id for each in chunks[1:]]
    with pytest.raises(erstwhile.InvalidInput):
        await small.channels.summaries(chat, level=-1)


async def test_the_brief_of_a_channel(database_url: str) -> None:
    async with erstwhile.open(database_url, worker=False, recipe="brief", brief={"threshold": 100}) as memory:
        chat = memory.channel("chat")
        assert await memory.channels.brief(chat) is None
        turns = [(each, {"role": "assistant", "text": "How lovely."}) for each in said(40)]
        await chat.add_many([message for turn in turns for message in turn])
        await memory.settle()
        brief = await memory.channels.brief(chat)
        assert brief is not None
        assert brief.draft
        assert brief.text
        assert 0 < brief.through_seq <= 80
        assert brief.tokens > 0
        shown = await memory.memories.get(brief.id)
        assert (shown.text, [each.seq for each in shown.sources][-1]) == (brief.text, brief.through_seq)
        assert len(shown.sources) <= 10


async def test_memories_page_by_page_from_the_newest(small: erstwhile.Memory) -> None:
    chat = await filled(small)
    await small.channel("other").add_many(said(9))
    await small.settle()
    fact = await small.facts.add(chat, "Alice keeps bees", by="carol", person="alice")
    every = await small.memories.list(limit=1000)
    assert every[0].id == fact.id
    assert {each.kind for each in every} >= {"chunk", "meta", "fact"}
    assert all(each.kind != "message" and each.score == 0.0 for each in every)
    found = await pages(small.memories.list, limit=7)
    assert [each for page in found for each in page] == every
    assert {len(page) for page in found[:-1]} == {7}
    assert {each.channel for each in await small.memories.list(channel="other")} == {"other"}
    assert {each.kind for each in await small.memories.list(kinds=["meta"])} == {"meta"}
    assert {each.person for each in await small.memories.list(person="alice")} == {"alice"}
    messages = await small.memories.list(kinds=["message"], channel="chat", limit=5)
    assert [each.seq for each in messages] == [20, 19, 18, 17, 16]
    for wrong in ({"limit": 0}, {"kinds": ["dream"]}):
        with pytest.raises(erstwhile.InvalidInput):
            await small.memories.list(**wrong)  # type: ignore[arg-type]
    with pytest.raises(erstwhile.InvalidInput, match="cursor"):
        await small.memories.list(cursor="fct_gone")
    assert await small.memories.list(space="elsewhere") == []


async def test_pages_hold_the_same_whatever_their_size(memory: erstwhile.Memory) -> None:
    """Also where people repeat themselves."""
    lines = ["I live in Busan.", "I love jazz.", "I work as a nurse.", "I have a dog called Bo.", "I play the cello."]
    chat = memory.channel("talk")
    await chat.add_many([{"role": "user", "person": "alice", "text": line} for line in lines * 4])
    await memory.settle()
    whole = [each.id for each in await memory.memories.list(limit=500)]
    for limit in (1, 3):
        assert [each.id for page in await pages(memory.memories.list, limit=limit) for each in page] == whole


async def test_one_memory_with_what_it_was_made_of_directly(small: erstwhile.Memory) -> None:
    chat = await filled(small)
    (meta, *_), chunks = await small.channels.summaries(chat, level=1), await small.channels.summaries(chat, level=0)
    shown = await small.memories.get(meta.id)
    assert [each.id for each in shown.sources] == [each.id for each in chunks[:2]]
    assert [each.sources for each in shown.sources] == [(), ()]
    message = (await small.memories.get(chunks[0].id)).sources[0]
    assert await small.memories.get(message.id) == message
    assert (await small.memories.sources(meta.id)).sources[0].sources[0] == message
    with pytest.raises(erstwhile.NotFound):
        await small.memories.get(meta.id, space="other")


async def test_only_what_still_says_the_same_is_changed(memory: erstwhile.Memory) -> None:
    chat = await filled(memory, 12)
    fact = (await memory.facts.list(chat))[0]
    with pytest.raises(erstwhile.ConflictError):
        await memory.memories.edit(fact.id, "Bob flies.", by="bob", expected="Something else.")
    await memory.memories.edit(fact.id, "Bob flies.", by="bob", expected=fact.text)
    with pytest.raises(erstwhile.ConflictError):
        await memory.memories.delete(fact.id, by="bob", expected=fact.text)
    assert (await memory.memories.get(fact.id)).text == "Bob flies."
    await memory.memories.delete(fact.id, by="bob", expected="Bob flies.")
    with pytest.raises(erstwhile.NotFound):
        await memory.memories.edit(fact.id, "Bob sails.", by="bob", expected="Bob flies.")


async def test_whoever_comes_second_is_told(memory: erstwhile.Memory) -> None:
    """Of many who change the same from the same, one does; of every kind that can be changed."""
    chat = await filled(memory, 12)
    (chunk,) = await memory.channels.summaries(chat)
    told = await memory.remember("alice", "Alice keeps bees.", by="bob")
    profiled = await memory.people.add_to_profile("alice", "interests", "Keeps bees", by="bob")
    for id in (chunk.id, (await memory.facts.list(chat))[0].id, told.id, profiled.id):
        before = (await memory.memories.get(id)).text
        done = await asyncio.gather(
            *(memory.memories.edit(id, f"Said anew {n}.", by="bob", expected=before) for n in range(4)),
            return_exceptions=True,
        )
        changed = [each for each in done if not isinstance(each, erstwhile.ConflictError)]
        assert [type(each) for each in changed] == [erstwhile.Version]
