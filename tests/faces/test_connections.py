"""What a connection may cost before its request has a caller: raw sockets against a running server."""

from __future__ import annotations

import asyncio
import gc
import json
import resource
from collections.abc import AsyncIterator
from contextlib import suppress

import pytest

import erstwhile
from erstwhile.base.settings import load
from erstwhile.http import serve as server
from erstwhile.http.serve import Stop, bind, serve

GET = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n"


@pytest.fixture
async def port(memory: erstwhile.Memory, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[int]:
    monkeypatch.setattr(server, "HEADER_SECONDS", 0.5)
    stop = Stop()
    (listening,) = bind(load(port=0))
    running = asyncio.create_task(serve(memory, [listening], stop))
    yield int(listening.getsockname()[1])
    stop._on_signal(15, None)
    await running


async def answer(reader: asyncio.StreamReader) -> bytes:
    """Everything until the server closes, also where it then resets the connection because more was sent."""
    said = b""
    with suppress(ConnectionError):
        while piece := await reader.read(65536):
            said += piece
    return said


async def endless(port: int, unit: bytes, most: int, start: bytes = GET + b"X-Long: ") -> tuple[int, bytes]:
    """Send one unit again and again; how much was taken, and what was answered."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    sent = 0
    answered = asyncio.create_task(answer(reader))
    writer.write(start)
    with suppress(ConnectionError):
        while sent < most and not answered.done():
            writer.write(unit)
            await writer.drain()
            sent += len(unit)
    said = await answered
    writer.close()
    return sent, said


async def test_an_endless_header_is_refused_and_takes_no_memory(port: int) -> None:
    gc.collect()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for unit in (b"x" * 4096, b"x\r\nX-More: "):
        sent, said = await endless(port, unit * (4096 // len(unit)), 64 * 2**20)
        assert sent < 64 * 2**20
        assert not said or said.startswith(b"HTTP/1.1 431 ")
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 32_000  # kB; 128 MB were offered


async def test_a_large_header_is_answered_with_431(port: int) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(GET + b"X-Long: " + b"x" * server.HEADER_BYTES)
    said = await answer(reader)
    head, _, body = said.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 431 ")
    assert f"content-length: {len(body)}".encode() in head
    writer.close()


CHUNKED = b"POST /healthz HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"


@pytest.mark.parametrize(
    ("start", "unit"),
    [(b"1\r\na\r\n0\r\n", b"X: a\r\n"), (b"0\r\nX: ", b"aaaa"), (b"1;", b"aaaa"), (b"", b"0000")],
    ids=["trailers", "one trailer", "what a chunk says of itself", "the length of a chunk"],
)
async def test_what_comes_beside_a_body_is_limited_too(port: int, start: bytes, unit: bytes) -> None:
    gc.collect()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    sent, said = await endless(port, unit * 1024, 16 * 2**20, CHUNKED + start)
    assert sent < 16 * 2**20
    assert not said or said.startswith(b"HTTP/1.1 431 ")
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 32_000  # kB


async def test_a_body_in_tiny_chunks_with_trailers_is_taken(port: int) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    body = json.dumps({"role": "user", "text": "hello" * 8000}).encode()
    writer.write(b"POST /v1/spaces/s/channels/c/messages HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n")
    writer.write(b"Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n")
    writer.write(b"".join(b"1\r\n" + bytes([each]) + b"\r\n" for each in body) + b"0\r\nX-Sum: 1\r\n\r\n")
    assert (await answer(reader)).startswith(b"HTTP/1.1 201 ")
    writer.close()


@pytest.mark.parametrize("path", [b"/healthz", b"/login", b"/v1/spaces/s/channels/c/messages"])
async def test_a_slow_body_of_an_unknown_client_is_closed(port: int, memory: erstwhile.Memory, path: bytes) -> None:
    await memory.keys.create(admin=True)  # from now on a key is asked for
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    answered = asyncio.create_task(answer(reader))
    writer.write(b"POST " + path + b" HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n")
    writer.write(b"Content-Length: 100000\r\n\r\n")
    async with asyncio.timeout(60):
        while not answered.done():
            with suppress(ConnectionError):
                writer.write(b" ")
                await writer.drain()
            await asyncio.sleep(0.05)
    writer.close()


async def test_headers_just_below_the_limit_are_taken(port: int) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    end = b"\r\nConnection: close\r\n\r\n"
    start = GET + b"X-Long: "
    writer.write(start + b"x" * (server.HEADER_BYTES - len(start + end)) + end)
    assert (await answer(reader)).startswith(b"HTTP/1.1 200 ")
    writer.close()


async def test_slow_headers_are_closed(port: int) -> None:
    """Also of a connection that sends nothing, and of a further request."""
    opened = [await asyncio.open_connection("127.0.0.1", port) for _ in range(30)]

    async def drip(number: int) -> bytes:
        reader, writer = opened[number]
        answered = asyncio.create_task(answer(reader))
        with suppress(ConnectionError):
            if number % 3 == 1:
                writer.write(GET + b"\r\n")
            while number % 3 and not answered.done():
                writer.write(b"X" if number % 3 == 2 else b"\r\n")
                await asyncio.sleep(0.05)
        said = await answered
        writer.close()
        return said

    told = await asyncio.wait_for(asyncio.gather(*map(drip, range(30))), 120)
    assert all(said.startswith(b"HTTP/1.1 200 ") for said in told[1::3])
    assert all(not said.startswith(b"HTTP/1.1 200 ") for said in told[0::3] + told[2::3])


async def test_a_connection_is_used_again(port: int) -> None:
    """Two requests at once, then a body that takes longer than headers may."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write((GET + b"\r\n") * 2)
    writer.write(b"POST /v1/spaces/s/channels/c/messages HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n")
    body = b'{"role": "user", "text": "hello"}'
    writer.write(b"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(body))
    for each in body:
        writer.write(bytes([each]))
        await asyncio.sleep(0.03)
    said = await answer(reader)
    assert said.count(b"HTTP/1.1 200 ") == 2
    assert said.count(b"HTTP/1.1 201 ") == 1
    writer.close()
