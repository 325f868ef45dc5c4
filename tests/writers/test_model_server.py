"""The scripted model server, asked by the providers' own clients."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import threading
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

import httpx2
import openai
import pytest

from erstwhile.testing import Call, Fault, FaultMix, ModelServer, Reply

if TYPE_CHECKING:  # importing it takes seconds, in each process that collects tests
    import anthropic

LONG = "A long and stable prompt. " * 300


@pytest.fixture
async def server() -> AsyncIterator[ModelServer]:
    async with ModelServer() as running:
        yield running


@pytest.fixture
async def client(server: ModelServer) -> AsyncIterator[openai.AsyncOpenAI]:
    async with openai.AsyncOpenAI(base_url=server.base_url, api_key="k", max_retries=0, timeout=120) as made:
        yield made


@pytest.fixture
async def claude(server: ModelServer) -> AsyncIterator[anthropic.AsyncAnthropic]:
    import anthropic

    async with anthropic.AsyncAnthropic(base_url=server.url, api_key="k", max_retries=0, timeout=120) as made:
        yield made


async def ask(client: openai.AsyncOpenAI, text: str = "Hello", **more: object) -> str:
    asked = await client.chat.completions.create(
        model="test-model",
        messages=[{"role": "user", "content": text}],
        **more,  # type: ignore[call-overload]
    )
    return str(asked.choices[0].message.content)


# The protocols


async def test_chat_completions_answer_and_are_recorded(server: ModelServer, client: openai.AsyncOpenAI) -> None:
    server.then("Good morning")
    answer = await client.chat.completions.create(
        model="test-model", messages=[{"role": "system", "content": "Be kind."}, {"role": "user", "content": "Hello"}]
    )
    assert answer.choices[0].message.content == "Good morning"
    assert answer.usage is not None
    assert answer.usage.total_tokens == answer.usage.prompt_tokens + answer.usage.completion_tokens > 0
    (call,) = server.calls
    assert (call.path, call.system, call.user, call.api_key) == ("/chat/completions", "Be kind.", "Hello", "k")
    assert (call.outcome, call.status, call.model) == ("answered", 200, "test-model")


async def test_chat_completions_stream_in_pieces_with_usage(server: ModelServer, client: openai.AsyncOpenAI) -> None:
    server.then("One two three four five six seven.")
    stream = await client.chat.completions.create(
        model="test-model",
        messages=[{"role": "user", "content": "Count"}],
        stream=True,
        stream_options={"include_usage": True},
    )
    chunks = [chunk async for chunk in stream]
    texts = [chunk.choices[0].delta.content for chunk in chunks if chunk.choices and chunk.choices[0].delta.content]
    assert "".join(texts) == "One two three four five six seven."
    assert len(texts) > 1
    assert chunks[-1].usage is not None
    assert chunks[-1].usage.completion_tokens > 0


async def test_responses_answer_plain_and_streamed(server: ModelServer, client: openai.AsyncOpenAI) -> None:
    server.then("Plain words", "Streamed words come in several pieces")
    plain = await client.responses.create(model="test-model", instructions="Be kind.", input="Hello")
    assert plain.output_text == "Plain words"
    assert plain.usage is not None
    assert plain.usage.input_tokens > 0
    stream = await client.responses.create(model="test-model", input="Hello", stream=True)
    events = [event async for event in stream]
    assert "".join(event.delta for event in events if event.type == "response.output_text.delta").startswith("Streamed")
    last = events[-1]
    assert last.type == "response.completed"
    assert last.response.output_text == "Streamed words come in several pieces"
    assert server.calls[0].system == "Be kind."
    assert server.calls[0].user == "Hello"


async def test_anthropic_messages_answer_plain_and_streamed(
    server: ModelServer, claude: anthropic.AsyncAnthropic
) -> None:
    server.then("Plain words", "Streamed words come in several pieces")
    plain = await claude.messages.create(
        model="claude-test", max_tokens=100, system="Be kind.", messages=[{"role": "user", "content": "Hello"}]
    )
    assert plain.content[0].type == "text"
    assert plain.content[0].text == "Plain words"
    assert plain.stop_reason == "end_turn"
    async with claude.messages.stream(
        model="claude-test", max_tokens=100, messages=[{"role": "user", "content": "Hello"}]
    ) as stream:
        pieces = [piece async for piece in stream.text_stream]
    assert "".join(pieces) == "Streamed words come in several pieces"
    assert len(pieces) > 1
    assert (server.calls[0].system, server.calls[0].user, server.calls[0].api_key) == ("Be kind.", "Hello", "k")


async def test_embeddings_are_equal_for_equal_texts_and_near_for_similar_ones(client: openai.AsyncOpenAI) -> None:
    texts = ["Mina moved to Busan in March", "In March Mina moved to Busan", "Quantum chromodynamics lattice"]
    floats = await client.embeddings.create(model="e", input=texts, encoding_format="float")
    packed = await client.embeddings.create(model="e", input=texts, encoding_format="base64")
    default = await client.embeddings.create(model="e", input=texts[0])  # the client asks for base64 and unpacks it
    one, similar, other = (row.embedding for row in floats.data)
    assert isinstance(packed.data[0].embedding, str)
    assert default.data[0].embedding == pytest.approx(one, abs=1e-6)
    assert _cosine(one, similar) > 0.7 > 0.3 > _cosine(one, other)
    small = await client.embeddings.create(model="e", input="short", dimensions=32, encoding_format="float")
    assert len(small.data[0].embedding) == 32


async def test_models_are_listed() -> None:
    async with ModelServer(models=("a", "b")) as server, openai.AsyncOpenAI(base_url=server.base_url, api_key="k") as c:
        assert [model.id async for model in c.models.list()] == ["a", "b"]


def test_sync_clients_and_other_processes_need_only_the_address() -> None:
    program = (
        "import json, sys, urllib.request as u;"
        "body = json.dumps({'model': 'm', 'messages': [{'role': 'user', 'content': 'hi'}]}).encode();"
        "asked = u.Request(sys.argv[1] + '/chat/completions', body, {'content-type': 'application/json'});"
        "print(json.load(u.urlopen(asked))['choices'][0]['message']['content'])"
    )
    with ModelServer("from the script") as server:
        with openai.OpenAI(base_url=server.base_url, api_key="k") as client:
            answer = client.chat.completions.create(model="m", messages=[{"role": "user", "content": "hi"}])
        assert answer.choices[0].message.content == "from the script"
        ran = subprocess.run(
            [sys.executable, "-c", program, server.base_url], capture_output=True, text=True, check=True
        )
        assert ran.stdout.strip() == "from the script"
        assert len(server.calls) == 2


# The script


async def test_queued_steps_come_first_in_order_then_the_answer(
    server: ModelServer, client: openai.AsyncOpenAI
) -> None:
    server.then(Fault.server_error(503), Reply("second", input_tokens=7, output_tokens=3, cached_tokens=5))
    with pytest.raises(openai.InternalServerError):
        await ask(client)
    answer = await client.chat.completions.create(model="m", messages=[{"role": "user", "content": "x"}])
    assert answer.usage is not None
    assert answer.usage.prompt_tokens_details is not None
    assert (answer.usage.prompt_tokens, answer.usage.prompt_tokens_details.cached_tokens) == (7, 5)
    assert await ask(client, "third") == "You said: third"
    assert [call.outcome for call in server.calls] == ["server_error", "answered", "answered"]


async def test_embeddings_do_not_eat_the_queue_of_texts(server: ModelServer, client: openai.AsyncOpenAI) -> None:
    server.then("for the chat").then(Fault.rate_limited(), at="embeddings")
    with pytest.raises(openai.RateLimitError):
        await client.embeddings.create(model="e", input="x")
    await client.embeddings.create(model="e", input="x")
    assert await ask(client) == "for the chat"


async def test_a_script_sees_the_call_and_its_schema_and_its_own_mistakes() -> None:
    schema = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}

    def script(call: Call) -> str:
        return json.dumps({"asked": call.user, "for": call.schema})

    wanted = {"type": "json_schema", "json_schema": {"name": "person", "schema": schema}}
    async with ModelServer(script) as server, openai.AsyncOpenAI(base_url=server.base_url, api_key="k") as client:
        answer = json.loads(await ask(client, "Who?", response_format=wanted))
    assert answer == {"asked": "Who?", "for": schema}

    async with (
        ModelServer(lambda call: str(1 / 0)) as server,
        openai.AsyncOpenAI(base_url=server.base_url, api_key="k", max_retries=0) as client,
    ):
        with pytest.raises(openai.InternalServerError):
            await ask(client)
        assert "ZeroDivisionError" in server.calls[0].outcome


async def test_a_key_can_be_demanded() -> None:
    async with ModelServer(api_key="right") as server:
        async with openai.AsyncOpenAI(base_url=server.base_url, api_key="wrong", max_retries=0) as client:
            with pytest.raises(openai.AuthenticationError):
                await ask(client)
        async with openai.AsyncOpenAI(base_url=server.base_url, api_key="right", max_retries=0) as client:
            assert await ask(client)


async def test_many_at_once_each_get_their_own_answer(server: ModelServer, client: openai.AsyncOpenAI) -> None:
    answers = await asyncio.gather(*(ask(client, f"number {n}") for n in range(60)))
    assert answers == [f"You said: number {n}" for n in range(60)]
    assert sorted(call.number for call in server.calls) == list(range(1, 61))


# Caching


async def test_a_shared_prefix_is_cached_per_key(client: openai.AsyncOpenAI) -> None:
    async def cached(ending: str, key: str) -> int:
        answer = await client.chat.completions.create(
            model="m", messages=[{"role": "user", "content": LONG + ending}], prompt_cache_key=key
        )
        assert answer.usage is not None
        assert answer.usage.prompt_tokens_details is not None
        return answer.usage.prompt_tokens_details.cached_tokens or 0

    assert await cached("one", "a") == 0
    assert await cached("two", "a") >= 1024
    assert await cached("two", "b") == 0


async def test_anthropic_caches_only_what_is_marked(claude: anthropic.AsyncAnthropic) -> None:
    async def read(mark: bool) -> int:
        block: anthropic.types.TextBlockParam = {"type": "text", "text": LONG}
        if mark:
            block["cache_control"] = {"type": "ephemeral"}
        answer = await claude.messages.create(
            model="claude-test", max_tokens=10, messages=[{"role": "user", "content": [block]}]
        )
        return answer.usage.cache_read_input_tokens or 0

    assert [await read(False), await read(False), await read(True)] == [0, 0, 0]
    assert await read(True) >= 1024


# Faults


async def test_down_refuses_and_up_is_back_on_the_same_port(server: ModelServer, client: openai.AsyncOpenAI) -> None:
    assert await ask(client)
    port = server.port
    server.down()
    for _ in range(3):
        with pytest.raises(openai.APIConnectionError):
            await ask(client)
    server.up()
    assert await ask(client)
    assert server.port == port


async def test_a_refused_connection_comes_back_by_itself(server: ModelServer, client: openai.AsyncOpenAI) -> None:
    server.then(Fault.refused(seconds=0.2))
    with pytest.raises(openai.APIConnectionError):
        await ask(client)
    for _ in range(100):
        try:
            assert await ask(client)
            return
        except openai.APIConnectionError:
            await asyncio.sleep(0.1)
    pytest.fail("the server never came back")


async def test_a_cut_stream_is_an_error_in_both_protocols(
    server: ModelServer, client: openai.AsyncOpenAI, claude: anthropic.AsyncAnthropic
) -> None:
    server.then(Fault.cut_stream(), Fault.cut_stream())
    stream = await client.chat.completions.create(
        model="m", messages=[{"role": "user", "content": "Hello " * 50}], stream=True
    )
    with pytest.raises((openai.APIConnectionError, httpx2.TransportError)):
        [chunk async for chunk in stream]
    events = await claude.messages.create(
        model="claude-test", max_tokens=9, messages=[{"role": "user", "content": "Hello " * 50}], stream=True
    )
    with pytest.raises((openai.APIConnectionError, httpx2.TransportError)):
        [event async for event in events]


async def test_closing_with_hanging_requests_leaves_nothing_behind() -> None:
    server = ModelServer(lambda call: Fault.hang()).start()
    async with openai.AsyncOpenAI(base_url=server.base_url, api_key="k", max_retries=0) as client:
        hanging = [asyncio.create_task(ask(client)) for _ in range(5)]
        for _ in range(1000):
            await asyncio.sleep(0.01)
            if len(server.calls) == 5:
                break
        await asyncio.to_thread(server.close)
        ended = await asyncio.gather(*hanging, return_exceptions=True)
    assert all(isinstance(error, openai.APIConnectionError) for error in ended)
    assert not [thread for thread in threading.enumerate() if thread.name == "model-server"]
    server.close()  # twice is fine
    with pytest.raises(RuntimeError, match="not running"):
        server.down()


async def test_a_bounded_hang_ends_without_an_answer(server: ModelServer, client: openai.AsyncOpenAI) -> None:
    server.then(Fault.hang(seconds=0.05))
    with pytest.raises(openai.APIConnectionError):
        await ask(client)
    assert server.calls[0].outcome == "hang"


def _call(number: int) -> Call:
    return Call(number, "/chat/completions", {}, {}, 0.0)


def test_a_mix_is_the_same_for_the_same_seed_and_keeps_its_rate() -> None:
    mix = [FaultMix(rate=0.3, seed=7).choose(_call(n)) for n in range(2000)]
    assert mix == [FaultMix(rate=0.3, seed=7).choose(_call(n)) for n in range(2000)]
    assert mix != [FaultMix(rate=0.3, seed=8).choose(_call(n)) for n in range(2000)]
    faults = [fault for fault in mix if fault is not None]
    assert 0.25 < len(faults) / len(mix) < 0.35
    names = {fault.name for fault in faults}
    assert names == {
        "hang", "rate_limited", "server_error", "truncated", "not_json", "wrong_types", "bare_object", "empty",
    }  # fmt: skip
    assert all(fault.seconds == 2.0 for fault in faults if fault.kind == "hang")
    only = FaultMix(rate=1, weights={"empty": 1})
    assert {only.choose(_call(n)) for n in range(20)} == {Fault.empty()}
    with pytest.raises(ValueError, match="Unknown fault group 'typo'"):
        FaultMix(weights={"typo": 1})


async def test_a_mix_on_a_server_lets_every_call_through_in_the_end() -> None:
    mix = FaultMix(rate=0.5, seed=1, weights={"unavailable": 3, "bad_json": 1})
    async with (
        ModelServer("fine", faults=mix) as server,
        openai.AsyncOpenAI(base_url=server.base_url, api_key="k", max_retries=0) as client,
    ):
        got = 0
        while got < 20:
            try:
                got += await ask(client) == "fine"
            except (openai.OpenAIError, ValueError, AttributeError):
                assert server.calls[-1].outcome != "answered"
        assert len(server.calls) > 20


def _cosine(one: list[float], other: list[float]) -> float:
    return sum(a * b for a, b in zip(one, other, strict=True))
