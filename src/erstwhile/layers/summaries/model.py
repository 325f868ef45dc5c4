from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final

from erstwhile.base import ids, records
from erstwhile.base.clock import moment
from erstwhile.base.records import dataclass
from erstwhile.layers.part import Item
from erstwhile.log.model import Message
from erstwhile.memories.model import UNVERIFIED, StoredMemory
from erstwhile.storage import Row
from erstwhile.text.lines import one_line
from erstwhile.writers.grounding import other_script
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
    def payload(self) -> dict[str, Any]:
        """What a job of this range is given. `asdict` takes thirty times as long."""
        place = {"channel": self.channel, "level": self.level, "number": self.number}
        return {**place, "first": self.first, "last": self.last}

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


@dataclass(frozen=True, slots=True)
class ChunkReading:
    """What was found in a chunk's messages, before it is stored."""

    range: Range
    written: WriterOutput
    found: tuple[StoredMemory, ...]

    @property
    def row(self) -> dict[str, Any]:
        written = self.written
        return {"found": len(self.found), "writer": written.writer, "draft": int(written.draft)}


def found_in(
    range: Range, written: WriterOutput, said: Message, text: str, **more: Any
) -> StoredMemory:
    """Return a memory that a writer found in a message; doubted where no word can be compared."""
    doubted = not written.draft and other_script(text, said.text)
    return StoredMemory(
        text=text,
        writer=written.writer,
        draft=written.draft,
        channel=range.channel,
        first_seq=range.first,
        last_seq=range.last,
        seq=said.seq,
        at=said.at,
        created_at=said.at,  # until it is stored
        data={**more.pop("data", {}), **({UNVERIFIED: True} if doubted else {})},
        **more,
    )


def range_of(row: Row) -> Range:
    return Range(row["channel"], row["level"], row["number"], row["first_seq"], row["last_seq"])


def from_row(row: Row) -> Chunk:
    given = {"range": range_of(row), "text": row["text"] or "", "writer": row["writer"] or ""}
    times = {name: moment(row[name] or 0) for name in ("from_at", "to_at")}
    flags = {name: bool(row[name]) for name in ("draft", "stale")}
    return records.from_row(Chunk, row, **given, **times, **flags, emptied=bool(row["empty"]))


def item_of(chunk: Chunk) -> Item:
    """Return a summary as a line of a context. A draft has its dates in its text."""
    first, last = chunk.from_at.date().isoformat(), chunk.to_at.date().isoformat()
    dated = "" if chunk.draft else f"[{first}] " if first == last else f"[{first} – {last}] "
    return Item(
        chunk.id, chunk.kind, f"{dated}{one_line(chunk.text)}", chunk.range.first, chunk.range.last
    )


# How a channel is cut into chunks


def ranges(channel: str, *, cut_to: int, number: int, last_seq: int, size: int) -> list[Range]:
    """Return the full chunks after message `cut_to`. `number` is that of the next chunk."""
    full = (last_seq - cut_to) // size
    return [
        Range(channel, 0, number + index, cut_to + 1 + index * size, cut_to + (index + 1) * size)
        for index in range(full)
    ]


def group(free: Sequence[Range], *, expected: int, number: int, size: int) -> Range | None:
    """Return the range of meta `number`, if `size` summaries without a parent follow each other.
    The first one must have the number `expected`."""
    members = free[:size]
    if [each.number for each in members] != list(range(expected, expected + size)):
        return None
    first, last = members[0], members[-1]
    return Range(first.channel, first.level + 1, number, first.first, last.last)
