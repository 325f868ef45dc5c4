from __future__ import annotations

from pathlib import Path
from typing import Final

from erstwhile.base.records import dataclass

FORMAT: Final = 2


@dataclass(frozen=True, slots=True)
class Exported:
    """The zip, and how many messages and memories are in it."""

    path: Path
    messages: int
    memories: int


@dataclass(frozen=True, slots=True)
class Loaded:
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
class Of:
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
