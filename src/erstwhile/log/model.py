from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

ROLES = ("user", "assistant", "system", "tool")
FURTHEST = 2**53  # no database counts messages further


@dataclass(frozen=True, slots=True)
class NewMessage:
    """What is handed in. `key` is the sender's own id of the message: the same key again changes nothing."""

    role: str
    text: str
    person: str | None = None
    name: str | None = None
    at: datetime | str | None = None
    key: str | None = None
    model: str | None = None
    meta: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Message:
    id: str
    seq: int
    role: str
    person: str | None
    name: str | None
    text: str
    at: datetime
    key: str | None
    model: str | None
    meta: Mapping[str, Any]

    @property
    def speaker(self) -> str:
        """How a reader should call whoever said it."""
        return self.name or self.person or self.role


@dataclass(frozen=True, slots=True)
class Part:
    """Of what was made of a channel: what touches the messages `first` to `last`, the latest `limit` of it."""

    first: int = 0
    last: int = FURTHEST
    limit: int = FURTHEST


WHOLE = Part()


@dataclass(frozen=True, slots=True)
class Channel:
    space: str
    channel: str
    last_seq: int


@dataclass(frozen=True, slots=True)
class Origin:
    """Where messages came from: the `source` in their meta, such as an import's file. The first and the last of them, by their time."""

    source: str
    messages: int
    channels: int
    first_at: datetime
    last_at: datetime
