"""`chat.ask`: context, model, log, in one breath."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest

import erstwhile
from erstwhile.testing import Call, Fault, FixedClock, ModelServer, Reply
from erstwhile.testing.answers import sensible, step

Opened = Callable[..., erstwhile.Memory]


def replying(call: Call) -> str:
    """Chat gets an answer; the steps of the memory get theirs."""
    if step(call.system) == "structure":
        return sensible(call)
    if step(call.system) == "extract":
        return "Nothing."  # "You live in Busan" does not say who
    return (
        "You live in Busan, near the sea."
        if "Where do I live" in call.user
        else "Summary: Mina talks about Busan and her cat."
    )


@pytest.fixture
async def server() -> AsyncIterator[ModelServer]:
    async with ModelServer(answer=replying) as server:
        yield server


def opened(url: str, server: ModelServer, **more: Any) -> erstwhile.Memory:
    settings: dict[str, Any] = {
        "model": "openai-compatible:light",
        "chat_model": "openai-compatible:chatty",
        "worker": False,
    }
    return erstwhile.open(url, base_url=server.base_url, api_key="k", **{**settings, **more})


async def said(chat: erstwhile.Channel) -> list[erstwhile.Message]:
    return [message async for message in chat.messages()]


async def test_a_question_is_answered_with_memory_and_both_are_logged(database_url: str, server: ModelServer) -> None:
    async with opened(database_url, server) as memory:
        chat = memory.channel("chat")
        await chat.add("user", "I moved to Busan last week", person="mina", name="Mina")
        await chat.add("assistant", "How is the sea?")
        pieces = [piece async for piece in chat.ask("Where do I live now?", person="mina", system="Be brief.")]
        assert "".join(pieces) == "You live in Busan, near the sea."
        assert len(pieces) > 1, "streamed"
        question, reply = (await said(chat))[2:]
        assert (question.role, question.text, question.person) == ("user", "Where do I live now?", "mina")
        assert (reply.role, reply.model) == ("assistant", "openai-compatible:chatty")
        debug = reply.meta["debug"]
        assert debug["tokens"]["input"] > 0
        assert debug["tokens"]["output"] > 0
        assert debug["prompt_cache"] == "chat:chat"
        assert debug["seconds"]["first_word"] <= debug["seconds"]["all"]
        assert debug["sources"]
        sent = server.calls[-1].body["messages"]
        assert sent[0]["content"].startswith("Be brief.")
        assert sent[-1]["content"].endswith("Where do I live now?")
        assert any("Busan" in message["content"] for message in sent)


async def test_what_changes_least_comes_first_in_the_prompt(database_url: str, server: ModelServer) -> None:
    """B7: background, recent turns, retrieved sources, question."""
    async with opened(database_url, server, recipe="full") as memory:
        chat = memory.channel("chat")
        for n in range(15):
            await chat.add("user", f"I fed the cat at {n} o'clock in Busan", person="mina", name="Mina")
            await chat.add("assistant", "Good.")
        await memory.settle()
        async for _ in chat.ask(
            "Where do I live, and when did I feed the cat?", person="mina", sources="SOURCE: a leaflet"
        ):
            pass
        sent = [message["content"] for message in server.calls[-1].body["messages"]]
        whole = "\n".join(sent)
        order = [
            whole.index(each)
            for each in ("=== Chunk Summaries ===", "at 14 o'clock", "=== Earlier Messages", "SOURCE: a leaflet")
        ]
        assert order == sorted(order)
        assert whole.endswith("Where do I live, and when did I feed the cat?")


async def test_a_failing_model_gives_an_error_reply_and_a_marked_turn(database_url: str, server: ModelServer) -> None:
    """R5"""
    async with opened(database_url, server) as memory:
        chat = memory.channel("chat")
        server.then(Fault.server_error(503))
        text = "".join([piece async for piece in chat.ask("Where do I live?", person="mina")])
        assert "can't answer now" in text
        question, reply = await said(chat)
        assert question.text == "Where do I live?"
        assert (reply.role, reply.text) == ("system", text), "nobody said it"
        assert reply.meta["debug"]["error"]["stage"] == "model"


async def test_whoever_leaves_in_mid_reply_finds_what_was_said_in_the_log(
    database_url: str, server: ModelServer
) -> None:
    async with opened(database_url, server) as memory:
        chat = memory.channel("chat")
        server.then(Reply("one two three four five six seven eight nine ten " * 50))
        async for _ in chat.ask("Tell me something long"):
            break
        async with asyncio.timeout(120):
            while await chat.size() < 2:  # noqa: ASYNC110 - it is written behind the reader's back
                await asyncio.sleep(0.05)
        _, reply = await said(chat)
        assert reply.text.startswith("one")
        assert reply.role == "assistant"


async def test_a_reply_in_the_making_is_logged_when_the_memory_closes(database_url: str, server: ModelServer) -> None:
    async with opened(database_url, server) as memory:
        server.then(Fault.hang(seconds=600))
        asking = memory.channel("chat").ask("Where do I live?")
        waiting = asyncio.create_task(anext(asking, None))
        async with asyncio.timeout(120):
            while not server.calls:  # noqa: ASYNC110 - the server is another thread
                await asyncio.sleep(0.02)
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)
    async with opened(database_url, server) as memory:
        _question, reply = await said(memory.channel("chat"))
        assert reply.meta["debug"]["interrupted"] is True
        assert reply.role == "system", "nothing was said"


async def test_changing_the_chat_model_in_mid_conversation_changes_nothing_about_memory(
    database_url: str, server: ModelServer
) -> None:
    async with opened(database_url, server) as memory:
        chat = memory.channel("chat")
        for n in range(6):
            async for _ in chat.ask(f"Where do I live? {n}", person="mina", model=f"openai-compatible:model-{n % 2}"):
                pass
        settled = await memory.settle()
        assert (settled.waiting, settled.parked) == (0, 0)
        models = [message.model for message in await said(chat) if message.role == "assistant"]
        assert models == [f"openai-compatible:model-{n % 2}" for n in range(6)]
        assert await memory.search("Busan", kinds=["chunk"])


async def test_the_first_word_does_not_wait_for_the_memorys_own_work(database_url: str, server: ModelServer) -> None:
    """Nine messages are waiting for their tenth; the summariser hangs. The reply comes all the same."""

    def slow(call: Call) -> str | Fault:
        return (
            "You live in Busan."
            if "Where do I live" in call.user and "Summarise" not in call.system
            else Fault.hang(seconds=600)
        )

    async with ModelServer(answer=slow) as stuck, opened(database_url, stuck, worker=True) as memory:
        chat = memory.channel("chat")
        await chat.add_many([{"role": "user", "text": f"message {n}", "person": "mina"} for n in range(20)])
        text = "".join([piece async for piece in chat.ask("Where do I live?", person="mina")])
        assert text == "You live in Busan."


async def test_the_head_of_the_prompt_only_grows_while_memory_forms_behind_it(
    database_url: str, clock: FixedClock
) -> None:
    """D8: over 50 turns each prompt's head begins with the head of the turn before, but for the few where a window moves on."""
    with ModelServer(answer=replying) as server:
        async with erstwhile.open(
            database_url, clock=clock, worker=False, model="openai-compatible:m", base_url=server.base_url, budget=3000
        ) as memory:
            chat = memory.channel("chat")
            heads = []
            for n in range(50):
                clock.advance(minutes=3)
                async for _ in chat.ask(
                    f"Where do I live? Also, number {n}", person="mina", name="Mina", system="You are Sol."
                ):
                    pass
                calls = [call for call in server.calls if call.stream]
                heads.append(calls[-1].body["messages"][0]["content"])
                await memory.settle()
            kept = sum(after.startswith(before) for before, after in itertools.pairwise(heads))
            assert all(head.startswith("You are Sol.") for head in heads)
            assert len(set(heads)) > 5, "memory did grow"
            assert kept >= 47


