"""Pydantic AI: an agent that remembers."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest
from pydantic import BaseModel
from pydantic_ai import Agent
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider

import erstwhile
from erstwhile.adapters.pydantic_ai import MemoryCapability
from erstwhile.testing import ModelServer

on_sqlite = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)  # where the database makes no difference


@pytest.fixture
async def model(model_server: ModelServer) -> AsyncIterator[OpenAIChatModel]:
    provider = OpenAIProvider(base_url=model_server.base_url, api_key="test-key")
    yield OpenAIChatModel("scripted", provider=provider)
    await provider.client.close()


async def said(memory: erstwhile.Memory, channel: str) -> list[tuple[str, str | None, str]]:
    return [(each.role, each.person, each.text) async for each in memory.channel(channel).messages()]


@on_sqlite
async def test_an_agent_remembers(memory: erstwhile.Memory, model: OpenAIChatModel, model_server: ModelServer) -> None:
    await memory.remember("alice", "is vegetarian")
    remembering = MemoryCapability[None](memory.channel("support"), person="alice")
    agent = Agent(model, instructions="Be brief.", capabilities=[remembering])
    model_server.then("Noted.", "In Busan.", "Soup.")
    first = await agent.run("I moved to Busan.")
    assert (await agent.run("Where do I live?")).output == "In Busan."
    sent = model_server.calls[-1].body["messages"]
    assert [each["role"] for each in sent] == ["system", "system", "user"]
    assert "I moved to Busan." in sent[0]["content"]
    assert "vegetarian" in sent[0]["content"]
    assert sent[1]["content"] == "Be brief."
    assert sent[-1]["content"] == "Where do I live?"
    assert str(sent).count("Where do I live?") == 1
    # What is handed on holds only what was said.
    assert "vegetarian" not in str(first.all_messages())
    async with agent.run_stream("What shall I eat?") as streamed:
        assert await streamed.get_output() == "Soup."
    assert await said(memory, "support") == [
        ("user", "alice", "I moved to Busan."),
        ("assistant", None, "Noted."),
        ("user", "alice", "Where do I live?"),
        ("assistant", None, "In Busan."),
        ("user", "alice", "What shall I eat?"),
        ("assistant", None, "Soup."),
    ]


class City(BaseModel):
    name: str


@on_sqlite
async def test_runs_that_overlap_and_outputs_that_are_not_text(
    memory: erstwhile.Memory, model: OpenAIChatModel, model_server: ModelServer
) -> None:
    from pydantic_ai import PromptedOutput

    agents = [
        Agent(model, output_type=PromptedOutput(City), capabilities=[MemoryCapability[None](memory.channel(each))])
        for each in ("a", "b")
    ]
    model_server.then('{"name": "Busan"}', '{"name": "Busan"}')
    await asyncio.gather(*(agent.run("Where?") for agent in agents))
    for channel in ("a", "b"):
        assert await said(memory, channel) == [("user", None, "Where?"), ("assistant", None, '{"name":"Busan"}')]
