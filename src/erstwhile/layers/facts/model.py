from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from erstwhile.base import ids
from erstwhile.layers.summaries.model import Range
from erstwhile.memories import kinds
from erstwhile.memories.kinds import Kind
from erstwhile.memories.model import StoredMemory
from erstwhile.writers.port import WriterOutput

KIND = kinds.register(Kind("fact", prefix="fct", label="Fact", plural="facts"))


@dataclass(frozen=True, slots=True)
class Fact:
    """`links` are facts of other channels that tell of the same thing about the same person. What a person added by hand lies in an
    empty range (`last_seq` before `first_seq`), at the place where the conversation then was."""

    id: str
    channel: str
    first_seq: int
    last_seq: int
    seq: int | None
    person: str | None
    text: str
    writer: str
    draft: bool
    at: datetime
    category: str
    importance: int
    edited_by: str | None
    links: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FoundFact:
    """A fact as a reading found it, with the message it leans on and the facts it is to be linked to."""

    id: str
    text: str
    seq: int
    person: str | None
    at: datetime
    links: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FactReading:
    """One reading of a chunk's messages for facts, worked out before the database is asked to keep it."""

    range: Range
    written: WriterOutput
    found: tuple[FoundFact, ...]


def fact_id(space: str, place: tuple[str, int, int], text: str) -> str:
    """The same words in the same range are the same fact, whatever their case, spacing and final stop."""
    return ids.derived("fact", space, *place, " ".join(text.casefold().split()).rstrip(".!。！") or text)


def fact_of(memory: StoredMemory) -> Fact:
    channel, first, last = memory.range
    return Fact(
        id=memory.id,
        channel=channel,
        first_seq=first,
        last_seq=last,
        seq=memory.seq,
        person=memory.person,
        text=memory.text,
        writer=memory.writer,
        draft=memory.draft,
        at=memory.at,
        category=memory.category,
        importance=memory.importance,
        edited_by=memory.edited_by,
    )
