"""The official Anthropic client, unmodified, pointed at erstwhile."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Any

import pytest
from chatting import House, Serve, house

from erstwhile.context.render import PREFACE
from erstwhile.testing import Fault, ModelServer, Reply, ToolCall

if TYPE_CHECKING:  # importing it takes seconds, in each process that collects tests
    import anthropic

HEADERS = {"X-Erstwhile-Channel": "kitchen"}
TOOLS: Any = [
    {"name": "weather", "input_schema": {"type": "object", "properties": {"x": {"type": "number", "maximum": 1e3}}}}
]


@pytest.fixture
async def kitchen(database_url: str, serving: Serve) -> AsyncIterator[House]:
    async with (
        ModelServer(answer="You live in Busan, near the sea.", api_key="upstream-key") as model,
        house(database_url, serving, model, "anthropic") as opened,
    ):
        yield opened


@pytest.fixture
async def client(kitchen: House) -> AsyncIterator[anthropic.AsyncAnthropic]:
    import anthropic

    async with anthropic.AsyncAnthropic(base_url=kitchen.url, api_key="none", max_retries=0, timeout=120) as made:
        yield made


async def test_a_turn_is_answered_and_logged_streamed_or_not(kitchen: House, client: anthropic.AsyncAnthropic) -> None:
    asked: Any = {"model": "m", "max_tokens": 100, "metadata": {"user_id": "mina"}, "extra_headers": HEADERS}
    whole = await client.messages.create(messages=[{"role": "user", "content": "Where do I live?"}], **asked)
    assert whole.content[0].text == "You live in Busan, near the sea."  # type: ignore[union-attr]
    assert kitchen.asked.headers["x-api-key"] == "upstream-key"
    async with client.messages.stream(messages=[{"role": "user", "content": "And now?"}], **asked) as stream:
        assert "".join([text async for text in stream.text_stream]) == "You live in Busan, near the sea."
    said = await kitchen.said("kitchen", 4)
    assert [(message.role, message.person) for message in said] == [("user", "mina"), ("assistant", None)] * 2
    assert said[3].text == "You live in Busan, near the sea."
    assert said[3].meta["debug"]["tokens"]["output"] > 0
    assert kitchen.asked.body["metadata"] == {"user_id": "mina"}
    assert [turn["role"] for turn in kitchen.asked.body["messages"]] == ["user", "assistant", "user"]


async def test_memory_goes_into_the_system_blocks_and_before_the_question(
    kitchen: House, client: anthropic.AsyncAnthropic
) -> None:
    chat = kitchen.memory.channel("kitchen")
    for hour in range(15):
        await chat.add("user", f"I fed the cat Miso at {hour} o'clock in Busan", person="mina", name="Mina")
        await chat.add("assistant", "Good.")
    await kitchen.memory.settle()
    kitchen.model.then(Reply("Let me see. ", tools=(ToolCall("weather", '{"x": 1}', "toolu_9"),)), Reply("It rains."))
    mark = {"type": "ephemeral"}
    system: Any = [{"type": "text", "text": "Be brief.", "cache_control": mark}]
    more: Any = {"model": "m", "max_tokens": 100, "system": system, "tools": TOOLS, "extra_headers": HEADERS}
    asked: Any = [{"role": "user", "content": "When did I feed the cat?"}]
    async with client.messages.stream(messages=asked, **more) as stream:
        first = await stream.get_final_message()
    assert first.content[1].input == {"x": 1}  # type: ignore[union-attr]
    sent = kitchen.asked.body
    assert sent["system"][0] == system[0]
    assert sent["system"][1]["text"].startswith(PREFACE)
    assert sent["system"][1]["cache_control"] == mark, "where the client marks what is to be cached, so do we"
    assert json.dumps(TOOLS, separators=(",", ":")).encode() in kitchen.asked.raw
    found, question = sent["messages"][-1]["content"]
    assert "Earlier Messages" in found["text"]
    assert question == {"type": "text", "text": "When did I feed the cat?"}
    assert sent["messages"][0]["role"] == "user"
    result: Any = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_9", "content": "rain"}]}
    content: Any = [block.model_dump(exclude_none=True) for block in first.content]
    again = [*asked, {"role": "assistant", "content": content}, result]
    await client.messages.create(messages=again, **{**more, "system": "Be brief."})
    assert kitchen.asked.body["system"] == f"Be brief.\n\n{sent['system'][1]['text']}"
    assert kitchen.asked.body["messages"][-1] == result
    said = await kitchen.said("kitchen", 33)
    assert [message.text for message in said[30:]] == ["When did I feed the cat?", "Let me see. ", "It rains."]
    assert said[31].meta["debug"]["tools"] == [{"id": "toolu_9", "name": "weather", "arguments": '{"x": 1}'}]


async def test_failures_are_anthropics_own_and_so_are_ours(kitchen: House, client: anthropic.AsyncAnthropic) -> None:
    import anthropic

    asked: Any = {"model": "m", "max_tokens": 100, "messages": [{"role": "user", "content": "Hello"}]}
    kitchen.model.then(Fault.server_error(529), Fault.rate_limited("0.01"))
    with pytest.raises(anthropic.APIStatusError) as overloaded:
        await client.messages.create(**asked, extra_headers=HEADERS)
    assert overloaded.value.status_code == 529
    assert (await client.with_options(max_retries=1).messages.create(**asked, extra_headers=HEADERS)).content
    with pytest.raises(anthropic.BadRequestError) as wrong:
        await client.messages.create(**asked, extra_headers={"X-Erstwhile-Budget": "few"})
    assert wrong.value.body == {
        "type": "error",
        "error": {
            "type": "invalid_request_error",
            "message": "X-Erstwhile-Budget must be a number of tokens, at least 100.",
        },
    }
    assert [each.id for each in (await client.models.list()).data] == ["chatty"]
    assert (await client.models.retrieve("chatty")).display_name == "anthropic:chatty"
