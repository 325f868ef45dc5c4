"""What was on its way when someone was erased does not arrive: a reply that was being given, a request that was to be put on record."""

from __future__ import annotations

import asyncio
from datetime import timedelta

import pytest
from words import found

import erstwhile
from erstwhile.erasures import store as erasures
from erstwhile.log.store import queries as log_queries
from erstwhile.storage import Transaction
from erstwhile.testing import FixedClock, ModelServer
from erstwhile.testing.calls import Reply

CANARY = "zephyrine"


async def test_a_reply_to_someone_who_is_erased_meanwhile_is_not_logged(
    prompted: erstwhile.Memory, model_server: ModelServer
) -> None:
    square, own = prompted.channel("square"), prompted.channel("own")
    await square.add("user", "I bake bread.", person="bob")
    for chat in (square, own):
        model_server.then(Reply(f"The {CANARY} it is. " * 5, delay=0.3))
        asking = asyncio.create_task(_whole(chat, f"Where is my {CANARY}?"))
        while not [each async for each in chat.messages() if each.person == "alice77"]:  # noqa: ASYNC110
            await asyncio.sleep(0.01)
        assert (await prompted.erase(person="alice77")).checked
        assert CANARY in await asking, "whoever asked still hears it"
    assert [each.text async for each in square.messages()] == ["I bake bread."]
    assert [each.channel for each in await prompted.channels()] == ["square"], "nor is the channel there again"
    await prompted.house.recorder.flush()
    assert await found(prompted, CANARY, "alice77") == []


async def _whole(chat: erstwhile.Channel, question: str) -> str:
    return "".join([piece async for piece in chat.ask(question, person="alice77")])


async def test_what_was_asked_before_is_not_put_on_record_afterwards(database_url: str) -> None:
    """Each process writes its requests a moment later. Here the other one has not yet when someone is erased."""
    clocks = FixedClock(), FixedClock()
    async with (
        erstwhile.open(database_url, clock=clocks[0], worker=False) as one,
        erstwhile.open(database_url, clock=clocks[1], worker=False) as other,
    ):
        square = one.channel("square")
        await square.add("user", "I fly kites.", person="alice77", name="Alicia")
        await square.add("user", "I bake bread.", person="bob")
        await other.channel("square").context(f"my {CANARY}", person="alice77")
        await other.search("What of Alicia?")
        for clock in clocks:
            clock.advance(milliseconds=1)
        await one.erase(person="alice77")
        await other.channel("square").context(f"my {CANARY}", person="alice77")  # it was on its way
        await other.search("bread", person="bob")
        assert [(each.person, each.query) for each in await other.requests()] == [("bob", "bread")]
        assert await found(one, CANARY, "alice77", "alicia") == []
        clocks[1].now += timedelta(seconds=11)
        await other.channel("square").context("Good morning", person="alice77")
        assert len(await other.requests()) == 2, "who comes back is a new beginning"


async def test_what_waited_for_an_erasure_does_not_bring_back_what_it_erased(memory: erstwhile.Memory) -> None:
    """The first erasure of a space: whoever waits for its channel began before there was any."""
    database = memory.house.database
    if database.dialect == "sqlite":
        pytest.skip("On SQLite writers take turns.")
    square = memory.channel("square")
    await square.add("user", "I bake bread.", person="bob")
    held, go = asyncio.Event(), asyncio.Event()

    async def unit(tx: Transaction) -> None:
        await tx.run(log_queries.hold_channel, channel="square")
        held.set()
        await go.wait()
        await erasures.bury(tx, await erasures.hold(tx), [("square", "m1")])
        await erasures.move(tx)

    erasing = asyncio.create_task(database.write("default", unit))
    await held.wait()
    adding = asyncio.create_task(square.add("user", f"My {CANARY}.", person="alice77", key="m1"))
    await asyncio.sleep(0.2)
    go.set()
    await erasing
    assert (await adding).seq == 0
