from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

NOTE, TOPIC = KINDS = ("note", "topic")
Kept = dict[str, Any]  # what it takes to bring back what people deleted, as JSON knows it
SECTIONS = ("bio", "interests", "skills", "opinions", "relationships", "other")


@dataclass(frozen=True, slots=True)
class Buffer:
    """Messages `first_seq` to `last_seq` of a channel that no note holds yet, `messages` of them by people."""

    channel: str
    first_seq: int
    last_seq: int
    messages: int
    started_at: datetime
    updated_at: datetime
    closed: bool


@dataclass(frozen=True, slots=True)
class Note:
    """A conversation (kind `note`, messages `first_seq` to `last_seq` of its channel) or a cluster of a day's notes (kind `topic`, made of
    `notes`; its channel is "" unless all of them are of one private channel). `topic`: what a note was put into."""

    id: str
    kind: str
    channel: str
    first_seq: int
    last_seq: int
    day: date
    title: str
    text: str
    people: tuple[str, ...]
    from_at: datetime
    to_at: datetime
    topic: str | None
    writer: str
    draft: bool
    expired: bool = False
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class NotedDay:
    """A day with how many notes of conversations it has, and how many topics they were put into."""

    day: date
    notes: int
    topics: int


@dataclass(frozen=True, slots=True)
class NoteStatement:
    """Something a conversation says about a person: `about` is a person's id, `said_by` the id of whoever said it (the same, or another),
    `seq` the message. `slot` and `value` as in structured memories, "" if none."""

    about: str
    said_by: str | None
    section: str
    text: str
    seq: int
    at: datetime
    slot: str = ""
    value: str = ""


@dataclass(frozen=True, slots=True)
class Night:
    """What a nightly run did: `notes` were put into `topics`; `people` took part in notes since the run before."""

    day: date
    notes: int
    topics: int
    people: int
