"""A minimal HTTP/1.1 server, so that responses can be broken at any byte."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable, Mapping
from http import HTTPStatus
from typing import Any

from erstwhile.base.records import dataclass


@dataclass(frozen=True, slots=True)
class HttpRequest:
    method: str
    path: str
    headers: dict[str, str]
    body: bytes


@dataclass(frozen=True, slots=True)
class Answer:
    """A head and the pieces that follow it, ready to send whole, in part or slowly."""

    head: bytes
    frames: list[bytes]

    @property
    def tail(self) -> bytes:
        return b"".join(self.frames)


async def read(reader: asyncio.StreamReader) -> HttpRequest | None:
    """Read the next request; None when the client is done, or does not speak HTTP."""
    try:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    except (asyncio.IncompleteReadError, asyncio.LimitOverrunError):
        return None
    first, *lines = head.strip().split("\r\n")
    if first.count(" ") != 2:
        return None
    method, path, _ = first.split(" ")
    given = (line.partition(":") for line in lines)
    headers = {name.strip().lower(): value.strip() for name, _, value in given}
    if headers.get("transfer-encoding", "").lower() == "chunked":
        body = await _read_chunks(reader)
    else:
        body = await reader.readexactly(int(headers.get("content-length") or 0))
    return HttpRequest(method, path.partition("?")[0], headers, body)


def whole(status: int, payload: dict[str, Any], headers: Mapping[str, str] | None = None) -> Answer:
    body = json.dumps(payload, ensure_ascii=False).encode()
    return raw(status, body, {"content-type": "application/json", **(headers or {})})


def raw(status: int, body: bytes, headers: Mapping[str, str]) -> Answer:
    return Answer(_head(status, {**headers, "content-length": str(len(body))}), [body])


def streamed(events: Iterable[bytes], headers: Mapping[str, str] | None = None) -> Answer:
    kind = {"content-type": "text/event-stream", "transfer-encoding": "chunked"}
    chunks = [b"%x\r\n%s\r\n" % (len(event), event) for event in events]
    return Answer(_head(200, {**kind, **(headers or {})}), [*chunks, b"0\r\n\r\n"])


async def send(writer: asyncio.StreamWriter, *frames: bytes) -> None:
    for frame in frames:
        writer.write(frame)
        await writer.drain()


async def gone(reader: asyncio.StreamReader) -> None:
    """Return when the client has closed its end."""
    while await reader.read(1024):
        pass


async def _read_chunks(reader: asyncio.StreamReader) -> bytes:
    body = b""
    while size := int((await reader.readline()).split(b";")[0], 16):
        body += await reader.readexactly(size)
        await reader.readline()
    await reader.readline()
    return body


def _head(status: int, headers: Mapping[str, str]) -> bytes:
    reasons = {item.value: item.phrase for item in HTTPStatus}
    lines = [f"HTTP/1.1 {status} {reasons.get(status, 'Scripted')}"]
    lines += [f"{name}: {value}" for name, value in headers.items()]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")
