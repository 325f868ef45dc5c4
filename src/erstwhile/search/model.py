from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from erstwhile.log.model import Message
from erstwhile.search.trace import Trace

OF_PEOPLE = ("told", "day", "note", "topic", "profile")
KINDS = ("message", "chunk", "meta", "fact", "brief", *OF_PEOPLE, "structured")


@dataclass(frozen=True, slots=True)
class Hit:
    """`sources` are its direct sources: a fact's or a chunk's messages, a meta's summaries, a topic's or a profile fact's notes. A message
    is its own. The channel "" is everyone's in the space."""

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
    """A value, and how much of what was found has it."""

    value: str
    count: int


@dataclass(frozen=True, slots=True)
class Browsed:
    """A page of what holds the words: `total` is how many there are on all pages, `words` those that were looked for, as the index has
    them, `names` how the people in it are called. Each of the others is for choosing by, the most first (`months` the latest first): it
    counts what would be found if nothing had been chosen of its own sort."""

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
class SearchResult:
    """What a search found, and how; `said` are the messages among it, each with its channel."""

    hits: list[Hit]
    trace: Trace
    said: Mapping[str, tuple[str, Message]]


@dataclass(frozen=True, slots=True)
class Source:
    """Where a memory comes from, down to the messages. `seq` and `speaker` are a message's; `expired` is how many of a memory's messages
    are no longer kept."""

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
