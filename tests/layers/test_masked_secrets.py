"""A secret that someone pasted stays in the message and is in nothing that is made from it."""

from __future__ import annotations

import pytest

import erstwhile
from community import read
from erstwhile.testing import FixedClock, ModelServer
from inside import runtime

KEY = "sk-proj-a1B2c3D4e5F6g7H8i9J0k1L2m3"
PASSWORD = "hunter2extra"
DERIVED = (
    *("memories", "versions", "briefs", "told", "tellings", "weeks", "portraits", "structured_threads", "requests"),
)
SAID = (
    f"I moved to Busan and my OpenAI key is {KEY}",
    f"My password is {PASSWORD}, I live in Busan with my dog Momo.",
    f"We decided to deploy on Friday with {KEY} in Busan.",
    "I work as a nurse in Busan and I love kimchi.",
)


async def talk(memory: erstwhile.Memory, clock: FixedClock) -> None:
    chat = memory.channel("ops")
    for day in range(3):
        for number in range(8):
            person = ("mina", "jun")[number % 2]
            await chat.add("user", SAID[number % len(SAID)], person=person, name=person.title())
            await chat.add("assistant", f"Noted, {KEY} on day {day}; your password is {PASSWORD}.")
            clock.advance(minutes=1)
        await memory.settle()
        await memory.about("mina", channel="ops")
        clock.advance(days=1)
        await memory.settle()
    await chat.context(SAID[0], person="mina")
    await memory.search(f"x {'word ' * 398}{KEY}")
    await runtime(memory).recorder.flush()
    assert len(await memory.requests.list()) == 2
    await memory.remember("mina", f"My API key is {KEY} and I like tea.", by="mina", channel="ops")
    await memory.settle()


async def holding(memory: erstwhile.Memory) -> list[str]:
    """The tables of derived texts that hold a secret."""
    found = []
    for table in DERIVED:
        rows = await read(memory, f"SELECT * FROM {table} WHERE space = :space")
        found += [f"{table}: {row}" for row in map(dict, rows) if KEY in str(row) or PASSWORD in str(row)]
    return found


async def kinds(memory: erstwhile.Memory) -> set[str]:
    return {row["kind"] for row in await read(memory, "SELECT DISTINCT kind FROM memories WHERE space = :space")}


@pytest.mark.parametrize("model", [False, True])
async def test_nothing_derived_holds_a_secret(
    database_url: str, clock: FixedClock, model_server: ModelServer, model: bool
) -> None:
    given = {"model": "openai-compatible:m", "base_url": model_server.base_url, "api_key": "k"} if model else {}
    async with erstwhile.open(database_url, clock=clock, worker=False, recipe="full", **given) as memory:
        await talk(memory, clock)
        assert {"chunk", "fact", "note", "day", "told"} <= await kinds(memory)
        assert await holding(memory) == []
        messages = [each async for each in memory.channel("ops").messages()]
        assert messages[0].text == SAID[0]
        if model:
            assert not any(KEY in str(call.body) for call in model_server.calls)


async def test_a_setting_keeps_them(database_url: str, clock: FixedClock) -> None:
    async with erstwhile.open(database_url, clock=clock, worker=False, keep_secrets=True) as memory:
        await talk(memory, clock)
        assert {"memories", "tellings", "told", "requests"} <= {
            each.partition(":")[0] for each in await holding(memory)
        }
