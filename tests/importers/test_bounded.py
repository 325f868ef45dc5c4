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
from made import files

from erstwhile.importers import chatgpt, claude, telegram, whatsapp
from erstwhile.importers.model import Format, ImportedMessage, ImportSource

TIMES = 1200 if os.environ.get("ERSTWHILE_SOAK") else 4  # the larger file is so many times the smaller one
_AT_ONCE = 200  # messages of a part that is repeated
_SMALL = 4  # parts


class _Stream(io.RawIOBase):
    """Made as it is read."""

    def __init__(self, parts: Iterator[bytes]) -> None:
        self._parts, self._here = parts, io.BytesIO()

    def read(self, size: int = -1) -> bytes:
        return self._here.read(size) or self._next().read(size)

    def readline(self, size: int | None = -1) -> bytes:
        return self._here.readline(size) or self._next().readline(size)

    def _next(self) -> io.BytesIO:
        self._here = io.BytesIO(next(self._parts, b""))
        return self._here


@dataclass(frozen=True, slots=True)
class _Large:
    name: str
    start: bytes
    part: bytes
    end: bytes
    parts: int
    size: int = 2**40

    def open(self) -> IO[bytes]:
        parts = repeat(self.part, self.parts)
        return cast(IO[bytes], _Stream(chain([self.start], parts, [self.end])))


def _of_conversations(content: bytes) -> tuple[bytes, bytes, bytes]:
    inner = content.removeprefix(b"[").removesuffix(b"]")
    return b"[", inner + b",", json.dumps({"empty": True}).encode() + b"]"


def _of_telegram(content: bytes) -> tuple[bytes, bytes, bytes]:
    start, _, messages = content.partition(b'"messages": [')
    return start + b'"messages": [', messages.rpartition(b"]")[0] + b",", b"{}]}"


@pytest.mark.parametrize(
    ("format", "name", "parts"),
    [
        (chatgpt.FORMAT, "conversations.json", _of_conversations(files("chatgpt", _AT_ONCE)["conversations.json"])),
        (claude.FORMAT, "conversations.json", _of_conversations(files("claude", _AT_ONCE)["conversations.json"])),
        (telegram.FORMAT, "result.json", _of_telegram(files("telegram", _AT_ONCE)["result.json"])),
        (whatsapp.FORMAT, "WhatsApp Chat with A.txt", (b"\n", *files("whatsapp", _AT_ONCE).values(), b"")),
    ],
    ids=["chatgpt", "claude", "telegram", "whatsapp"],
)
def test_memory_does_not_grow_with_the_file(format: Format, name: str, parts: tuple[bytes, bytes, bytes]) -> None:
    small, large = (_peak(format, _Large(name, *parts, times)) for times in (_SMALL, _SMALL * TIMES))
    assert large < small * 1.5 + 200 * min(
        _AT_ONCE * _SMALL * TIMES, 100_000
    )  # WhatsApp's are numbered up to so many back


def _peak(format: Format, entry: _Large) -> int:
    tracemalloc.start()
    read = sum(isinstance(each, ImportedMessage) for each in format.read(ImportSource("export.zip", [entry])))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert read == entry.parts * _AT_ONCE
    return peak
