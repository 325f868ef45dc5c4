"""A bot that is restarted after every turn, with the library's own worker, remembers as if it had never stopped."""

from __future__ import annotations

import asyncio

import pytest

import erstwhile
from erstwhile.testing import ModelServer, Reply

TURNS = [
    ("My sister Yuna is getting married on 12 September in Jeju.", "Congratulations!"),
    ("I am allergic to peanuts, by the way.", "Noted."),
    ("I moved to Busan last month, to a flat above a bakery.", "That must smell good."),
    ("My dog is called Tofu.", "A fine name."),
    ("I work as a nurse at the harbour hospital.", "Long shifts?"),
    ("I bought a blue bicycle for 300,000 won.", "Enjoy it."),
    ("I promised Yuna to bake the cake.", "What kind?"),
    ("Lemon, three layers.", "Lovely."),
    ("I start my new job on 1 October.", "Good luck!"),
    ("My landlord is Mrs. Bae.", "I see."),
]


async def _until_quiet(memory: erstwhile.Memory) -> None:
    for _ in range(1000):
        if not await memory.jobs.list(state="waiting") and not await memory.jobs.list(state="running"):
            return
        await asyncio.sleep(0.02)
    raise AssertionError("it never became quiet")


@pytest.mark.parametrize("model", ["extractive", "scripted"])
async def test_a_bot_that_restarts_between_turns_forgets_nothing(
    database_url: str, model_server: ModelServer, model: str
) -> None:
    settings = {"jobs": {"poll_seconds": 0.1}}
    if model == "scripted":
        settings |= {"model": "openai-compatible:scripted", "base_url": model_server.base_url, "api_key": "k"}
    for turn, (question, answer) in enumerate(TURNS, start=1):
        async with erstwhile.open(database_url, **settings) as memory:
            chat = memory.channel("dm-77", space="bot")
            asked = await chat.add("user", question, person="alice", name="Alice", key=f"in-{turn}")
            again = await chat.add("user", question, person="alice", name="Alice", key=f"in-{turn}")
            assert again == asked, "the platform delivers some events twice"
            await chat.context(question, person="alice")
            await chat.add("assistant", answer, model="test-model", key=f"out-{turn}")
    async with erstwhile.open(database_url, **settings) as memory:
        chat = memory.channel("dm-77", space="bot")
        await _until_quiet(memory)
        assert [message.seq async for message in chat.messages()] == list(range(1, 21))
        assert len(await memory.search("Alice", space="bot", kinds=["chunk"])) == 2
        context = await chat.context("Who is my sister and when does she marry?", person="alice", budget=600)
        assert "Yuna" in context.text
        assert "12 September" in context.text
        assert await memory.jobs.list(state="parked") == []
    if model == "scripted":
        answered = [call for call in model_server.calls if call.outcome == "answered"]
        assert 4 <= len(answered) <= 18, (
            "two calls for each of two chunks; a call cut off by a restart is made again; its effect happens once"
        )


async def test_a_bot_that_dies_while_the_model_is_slow_finishes_the_work_when_it_is_back(
    database_url: str, model_server: ModelServer
) -> None:
    settings = {"model": "openai-compatible:x", "base_url": model_server.base_url, "api_key": "k"}
    model_server.then(Reply("too late", delay=30), Reply("too late", delay=30))
    async with erstwhile.open(database_url, **settings) as memory:
        chat = memory.channel("dm")
        await chat.add_many([{"role": "user", "person": "alice", "text": f"I bought {n} lanterns."} for n in range(10)])
        for _ in range(500):
            if len(model_server.calls) == 2:
                break
            await asyncio.sleep(0.02)
    async with erstwhile.open(database_url, **settings) as memory:
        await _until_quiet(memory)
        (chunk,) = await memory.search("lanterns", kinds=["chunk"])
        assert chunk.text.startswith("Summary of lines")
        assert "too late" not in chunk.text
