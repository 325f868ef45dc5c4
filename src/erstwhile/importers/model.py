from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import IO, Protocol

from erstwhile.log.model import NewMessage


@dataclass(frozen=True, slots=True)
class Line:
    """One message as it was found; `where` names its place to a person: "line 12", "channel general, 2026-03-01.json, message 4".
    The message has a `key` (`discord:1187…`, `chatgpt:<id>`), `at` where the source says when, and the rest as the log takes it."""

    channel: str
    message: NewMessage
    where: str


@dataclass(frozen=True, slots=True)
class Problem:
    """What was left out, or looked doubtful, and why, in words that say what to do."""

    where: str
    reason: str


@dataclass(frozen=True, slots=True)
class Left:
    """What is left out as a matter of course (`reason`: "system messages"): only counted."""

    reason: str
    count: int = 1


Read = Line | Problem | Left


class Entry(Protocol):
    """One file of a source. `name` is its path in the folder or zip, with slashes. Reading past the bounds raises `InvalidInput`."""

    name: str
    size: int

    def open(self) -> IO[bytes]: ...


@dataclass(frozen=True, slots=True)
class Source:
    """What was handed in: a file, the files of a folder, or those of a zip, in the order of their names. `channel` was given for what
    names none."""

    name: str
    entries: Sequence[Entry]
    channel: str | None = None


class Format(Protocol):
    """`name` as given to --format. Formats hold nothing: one object serves all imports."""

    name: str

    def recognises(self, source: Source) -> bool:
        """From the names and the first few kilobytes of its files; never raises for files of another kind."""

    def read(self, source: Source) -> Iterator[Read]:
        """In the order it was said, channel by channel. Raises `InvalidInput` only where the source as a whole can't be read."""


@dataclass(slots=True)
class Report:
    """`messages`: those that are new; `skipped`: those that were there already, were left out, or have a problem. Of problems the first
    thousand are kept, `more_problems` counts the rest. `channels`, `people`, `first` and `last` are of all that could be read, new or not.
    After a dry run: as an import would have it."""

    format: str
    source: str
    messages: int = 0
    skipped: int = 0
    channels: int = 0
    left: dict[str, int] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    more_problems: int = 0
    already: int = 0
    people: int = 0
    first: datetime | None = None
    last: datetime | None = None
    dry_run: bool = False
