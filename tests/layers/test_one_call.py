"""Facts and structured memories of a chunk come from one call where a recipe uses both (issue: cost of remembering)."""

from __future__ import annotations

import json
from typing import Any

import pytest
from stored_rows import calls, said

import erstwhile
from erstwhile.testing import Call, FixedClock, ModelServer
from erstwhile.testing.answers import complete, sensible, step

pytestmark = pytest.mark.usefixtures("quiet_never_comes")

HOME = {"role": "user", "person": "alice", "name": "Alice", "text": "I live in Seoul"}


def opened(url: str, clock: FixedClock, server: ModelServer, **more: Any) -> erstwhile.Memory:
    settings: dict[str, Any] = {"worker": False, "model": "openai-compatible:x", "api_key": "k", **more}
    return erstwhile.open(url, clock=clock, base_url=server.base_url, **settings)


def is_joint(call: Call) -> bool:
    return step(call.system) == "structure" and '"facts"' in call.system


async def test_one_call_writes_facts_and_memories_of_a_chunk(database_url: str, clock: FixedClock) -> None:
    with ModelServer() as server:
        async with opened(database_url, clock, server) as memory:
            chat = memory.channel("chat")
            await chat.add_many([HOME, *said(9)])
            assert (await memory.settle()).waiting == 0
            facts = await memory.facts.list(chat)
            (home,) = await memory.facts.structured(person="alice")
            assert "Alice said: I live in Seoul" in [each.text for each in facts]
            assert not any(each.draft for each in (*facts, home))
            spent = {each.task: each.calls for each in (await memory.requests.report()).spent}
        assert [is_joint(call) for call in calls(server, "structure")] == [True]
        assert not calls(server, "extract")
        assert spent["structure"] == 1
        assert "extract" not in spent


async def test_a_recipe_with_facts_alone_keeps_their_prompt(database_url: str, clock: FixedClock) -> None:
    with ModelServer() as server:
        async with opened(database_url, clock, server, recipe="dual") as memory:
            await memory.channel("chat").add_many(said(10))
            await memory.settle()
        assert len(calls(server, "extract")) == 1
        assert not calls(server, "structure")


async def test_a_custom_prompt_for_facts_is_asked_alone(database_url: str, clock: FixedClock) -> None:
    with ModelServer() as server:
        async with opened(database_url, clock, server) as memory:
            await memory.prompts.set("extract", "Extract facts about food only.")
            await memory.channel("chat").add_many(said(10))
            await memory.settle()
        assert len(calls(server, "extract")) == 1
        assert not any(map(is_joint, server.calls))


async def test_regenerating_facts_asks_for_facts_alone(database_url: str, clock: FixedClock) -> None:
    """D7"""
    with ModelServer() as server:
        async with opened(database_url, clock, server) as memory:
            chat = memory.channel("chat")
            await chat.add_many(said(10))
            await memory.settle()
            await memory.memories.regenerate(chat, what="facts", first=1, last=10)
        assert len(calls(server, "extract")) == 1
        assert len(calls(server, "structure")) == 1


async def test_a_half_that_is_made_up_fails_alone(database_url: str, clock: FixedClock) -> None:
    """Nothing is marked as read that was not."""

    def script(call: Call) -> str:
        if is_joint(call):
            return json.dumps(json.loads(complete(call)) | {"facts": ["Robin has a house in Seoul since 1999."]})
        return sensible(call)

    with ModelServer(script) as server:
        async with opened(database_url, clock, server, retry_base_seconds=0.01) as memory:
            chat = memory.channel("chat")
            await chat.add_many([HOME, *said(9)])
            settled = await memory.settle()
            assert (settled.done, settled.waiting) == (2, 1)
            assert all(each.draft for each in await memory.facts.list(chat))
            (home,) = await memory.facts.structured(person="alice")
            assert not home.draft


async def test_messages_before_a_chunk_are_shown_and_give_nothing(database_url: str, clock: FixedClock) -> None:
    with ModelServer() as server:
        async with opened(database_url, clock, server, chunk_size=5) as memory:
            chat = memory.channel("chat")
            await chat.add_many([*said(4), HOME, *said(5)])
            await memory.settle()
            later = [each for each in await memory.facts.list(chat) if each.first_seq > 5]
        second = next(call for call in server.calls if is_joint(call) and "<before>" in call.user)
        before, _, conversation = second.user.partition("</before>")
        assert "Alice: I live in Seoul" in before
        assert "Seoul" not in conversation
        assert later
        assert not any("Seoul" in each.text for each in later)
