"""OpenAI Agents SDK: our session beside the SDK's own, and in a real run."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from agents import Agent, OpenAIChatCompletionsModel, RunConfig, Runner, SQLiteSession
from agents.memory import Session, SessionSettings
from openai import AsyncOpenAI

import erstwhile
from erstwhile.adapters.openai_agents import ErstwhileSession
from erstwhile.testing import ModelServer

on_sqlite = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)  # where the database makes no difference

ITEMS: list[Any] = [
    {"role": "user", "content": "What is the weather in Busan?"},
    {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "gAAA"},
    {"type": "function_call", "call_id": "c1", "name": "weather", "arguments": '{"city": "Busan"}', "id": "fc_1"},
    {"type": "function_call_output", "call_id": "c1", "output": "rain\0\ud83d"},
    {"type": "message", "role": "assistant", "id": "m1", "status": "completed", "content": [
        {"type": "output_text", "text": "It rains. 🌧", "annotations": [], "logprobs": None}
    ]},
    {"role": "user", "content": [{"type": "input_image", "image_url": "data:,", "detail": "auto"}]},
    {"role": "developer", "content": ""},
    {"type": "something_new", "z": 1, "a": [1.5, None, True, {"": "x"}]},
]  # fmt: skip


async def test_it_does_what_the_sdks_own_session_does(memory: erstwhile.Memory, tmp_path: Path) -> None:
    theirs = SQLiteSession("s", str(tmp_path / "theirs.db"))
    ours = ErstwhileSession("s", memory, person="alice")
    assert isinstance(ours, Session)

    async def both(verb: str, *given: Any) -> Any:
        one, other = await getattr(theirs, verb)(*given), await getattr(ours, verb)(*given)
        assert one == other, (verb, given)
        return other

    try:
        for verb in ("get_items", "pop_item", "clear_session", "get_items"):
            await both(verb)
        await both("add_items", [])
        await both("add_items", ITEMS)
        for limit in (None, 0, 1, 3, 100, -1):
            await both("get_items", limit)
        assert await both("pop_item") == ITEMS[-1]
        assert await both("pop_item") == ITEMS[-2]
        await both("add_items", ITEMS[:2])
        assert len(await both("get_items")) == len(ITEMS)
        for limit in (1, 2, 3, 7):
            await both("get_items", limit)
        await both("clear_session")
        await both("pop_item")
        await both("add_items", ITEMS[2:4])
        theirs.session_settings = ours.session_settings = SessionSettings(limit=1)
        await both("get_items")
        await both("get_items", 5)
    finally:
        theirs.close()


@on_sqlite
async def test_the_newest_of_a_long_session(memory: erstwhile.Memory) -> None:
    """Also where most of the end was taken back."""
    session = ErstwhileSession("s", memory)
    await session.add_items([{"role": "user", "content": str(number)} for number in range(150)])
    popped = [await session.pop_item() for _ in range(60)]
    assert [each["content"] for each in popped if each] == [str(number) for number in range(149, 89, -1)]  # type: ignore[typeddict-item]
    assert [each["content"] for each in await session.get_items(2)] == ["88", "89"]  # type: ignore[typeddict-item]


async def test_two_who_take_back_at_once_take_two(memory: erstwhile.Memory) -> None:
    session = ErstwhileSession("s", memory)
    await session.add_items([{"role": "user", "content": str(number)} for number in range(8)])
    taken = await asyncio.gather(*(session.pop_item() for _ in range(8)))
    assert sorted(each["content"] for each in taken if each) == [str(number) for number in range(8)]  # type: ignore[typeddict-item]
    assert await session.get_items() == []


@on_sqlite
async def test_a_run_remembers_the_one_before(memory: erstwhile.Memory, model_server: ModelServer) -> None:
    """And so does the memory: the channel has what was said, by whom, and other faces add to the same session."""
    client = AsyncOpenAI(base_url=model_server.base_url, api_key="test-key")
    agent = Agent("helper", model=OpenAIChatCompletionsModel("scripted", client))
    quiet = RunConfig(tracing_disabled=True)
    model_server.then("Noted.", "In Busan.")
    async with client:
        session = ErstwhileSession("support", memory, person="alice")
        await Runner.run(agent, "I moved to Busan.", session=session, run_config=quiet)
        await memory.channel("support").add("user", "The sea is near.", person="bob")
        result = await Runner.run(agent, "Where do I live?", session=session, run_config=quiet)
    assert result.final_output == "In Busan."
    sent = [each["content"] for each in model_server.calls[-1].body["messages"] if each["role"] == "user"]
    assert sent == ["I moved to Busan.", "The sea is near.", "Where do I live?"]
    log = [(each.role, each.person, each.text) async for each in memory.channel("support").messages()]
    assert log[0] == ("user", "alice", "I moved to Busan.")
    assert log[1] == ("assistant", None, "Noted.")
    assert (await memory.search("Busan", person="alice"))[0].channel == "support"


@on_sqlite
async def test_over_the_blocking_door(database_url: str) -> None:
    def opened() -> Any:
        return erstwhile.open_sync(database_url, worker=False).__enter__()

    memory = await asyncio.to_thread(opened)
    try:
        session = ErstwhileSession("s", memory)
        await session.add_items(ITEMS)
        assert await session.pop_item() == ITEMS[-1]
        assert await session.get_items() == ITEMS[:-1]
    finally:
        await asyncio.to_thread(memory.__exit__, None, None, None)
