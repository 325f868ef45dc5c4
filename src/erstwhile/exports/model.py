from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from pathlib import Path
from typing import Final

from erstwhile.base.errors import InvalidInput
from erstwhile.base.records import dataclass

FORMAT: Final = 2


@dataclass(frozen=True, slots=True)
class ExportResult:
    """The zip, and how many messages and memories are in it."""

    path: Path
    messages: int
    memories: int


@dataclass(frozen=True, slots=True)
class ImportCounts:
    """The result of loading an export: all its rows (`whole`), or only its messages if the space
    was not empty. `skipped` messages existed already or must not be stored. `left`: settings that
    were not taken; `was`: the name of the exported space."""

    whole: bool
    messages: int
    memories: int
    skipped: int
    channels: int
    left: tuple[str, ...] = ()
    was: str = ""


@dataclass(frozen=True, slots=True)
class WithheldMemories:
    """What a person does not get: memories of private `channels`, and of channels that were private
    at first what was made before the message `early` names."""

    channels: tuple[str, ...] = ()
    early: Mapping[str, int] = field(default_factory=dict)

    def hides(self, channel: str, seq: int | None) -> bool:
        return channel in self.channels or (seq or 0) < self.early.get(channel, 0)


@dataclass(frozen=True, slots=True)
class ExportSubject:
    """Whose export it is: a person's, a channel's or, with neither, the space's."""

    person: str | None = None
    channel: str | None = None

    @property
    def kind(self) -> str:
        if self.person is not None:
            return "person"
        return "space" if self.channel is None else "channel"

    @property
    def what(self) -> dict[str, str]:
        named = self.person if self.person is not None else self.channel
        return {} if named is None else {self.kind: named}


def of(person: str | None, channel: str | None) -> ExportSubject:
    """Return whose export is asked for."""
    if person is not None and channel is not None:
        raise InvalidInput(
            "Name a person or a channel, one of the two, or neither for the whole space."
        )
    return ExportSubject(person=person, channel=channel)
