from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from erstwhile.base import ids
from erstwhile.layers.summaries.model import Range
from erstwhile.memories.model import StoredMemory
from erstwhile.text import analyse
from erstwhile.writers.port import WriterOutput

TYPES: Final = ("fact", "preference", "decision", "todo", "entity")


@dataclass(frozen=True, slots=True)
class Structured:
    """`person` is whom it is about, if that is someone here (of an entity, whose it is), and `subject` the name it was told with; `said_by`
    is who said it: an id, a name, or a role. It holds from `valid_from` until `valid_to` (None: still), when `superseded_by` took its
    place. `sources` are the messages it leans on: where it was said first, then where it was said again."""

    id: str
    type: str
    text: str
    person: str | None
    subject: str | None
    said_by: str | None
    slot: str
    value: str
    confidence: float
    done: bool
    due: str | None
    at: datetime
    valid_from: datetime
    valid_to: datetime | None
    superseded_by: str | None
    restates: str | None
    channel: str
    seq: int
    first_seq: int
    last_seq: int
    writer: str
    draft: bool
    edited_by: str | None
    sources: tuple[str, ...] = ()

    @property
    def standing(self) -> bool:
        """Nothing said since has ended it."""
        return self.valid_to is None


@dataclass(frozen=True, slots=True)
class Change:
    """`before` held until `at`, `after` since."""

    before: Structured
    after: Structured
    at: datetime


@dataclass(frozen=True, slots=True)
class Found:
    """A memory as a reading found it, with the message it leans on and the thread it belongs to."""

    id: str
    type: str
    text: str
    person: str | None
    subject: str | None
    said_by: str | None
    slot: str
    value: str
    confidence: float
    done: bool
    due: str | None
    owner: str
    thread: str
    seq: int
    at: datetime
    valid_from: datetime


@dataclass(frozen=True, slots=True)
class Reading:
    """One reading of a chunk's messages, worked out before the database is asked to keep it."""

    range: Range
    written: WriterOutput
    found: tuple[Found, ...]


@dataclass(frozen=True, slots=True)
class Counts:
    """Chunks `read`, those of them with at least one memory, the memories found in all, and readings that are drafts."""

    read: int
    nonempty: int
    found: int
    drafts: int

    @property
    def rate(self) -> float:
        return self.nonempty / self.read if self.read else 0.0


def key(text: str) -> str:
    """Words that mean the same are the same key: stems in order, without the little ones, or the bare words when nothing is left."""
    terms = analyse.query_terms(text)
    return " ".join(terms) if terms else " ".join(text.casefold().split())


def structured_id(
    space: str, place: tuple[str, int, int], said: tuple[str, str, str, str, bool], again: int = 0
) -> str:
    """The same thing said of the same subject in the same range is the same memory, however it is worded: `said` is its type,
    subject, slot, value (or text) and whether it is over; `again` counts how often it was said there before."""
    type, subject, slot, words, done = said
    parts = (type, subject.casefold(), slot, key(words), "done" if done else "open", *([again] if again else []))
    return ids.derived("structured", space, *place, *parts)


def structured_of(memory: StoredMemory) -> Structured:
    data = memory.data
    channel, first, last = memory.range
    return Structured(
        id=memory.id,
        type=memory.category,
        text=memory.text,
        person=memory.person,
        subject=data.get("subject"),
        said_by=memory.said_by,
        slot=data.get("slot", ""),
        value=data.get("value", ""),
        confidence=data.get("confidence", 0.0),
        done=data.get("done", False),
        due=data.get("due"),
        at=memory.at,
        valid_from=memory.valid_from or memory.at,
        valid_to=memory.valid_to,
        superseded_by=memory.superseded_by,
        restates=memory.restates,
        channel=channel,
        seq=memory.seq or first,
        first_seq=first,
        last_seq=last,
        writer=memory.writer,
        draft=memory.draft,
        edited_by=memory.edited_by,
    )
