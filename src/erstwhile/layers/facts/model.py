from __future__ import annotations

from datetime import datetime

from erstwhile.base import ids
from erstwhile.base.records import copied, dataclass
from erstwhile.memories import kinds
from erstwhile.memories.kinds import Kind
from erstwhile.memories.model import StoredMemory

KIND = kinds.register(Kind("fact", "Fact", "facts", colour="fact"))


@dataclass(frozen=True, slots=True)
class Fact:
    """A fact. `links`: facts of other channels that say the same about the same person. A fact that
    a person added has an empty range (`last_seq` before `first_seq`), at the end of the channel at
    that time."""

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


def fact_id(space: str, place: tuple[str, int, int], text: str) -> str:
    """Return an id. It does not depend on case, spacing and the final stop, nor on how many messages
    were read: a fact of a quiet conversation keeps its id when the chunk is full."""
    words = " ".join(text.casefold().split()).rstrip(".!。！") or text
    channel, first, last = place
    return ids.derived("fact", space, channel, first, *(() if last >= first else ("hand",)), words)


def fact_of(memory: StoredMemory) -> Fact:
    _, first, last = memory.range
    return copied(Fact, memory, first_seq=first, last_seq=last)
