"""P9 at capture: what a blocked person says is not kept, nor what is said in spaces that are not remembered."""

from __future__ import annotations

from typing import Any

import pytest

import erstwhile
from erstwhile import InvalidInput, Memory, NewMessage
from erstwhile.api.channel import Channel
from erstwhile.testing import Fault, FixedClock, ModelServer


async def told(channel: Channel) -> list[str]:
    return [message.text async for message in channel.messages()]


async def test_what_a_blocked_person_says_is_not_kept_until_they_are_unblocked(memory: Memory) -> None:
    talk = memory.channel("talk")
    await talk.add("user", "before", person="mallory", name="Mallory")
    await memory.people.block("mallory")
    unkept = await talk.add("user", "during", person="mallory", name="Mal")
    assert (unkept.seq, unkept.text) == (0, "during")
    await memory.people.unblock("mallory")
    assert (await talk.add("user", "after", person="mallory")).seq == 2
    assert await told(talk) == ["before", "after"]
    assert await talk.size() == 2
    assert [hit.text for hit in await memory.search("during", kinds=["message"])] == []
    (mallory,) = await memory.people.list()
    assert (mallory.name, mallory.blocked) == ("Mallory", False), "not even the new name was kept"


async def test_someone_can_be_blocked_before_they_ever_speak(memory: Memory) -> None:
    await memory.people.block("mallory")
    assert (await memory.channel("talk").add("user", "hello", person="mallory")).seq == 0
    assert await memory.channel("talk").size() == 0


async def test_a_mixed_batch_keeps_its_order_and_numbers(memory: Memory) -> None:
    talk = memory.channel("talk")
    await memory.people.block("mallory")
    batch = [
        NewMessage("user", "one", person="ann"),
        NewMessage("user", "no", person="mallory"),
        {"role": "assistant", "text": "two"},
        {"role": "assistant", "text": "no", "person": "mallory"},
        {"role": "user", "text": "three", "person": "ann"},
        {"role": "user", "text": "four, about mallory"},
    ]
    stored = await talk.add_many(batch)
    assert [message.text for message in stored] == ["one", "no", "two", "no", "three", "four, about mallory"]
    assert [message.seq for message in stored] == [1, 0, 2, 0, 3, 4]
    assert await told(talk) == ["one", "two", "three", "four, about mallory"]


async def test_a_key_that_was_kept_before_still_gives_back_that_message(memory: Memory) -> None:
    talk = memory.channel("talk")
    kept = await talk.add("user", "before", person="mallory", key="1")
    await memory.people.block("mallory")
    again = await talk.add_many(
        [NewMessage("user", "before", person="mallory", key="1"), NewMessage("user", "new", person="mallory", key="2")]
    )
    assert again[0] == kept
    assert again[1].seq == 0
    await memory.people.unblock("mallory")
    assert (await talk.add("user", "new", person="mallory", key="2")).seq == 2, "a key that was not kept is free"


async def test_only_ones_own_wish_can_be_taken_back_by_oneself(memory: Memory) -> None:
    await memory.people.block("eve", by="eve")
    await memory.people.unblock("eve", by="eve")
    await memory.people.block("eve", by="eve")
    await memory.people.block("eve", by="ops")
    await memory.people.block("eve", by="eve")
    with pytest.raises(InvalidInput, match="someone else"):
        await memory.people.unblock("eve", by="eve")
    assert [(each.person, each.blocked) for each in await memory.people.list()] == [("eve", True)]
    await memory.people.unblock("eve")
    await memory.people.unblock("eve", by="eve")
    assert [(each.person, each.blocked) for each in await memory.people.list()] == [("eve", False)]


async def test_a_block_holds_in_its_space_alone(memory: Memory) -> None:
    await memory.people.block("mallory", space="one")
    assert (await memory.channel("talk", "one").add("user", "x", person="mallory")).seq == 0
    assert (await memory.channel("talk", "two").add("user", "x", person="mallory")).seq == 1


async def test_blocked_words_never_become_memories(memory: Memory) -> None:
    talk = memory.channel("talk")
    await memory.people.block("mallory")
    for n in range(12):
        await talk.add("user", f"I own {n} red lanterns from a market in Busan.", person="ann")
        await talk.add("user", f"I bought {n} golden canaries in Oslo.", person="mallory")
    await memory.settle()
    assert await memory.facts.list(talk)
    assert "canaries" not in str(await memory.facts.list(talk))
    assert "canaries" not in (await talk.context("golden canaries in Oslo")).text


async def test_only_the_spaces_that_are_named_are_remembered(database_url: str, clock: FixedClock) -> None:
    async with erstwhile.open(database_url, clock=clock, worker=False, spaces=["home", "work"]) as memory:
        assert (await memory.channel("talk", "home").add("user", "kept")).seq == 1
        elsewhere = memory.channel("talk", "elsewhere")
        assert [
            message.seq for message in await elsewhere.add_many([NewMessage("user", "a"), NewMessage("user", "b")])
        ] == [0, 0]
        assert await told(elsewhere) == []
        with pytest.raises(erstwhile.InvalidInput):
            await elsewhere.add("user", "")


@pytest.fixture
def chatty(model_server: ModelServer) -> dict[str, Any]:
    return {"model": "openai-compatible:m", "base_url": model_server.base_url, "api_key": "k", "worker": False}


async def test_a_blocked_person_is_answered_without_memory_and_nothing_is_kept(
    database_url: str, chatty: dict[str, Any], model_server: ModelServer
) -> None:
    async with erstwhile.open(database_url, **chatty) as memory:
        talk = memory.channel("talk")
        await talk.add("user", "The treasure is under the oak", person="ann")
        await memory.people.block("mallory")
        reply = [piece async for piece in talk.ask("Where is the treasure?", person="mallory", system="Be brief.")]
        assert "".join(reply)
        sent = model_server.calls[-1].body["messages"]
        assert [message["content"] for message in sent] == ["Be brief.", "Where is the treasure?"]
        assert await told(talk) == ["The treasure is under the oak"]
        assert await memory.requests.list() == [], "not even the question is on record"
        assert [each.person for each in await memory.people.list() if not each.blocked] == ["ann"]

        model_server.then(Fault.bad_key())
        assert "model failed" in "".join([piece async for piece in talk.ask("And now?", person="mallory")])
        assert len(await told(talk)) == 1

        await memory.people.unblock("mallory")
        assert [piece async for piece in talk.ask("Where is the treasure?", person="mallory")]
        assert len(await told(talk)) == 3
        assert "oak" in str(model_server.calls[-1].body["messages"])
        assert len(await memory.requests.list()) == 1


async def test_asking_in_a_space_that_is_not_remembered_leaves_no_trace(
    database_url: str, chatty: dict[str, Any], model_server: ModelServer
) -> None:
    async with erstwhile.open(database_url, **chatty, spaces=["home"]) as memory:
        talk = memory.channel("talk", "elsewhere")
        assert [piece async for piece in talk.ask("Hello?", person="ann")]
        assert await told(talk) == []
        assert await memory.requests.list(space="elsewhere") == []
