"""The official OpenAI client, unmodified, pointed at erstwhile: responses."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any

import openai
import pytest
from chatting import House, Serve, house

from erstwhile.context.render import PREFACE
from erstwhile.testing import Fault, ModelServer, Reply, ToolCall

HEADERS = {"X-Erstwhile-Channel": "kitchen", "X-Erstwhile-Person": "mina"}
TOOLS: Any = [
    {"type": "function", "name": "weather", "parameters": {"type": "object", "maximum": 1e3}, "strict": False}
]


@pytest.fixture
async def kitchen(database_url: str, serving: Serve) -> AsyncIterator[House]:
    async with (
        ModelServer(answer="You live in Busan, near the sea.") as model,
        house(database_url, serving, model, "openai-responses", prompt_cache={"min_tokens": 100}) as opened,
    ):
        yield opened


@pytest.fixture
async def client(kitchen: House) -> AsyncIterator[openai.AsyncOpenAI]:
    async with openai.AsyncOpenAI(base_url=f"{kitchen.url}/v1", api_key="none", max_retries=0, timeout=120) as made:
        yield made


async def test_a_turn_is_answered_and_logged_streamed_or_not(kitchen: House, client: openai.AsyncOpenAI) -> None:
    whole = await client.responses.create(model="m", input="Where do I live?", extra_headers=HEADERS)
    assert whole.output_text == "You live in Busan, near the sea."
    async with client.responses.stream(model="m", input="And now?", extra_headers=HEADERS) as events:
        pieces = [event.delta async for event in events if event.type == "response.output_text.delta"]
        final = await events.get_final_response()
    assert "".join(pieces) == final.output_text == "You live in Busan, near the sea."
    said = await kitchen.said("kitchen", 4)
    assert [message.text for message in said] == [
        "Where do I live?",
        "You live in Busan, near the sea.",
        "And now?",
        "You live in Busan, near the sea.",
    ]
    assert said[0].person == "mina"
    assert final.usage is not None
    assert said[3].meta["debug"]["tokens"]["input"] == final.usage.input_tokens
    assert said[3].model == "openai-responses:chatty"
    sent = kitchen.asked.body
    assert [item["role"] for item in sent["input"]][:2] == ["user", "assistant"], (
        "the log's turns, the client sent none"
    )
    assert sent["input"][-1] == {"role": "user", "content": "And now?"}


async def test_memory_goes_into_the_instructions_and_before_the_question(
    kitchen: House, client: openai.AsyncOpenAI
) -> None:
    chat = kitchen.memory.channel("kitchen")
    for hour in range(15):
        await chat.add("user", f"I fed the cat Miso at {hour} o'clock in Busan", person="mina", name="Mina")
        await chat.add("assistant", "Good.")
    await kitchen.memory.settle()
    more: Any = {"model": "m", "instructions": "Be brief.", "tools": TOOLS, "extra_headers": HEADERS}
    kitchen.model.then(Reply(tools=(ToolCall("weather", '{"x": 1}', "call_9"),)))
    asked: Any = [{"role": "user", "content": [{"type": "input_text", "text": "When did I feed the cat?"}]}]
    first = await client.responses.create(input=asked, previous_response_id="resp_0", **more)
    sent, head = kitchen.asked.body, kitchen.asked.body["instructions"]
    assert head.startswith(f"Be brief.\n\n{PREFACE}")
    (question,) = sent["input"]  # the provider has the history
    assert "Earlier Messages" in question["content"][0]["text"]
    assert question["content"][1:] == asked[0]["content"]
    assert json.dumps(TOOLS, separators=(",", ":")).encode() in kitchen.asked.raw
    assert sent["prompt_cache_key"] == "chat:kitchen"
    call: Any = first.output[0]
    assert (call.type, call.call_id) == ("function_call", "call_9")
    result: Any = {"type": "function_call_output", "call_id": "call_9", "output": "rain"}
    async with client.responses.stream(input=[*asked, call, result], **more) as events:
        assert (await events.get_final_response()).output_text
    assert kitchen.asked.body["instructions"] == head, "byte for byte"
    said = await kitchen.said("kitchen", 32)
    assert [message.text for message in said[30:]] == ["When did I feed the cat?", "You live in Busan, near the sea."]


async def test_failures_and_protocols_that_are_not_spoken(kitchen: House, client: openai.AsyncOpenAI) -> None:
    kitchen.model.then(Fault.server_error(503))
    with pytest.raises(openai.InternalServerError, match="Scripted server_error"):
        await client.responses.create(model="m", input="Hello?", extra_headers=HEADERS)
    assert (await kitchen.said("kitchen", 2))[1].meta["debug"]["error"]["stage"] == "model"
    await kitchen.memory.spaces.configure(chat_model="openai-compatible:x", base_url=kitchen.model.base_url)
    await client.responses.create(model="m", input="Hello", extra_headers=HEADERS)
    assert kitchen.asked.api_key == "none", "the house's key does not go where the space says"
    await kitchen.memory.spaces.configure(chat_model="anthropic:claude")
    with pytest.raises(openai.BadRequestError, match="does not support this protocol"):
        await client.responses.create(model="m", input="Hello", extra_headers=HEADERS)
