"""The official OpenAI client, unmodified, pointed at erstwhile: chat completions."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import httpx2
import openai
import pytest
from chatting import House, Serve, house, soon, texts

from erstwhile.base.errors import StorageError
from erstwhile.context.render import PREFACE
from erstwhile.http.chat import upstream
from erstwhile.http.chat.protocol import JsonBody
from erstwhile.testing import Fault, ModelServer, Reply, ToolCall
from inside import runtime

HEADERS = {"X-Erstwhile-Channel": "kitchen", "X-Erstwhile-Person": "mina"}
TOOLS: list[Any] = [
    {
        "type": "function",
        "function": {
            "name": "weather",
            "description": 'Wetter, 날씨 "now"',
            "parameters": {
                "type": "object",
                "properties": {"limit": {"type": "number", "maximum": 1e3, "default": 1.0}},
            },
            "strict": False,
        },
    }
]


@pytest.fixture
async def model() -> AsyncIterator[ModelServer]:
    async with ModelServer(answer="You live in Busan, near the sea.") as running:
        yield running


@pytest.fixture
async def kitchen(database_url: str, serving: Serve, model: ModelServer) -> AsyncIterator[House]:
    async with house(database_url, serving, model) as opened:
        yield opened


@pytest.fixture
async def client(kitchen: House) -> AsyncIterator[openai.AsyncOpenAI]:
    async with openai.AsyncOpenAI(base_url=f"{kitchen.url}/v1", api_key="none", max_retries=0, timeout=120) as made:
        yield made


async def ask(client: openai.AsyncOpenAI, *messages: tuple[str, str], **more: Any) -> str:
    said: Any = [{"role": role, "content": text} for role, text in messages]
    answer = await client.chat.completions.create(model="whatever", messages=said, extra_headers=HEADERS, **more)
    return str(answer.choices[0].message.content)


async def pieces(client: openai.AsyncOpenAI, *messages: tuple[str, str]) -> AsyncIterator[str]:
    said: Any = [{"role": role, "content": text} for role, text in messages]
    async for chunk in await client.chat.completions.create(
        model="whatever", messages=said, stream=True, extra_headers=HEADERS
    ):
        if chunk.choices:
            yield chunk.choices[0].delta.content or ""


async def stream(client: openai.AsyncOpenAI, *messages: tuple[str, str]) -> list[str]:
    return [piece async for piece in pieces(client, *messages)]


async def test_a_turn_is_answered_and_logged(kitchen: House, client: openai.AsyncOpenAI) -> None:
    answer = await client.chat.completions.with_raw_response.create(
        model="gpt-4o", messages=[{"role": "user", "content": "Where do I live?"}], extra_headers=HEADERS
    )
    assert answer.parse().choices[0].message.content == "You live in Busan, near the sea."
    assert answer.parse().model == "chatty", "the space's model answers, whichever was named"
    memory = answer.headers["x-erstwhile-memory"]
    assert memory.startswith("ok; request=req_")
    question, reply = await kitchen.said("kitchen", 2)
    assert (question.role, question.text, question.person) == ("user", "Where do I live?", "mina")
    assert (reply.role, reply.text, reply.model) == (
        "assistant",
        "You live in Busan, near the sea.",
        "openai-compatible:chatty",
    )
    debug = reply.meta["debug"]
    assert debug["request"] in memory
    assert debug["tokens"]["input"] > 0 < debug["tokens"]["output"]
    request = (await kitchen.memory.requests.list(channel="kitchen"))[0]
    assert (request.id, request.op, request.model, request.error_stage) == (
        debug["request"],
        "ask",
        "openai-compatible:chatty",
        None,
    )
    assert request.model_ms
    assert request.input_tokens == debug["tokens"]["input"]
    assert kitchen.asked.api_key == "upstream-key"
    assert "x-erstwhile-channel" not in kitchen.asked.headers


async def test_a_stream_comes_through_byte_for_byte_and_is_logged(kitchen: House, client: openai.AsyncOpenAI) -> None:
    streamed = await stream(client, ("user", "Where do I live?"))
    assert "".join(streamed) == "You live in Busan, near the sea."
    assert len(streamed) > 2
    body = {"model": "chatty", "stream": True, "messages": [{"role": "user", "content": "And now?"}]}
    async with httpx2.AsyncClient() as plain:
        direct = await plain.post(f"{kitchen.model.base_url}/chat/completions", json=body)
        through = await plain.post(f"{kitchen.url}/v1/chat/completions", json=body, headers=HEADERS)
    assert through.content.replace(b"chatcmpl-3", b"chatcmpl-2") == direct.content
    assert through.headers["content-type"] == direct.headers["content-type"]
    said = await kitchen.said("kitchen", 4)
    assert [message.text for message in said][1::2] == ["You live in Busan, near the sea."] * 2
    assert said[1].meta["debug"]["seconds"]["first_word"] is not None
    assert said[1].meta["debug"]["tokens"]["output"] > 0, "counted here, where the stream does not say"


async def test_what_is_remembered_goes_in_front_and_stays_the_same(kitchen: House, client: openai.AsyncOpenAI) -> None:
    chat = kitchen.memory.channel("kitchen")
    for hour in range(30):
        await chat.add("user", f"I fed the cat Miso at {hour} o'clock in Busan", person="mina", name="Mina")
        await chat.add("assistant", "Good.")
    await kitchen.memory.settle()
    heads = []
    for question in ("When did I feed the cat?", "Where is Busan?"):
        await ask(client, ("system", "Be brief."), ("developer", "In English."), ("user", question))
        sent = texts(kitchen.asked)
        assert sent[0] == ("system", "Be brief.")
        assert sent[1][0] == "developer"
        heads.append(sent[1])
        assert sent[1][1].startswith(f"In English.\n\n{PREFACE}"), "the client's own come first"
        assert "Chunk Summaries" in sent[1][1]
        assert any(role == "assistant" for role, _ in sent[2:-1]), "the client sent no history: the log's is there"
        assert sent[-1][0] == "user"
        assert "Earlier Messages" in sent[-1][1]
        assert sent[-1][1].endswith(f"\n\n{question}")
    assert heads[0] == heads[1], "byte for byte, so that prompt caches hit"
    history = [("user", "I fed the cat Miso at 7 o'clock in Busan"), ("assistant", "Good.")]
    await ask(client, *history, ("user", "When was the first time, and when at 7 o'clock?"))
    sent = texts(kitchen.asked)
    assert [role for role, _ in sent] == ["system", "user", "assistant", "user"]
    assert sent[1:3] == history
    found = sent[3][1].partition("Earlier Messages")[2].rpartition("\n\n")[0]
    assert "o'clock" in found
    assert "at 7 o'clock" not in found, "what the client sent is not told again"


async def test_standing_requests_head_the_prompt_and_a_scope_widens_it(
    kitchen: House, client: openai.AsyncOpenAI
) -> None:
    garden, chat = kitchen.memory.channel("garden"), kitchen.memory.channel("kitchen")
    await garden.add("user", "Always answer in metric units.", person="mina")
    await garden.add("assistant", "I will.")
    await garden.add("user", "The tomatoes are behind the blue shed", person="mina")
    for number in range(4):  # enough about tomatoes here, so that nothing widens by itself
        await chat.add("user", f"Tomatoes cost {number} today", person="mina")
    await kitchen.memory.settle()
    question = "Where are the tomatoes?"
    said: Any = [{"role": "user", "content": question}]
    for scope, there in (("channel", False), ("person", True)):
        headers = {**HEADERS, "X-Erstwhile-Scope": scope}
        await client.chat.completions.create(model="m", messages=said, extra_headers=headers)
        sent = texts(kitchen.asked)
        assert "=== How to Answer This Person ===\n- Always answer in metric units." in sent[0][1]
        assert ("behind the blue shed" in "".join(text for _, text in sent)) is there
        async for _ in chat.ask(question, person="mina", scope=scope, keep=False):
            pass
        sent = texts(kitchen.asked)
        assert "- Always answer in metric units." in sent[0][1]
        assert ("behind the blue shed" in "".join(text for _, text in sent)) is there
    for name, wrong in (("Scope", "world"), ("Floor", "high"), ("Floor", "2")):
        with pytest.raises(openai.BadRequestError):
            await client.chat.completions.create(
                model="m", messages=said, extra_headers={**HEADERS, f"X-Erstwhile-{name}": wrong}
            )


async def test_tools_and_everything_else_go_through_untouched(kitchen: House, client: openai.AsyncOpenAI) -> None:
    kitchen.model.then(Reply(tools=(ToolCall("weather", '{"limit": 2}', "call_7"),)), Reply("It rains."))
    schema: Any = {"type": "json_schema", "json_schema": {"name": "x", "schema": {"type": "object"}}}
    image = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}
    asked: Any = [{"role": "user", "content": [{"type": "text", "text": "Rain?"}, image], "name": "Mina"}]
    more: Any = {"tools": TOOLS, "response_format": schema, "extra_headers": HEADERS, "seed": 7}
    first = await client.chat.completions.create(
        model="m", messages=asked, extra_body={"vendor_field": [1.50, None]}, **more
    )
    call = (first.choices[0].message.tool_calls or [])[0]
    assert (call.id, call.type) == ("call_7", "function")
    assert json.dumps(TOOLS, ensure_ascii=False, separators=(",", ":")).encode() in kitchen.asked.raw
    assert json.dumps(asked[0], separators=(",", ":")).encode() in kitchen.asked.raw
    assert (kitchen.asked.body["vendor_field"], kitchen.asked.body["seed"]) == ([1.5, None], 7)
    assert kitchen.asked.body["response_format"] == schema
    (question,) = await kitchen.said("kitchen", 1)
    assert (question.text, question.name) == ("Rain?", "Mina")
    result: Any = [{"role": "tool", "tool_call_id": call.id, "content": "rain"}]
    called: Any = [first.choices[0].message.model_dump(exclude_none=True)]
    chunks = await client.chat.completions.create(model="m", messages=[*asked, *called, *result], stream=True, **more)
    assert "".join([chunk.choices[0].delta.content or "" async for chunk in chunks]) == "It rains."
    said = await kitchen.said("kitchen", 2)
    assert [message.text for message in said] == ["Rain?", "It rains."], "the question is logged once"


async def test_the_channel_and_the_person_come_from_the_body_too(kitchen: House, client: openai.AsyncOpenAI) -> None:
    asked: Any = {"model": "m", "messages": [{"role": "user", "content": "Hello"}]}
    await client.chat.completions.create(**asked, metadata={"channel": "porch", "kind": "x"}, user="sora")
    assert kitchen.asked.body["metadata"] == {"kind": "x"}
    assert (await kitchen.said("porch", 2))[0].person == "sora"
    await client.chat.completions.create(**asked, user="sora")
    assert "metadata" not in kitchen.asked.body
    assert (await kitchen.said("sora", 2))[0].person == "sora"
    await client.chat.completions.create(**asked, safety_identifier="jun")
    assert (await kitchen.said("jun", 2))[0].person == "jun"


async def test_clients_that_name_nobody_share_no_memory(kitchen: House, client: openai.AsyncOpenAI) -> None:
    """The official client as it comes: no `user`, no header, no metadata."""
    raw = client.chat.completions.with_raw_response
    pin: Any = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "My PIN is 4711, remember it."}]
    first = await raw.create(model="m", messages=pin)
    assert first.headers["x-erstwhile-memory"].startswith("none; reason=")
    assert "X-Erstwhile-Person" in first.headers["x-erstwhile-memory"]
    (channel,) = [each async for each in _channels(kitchen, 1)]
    await kitchen.said(channel, 2)
    other: Any = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "What is my PIN?"}]
    await raw.create(model="m", messages=other)
    assert "4711" not in json.dumps(kitchen.asked.body)
    assert kitchen.asked.body["messages"] == other, "what the request carries, and nothing else"
    # The same words by someone else: the same channel, and still nothing is recalled.
    await raw.create(model="m", messages=pin)
    assert kitchen.asked.body["messages"] == pin
    # The conversation goes on in its channel.
    answer = {"role": "assistant", "content": "Noted."}
    await raw.create(model="m", messages=[*pin, answer, {"role": "user", "content": "And my cat is Momo."}])
    said = await kitchen.said(channel, 6)
    assert [each.text for each in said if each.role == "user"][-1] == "And my cat is Momo."
    assert all(each.person is None for each in said)
    # It is found by nobody else, named or not.
    named = await raw.create(model="m", messages=other, user="sora")
    assert named.headers["x-erstwhile-memory"].startswith("ok")
    assert "4711" not in json.dumps(kitchen.asked.body)
    assert "default" not in [each async for each in _channels(kitchen, 3)]


async def _channels(kitchen: House, count: int) -> AsyncIterator[str]:
    async def there() -> bool:
        return len(await kitchen.memory.channels.list()) >= count

    await soon(there)
    for each in await kitchen.memory.channels.list():
        yield each.channel


async def test_memory_can_be_off_or_only_read(kitchen: House, client: openai.AsyncOpenAI) -> None:
    await kitchen.memory.channel("kitchen").add("user", "I moved to Busan", person="mina")
    asked: Any = {"model": "m", "messages": [{"role": "user", "content": "Where did I move?"}]}
    raw = client.chat.completions.with_raw_response
    off = await raw.create(**asked, extra_headers={**HEADERS, "X-Erstwhile-Memory": "off"})
    assert off.headers["x-erstwhile-memory"] == "off"
    assert texts(kitchen.asked) == [("user", "Where did I move?")]
    read = await raw.create(**asked, extra_headers={**HEADERS, "X-Erstwhile-Memory": "read"})
    assert read.headers["x-erstwhile-memory"].startswith("read; request=req_")
    assert "Busan" in str(texts(kitchen.asked))
    await kitchen.memory.people.block("mina")
    blocked = await raw.create(**asked, extra_headers=HEADERS)
    assert blocked.headers["x-erstwhile-memory"] == "off"
    assert len(texts(kitchen.asked)) == 1
    await asyncio.sleep(0.1)
    assert await kitchen.memory.channel("kitchen").size() == 1, "none of it was logged"


async def test_what_the_provider_refuses_is_passed_on_and_the_clients_own_retry_works(kitchen: House) -> None:
    kitchen.model.then(Fault.rate_limited("0.01"), Fault.server_error(500))
    async with openai.AsyncOpenAI(base_url=f"{kitchen.url}/v1", api_key="none", max_retries=2, timeout=120) as patient:
        assert await ask(patient, ("user", "Where do I live?")) == "You live in Busan, near the sea."
    said = await kitchen.said("kitchen", 3)
    assert [message.role for message in said] == ["user", "system", "assistant"], "asked once, failed, answered"
    assert said[1].meta["debug"]["error"]["stage"] == "model"
    assert said[2].text == "You live in Busan, near the sea."
    assert texts(kitchen.asked)[-1] == ("user", "Where do I live?")
    assert sum(text == "Where do I live?" for _, text in texts(kitchen.asked)) == 1
    kitchen.model.then(Fault.rate_limited("17"))
    async with openai.AsyncOpenAI(
        base_url=f"{kitchen.url}/v1", api_key="none", max_retries=0, timeout=120
    ) as impatient:
        with pytest.raises(openai.RateLimitError) as refused:
            await ask(impatient, ("user", "And now?"))
    assert refused.value.response.headers["retry-after"] == "17"
    assert "Scripted rate_limited." in str(refused.value)
    failed = (await kitchen.said("kitchen", 5))[-1]
    assert failed.text == "[The model failed: openai-compatible:chatty answered with status 429.]"
    assert failed.role == "system", "nobody said it"
    await soon(lambda: _recorded(kitchen, "model"))


async def test_a_reply_that_failed_is_not_put_into_the_next_prompt(kitchen: House, client: openai.AsyncOpenAI) -> None:
    for _ in range(2):
        kitchen.model.then(Fault.server_error(500))
        with pytest.raises(openai.InternalServerError):
            await ask(client, ("user", "Where do I live?"))
    assert [each.role for each in await kitchen.said("kitchen", 4)] == ["user", "system"] * 2
    await ask(client, ("user", "Where do I live?"))
    assert [(role, text.rpartition("\n\n")[2]) for role, text in texts(kitchen.asked)] == [("user", "Where do I live?")]
    await ask(client, ("user", "And where was I born?"))
    turns = [each for each in texts(kitchen.asked) if each[0] != "system"][:-1]
    assert [role for role, _ in turns] == ["user", "assistant"]
    assert "model failed" not in str(turns)


async def _recorded(kitchen: House, stage: str) -> bool:
    return any(each.error_stage == stage for each in await kitchen.memory.requests.list(channel="kitchen"))


async def test_a_model_that_is_silent_away_or_talks_rubbish(kitchen: House, client: openai.AsyncOpenAI) -> None:
    kitchen.model.then(Fault.cut_stream(), Fault.not_json("text/event-stream"), Fault.refused(0.3))
    heard: list[str] = []

    async def listen() -> None:
        async for piece in pieces(client, ("user", "Cut?")):
            heard.append(piece)  # noqa: PERF401 - it breaks off

    with pytest.raises((openai.APIError, httpx2.HTTPError)):
        await listen()
    assert await stream(client, ("user", "Rubbish?")) == []
    with pytest.raises(openai.InternalServerError) as away:
        await ask(client, ("user", "Away?"))
    assert away.value.status_code == 502
    assert "can't be reached" in str(away.value)
    said = await kitchen.said("kitchen", 6)
    kept = {message.key: message for message in said}  # on a busy machine the next question may come before a reply
    replies = {message.text: kept[f"{message.key}/failed"] for message in said if message.role == "user"}
    cut, rubbish = replies["Cut?"], replies["Rubbish?"]
    assert heard
    assert (cut.role, cut.text) == ("assistant", "".join(heard)), "what was said, and nothing more"
    assert "disconnected" in cut.meta["debug"]["error"]["reason"]
    assert rubbish.role == "system"
    assert "can't be parsed" in rubbish.text
    assert replies["Away?"].meta["debug"]["error"]


async def test_whoever_leaves_in_mid_reply_finds_what_was_said_in_the_log(
    kitchen: House, client: openai.AsyncOpenAI
) -> None:
    kitchen.model.then(Reply("one two three four five six seven eight nine ten " * 30, pause=0.05))
    chunks = await client.chat.completions.create(
        model="m", messages=[{"role": "user", "content": "Count"}], stream=True, extra_headers=HEADERS
    )
    async for chunk in chunks:
        if chunk.choices[0].delta.content:
            break
    await chunks.close()
    question, reply = await kitchen.said("kitchen", 2)
    assert question.text == "Count"
    assert reply.text.startswith("one two")
    assert len(reply.text) < 1000
    assert reply.meta["debug"]["interrupted"] is True

    async def stopped() -> bool:
        return kitchen.asked.outcome == "client left"

    await soon(stopped)


async def test_a_key_makes_a_repeated_question_one_question(kitchen: House, client: openai.AsyncOpenAI) -> None:
    for _ in range(2):
        await client.chat.completions.create(
            model="m",
            messages=[{"role": "user", "content": "Once?"}],
            extra_headers={**HEADERS, "Idempotency-Key": "q-1"},
        )
    await ask(client, ("user", "Another"))
    said = await kitchen.said("kitchen", 4)
    assert [message.key for message in said][:2] == ["q-1", "q-1/reply"]
    assert [message.text for message in said][2] == "Another"


async def test_errors_of_ours_are_readable_in_the_clients_own_terms(
    database_url: str, serving: Serve, model: ModelServer
) -> None:
    async with house(database_url, serving, model, chat_model="", base_url="", api_key="") as opened:
        async with openai.AsyncOpenAI(base_url=f"{opened.url}/v1", api_key="none", max_retries=0) as client:
            with pytest.raises(openai.NotFoundError, match="There is no chat model") as none:
                await ask(client, ("user", "Hello"))
            assert none.value.code == "model_not_found"
            assert none.value.type == "invalid_request_error"
            assert (await client.models.list()).data == []
            with pytest.raises(openai.BadRequestError, match="no recipe"):
                await client.chat.completions.create(
                    model="m",
                    messages=[{"role": "user", "content": "Hello"}],
                    extra_headers={"X-Erstwhile-Recipe": "soup"},
                )
        async with httpx2.AsyncClient(base_url=opened.url) as plain:
            for wrong in (b"", b"[]", b'{"messages": []}', b'{"messages": [1,]}', b"\xff", b"[" * 20_000):
                answer = await plain.post("/v1/chat/completions", content=wrong)
                assert (answer.status_code, set(answer.json()["error"])) == (400, {"message", "type", "param", "code"})
            answer = await plain.post(
                "/v1/chat/completions", content=b"{", headers={"Content-Type": "application/json"}
            )
            assert (answer.status_code, answer.json()["error"]["type"]) == (422, "invalid_request_error")


async def test_the_space_is_the_keys_and_a_read_only_key_logs_nothing(kitchen: House) -> None:
    mine, reader = (
        await kitchen.memory.keys.create(space="mine"),
        await kitchen.memory.keys.create(space="mine", read_only=True),
    )
    await kitchen.memory.channel("kitchen", "mine").add("user", "I moved to Busan", person="mina")
    asked: Any = {"model": "m", "messages": [{"role": "user", "content": "Where did I move?"}]}
    async with openai.AsyncOpenAI(base_url=f"{kitchen.url}/v1", api_key=reader.key, max_retries=0) as client:
        answer = await client.chat.completions.with_raw_response.create(**asked, extra_headers=HEADERS)
        assert answer.headers["x-erstwhile-memory"].startswith("read; ")
        assert "Busan" in str(texts(kitchen.asked))
        assert kitchen.asked.api_key == "upstream-key", "the client's key goes no further"
        with pytest.raises(openai.PermissionDeniedError, match="has no access to the space"):
            await client.chat.completions.create(**asked, extra_headers={"X-Erstwhile-Space": "default"})
        await client.with_options(api_key=mine.key).chat.completions.create(**asked, extra_headers=HEADERS)
        chat = kitchen.memory.channel("kitchen", "mine")

        async def logged() -> bool:
            return await chat.size() == 3

        await soon(logged)
        with pytest.raises(openai.AuthenticationError, match="Unknown key") as wrong:
            await client.with_options(api_key="er_wrong").chat.completions.create(**asked)
        assert wrong.value.code == "invalid_api_key"


async def test_the_spaces_model_is_listed(kitchen: House, client: openai.AsyncOpenAI) -> None:
    assert [each.id for each in (await client.models.list()).data] == ["chatty"]
    assert (await client.models.retrieve("chatty")).owned_by == "openai-compatible"
    with pytest.raises(openai.NotFoundError, match="no model"):
        await client.models.retrieve("vendor/other")


async def test_without_its_database_the_chat_goes_on_and_the_turn_is_logged_later(
    kitchen: House, client: openai.AsyncOpenAI, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Once the space's model is known, nothing of the database is needed for an answer."""
    await ask(client, ("user", "Hello"))
    await kitchen.said("kitchen", 2)
    database = runtime(kitchen.memory).database

    async def away(*_: object) -> None:
        raise StorageError("It is away.")

    with monkeypatch.context() as outage:
        outage.setattr(type(database), "read", away)
        outage.setattr(type(database), "write", away)
        answer = await client.chat.completions.with_raw_response.create(
            model="m", messages=[{"role": "user", "content": "Still there?"}], extra_headers=HEADERS
        )
        assert answer.parse().choices[0].message.content
        assert answer.headers["x-erstwhile-memory"] == 'degraded; reason="the database failed"'
        await asyncio.sleep(0.1)
        outage.setattr(upstream, "_LAST_KNOWN_SECONDS", 0.0)  # by then it may be another's, or the key taken back
        with pytest.raises(openai.InternalServerError, match="the model is not known"):
            await ask(client, ("user", "And much later?"))
    said = await kitchen.said("kitchen", 4)
    assert [message.text for message in said][2:] == ["Still there?", "You live in Busan, near the sea."]
    assert said[3].meta["debug"]["degraded"] == "the database failed"
    assert kitchen.app.state.chat.counts["retried"] >= 1
    assert kitchen.app.state.chat.counts["degraded"] == 1


