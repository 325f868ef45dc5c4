from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import Any

from erstwhile.base.records import copied, dataclass
from erstwhile.log import store as log
from erstwhile.memories import kinds
from erstwhile.memories.kinds import Kind, Sources
from erstwhile.memories.model import HIDDEN, StoredMemory
from erstwhile.storage import Transaction

NOTE, TOPIC = KINDS = ("note", "topic")
Kept = dict[str, Any]  # what is needed to restore a deleted memory, as JSON values
SECTIONS = ("bio", "interests", "skills", "opinions", "relationships", "other")


async def _said_by_people(tx: Transaction, memories: Sequence[StoredMemory]) -> Sources:
    found = await log.ids_in(tx, [each.range for each in memories], role="user")
    return {each.id: ids for each, ids in zip(memories, found, strict=True)}


_SHOWN: dict[str, Any] = {"colour": NOTE, "page": "notes"}
NOTES = kinds.register(Kind(NOTE, "Note", "notes", sources=_said_by_people, **_SHOWN))
TOPICS = kinds.register(Kind(TOPIC, "Topic", "notes", ranged=False, many="topics", **_SHOWN))


@dataclass(frozen=True, slots=True)
class Buffer:
    """Messages of a channel that are in no note yet. `messages`: how many are by people."""

    channel: str
    first_seq: int
    last_seq: int
    messages: int
    started_at: datetime
    updated_at: datetime
    closed: bool

    def extended(self, seq: int, at: datetime) -> Buffer:
        """Return the buffer with one more message, its last."""
        times = self.started_at, max(self.updated_at, at)
        return Buffer(self.channel, self.first_seq, seq, self.messages + 1, *times, self.closed)


@dataclass(frozen=True, slots=True)
class Note:
    """A conversation (kind `note`, messages `first_seq` to `last_seq` of its channel) or a cluster
    of a day's notes (kind `topic`, made from `notes`; its channel is "" unless all are of one
    private channel). `topic`: the topic of a note. `expired`: only its title is left, for memories
    made from it."""

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
    """A day, with the number of its notes and topics."""

    day: date
    notes: int
    topics: int


@dataclass(frozen=True, slots=True)
class NoteStatement:
    """Something a conversation says about a person. `about`: the person's id; `said_by`: the
    speaker's id; `seq`: the message. `slot` and `value`: what it is a value of, "" if none."""

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
    """The result of a nightly run: `notes` were put into `topics`; `people` took part in notes
    since the last run."""

    day: date
    notes: int
    topics: int
    people: int


def memory_of(note: Note, now: datetime) -> StoredMemory:
    """Convert to a memory. A topic of one note is hidden in search, because it repeats the note."""
    place = {} if note.kind == NOTE else {"first_seq": None, "last_seq": None}
    data = {HIDDEN: True} if len(note.notes) == 1 else {}
    times = {"at": note.to_at, "created_at": now, "category": note.day.isoformat()}
    return copied(StoredMemory, note, **place, **times, data=data)


def note_of(memory: StoredMemory, beside: Mapping[str, Any]) -> Note:
    """Convert from a memory. `beside`: its people, its topic and its notes."""
    return copied(
        Note,
        memory,
        first_seq=memory.first_seq or 0,
        last_seq=memory.last_seq or 0,
        day=date.fromisoformat(memory.category),
        from_at=memory.from_at or memory.at,
        to_at=memory.at,
        expired=not memory.text and bool(memory.writer),
        **beside,
    )