def test_talking_without_async(database_url: str) -> None:
    with (
        ModelServer(answer=replying) as server,
        erstwhile.open_sync(
            database_url, model="openai-compatible:m", base_url=server.base_url, worker=False
        ) as memory,
    ):
        assert (
            "".join(memory.channel("chat").ask("Where do I live?", person="mina")) == "You live in Busan, near the sea."
        )
        assert memory.channel("chat").size() == 2


async def test_without_any_model_asking_says_what_to_do(memory: erstwhile.Memory) -> None:
    with pytest.raises(erstwhile.SettingsError, match="no chat model"):
        async for _ in memory.channel("chat").ask("Anyone there?"):
            pass
    assert await memory.channel("chat").size() == 0


async def test_long_prompts_are_cached_by_the_provider_and_the_record_shows_it(
    database_url: str, server: ModelServer
) -> None:
    """D8: the key, the retention, the minimum, and the cached tokens that come back."""
    more = {"model": "openai:gpt-4.1", "chat_model": "openai:gpt-5.1", "budget": 9000, "recent_messages": 40}
    async with opened(database_url, server, **more) as memory:
        chat = memory.channel("chat")
        async for _ in chat.ask("Where do I live?", person="mina"):
            pass
        assert "prompt_cache_key" not in server.calls[-1].body, "under 1,024 tokens"
        await chat.add_many(
            [{"role": "user", "text": f"number {n} " + "and so on " * 40, "person": "mina"} for n in range(30)]
        )
        for _ in range(10):
            async for _ in chat.ask("Where do I live?", person="mina"):
                pass
        body = server.calls[-1].body
        assert (body["prompt_cache_key"], body["prompt_cache_retention"]) == ("chat:chat", "24h")
        records = [message.meta["debug"] for message in (await said(chat))[-20:] if message.role == "assistant"]
        hits = [record for record in records if record["cache_hit"]]
        assert len(hits) >= 5, "the window of recent messages moves on only every few turns"
        assert all(record["tokens"]["cached"] > 0.2 * record["tokens"]["input"] for record in hits)
