"""R1: everything above the log can be dropped and made again from it, and comes out the same."""

from __future__ import annotations

import asyncio

import pytest
from stored_rows import even, ranges, rows, said

import erstwhile
from erstwhile import demo
from erstwhile.testing import FixedClock

pytestmark = pytest.mark.usefixtures("quiet_never_comes")

DERIVED = ("chunks", "facts", "extracts", "structured", "structurings", "documents")


async def derived(memory: erstwhile.Memory, space: str = "default") -> dict[str, list[dict[str, object]]]:
    """Everything made from the log, without when it was made."""
    return {
        table: [
            {name: value for name, value in row.items() if name != "created_at"}
            for row in await rows(memory, table, space)
        ]
        for table in DERIVED
    }


async def test_the_demo_conversation_is_remembered_the_same_way_after_a_rebuild(
    memory: erstwhile.Memory, clock: FixedClock
) -> None:
    clock.advance(days=400)  # the conversation is over
    for channel, messages in demo.conversation().items():
        await memory.channel(channel).add_many(messages[-120:])
    await memory.settle()
    before = await derived(memory)
    questions = [each.question for each in demo.questions()]
    found = [await memory.search(question) for question in questions]
    contexts = [await memory.channel("kitchen-table").context(question) for question in questions]
    assert len(before["chunks"]) > 10
    assert len(before["facts"]) > 5

    clock.advance(days=3)
    await memory.spaces.rebuild()
    emptied = await derived(memory)
    emptied["documents"] = [row for row in emptied["documents"] if row["kind"] != "message"]
    assert emptied == {table: [] for table in DERIVED}
    assert {hit.kind for hit in await memory.search(questions[0])} <= {"message"}
    settled = await memory.settle()
    assert (settled.waiting, settled.parked) == (0, 0)
    assert await derived(memory) == before
    assert [await memory.search(question) for question in questions] == found
    assert [await memory.channel("kitchen-table").context(question) for question in questions] == contexts


async def test_a_rebuild_changes_nothing_in_another_space(memory: erstwhile.Memory) -> None:
    for space in ("one", "two"):
        await memory.channel("chat", space=space).add_many(said(20))
    await memory.settle()
    before = await derived(memory, "two")
    await memory.spaces.rebuild(space="one")
    assert await derived(memory, "two") == before
    assert (await memory.search("lanterns", space="two"))[0]
    await memory.settle()
    assert len((await derived(memory, "one"))["chunks"]) == 2


async def test_messages_that_come_during_a_rebuild_are_neither_lost_nor_doubled(memory: erstwhile.Memory) -> None:
    chats = [memory.channel(f"chat {n}") for n in range(4)]

    async def talk(chat: erstwhile.Channel) -> None:
        for n in range(5):
            await chat.add(**said(1, start=n)[0])

    async def rebuild_soon(milliseconds: int) -> None:
        await asyncio.sleep(milliseconds / 1000)
        await memory.spaces.rebuild()

    for turn in range(1, 7):
        await asyncio.gather(rebuild_soon(turn), *map(talk, chats))
        settled = await memory.settle()
        assert (settled.waiting, settled.parked) == (0, 0)
        found = [row["id"] for row in await rows(memory, "documents") if row["kind"] == "message"]
        assert len(found) == len(set(found)) == 4 * 5 * turn
    assert await ranges(memory) == even(1, 30, 10) * 4


async def test_a_rebuild_in_the_middle_of_work_leaves_each_thing_made_once(database_url: str) -> None:
    """Rebuilds pull the jobs away from a busy worker; its results are refused, and the new jobs do it all."""
    async with erstwhile.open(database_url) as memory:
        for channel in ("one", "two"):
            await memory.channel(channel).add_many(said(150))
        for _ in range(4):
            await asyncio.sleep(0.05)
            await memory.spaces.rebuild()
        async with asyncio.timeout(120):
            settled = await memory.settle()
        assert (settled.waiting, settled.parked) == (0, 0)
        made = await rows(memory, "chunks")
        for channel in ("one", "two"):
            places = [(r["first_seq"], r["last_seq"]) for r in made if r["channel"] == channel and r["level"] == 0]
            assert places == even(1, 150, 10)
        assert sum(row["kind"] == "message" for row in await rows(memory, "documents")) == 300
