"""Servers differ, and some models are slow: how they are called."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from itertools import pairwise

import pytest

from erstwhile.base.errors import ModelError, ModelUnavailable, RequestTooLong
from erstwhile.testing import Call, Fault, ModelServer, Reply
from erstwhile.testing.answers import sensible
from erstwhile.writers.accounts import is_own_server
from erstwhile.writers.chat import ChatModel
from erstwhile.writers.extractive import ExtractiveWriter
from erstwhile.writers.port import TranscriptLine, WriterRequest
from erstwhile.writers.prompt import load
from erstwhile.writers.prompted import PromptedWriter
from erstwhile.writers.providers import ModelChoice
from erstwhile.writers.writers import Writers

SUMMARISE = load("erstwhile.layers.summaries", "summarise")
STRUCTURE = load("erstwhile.layers.structured", "structure")
EXTRACT = load("erstwhile.layers.facts", "extract")
AT = datetime(2026, 3, 14, tzinfo=UTC)
SAID = ["I live in Busan", "I like olives", "I love tea", "I moved to Lisbon"]
LINES = [TranscriptLine("Mina", text, AT) for text in SAID]
Script = Callable[[Call], str | Fault | Reply]


@pytest.fixture(params=["openai-compatible", "openai"])
def provider(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def choice(server: ModelServer, timeout: float = 30, provider: str = "openai-compatible") -> ModelChoice:
    name = f"{provider}:local"
    return ModelChoice(name, name, base_url=server.base_url, api_key="k", timeout=timeout)


@asynccontextmanager
async def writer(
    server: ModelServer, timeout: float = 30, provider: str = "openai-compatible"
) -> AsyncIterator[PromptedWriter]:
    made = PromptedWriter(choice(server, timeout, provider))
    try:
        yield made
    finally:
        await made.close()


def shape(call: Call) -> str:
    return str((call.body.get("response_format") or {"type": "text"})["type"])


async def test_a_model_that_is_alive_is_waited_for(provider: str) -> None:
    words = "Mina lives in Busan. She likes olives. Mina loves tea. She moved to Lisbon. " * 2
    with ModelServer(lambda _: Reply(words.strip(), pause=0.25)) as server:
        async with writer(server, 2.0, provider) as slow:
            began = asyncio.get_running_loop().time()
            assert (await slow.summarise(WriterRequest(SUMMARISE, LINES))).text == words.strip()
            assert asyncio.get_running_loop().time() - began > 2.0
    assert len(server.calls) == 1


async def test_after_a_time_out_a_model_gets_more_time_and_one_call_at_a_time() -> None:
    with ModelServer(lambda _: Reply("Mina likes olives.", delay=1.4)) as server:
        async with writer(server, timeout=1.0) as slow:
            with pytest.raises(ModelUnavailable, match=r"within 1 seconds.*ERSTWHILE_MODEL_TIMEOUT_SECONDS"):
                await slow.summarise(WriterRequest(SUMMARISE, LINES))
            await asyncio.gather(*(slow.summarise(WriterRequest(SUMMARISE, LINES)) for _ in range(3)))
    starts = [call.at for call in server.calls[1:]]
    assert all(later - earlier >= 1.3 for earlier, later in pairwise(starts))


@pytest.mark.parametrize("status", [400, 500])
async def test_a_server_without_schemas_is_asked_without_from_then_on(status: int, provider: str) -> None:
    def script(call: Call) -> str | Fault | Reply:
        if shape(call) != "text":
            return Fault.bad_request(400) if status == 400 else Fault.server_error()
        noted = {"type": "preference", "text": "Mina likes olives.", "subject": "Mina", "message": 2}
        return f"Here it is:\n{json.dumps({'memories': [noted]})}"

    with ModelServer(script) as server:
        async with writer(server, provider=provider) as plain:
            if status == 500:  # once may be an accident
                with pytest.raises(ModelUnavailable):
                    await plain.structure(WriterRequest(STRUCTURE, LINES))
            first = await plain.structure(WriterRequest(STRUCTURE, LINES))
            again = await plain.structure(WriterRequest(STRUCTURE, LINES))
    assert [each.text for each in first.noted] == [each.text for each in again.noted] == ["Mina likes olives."]
    assert [shape(call) for call in server.calls][-4:] == ["json_schema", "json_object", "text", "text"]


async def test_a_server_that_knows_json_objects_is_asked_for_one() -> None:
    def script(call: Call) -> str | Fault:
        return '{"memories": []}' if shape(call) == "json_object" else Fault.bad_request()

    with ModelServer(script) as server:
        async with writer(server) as halfway:
            assert (await halfway.structure(WriterRequest(STRUCTURE, LINES))).noted == ()
            await halfway.structure(WriterRequest(STRUCTURE, LINES))
    assert [shape(call) for call in server.calls] == ["json_schema", "json_object", "json_object"]


@pytest.mark.parametrize(
    ("model", "base_url", "own"),
    [
        ("openai-compatible:m", "http://127.0.0.1:1/v1", True),
        ("openai:m", "http://127.0.0.1:1/v1", True),
        ("openai-chat:m", "https://gateway.example/v1", True),
        ("openai:gpt-5-nano", None, False),
        ("openai:gpt-5-nano", "https://eu.api.openai.com/v1", False),
        ("openai:gpt-5-nano", "https://api.myopenai.com/v1", True),
        ("anthropic:m", "http://127.0.0.1:1", False),
    ],
)
def test_what_may_be_any_server(model: str, base_url: str | None, own: bool) -> None:
    assert is_own_server(model, base_url) is own


@pytest.mark.parametrize("words", ["openai", "llama.cpp", "vllm", "tgi"])
async def test_what_is_too_long_is_read_in_halves(words: str) -> None:
    def script(call: Call) -> str | Fault | Reply:
        return Fault.too_long(words) if call.user.count("Mina:") > 2 else sensible(call)

    with ModelServer(script) as server:
        async with writer(server) as small:
            writers = Writers(small, ExtractiveWriter())
            noted, _ = await writers.structure(WriterRequest(STRUCTURE, LINES))
            facts, _ = await writers.extract_facts(WriterRequest(EXTRACT, LINES))
    found = [(each.message, each.value) for each in noted.noted]
    assert found == [(1, "Busan"), (2, "olives"), (3, "tea"), (4, "Lisbon")]
    assert [said in facts.text for said in SAID] == [True] * 4
    assert not noted.draft


async def test_a_single_message_that_is_too_long_says_what_to_do() -> None:
    with ModelServer(lambda _: Fault.too_long()) as server:
        async with writer(server) as small:
            written, failure = await Writers(small, ExtractiveWriter()).summarise(WriterRequest(SUMMARISE, LINES[:1]))
    assert written.draft
    assert isinstance(failure, RequestTooLong)
    assert re.search(r"too long\..*--ctx-size.*`erstwhile jobs retry`", str(failure))


async def test_what_the_first_half_took_is_counted_when_the_second_fails() -> None:
    def script(call: Call) -> str | Fault | Reply:
        if call.user.count("Mina:") > 2:
            return Fault.too_long()
        return Fault.bad_request(401) if "Lisbon" in call.user else sensible(call)

    spent: list[int] = []
    with ModelServer(script) as server:
        async with writer(server) as small:
            writers = Writers(small, ExtractiveWriter(), lambda _, used: spent.append(used.usage.input_tokens))
            _, failure = await writers.summarise(WriterRequest(SUMMARISE, LINES))
    assert isinstance(failure, ModelError)
    assert spent[0] > 0


async def test_a_list_that_was_cut_keeps_its_whole_items() -> None:
    items = [
        {"type": "fact", "text": f"Mina {verb}.", "message": n} for n, verb in ((2, "likes olives"), (3, "loves tea"))
    ]
    cut = json.dumps({"memories": items})[:-2] + ', {"type": "fact", "text": "Mina moved to Lis'
    with ModelServer(lambda _: Reply(cut, finish="length")) as server:
        async with writer(server) as brief:
            written = await brief.structure(WriterRequest(STRUCTURE, LINES))
    assert [each.text for each in written.noted] == ["Mina likes olives.", "Mina loves tea."]


async def test_a_chat_has_one_system_message_and_roles_in_turn() -> None:
    said = [("system", "Be brief."), ("user", "Hi"), ("user", "Are you there?"), ("assistant", "Yes"), ("user", "Good")]
    with ModelServer() as server:
        chat = ChatModel(choice(server))
        reply = chat.reply([{"role": role, "content": text} for role, text in said], model=None, cache_key="")
        assert [piece async for piece in reply]
        await chat.close()
    roles = [each["role"] for each in server.calls[0].body["messages"]]
    assert roles == ["system", "user", "assistant", "user"]
    assert "Hi\n\nAre you there?" in str(server.calls[0].body["messages"][1]["content"]).replace("\\n", "\n")


async def test_a_reply_that_takes_long_is_not_cut() -> None:
    with ModelServer(lambda _: Reply("one two three four five six seven eight nine ten " * 3, pause=0.25)) as server:
        chat = ChatModel(choice(server, timeout=2.0))
        reply = chat.reply([{"role": "user", "content": "Count"}], model=None, cache_key="")
        assert "".join([piece async for piece in reply]).endswith("ten ")
        await chat.close()
