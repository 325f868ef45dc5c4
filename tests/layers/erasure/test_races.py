"""What was on its way when someone was erased does not arrive: a reply that was being given, a request that was to be put on record."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta

import pytest
from words import found

import erstwhile
from erstwhile.log.append import Addition, append, prepare
from erstwhile.log.model import NewMessage
from erstwhile.log.store import queries as log_queries
from erstwhile.receipts import store as receipts
from erstwhile.storage import Transaction
from erstwhile.testing import FixedClock, ModelServer
from erstwhile.testing.answers import sensible
from erstwhile.testing.calls import Reply
from inside import runtime
from owner import as_owner

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
    assert [each.channel for each in await prompted.channels.list()] == ["square"], "nor is the channel there again"
    await runtime(prompted).recorder.flush()
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
        assert [(each.person, each.query) for each in await other.requests.list()] == [("bob", "bread")]
        assert await found(one, CANARY, "alice77", "alicia") == []
        clocks[1].now += timedelta(seconds=11)
        await other.channel("square").context("Good morning", person="alice77")
        assert len(await other.requests.list()) == 2, "who comes back is a new beginning"


async def test_what_waited_for_an_erasure_does_not_bring_back_what_it_erased(memory: erstwhile.Memory) -> None:
    """The first erasure of a space: whoever waits for its channel began before there was any."""
    database = runtime(memory).database
    if database.dialect == "sqlite":
        pytest.skip("On SQLite writers take turns.")
    square = memory.channel("square")
    await square.add("user", "I bake bread.", person="bob")
    erased = {"channel": "square", "key": "m1", "id": "", "person": "alice77", "at": 0, "text": f"My {CANARY}."}
    held, go = asyncio.Event(), asyncio.Event()

    async def unit(tx: Transaction) -> None:
        await tx.run(log_queries.hold_channel, channel="square")
        held.set()
        await go.wait()
        await receipts.add_tombstones(tx, await receipts.hold(tx), [erased])
        await receipts.move(tx)

    erasing = asyncio.create_task(database.write("default", unit))
    await held.wait()
    adding = asyncio.create_task(square.add("user", f"My {CANARY}.", person="alice77", key="m1"))
    await asyncio.sleep(0.2)
    go.set()
    await erasing
    assert (await adding).seq == 0


async def test_who_was_blocked_while_they_waited_to_speak_is_not_heard(memory: erstwhile.Memory) -> None:
    if runtime(memory).database.dialect == "sqlite":
        pytest.skip("On SQLite writers take turns.")
    square = memory.channel("square")
    await square.add("user", "I bake bread.", person="alice77")
    async with holding(memory, "square"):
        adding = asyncio.create_task(square.add("user", f"My {CANARY}.", person="alice77"))
        await waiting(memory, 1)
        await memory.people.block("alice77")
    assert (await adding).seq == 0


async def test_work_that_is_asked_for_just_before_an_erasure_does_not_bring_the_words_back(database_url: str) -> None:
    """Whoever speaks holds the channel, for which the erasure waits, and asks for a summary; that is begun before the erasure is over."""
    if not database_url.startswith("postgres"):
        pytest.skip("On SQLite writers take turns.")
    with ModelServer(lambda call: Reply(sensible(call), delay=1.0)) as model:
        by_model = {"model": "openai-compatible:scripted", "base_url": model.base_url, "api_key": "test-key"}
        async with erstwhile.open(database_url, worker=False, **by_model) as memory:
            square, zoo = memory.channel("square"), memory.channel("zoo")
            await zoo.add("user", "I feed the seals.", person="bob")
            for number in range(9):
                person, what = ("alice77", CANARY) if number % 2 else ("bob", "bread")
                await square.add("user", f"My {what} is number {number}.", person=person)
            async with holding(memory, "zoo"):
                async with holding(memory, "square", says="I bake bread."):
                    erasing = asyncio.create_task(memory.erase(person="alice77"))
                    await waiting(memory, 1)
                working = asyncio.create_task(memory.settle())
                for _ in range(60):  # if there is work to be taken up, it is
                    await asyncio.sleep(0 if model.calls else 0.02)
            assert (await erasing).checked
            await working
            await memory.settle()
            assert await memory.channels.summaries(square), "it is made of what is left"
            assert await found(memory, CANARY, "alice77") == []


async def waiting(memory: erstwhile.Memory, how_many: int) -> None:
    """Until so many wait for what someone else holds."""
    look = (
        "SELECT count(*) AS many FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"
    )
    async with asyncio.timeout(120):
        while (await as_owner(runtime(memory).database, look))[0]["many"] != how_many:  # noqa: ASYNC110 - the server's
            await asyncio.sleep(0.02)


@contextlib.asynccontextmanager
async def holding(memory: erstwhile.Memory, channel: str, says: str = "") -> AsyncIterator[None]:
    """Nobody else speaks there; whoever holds it says something before they let go."""
    held, go = asyncio.Event(), asyncio.Event()
    said = prepare([NewMessage("user", says, person="bob")], datetime.now(UTC)) if says else []

    async def unit(tx: Transaction) -> None:
        await tx.run(log_queries.hold_channel, channel=channel)
        held.set()
        await go.wait()
        if said:
            await append(tx, [Addition(channel, said, datetime.now(UTC))], runtime(memory).layers.chunks)

    task = asyncio.create_task(runtime(memory).database.write("default", unit))
    await held.wait()
    try:
        yield
    finally:
        go.set()
        await task


class Slow(FixedClock):
    """Everything takes its time."""

    def __call__(self) -> datetime:
        return self.advance(seconds=7)


async def test_what_was_asked_during_a_long_erasure_is_not_put_on_record_after_it(database_url: str) -> None:
    clock = FixedClock()
    async with (
        erstwhile.open(database_url, clock=Slow(clock.now), worker=False) as one,
        erstwhile.open(database_url, clock=clock, worker=False) as other,
    ):
        await one.channel("square").add("user", "I fly kites.", person="alice77")
        await one.channel("square").add("user", "I bake bread.", person="bob")
        began = one._clock()
        receipt = await one.erase(person="alice77")
        clock.now = receipt.at - timedelta(seconds=1)
        assert clock.now > began
        await other.search(f"my {CANARY}")
        assert await other.requests.list() == []
