"""The history of a memory: every version, with who wrote it and when (D12)."""

from __future__ import annotations

import pytest
from stored_rows import rows, said

import erstwhile
from erstwhile.storage.queries import make
from erstwhile.testing import FixedClock, ModelServer
from inside import runtime


def actions(versions: list[erstwhile.Version]) -> list[tuple[int, str]]:
    return [(each.version, each.action) for each in versions]


async def test_every_derived_memory_has_a_first_version(memory: erstwhile.Memory, clock: FixedClock) -> None:
    await memory.channel("chat").add_many(said(100))
    await memory.settle()
    made = [*await rows(memory, "chunks"), *await rows(memory, "facts")]
    assert {row["id"][:3] for row in made} == {"chk", "met", "fct"}
    for row in made:
        (version,) = await memory.memories.history(row["id"])
        assert (version.version, version.action) == (1, "written")
        assert (version.text, version.by, version.at) == (row["text"], row["writer"], clock())


async def test_a_draft_that_a_model_replaced_is_remembered(
    database_url: str, clock: FixedClock, model_server: ModelServer
) -> None:
    async with erstwhile.open(database_url, clock=clock, worker=False) as memory:
        await memory.channel("chat").add_many(said(10))
        await memory.settle()
        (draft,) = await rows(memory, "chunks")
        drafted = [row["id"] for row in await rows(memory, "facts")]
    clock.advance(hours=1)
    async with erstwhile.open(
        database_url,
        clock=clock,
        worker=False,
        model="openai-compatible:scripted",
        base_url=model_server.base_url,
        api_key="k",
    ) as memory:
        await memory.settle()
        first, second = await memory.memories.history(draft["id"])
        assert (first.action, first.by, first.text) == ("written", "extractive/1", draft["text"])
        assert second.action == "replaced"
        assert "scripted" in second.by
        assert second.at > first.at
        superseded = await memory.memories.history(drafted[0])
        assert actions(superseded) == [(1, "written"), (2, "replaced")]
        assert "scripted" in superseded[-1].by


async def test_a_rebuild_that_makes_the_same_again_is_no_new_version(memory: erstwhile.Memory) -> None:
    await memory.channel("chat").add_many(said(10))
    await memory.settle()
    (chunk,) = await rows(memory, "chunks")
    await memory.spaces.rebuild()
    await memory.settle()
    assert actions(await memory.memories.history(chunk["id"])) == [(1, "written")]


async def test_an_edit_and_a_deletion_are_versions_with_who_and_when(
    memory: erstwhile.Memory, clock: FixedClock
) -> None:
    await memory.channel("chat").add_many(said(10))
    await memory.settle()
    fact = (await rows(memory, "facts"))[0]
    clock.advance(minutes=5)
    edited = await memory.memories.edit(fact["id"], "Bob bought one lantern.", by="alice")
    assert (edited.version, edited.action, edited.by, edited.at) == (2, "edited", "alice", clock())
    clock.advance(minutes=5)
    deleted = await memory.memories.delete(fact["id"], by="carol")
    assert (deleted.action, deleted.by, deleted.text) == ("deleted", "carol", "Bob bought one lantern.")
    history = await memory.memories.history(fact["id"])
    assert actions(history) == [(1, "written"), (2, "edited"), (3, "deleted")]
    assert [each.text for each in history] == [fact["text"], "Bob bought one lantern.", "Bob bought one lantern."]


async def test_history_stays_in_its_space(memory: erstwhile.Memory) -> None:
    await memory.channel("chat", space="one").add_many(said(10))
    await memory.settle()
    (chunk,) = await rows(memory, "chunks", "one")
    assert await memory.memories.history(chunk["id"], space="one")
    with pytest.raises(erstwhile.NotFound):
        await memory.memories.history(chunk["id"], space="two")
    with pytest.raises(erstwhile.InvalidInput, match="never changes"):
        await memory.memories.history((await memory.channel("chat", space="one").add("user", "hi")).id)


async def test_a_text_is_stored_once_until_it_changes(memory: erstwhile.Memory) -> None:
    """The words of a version are in the memory; once that has others, or is gone, they are in the history."""
    await memory.channel("chat").add_many(said(10))
    await memory.settle()
    (chunk,) = await rows(memory, "chunks")
    assert await texts(memory, chunk["id"]) == [None]
    await memory.memories.edit(chunk["id"], "They greeted each other.", by="mina")
    assert await texts(memory, chunk["id"]) == [chunk["text"], None]
    versions = await memory.memories.history(chunk["id"])
    assert [each.text for each in versions] == [chunk["text"], "They greeted each other."]

    fact = (await rows(memory, "facts"))[0]
    await memory.memories.delete(fact["id"], by="mina")
    assert [each.text for each in await memory.memories.history(fact["id"])] == [fact["text"]] * 2


async def texts(memory: erstwhile.Memory, id: str) -> list[str | None]:
    sql = "SELECT text FROM versions WHERE space = :space AND id = :id ORDER BY version"
    found = await runtime(memory).database.read("default", lambda tx: tx.all(make("texts", sql, sql), id=id))
    return [row["text"] for row in found]