async def test_nobody_waits_for_a_slow_memory_or_for_the_log(
    kitchen: House, client: openai.AsyncOpenAI, monkeypatch: pytest.MonkeyPatch
) -> None:
    await ask(client, ("user", "Hello"))
    await kitchen.said("kitchen", 2)
    database, held = runtime(kitchen.memory).database, asyncio.Event()
    write, find = type(database).write, type(runtime(kitchen.memory).recall).find

    async def stuck(*args: Any) -> Any:
        await held.wait()
        return await write(*args)

    async def slow(*args: Any) -> Any:
        await held.wait()
        return await find(*args)

    with monkeypatch.context() as jam:
        jam.setattr(type(database), "write", stuck)
        assert await ask(client, ("user", "Where do I live?")), "the log is stuck, the answer is not"
        jam.setattr(type(runtime(kitchen.memory).recall), "find", slow)
        limits = kitchen.memory.settings.limits
        jam.setattr(
            kitchen.memory, "settings", kitchen.memory.settings.replace(limits=limits.replace(memory_seconds=0.2))
        )
        answer = await client.chat.completions.with_raw_response.create(
            model="m", messages=[{"role": "user", "content": "And now?"}], extra_headers=HEADERS
        )
        assert answer.headers["x-erstwhile-memory"] == 'degraded; reason="the memory took longer than 0.2 s"'
        held.set()
        said = await kitchen.said("kitchen", 6)
    assert {message.text for message in said[2:]} >= {"Where do I live?", "And now?"}


