from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from datetime import datetime
from operator import attrgetter
from typing import Any

from erstwhile.base import trust
from erstwhile.base.records import dataclass
from erstwhile.text.labels import NameLabel, label

ROLES = ("user", "assistant", "system", "tool")
FURTHEST = 2**53  # larger than any seq


@dataclass(frozen=True, slots=True)
class NewMessage:
    """A message to add. `key` is the sender's own id; adding it again changes nothing."""

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

    def numbered(self, seq: int) -> Message:
        """Return the message with its place in its channel. `dataclasses.replace` takes twice as long."""
        return Message(self.id, seq, *_behind_seq(self))

    @property
    def speaker(self) -> NameLabel:
        """The label of the author: their name, id or role."""
        named = (self.name and label(self.name)) or (self.person and label(self.person))
        whose = named or NameLabel(self.role)
        return NameLabel(f"{whose} ({trust.MARK})") if trust.is_declared(self.meta) else whose

    @property
    def is_failure(self) -> bool:
        """Whether it only says that a reply failed, or was cut off before its first word."""
        record = self.meta.get("debug") if self.role == "system" else None
        return isinstance(record, dict) and not {"error", "interrupted"}.isdisjoint(record)

    @property
    def trust(self) -> str:
        """Its trust tier."""
        return trust.TIERS[trust.of_message(self.role, self.person, self.meta)]


_behind_seq = attrgetter("role", "person", "name", "text", "at", "key", "model", "meta")


@dataclass(frozen=True, slots=True)
class ChannelMessages:
    """Messages that were appended to a channel in one transaction, in order."""

    channel: str
    messages: Sequence[Message]


@dataclass(frozen=True, slots=True)
class KnownKeys:
    """Which keys have messages that are `there`, and which were `erased`."""

    there: frozenset[str]
    erased: frozenset[str]


@dataclass(frozen=True, slots=True)
class ChannelRow:
    space: str
    channel: str
    last_seq: int
    privacy: str


@dataclass(frozen=True, slots=True)
class Origin:
    """An origin of messages: the `source` in their meta, such as an import file, with the times of
    the first and last."""

    source: str
    messages: int
    channels: int
    first_at: datetime
    last_at: datetime
