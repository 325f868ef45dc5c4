"""The calls that a model server received, its replies, and a minimal HTTP/1.1 server to send them with, so
that responses can be broken at any byte."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable, Mapping
from dataclasses import field
from http import HTTPStatus
from typing import Any

from erstwhile.base.records import dataclass


@dataclass(slots=True)
class Call:
    """One request. `outcome` is `answered`, a fault's name, or `client left`."""

    number: int
    path: str
    headers: dict[str, str]
    body: dict[str, Any]
    at: float
    outcome: str = "pending"
    status: int = 0
    raw: bytes = b""

    @property
    def model(self) -> str:
        return str(self.body.get("model", ""))

    @property
    def stream(self) -> bool:
        return bool(self.body.get("stream"))

    @property
    def api_key(self) -> str:
        bearer = self.headers.get("authorization", "").removeprefix("Bearer ")
        return bearer or self.headers.get("x-api-key", "")

    @property
    def system(self) -> str:
        """The instructions, wherever the protocol carries them."""
        spoken = [text for role, text in self._turns() if role in ("system", "developer")]
        given = (_text(self.body.get(name)) for name in ("instructions", "system"))
        return "\n\n".join(filter(None, [*given, *spoken]))

    @property
    def user(self) -> str:
        """The last thing the user said."""
        return next((text for role, text in reversed(self._turns()) if role == "user"), "")

    @property
    def prompt(self) -> str:
        """Everything the model reads, in order: what a prompt cache compares."""
        spoken = (turn for turn in self._turns() if turn[0] not in ("system", "developer"))
        turns = (f"{role}\n{text}" for role, text in spoken)
        return "\n\n".join([self.system, *turns])

    @property
    def schema(self) -> dict[str, Any] | None:
        """The JSON schema asked for, by response format or as the first tool."""
        body = self.body
        named = (body.get("text") or body.get("output_config") or {}).get("format")
        wanted = body.get("response_format") or named or {}
        for place in (wanted.get("json_schema"), wanted, *(body.get("tools") or [])):
            tool = (place or {}).get("function", place) or {}
            found = tool.get("schema") or tool.get("parameters") or tool.get("input_schema")
            if isinstance(found, dict):
                return found
        return None

    def _turns(self) -> list[tuple[str, str]]:
        given = self.body.get("messages", self.body.get("input", []))
        if isinstance(given, str):
            return [("user", given)]
        if not isinstance(given, list):
            return []
        turns = (turn for turn in given if isinstance(turn, dict))
        return [(str(turn.get("role", "")), _text(turn.get("content"))) for turn in turns]


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A tool that the model wants called; `arguments` is JSON."""

    name: str
    arguments: str = "{}"
    id: str = "call_1"


@dataclass(frozen=True, slots=True)
class Reply:
    """A model's answer. Token counts left at None are worked out; `delay` is in seconds, and so is
    `pause`, between the pieces of a stream."""

    text: str = ""
    refusal: str = ""
    finish: str = "stop"
    input_tokens: int | None = None
    output_tokens: int | None = None
    cached_tokens: int | None = None
    delay: float = 0.0
    pause: float = 0.0
    tools: tuple[ToolCall, ...] = ()
    headers: dict[str, str] = field(default_factory=dict)


def _text(content: object) -> str:
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "".join(str(part.get("text") or "") for part in content if isinstance(part, dict))
    return ""


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
