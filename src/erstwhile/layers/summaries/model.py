from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from erstwhile.base import ids
from erstwhile.base.clock import moment
from erstwhile.storage import Row
from erstwhile.writers.port import WriterOutput


@dataclass(frozen=True, slots=True)
class Range:
    """Where a chunk lies: its number among the chunks of its level, and its first and last message."""

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

    def id(self, space: str) -> str:
        return ids.derived(self.kind, space, self.channel, self.level, self.first, self.last)


@dataclass(frozen=True, slots=True)
class Chunk:
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

    @property
    def edited(self) -> bool:
        """By a person, whose words stay until someone asks for others."""
        return self.edited_by is not None

    @property
    def emptied(self) -> bool:
        """Deleted by a person. Its place stays, so that the channel is cut without a gap; its words are gone."""
        return self.edited and not self.text

    @property
    def blank(self) -> bool:
        """Its words were erased; it is to be made again."""
        return not self.edited and not self.text

    @property
    def kind(self) -> str:
        return self.range.kind


@dataclass(frozen=True, slots=True)
class Summary:
    """A summary as a writer made it: of messages from the first to the second of `times`, or of `parts`."""

    written: WriterOutput
    times: tuple[datetime, datetime]
    parts: tuple[Chunk, ...] = ()


def from_row(row: Row) -> Chunk:
    return Chunk(
        id=row["id"],
        range=Range(row["channel"], row["level"], row["number"], row["first_seq"], row["last_seq"]),
        text=row["text"],
        writer=row["writer"],
        draft=bool(row["draft"]),
        stale=bool(row["stale"]),
        parent=row["parent"],
        from_at=moment(row["from_at"]),
        to_at=moment(row["to_at"]),
        edited_by=row["edited_by"],
    )