def test_a_body_is_changed_only_where_it_is_meant_to_be() -> None:
    given = b' { "a" : 1.50 , "list": [ {"x" : 1e2} , "\\u00e9" ], "b":{"\\u0000":[]} , "a": 2 } '
    body = JsonBody(given)
    body.put("list", [*body.get("list"), 3])
    assert json.loads(body.encode()) == {"a": 2, "list": [{"x": 100.0}, "é", 3], "b": {"\0": []}}
    body = JsonBody(given)
    body.put_pieces("list", body.pieces("list")[::-1])
    body.put("c", None)
    body.drop("a")
    assert body.encode() == b'{"list":["\\u00e9",{"x" : 1e2}],"b":{"\\u0000":[]},"c":null}'


async def test_a_space_that_has_used_its_tokens_is_told_when_to_come_again(
    database_url: str, serving: Serve, model: ModelServer
) -> None:
    async with house(database_url, serving, model, limits={"tokens_per_day": 200}) as opened:
        async with openai.AsyncOpenAI(
            base_url=f"{opened.url}/v1", api_key="none", max_retries=0, timeout=120
        ) as client:
            assert await ask(client, ("user", "Where do I live?"))
            with pytest.raises(openai.RateLimitError, match="tokens a day") as refused:
                await ask(client, ("user", "sea " * 400))
        assert int(refused.value.response.headers["Retry-After"]) > 0
        assert len(model.calls) == 1, "nothing was spent on it"


async def test_a_model_that_never_answers_is_given_up_and_the_turn_is_kept(database_url: str, serving: Serve) -> None:
    async with (
        ModelServer(lambda _call: Reply("late", delay=3)) as silent,
        house(database_url, serving, silent, model_timeout_seconds=0.3) as opened,
        openai.AsyncOpenAI(base_url=f"{opened.url}/v1", api_key="none", max_retries=0, timeout=120) as client,
    ):
        with pytest.raises(openai.APIStatusError) as refused:
            await ask(client, ("user", "Where do I live?"))
        assert refused.value.status_code == 504
        question, reply = [message.text for message in await opened.said("kitchen", 2)]
        assert question == "Where do I live?"
        assert reply.startswith("[The model failed")
