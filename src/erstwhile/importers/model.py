from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import IO, Protocol

from erstwhile.log.model import NewMessage


@dataclass(frozen=True, slots=True)
class ImportedMessage:
    """One message of a source. `where` is its position for people: "line 12", "channel general,
    2026-03-01.json, message 4". The message has a `key` (`discord:1187…`, `chatgpt:<id>`) and `at`,
    if the source has a time."""

    channel: str
    message: NewMessage
    where: str


@dataclass(frozen=True, slots=True)
class ImportProblem:
    """Something that was left out or is doubtful, and what to do about it."""

    where: str
    reason: str


@dataclass(frozen=True, slots=True)
class SkippedItems:
    """Items that are always left out, such as system messages. They are only counted."""

    reason: str
    count: int = 1


ReadItem = ImportedMessage | ImportProblem | SkippedItems


class SourceFile(Protocol):
    """One file of a source. `name` is its path in the folder or zip, with slashes. Reading past the
    limits raises `InvalidInput`."""

    name: str
    size: int

    def open(self) -> IO[bytes]: ...


@dataclass(frozen=True, slots=True)
class ImportSource:
    """A file, or the files of a folder or zip in the order of their names. `channel` is for
    messages that name none."""

    name: str
    entries: Sequence[SourceFile]
    channel: str | None = None


class Format(Protocol):
    """`name` is the value of --format. Formats have no state: one object serves all imports."""

    name: str

    def recognises(self, source: ImportSource) -> bool:
        """Decide by file names and their first kilobytes. Never raise for other files."""

    def read(self, source: ImportSource) -> Iterator[ReadItem]:
        """Yield items in order, channel by channel. Raise `InvalidInput` only if nothing can be
        read."""


@dataclass(slots=True)
class ImportReport:
    """`messages`: new ones. `skipped`: known, left out or with a problem. The first thousand
    problems are kept, `more_problems` counts the rest. `channels`, `people`, `first` and `last`
    cover everything readable, new or not. A dry run reports what an import would."""

    format: str
    source: str
    messages: int = 0
    skipped: int = 0
    channels: int = 0
    left: dict[str, int] = field(default_factory=dict)
    problems: list[ImportProblem] = field(default_factory=list)
    more_problems: int = 0
    already: int = 0
    people: int = 0
    first: datetime | None = None
    last: datetime | None = None
    dry_run: bool = False
