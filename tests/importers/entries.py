"""Sources made of what a test writes down."""

from __future__ import annotations

import io
import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import IO, Any

from erstwhile.importers.model import Format, ImportedMessage, ImportProblem, ImportSource, ReadItem, SkippedItems
from erstwhile.log import check


@dataclass(frozen=True, slots=True)
class InMemory:
    name: str
    content: bytes

    @property
    def size(self) -> int:
        return len(self.content)

    def open(self) -> IO[bytes]:
        return io.BytesIO(self.content)


def source(files: Mapping[str, Any], name: str = "export.zip", channel: str | None = None) -> ImportSource:
    """Bytes and text as they are, the rest as JSON."""
    entries = [InMemory(each, _written(content)) for each, content in sorted(files.items())]
    return ImportSource(name, entries, channel)


def _written(content: Any) -> bytes:
    if isinstance(content, bytes):
        return content
    return (content if isinstance(content, str) else json.dumps(content)).encode()


@dataclass(slots=True)
class Found:
    lines: list[ImportedMessage]
    problems: list[ImportProblem]
    left: Counter[str]

    @property
    def texts(self) -> list[str]:
        return [line.message.text for line in self.lines]

    @property
    def keys(self) -> list[str | None]:
        return [line.message.key for line in self.lines]


def found(read: Iterable[ReadItem]) -> Found:
    """All of it; what is no message the log would take, apart from its words, is a mistake of the reader."""
    result = Found([], [], Counter())
    for each in read:
        if isinstance(each, ImportedMessage):
            assert each.message.key
            assert each.channel
            assert each.where
            result.lines.append(each)
        elif isinstance(each, ImportProblem):
            assert each.reason.endswith("."), each
            result.problems.append(each)
        else:
            assert isinstance(each, SkippedItems)
            assert each.count > 0
            result.left[each.reason] += each.count
    return result


def read(format: Format, files: Mapping[str, Any], **more: Any) -> Found:
    given = source(files, **more)
    assert format.recognises(given)
    result = found(format.read(given))
    for line in result.lines:
        check.message(line.message, largest=2**20)
        check.identifier("channel", line.channel)
    return result
