"""However large a file is, only a little of it is held."""

from __future__ import annotations

import io
import json
import os
import tracemalloc
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, repeat
from typing import IO, cast

import pytest

from erstwhile.imports import chatgpt, claude, telegram, whatsapp
from erstwhile.imports.model import Format, Line, Source
from erstwhile.testing import exports

MESSAGES = 2_000_000 if os.environ.get("ERSTWHILE_SOAK") else 16_000
_AT_ONCE = 400  # messages of a part that is repeated
_MOST = 8 * 2**20


class _Stream(io.RawIOBase):
    """Made as it is read."""

    def __init__(self, parts: Iterator[bytes]) -> None:
        self._parts, self._have = parts, b""

    def read(self, size: int = -1) -> bytes:
        while len(self._have) < size and (part := next(self._parts, b"")):
            self._have += part
        given, self._have = self._have[:size], self._have[size:]
        return given

    def readline(self, size: int | None = -1) -> bytes:
        if b"\n" not in self._have:
            self._have += next(self._parts, b"")
        line, end, self._have = self._have.partition(b"\n")
        return line + end


@dataclass(frozen=True, slots=True)
class _Large:
    name: str
    start: bytes
    part: bytes
    end: bytes
    size: int = 2**40

    def open(self) -> IO[bytes]:
        parts = repeat(self.part, MESSAGES // _AT_ONCE)
        return cast(IO[bytes], _Stream(chain([self.start], parts, [self.end])))


def _of_conversations(content: bytes) -> tuple[bytes, bytes, bytes]:
    inner = content.removeprefix(b"[").removesuffix(b"]")
    return b"[", inner + b",", json.dumps({"empty": True}).encode() + b"]"


def _of_telegram(content: bytes) -> tuple[bytes, bytes, bytes]:
    start, _, messages = content.partition(b'"messages": [')
    return start + b'"messages": [', messages.removesuffix(b"]}") + b",", b"{}]}"


@pytest.mark.parametrize(
    ("format", "name", "parts"),
    [
        (chatgpt.FORMAT, "conversations.json", _of_conversations(exports.chatgpt(_AT_ONCE)["conversations.json"])),
        (claude.FORMAT, "conversations.json", _of_conversations(exports.claude(_AT_ONCE)["conversations.json"])),
        (telegram.FORMAT, "result.json", _of_telegram(exports.telegram(_AT_ONCE)["result.json"])),
        (whatsapp.FORMAT, "WhatsApp Chat with A.txt", (b"\n", *exports.whatsapp(_AT_ONCE).values(), b"")),
    ],
    ids=["chatgpt", "claude", "telegram", "whatsapp"],
)
def test_memory_does_not_grow_with_the_file(format: Format, name: str, parts: tuple[bytes, bytes, bytes]) -> None:
    source = Source("export.zip", [_Large(name, *parts)])
    tracemalloc.start()
    read = sum(isinstance(each, Line) for each in format.read(source))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert read == MESSAGES // _AT_ONCE * _AT_ONCE
    assert peak < _MOST + 200 * min(MESSAGES, 100_000)  # WhatsApp's messages are numbered up to so many back
