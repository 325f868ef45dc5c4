from __future__ import annotations

from datetime import datetime
from typing import Final

from erstwhile.base import ids
from erstwhile.base.clock import moment
from erstwhile.base.records import dataclass
from erstwhile.layers.part import Item
from erstwhile.storage import Row
from erstwhile.text.lines import one_line
from erstwhile.writers.port import WriterOutput

PROVISIONAL: Final = -1  # the number of a chunk that is not full yet


@dataclass(frozen=True, slots=True)
class Range:
    """The place of a summary: its number among those of its level, its first and last message."""

    channel: str
    level: int
    number: int
    first: int
    last: int

    @property
    def kind(self) -> str:
        return "chunk" if self.level == 0 else "meta"

    @property
    def key(self) -> str:
        return f"{self.channel}:{self.level}:{self.first}-{self.last}"

    @property
    def payload(self) -> dict[str, str | int]:
        """What a job of this range is given."""
        return {
            "channel": self.channel,
            "level": self.level,
            "number": self.number,
            "first": self.first,
            "last": self.last,
        }

    @property
    def provisional(self) -> bool:
        """Whether it is the end of a quiet conversation: fewer messages than a chunk has."""
        return self.number == PROVISIONAL

    def id(self, space: str) -> str:
        """Return the id of its summary. A chunk keeps it while its messages become more."""
        ends = () if self.level == 0 else (self.last,)
        return ids.derived(self.kind, space, self.channel, self.level, self.first, *ends)


@dataclass(frozen=True, slots=True)
class Chunk:
    """A place with its summary. A place without a summary (`emptied`: deleted by a person, or
    without messages) stays, so that the channel is cut without gaps."""

    id: str
    range: Range
    text: str
    writer: str
    draft: bool
    stale: bool
    parent: str | None
    from_at: datetime
    to_at: datetime
    edited_by: str | None
    emptied: bool

    @property
    def edited(self) -> bool:
        """Whether a person edited or deleted it. This stays until someone overwrites it."""
        return self.edited_by is not None or self.emptied

    @property
    def blank(self) -> bool:
        """Whether its text was erased, and it must be made again."""
        return not self.text and not self.emptied

    @property
    def kind(self) -> str:
        return self.range.kind


@dataclass(frozen=True, slots=True)
class NewSummary:
    """A new summary of messages between two `times`, or of `parts`."""

    written: WriterOutput
    times: tuple[datetime, datetime]
    parts: tuple[Chunk, ...] = ()


def range_of(row: Row) -> Range:
    return Range(row["channel"], row["level"], row["number"], row["first_seq"], row["last_seq"])


def from_row(row: Row) -> Chunk:
    return Chunk(
        id=row["id"],
        range=range_of(row),
        text=row["text"] or "",
        writer=row["writer"] or "",
        draft=bool(row["draft"]),
        stale=bool(row["stale"]),
        parent=row["parent"],
        from_at=moment(row["from_at"] or 0),
        to_at=moment(row["to_at"] or 0),
        edited_by=row["edited_by"],
        emptied=bool(row["empty"]),
    )


def item_of(chunk: Chunk) -> Item:
    """Return a summary as a line of a context. A draft has its dates in its text."""
    first, last = chunk.from_at.date().isoformat(), chunk.to_at.date().isoformat()
    dated = "" if chunk.draft else f"[{first}] " if first == last else f"[{first} – {last}] "
    return Item(chunk.id, chunk.kind, f"{dated}{one_line(chunk.text)}", chunk.range.first, chunk.range.last)
