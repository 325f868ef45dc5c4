"""A provider that sends what none should: it is passed on, or refused, and never breaks the chat, the log or the server."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest
from chatting import Serve, soon

import erstwhile
from erstwhile.http.app import create_app
from erstwhile.http.chat.protocol import ResponseReader
from erstwhile.http.chat.providers import ChatCompletions

ASKED: dict[str, Any] = {"messages": [{"role": "user", "content": "Where do I live?"}], "user": "kitchen"}


@pytest.fixture
def database_url(tmp_path: Path) -> str:
    """One database will do: this is about what comes over the wire."""
    return str(tmp_path / "test.db")


def answer(body: bytes, head: bytes = b"", status: bytes = b"200 OK") -> bytes:
    kind = b"Content-Type: application/json\r\n"
    return b"HTTP/1.1 %s\r\n%s%sContent-Length: %d\r\n\r\n%s" % (status, kind, head, len(body), body)


def said(**message: Any) -> bytes:
    """One whole chat completion."""
    usage = {"prompt_tokens": 10**40, "completion_tokens": 1}
    choice = {"index": 0, "message": {"role": "assistant", **message}, "finish_reason": "stop"}
    return answer(json.dumps({"id": "x", "model": "m", "choices": [choice], "usage": usage}).encode())


@asynccontextmanager
async def provider(*answers: bytes) -> AsyncIterator[str]:
    """Answers each connection with the next of these bytes, whatever it is asked."""
    left = list(answers)

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        length = next(int(line[15:]) for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:"))
        await reader.readexactly(length)
        writer.write(left.pop(0))
        writer.close()

    server = await asyncio.start_server(talk, "127.0.0.1", 0)
    async with server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"


@asynccontextmanager
async def chatting(
    database_url: str, serve: Serve, *answers: bytes, **more: Any
) -> AsyncIterator[tuple[httpx2.AsyncClient, Callable[[int], Any]]]:
    async with provider(*answers) as url:
        settings: dict[str, Any] = {"chat_model": "openai-compatible:m", "model": "extractive", "base_url": url, **more}
        async with erstwhile.open(database_url, worker=False, **settings) as memory:

            async def log(count: int) -> list[erstwhile.Message]:
                chat = memory.channel("kitchen")

                async def there() -> bool:
                    return await chat.size() >= count

                await soon(there)
                return [message async for message in chat.messages()]

            async with httpx2.AsyncClient(base_url=serve(create_app(memory)), timeout=120) as client:
                yield client, log


async def test_a_redirect_is_not_handed_on_with_whatever_key_the_client_would_take_there(
    database_url: str, serving: Serve
) -> None:
    moved = answer(b"{}", b"Location: https://elsewhere.example/v1\r\n", b"307 Temporary Redirect")
    async with chatting(database_url, serving, moved) as (client, log):
        refused = await client.post("/v1/chat/completions", json=ASKED)
        assert refused.status_code == 502
        assert "location" not in refused.headers
        assert "redirect" in refused.json()["error"]["message"]
        assert "307" in (await log(2))[1].text


async def test_headers_of_any_bytes_come_through_in_both_directions(database_url: str, serving: Serve) -> None:
    odd = answer(b'{"choices":[]}', "X-Where: 부산\r\n".encode() + b"X-Twice: a\r\nX-Twice: b\r\n")
    async with chatting(database_url, serving, odd) as (client, _):
        headers = [(b"anthropic-beta", "caf\u00e9".encode()), (b"content-type", b"application/json")]
        good = await client.post("/v1/chat/completions?x=%ff", content=json.dumps(ASKED), headers=headers)
        assert good.status_code == 200
        assert (b"x-where", "부산".encode()) in [(name.lower(), value) for name, value in good.headers.raw]
        assert good.headers.get_list("x-twice") == ["a", "b"]


async def test_what_no_log_could_keep_is_kept_as_far_as_it_can_be(database_url: str, serving: Serve) -> None:
    tool = {"id": "c", "function": {"name": "f\ud800", "arguments": "y" * 3000}}
    answers = [said(content="zero \0 and half a pair \ud83d."), said(content="word " * 1000, tool_calls=[tool])]
    async with chatting(database_url, serving, *answers, limits={"message_bytes": 2000}) as (client, log):
        question = b'{"user":"kitchen","messages":[{"role":"user","content":"half \\ud83d, zero \\u0000"}]}'
        json_too = {"Content-Type": "application/json"}
        assert (await client.post("/v1/chat/completions", content=question, headers=json_too)).status_code == 200
        assert [each.text for each in await log(2)] == [
            "half \ufffd, zero \ufffd",
            "zero \ufffd and half a pair \ufffd.",
        ]
        assert (await client.post("/v1/chat/completions", json=ASKED)).status_code == 200
        reply = (await log(4))[3]
        assert reply.text.startswith("word word")
        assert reply.text.endswith("[Cut here: the reply has 5,000 bytes.]")
        assert len(reply.text.encode()) <= 2000
        assert reply.meta["debug"]["upstream"]["model"] == "m"


EVENTS: list[Any] = [
    {"choices": [{"index": 0, "delta": {"tool_calls": [{"index": [1], "function": {"name": {}, "arguments": []}}]}}]},
    {"choices": [{"index": 0, "delta": {"tool_calls": {"index": 1}, "content": ["no text"]}}]},
    {"choices": {"index": 0}, "usage": {"prompt_tokens": "many"}, "model": [], "id": {}},
    [],
    {"choices": [{"index": 0, "delta": {"content": "heard"}}]},
]


def test_events_of_any_shape_are_passed_over() -> None:
    ear = ResponseReader(ChatCompletions(), streamed=True)
    for event in EVENTS:
        ear.feed(b"data: " + json.dumps(event).encode() + b"\n\n")
    ear.end()
    assert ear.answer.text == "heard"


def test_an_answer_without_end_is_not_kept_without_end() -> None:
    ear = ResponseReader(ChatCompletions(), streamed=True)
    line = b"data: " + json.dumps({"choices": [{"delta": {"content": "x" * 100_000}}]}).encode() + b"\n\n"
    for _ in range(200):
        ear.feed(line)
    assert len(ear.answer.text) < 10_000_000
    call = {"choices": [{"delta": {"tool_calls": [{"index": 0, "function": {"arguments": "x" * 100_000}}]}}]}
    for _ in range(200):
        ear.feed(b"data: " + json.dumps(call).encode() + b"\n\n")
    assert len(ear.answer.tools[0]["arguments"]) < 10_000_000
