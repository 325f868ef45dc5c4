from __future__ import annotations

import hashlib
from array import array
from collections.abc import Callable, Iterator, Sequence
from dataclasses import field
from datetime import datetime
from typing import IO, Final, Protocol

from erstwhile.base.records import dataclass
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
ReadItems = Iterator[ReadItem]


class SourceFile(Protocol):
    """One file of a source. `name` is its path in the folder or zip, with slashes. Reading past the
    limits raises `InvalidInput`."""

    name: str
    size: int

    def open(self) -> IO[bytes]: ...


@dataclass(frozen=True, slots=True)
class ImportSource:
    """A file, or the files of a folder or zip by name. `channel` is for messages that name none."""

    name: str
    entries: Sequence[SourceFile]
    channel: str | None = None


@dataclass(frozen=True, slots=True)
class Format:
    """`name` is the value of --format. `recognises` decides by file names and their first kilobytes,
    and never raises for other files. `read` yields items channel by channel, and raises
    `InvalidInput` if nothing can be read. Formats have no state: one object serves all imports."""

    name: str
    recognises: Callable[[ImportSource], bool]
    read: Callable[[ImportSource], ReadItems]


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

    @property
    def period(self) -> str:
        """Say of which days the messages are, "" without one."""
        if self.first is None or self.last is None:
            return ""
        first, last = f"{self.first:%Y-%m-%d}", f"{self.last:%Y-%m-%d}"
        return f"from {first} to {last}" if first != last else f"of {first}"


_FEW: Final = 1 << 12


class DigestCounts:
    """Counts millions of digests by eight bytes of each; a Python set takes ten times the memory.

    Two of two million digests collide with a chance of one in ten million; then one key differs.
    """

    def __init__(self) -> None:
        self._slots = array("Q", bytes(8 * _FEW))
        self._held = 0
        self._often: dict[int, int] = {}

    def count(self, digest: bytes) -> int:
        """Count a digest and return how often it occurred; 1 for the first time."""
        mark = int.from_bytes(digest[:8]) or 1
        if self._put(self._slots, mark):
            self._held += 1
            if 3 * self._held > 2 * len(self._slots):
                self._grow()
            return 1
        self._often[mark] = self._often.get(mark, 1) + 1
        return self._often[mark]

    def _grow(self) -> None:
        wider = array("Q", bytes(16 * len(self._slots)))
        for mark in filter(None, self._slots):
            self._put(wider, mark)
        self._slots = wider

    @staticmethod
    def _put(slots: array[int], mark: int) -> bool:
        last = len(slots) - 1
        place = mark & last
        while found := slots[place]:
            if found == mark:
                return False
            place = (place + 1) & last
        slots[place] = mark
        return True


def digest(*parts: str) -> bytes:
    """Hash the parts with their lengths, so that ("a", "bc") and ("ab", "c") differ."""
    told = "".join(f"{len(part)}:{part}" for part in parts)
    return hashlib.sha256(told.encode("utf-8", "replace")).digest()
