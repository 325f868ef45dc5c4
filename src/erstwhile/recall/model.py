from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from erstwhile.recall.trace import Trace

KINDS = ("message", "chunk", "meta", "fact", "brief", "note", "topic", "structured")


@dataclass(frozen=True, slots=True)
class Hit:
    """`sources` are its direct sources: a fact's or a chunk's messages, a meta's summaries. A message is its own."""

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
class Found:
    """What a search found, and how."""

    hits: list[Hit]
    trace: Trace


@dataclass(frozen=True, slots=True)
class Source:
    """Where a memory comes from, down to the messages. `seq` and `speaker` are a message's."""

    id: str
    kind: str
    text: str
    channel: str
    at: datetime
    writer: str | None
    seq: int | None
    speaker: str | None
    sources: tuple[Source, ...]
