"""The feed over HTTP: server-sent events, as a browser reads them."""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import AsyncIterator
from typing import Any

import httpx2
import pytest
from fastapi import FastAPI

import erstwhile
from erstwhile.http.routes import events as route
from inside import runtime
from soak.size import SOAK


async def lines(stream: httpx2.Response) -> AsyncIterator[str]:
    async for line in stream.aiter_lines():
        yield line


class Reader:
    """Reads one stream, and remembers the last id as browsers do."""

    def __init__(self, server: str, **params: str) -> None:
        self._client = httpx2.AsyncClient(base_url=server, timeout=30)
        self._params = params
        self.last: str | None = None

    async def read(self, count: int) -> list[dict[str, Any]]:
        """Connects, takes so many events and goes."""
        headers = {} if self.last is None else {"Last-Event-ID": self.last}
        found = []
        url = "/v1/spaces/default/events"
        async with self._client.stream("GET", url, params=self._params, headers=headers) as stream:
            async for line in lines(stream):
                if line.startswith("id: "):
                    self.last = line.removeprefix("id: ")
                elif line.startswith("data: "):
                    found.append(json.loads(line.removeprefix("data: ")))
                    assert found[-1]["cursor"] == self.last
                if len(found) == count:
                    return found
        raise AssertionError(f"the stream ended after {found}")

    async def close(self) -> None:
        await self._client.aclose()


async def test_what_another_opening_writes_appears(server: str, database_url: str) -> None:
    async with (
        erstwhile.open(database_url, worker=False) as other,
        httpx2.AsyncClient(base_url=server) as client,
        client.stream("GET", "/v1/spaces/default/events") as stream,
    ):
        assert stream.headers["content-type"].startswith("text/event-stream")
        assert "no-store" in stream.headers["cache-control"]
        assert stream.headers["x-accel-buffering"] == "no"
        read = lines(stream)
        assert await anext(read) == "retry: 1000"  # at once, though nothing has happened
        stored = await other.channel("chat").add("user", "hello", person="alice")
        assert await anext(read) == ""
        assert (await anext(read)).startswith("id: ")
        assert await anext(read) == "event: change"
        event = json.loads((await anext(read)).removeprefix("data: "))
        assert await anext(read) == ""
        assert (event["kind"], event["action"], event["id"]) == ("message", "added", stored.id)
        assert (event["channel"], event["person"], event["seq"], event["until"]) == ("chat", "alice", 1, 1)


EACH = 5_000 if SOAK else 50  # messages of each writer; a reconnection is due after twenty


@pytest.mark.timeout(3600 if SOAK else 600)
async def test_reconnecting_with_the_last_id_misses_and_repeats_nothing(server: str, memory: erstwhile.Memory) -> None:
    chance, reader = random.Random(3), Reader(server, after="0")

    async def write(number: int) -> list[str]:
        stored = []
        for n in range(EACH):
            stored.append((await memory.channel(f"chat-{number}").add("user", f"message {n}")).id)
            await asyncio.sleep(chance.choice((0, 0.003)))
        return stored

    writing = [asyncio.create_task(write(number)) for number in range(4)]
    seen: list[str] = []
    while len(seen) < 4 * EACH:
        count = min(chance.randint(1, 40), 4 * EACH - len(seen))
        seen += [event["id"] for event in await reader.read(count)]
    await reader.close()
    stored = [id for ids in await asyncio.gather(*writing) for id in ids]
    assert len(seen) == len(set(seen))
    assert sorted(seen) == sorted(stored)


async def test_only_of_some_kinds_or_of_a_channel(server: str, memory: erstwhile.Memory) -> None:
    chat = memory.channel("a/b")
    await memory.channel("other").add("user", "hello")
    await chat.add("user", "hello")
    fact = await memory.facts.add(chat, "Alice likes tea", by="carol")
    for params in ({"kinds": "fact,meta"}, {"channel": "a/b", "kinds": "fact"}):
        reader = Reader(server, after="0", **params)
        assert [event["id"] for event in await reader.read(1)] == [fact.id]
        await reader.close()
    reader = Reader(server, after="long gone", channel="a/b")
    found = await reader.read(3)
    assert [(event["kind"], event["action"]) for event in found] == [
        ("space", "reset"),
        ("message", "added"),
        ("fact", "added"),
    ]
    assert found[1]["channel"] == "a/b"
    await reader.close()


async def test_a_sign_of_life_and_an_end_when_the_server_closes(
    app: FastAPI, server: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(route, "_HEARTBEAT_SECONDS", 0.05)
    async with (
        httpx2.AsyncClient(base_url=server) as client,
        client.stream("GET", "/v1/spaces/default/events") as stream,
    ):
        read = lines(stream)
        assert [await anext(read) for _ in range(3)] == ["retry: 1000", "", ": still here"]
        app.state.closing.set()
        assert not [line async for line in read if line not in ("", ": still here")]


async def test_closing_the_memory_ends_the_stream(app: FastAPI, server: str, memory: erstwhile.Memory) -> None:
    async with (
        httpx2.AsyncClient(base_url=server) as client,
        client.stream("GET", "/v1/spaces/default/events") as stream,
    ):
        read = lines(stream)
        assert await anext(read) == "retry: 1000"
        await runtime(memory).feed.close()
        assert [line async for line in read] == [""]


async def test_the_stream_ends_when_its_key_does(
    server: str, memory: erstwhile.Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(route, "_ASKED_SECONDS", 0.1)
    made = await memory.keys.create(space="default")
    headers = {"Authorization": f"Bearer {made.key}"}
    async with (
        httpx2.AsyncClient(base_url=server, headers=headers, timeout=30) as client,
        client.stream("GET", "/v1/spaces/default/events") as stream,
    ):
        seen = lines(stream)
        assert await anext(seen) == "retry: 1000"
        await memory.keys.revoke(made.id)
        assert [line async for line in seen if line] == []  # it ends by itself


async def test_one_key_does_not_open_streams_without_end(
    app: FastAPI, server: str, memory: erstwhile.Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(route, "_MOST", 1)
    url = "/v1/spaces/default/events"
    async with httpx2.AsyncClient(base_url=server, timeout=30) as client:
        async with client.stream("GET", url) as stream:
            await anext(lines(stream))
            refused = await client.get(url)
            assert (refused.status_code, refused.headers["Retry-After"]) == (429, "10")
        async with asyncio.timeout(120):
            while app.state.watchers:  # noqa: ASYNC110 - the server notices by itself that they left
                await asyncio.sleep(0.02)
        async with client.stream("GET", url) as stream:
            assert stream.status_code == 200
