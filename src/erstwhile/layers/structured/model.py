from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final

from erstwhile.base import ids
from erstwhile.base.records import copied, dataclass
from erstwhile.layers.threads import key
from erstwhile.memories.model import StoredMemory

TYPES: Final = ("fact", "preference", "decision", "todo", "entity")


@dataclass(frozen=True, slots=True)
class StructuredMemory:
    """A structured memory. `person`: whom it is about, if known here (of an entity, whose it is);
    `subject`: the name that was used. `said_by`: an id, a name or a role. It is valid from
    `valid_from` until `valid_to` (None: still), when `superseded_by` replaced it. `sources`: the
    message that says it first, then those that repeat it."""

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
        """Whether it is still valid."""
        return self.valid_to is None


@dataclass(frozen=True, slots=True)
class Change:
    """`before` was valid until `at`, `after` since then."""

    before: StructuredMemory
    after: StructuredMemory
    at: datetime


# What has no column in the table of memories, besides the `owner` of its thread.
DATA: Final[Mapping[str, Any]] = {
    "subject": None,
    "slot": "",
    "value": "",
    "confidence": 0.0,
    "done": False,
    "due": None,
}


def structured_id(
    space: str, place: tuple[str, int, int], said: tuple[str, str, str, str, bool], again: int = 0
) -> str:
    """Return an id. It depends on what is said about whom in a range, not on the words, nor on how many messages were
    read. `said`:
    type, subject, slot, value (or text), and whether it has ended; `again` counts how often it was
    said there before."""
    type, subject, slot, words, done = said
    state = "done" if done else "open"
    repeated = [again] if again else []
    parts = (type, subject.casefold(), slot, key(words), state)
    return ids.derived("structured", space, *place[:2], *parts, *repeated)


def structured_of(memory: StoredMemory) -> StructuredMemory:
    _, first, last = memory.range
    return copied(
        StructuredMemory,
        memory,
        type=memory.category,
        valid_from=memory.valid_from or memory.at,
        seq=memory.seq or first,
        first_seq=first,
        last_seq=last,
        **{name: memory.data.get(name, usual) for name, usual in DATA.items()},
    )
