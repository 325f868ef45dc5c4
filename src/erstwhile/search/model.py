from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from datetime import datetime

from erstwhile.base.records import dataclass
from erstwhile.log.model import Message
from erstwhile.search.trace import Trace

OF_PEOPLE = ("told", "day", "note", "topic", "profile")


@dataclass(frozen=True, slots=True)
class Hit:
    """`sources` are its direct sources: the messages of a fact or chunk, the summaries of a meta, the notes of a topic or
    profile fact. A message is its own source. The channel "" stands for the whole space."""

    id: str
    kind: str
    text: str
    channel: str
    person: str | None
    seq: int | None
    at: datetime
    score: float
    sources: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Facet:
    """A value, and how many results have it."""

    value: str
    count: int


@dataclass(frozen=True, slots=True)
class Browsed:
    """A page of documents with the words: `total` is the number on all pages, `words` those that were searched, as the
    index has them, `names` the names of the people in it. The others are facets, the most frequent first (`months` the
    latest first): each counts what would be found without a filter on it."""

    total: int
    hits: list[Hit]
    words: tuple[str, ...] = ()
    names: Mapping[str, str] = field(default_factory=dict)
    kinds: tuple[Facet, ...] = ()
    channels: tuple[Facet, ...] = ()
    people: tuple[Facet, ...] = ()
    writers: tuple[Facet, ...] = ()
    months: tuple[Facet, ...] = ()


@dataclass(frozen=True, slots=True)
class TracedHits:
    """The result of a search and its trace; `said` are the messages in it, each with its channel."""

    hits: list[Hit]
    trace: Trace
    said: Mapping[str, tuple[str, Message]]


@dataclass(frozen=True, slots=True)
class Source:
    """Where a memory comes from, down to the messages. `seq` and `speaker` are a message's; `expired` is the number of a
    memory's messages that are no longer stored."""

    id: str
    kind: str
    text: str
    channel: str
    at: datetime
    writer: str | None
    seq: int | None
    speaker: str | None
    sources: tuple[Source, ...]
    expired: int = 0
