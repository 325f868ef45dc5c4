"""What someone deleted by hand is brought back as it was: found, shown, traced and told again, whatever kind it is."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from listening_layer import opened, say
from stored_rows import said

import erstwhile
from community import read
from erstwhile.storage import Row
from erstwhile.testing import FixedClock, ModelServer
from inside import SEARCHED

SMALL: dict[str, Any] = {"recipe": "full", "chunk_size": 4, "meta_size": 2}
TABLES = (
    *("chunks", "memories", "fact_links", "structured_threads", "told", "tellings", "memory_sources", "note_people"),
)


async def rows(memory: erstwhile.Memory, table: str) -> list[Row]:
    """In the order they were said."""
    found = await read(memory, f"SELECT * FROM {table} WHERE space = :space")
    return sorted(
        found, key=lambda row: (row.get("level", 0), row.get("first_seq") or 0, row.get("position", 0), repr(row))
    )


async def everything(memory: erstwhile.Memory) -> dict[str, Any]:
    """All that is stored of memories, and what a search would go by."""
    found: dict[str, Any] = {table: [{**row} for row in await rows(memory, table)] for table in TABLES}
    terms = {row["doc"]: row["terms"] for row in await rows(memory, "document_terms")}
    documents = [{**row, "terms": terms[row["doc"]]} for row in await rows(memory, f"{SEARCHED} d")]
    fields = ("id", "kind", "channel", "person", "at", "seq", "until", "traits", "terms")
    found["documents"] = sorted([tuple(row[name] for name in fields) for row in documents], key=repr)
    return found


async def there_and_back(memory: erstwhile.Memory, id: str) -> None:
    before, shown = await everything(memory), await memory.memories.sources(id)
    await memory.memories.delete(id, by="mina")
    assert await everything(memory) != before
    version = await memory.memories.restore(id, by="juno")
    assert (version.action, version.by, version.text) == (
        "restored",
        "juno",
        (await memory.memories.history(id))[-2].text,
    )
    assert await everything(memory) == before
    assert await memory.memories.sources(id) == shown
    with pytest.raises(erstwhile.InvalidInput, match="is not deleted"):
        await memory.memories.restore(id, by="juno")


async def story(memory: erstwhile.Memory, clock: FixedClock) -> erstwhile.Channel:
    hall = memory.channel("hall")
    for text in (
        "I live in Oslo.",
        "I like skiing a lot.",
        "I moved to Bergen. I live in Bergen now.",
        "We decided to buy a boat.",
    ):
        await say(hall, text)
        await say(hall, "I see, that is good to know.", "juno")
        clock.advance(minutes=30)
    await memory.settle()
    await memory.remember("mina", "Mina is allergic to nuts.", by="mina")
    await memory.notes.nightly()
    await memory.settle()
    return hall


Pick = Callable[[erstwhile.Memory, erstwhile.Channel], Awaitable[list[str]]]


async def chunks(memory: erstwhile.Memory, _hall: erstwhile.Channel) -> list[str]:
    return [row["id"] for row in await rows(memory, "chunks") if row["level"] == 0]


async def metas(memory: erstwhile.Memory, _hall: erstwhile.Channel) -> list[str]:
    return [row["id"] for row in await rows(memory, "chunks") if row["level"] > 0]


async def facts(memory: erstwhile.Memory, hall: erstwhile.Channel) -> list[str]:
    return [each.id for each in await memory.facts.list(hall)]


async def structured(memory: erstwhile.Memory, _hall: erstwhile.Channel) -> list[str]:
    return [each.id for each in await memory.facts.structured(valid="all")]


async def told(memory: erstwhile.Memory, _hall: erstwhile.Channel) -> list[str]:
    return [each.id for each in await memory.people.remembered("mina")]


async def notes(memory: erstwhile.Memory, _hall: erstwhile.Channel) -> list[str]:
    return [each.id for each in await memory.notes.list(kind="note")]


async def topics(memory: erstwhile.Memory, _hall: erstwhile.Channel) -> list[str]:
    return [each.id for each in await memory.notes.list(kind="topic")]


async def profile(memory: erstwhile.Memory, _hall: erstwhile.Channel) -> list[str]:
    return [row["id"] for row in await rows(memory, "memories") if row["kind"] == "profile"]


@pytest.mark.parametrize("pick", [chunks, metas, facts, structured, told, notes, topics, profile])
async def test_each_kind_comes_back_as_it_was(
    database_url: str, clock: FixedClock, model_server: ModelServer, pick: Pick
) -> None:
    async with opened(database_url, clock, model_server, **SMALL) as memory:
        hall = await story(memory, clock)
        found = await pick(memory, hall)
        assert found
        for id in found:
            await there_and_back(memory, id)
        for id in found:  # a restored one can be edited, deleted and brought back like any other
            await memory.memories.edit(id, "A person's words about lanterns.", by="juno")
            if pick is not profile and pick is not structured:
                await there_and_back(memory, id)


async def test_a_search_and_a_context_have_it_again(memory: erstwhile.Memory) -> None:
    chat = memory.channel("chat")
    await chat.add_many(said(10))
    await memory.settle()
    fact = await memory.facts.add(chat, "Bob collects zeppelins.", by="alice", person="bob")
    shown = (await chat.context("zeppelins")).text
    await memory.memories.delete(fact.id, by="alice")
    assert await memory.search("zeppelins") == []
    await memory.memories.restore(fact.id, by="alice")
    assert [hit.id for hit in await memory.search("zeppelins")] == [fact.id]
    assert (await chat.context("zeppelins")).text == shown
    assert [each.action for each in await memory.memories.history(fact.id)] == ["written", "deleted", "restored"]


async def test_what_was_restored_survives_a_rebuild(
    database_url: str, clock: FixedClock, model_server: ModelServer
) -> None:
    async with opened(database_url, clock, model_server, **SMALL) as memory:
        hall = await story(memory, clock)
        taken = [each[0] for each in [await pick(memory, hall) for pick in (chunks, facts, structured, told, notes)]]
        before = {id: (await memory.memories.get(id)).text for id in taken}
        for id in taken:
            await memory.memories.delete(id, by="mina")
        for id in reversed(taken):
            await memory.memories.restore(id, by="mina")
        await memory.spaces.rebuild()
        await memory.settle()
        assert {id: (await memory.memories.get(id)).text for id in taken} == before


async def test_what_was_deleted_before_a_rebuild_is_brought_back_after_it(
    database_url: str, clock: FixedClock, model_server: ModelServer
) -> None:
    async with opened(database_url, clock, model_server, **SMALL) as memory:
        hall = await story(memory, clock)
        taken = [each[0] for each in [await pick(memory, hall) for pick in (chunks, facts, structured, told, notes)]]
        before = {id: (await memory.memories.get(id)).text for id in taken}
        for id in taken:
            await memory.memories.delete(id, by="mina")
        await memory.spaces.rebuild()
        await memory.settle()
        for id in taken:
            await memory.memories.restore(id, by="mina")
        assert {id: (await memory.memories.get(id)).text for id in taken} == before


async def test_metas_above_fit_again_unless_something_else_below_changed(database_url: str, clock: FixedClock) -> None:
    async with erstwhile.open(database_url, clock=clock, worker=False, **SMALL) as memory:
        chat = memory.channel("chat")
        await chat.add_many(said(16))
        await memory.settle()
        one, other = [row["id"] for row in await rows(memory, "chunks") if row["level"] == 0][:2]

        async def stale() -> int:
            return sum(row["stale"] for row in await rows(memory, "memories"))

        await memory.memories.delete(one, by="alice")
        assert await stale() == 2
        await memory.memories.restore(one, by="alice")
        assert await stale() == 0
        await memory.memories.delete(one, by="alice")
        await memory.memories.delete(other, by="alice")
        await memory.memories.restore(one, by="alice")
        assert await stale() == 2  # the other is still gone
        await memory.memories.restore(other, by="alice")
        await memory.memories.realign(chat)
        assert await stale() == 0
        meta = next(row["id"] for row in await rows(memory, "chunks") if row["level"] == 1)
        await memory.memories.delete(meta, by="alice")
        await memory.memories.edit(one, "They talked of lanterns only.", by="alice")
        await memory.memories.restore(meta, by="alice")
        assert next(row["stale"] for row in await rows(memory, "memories") if row["id"] == meta)


async def test_a_clear_error_says_why_not(memory: erstwhile.Memory) -> None:
    chat = memory.channel("chat")
    await chat.add_many(said(10))
    await memory.settle()
    (chunk,) = await rows(memory, "chunks")
    fact = (await memory.facts.list(chat))[0]
    with pytest.raises(erstwhile.InvalidInput, match="is not deleted"):
        await memory.memories.restore(fact.id, by="alice")
    with pytest.raises(erstwhile.NotFound, match="Unknown fact"):
        await memory.memories.restore(fact.id[:-1] + ("a" if fact.id[-1] != "a" else "b"), by="alice")
    with pytest.raises(erstwhile.InvalidInput, match="never changes"):
        await memory.memories.restore((await anext(chat.messages())).id, by="alice")
    await memory.memories.delete(chunk["id"], by="alice")
    await memory.memories.regenerate(chat, 1, 10, overwrite=True)
    with pytest.raises(erstwhile.ConflictError, match="can't be restored"):
        await memory.memories.restore(chunk["id"], by="alice")


async def test_what_was_read_by_another_since_stays_away(
    database_url: str, clock: FixedClock, model_server: ModelServer
) -> None:
    async with erstwhile.open(database_url, clock=clock, worker=False) as memory:
        chat = memory.channel("chat")
        await chat.add_many(said(10))
        await memory.settle()
        fact = (await memory.facts.list(chat))[0]
        await memory.memories.delete(fact.id, by="alice")
    async with opened(database_url, clock, model_server) as memory:
        await memory.settle()
        with pytest.raises(erstwhile.ConflictError, match="has read its messages since"):
            await memory.memories.restore(fact.id, by="alice")


async def test_what_was_told_meanwhile_is_not_overwritten(memory: erstwhile.Memory) -> None:
    await memory.remember("mina", "Mina is allergic to nuts.", by="mina")
    (text,) = await memory.people.remembered("mina")
    await memory.memories.delete(text.id, by="mina")
    await memory.remember("mina", "Mina plays the theremin.", by="mina")
    with pytest.raises(erstwhile.ConflictError, match="can't be restored"):
        await memory.memories.restore(text.id, by="mina")


async def test_what_has_expired_is_gone_for_good(database_url: str, clock: FixedClock) -> None:
    async with erstwhile.open(
        database_url, clock=clock, worker=False, recipe="dual", retention={"message": 30}
    ) as memory:
        chat = memory.channel("chat")
        await chat.add_many(said(30))
        await memory.settle()
        fact = (await memory.facts.list(chat))[0]
        await memory.memories.delete(fact.id, by="alice")
        clock.advance(days=40)
        await memory.archive.expire()
        with pytest.raises(erstwhile.NotFound, match="no longer"):
            await memory.memories.restore(fact.id, by="alice")
