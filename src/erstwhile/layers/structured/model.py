from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from erstwhile.base import ids
from erstwhile.base.clock import moment
from erstwhile.layers.summaries.model import Range
from erstwhile.storage import Row
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


def from_row(row: Row) -> Structured:
    return Structured(
        id=row["id"],
        type=row["type"],
        text=row["text"],
        person=row["person"],
        subject=row["subject"],
        said_by=row["said_by"],
        slot=row["slot"],
        value=row["value"],
        confidence=row["confidence"],
        done=bool(row["done"]),
        due=row["due"],
        at=moment(row["at"]),
        valid_from=moment(row["valid_from"]),
        valid_to=None if row["valid_to"] is None else moment(row["valid_to"]),
        superseded_by=row["superseded_by"],
        restates=row["restates"],
        channel=row["channel"],
        seq=row["seq"],
        first_seq=row["first_seq"],
        last_seq=row["last_seq"],
        writer=row["writer"],
        draft=bool(row["draft"]),
        edited_by=row["edited_by"],
    )
