"""A standing request, and which of a person's requests hold."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from erstwhile.base.clock import day
from erstwhile.base.records import copied, dataclass
from erstwhile.memories import kinds
from erstwhile.memories.kinds import Kind
from erstwhile.memories.model import StoredMemory

KIND = kinds.register(
    Kind("standing", "Standing request", "standing requests", colour="told", page="person")
)
ENDS = "ends"  # in `data`: it takes a request back, and is itself shown to nobody


@dataclass(frozen=True, slots=True)
class StandingRequest:
    """What a person wants from now on, in their own words. `topics`: what it is about, such as
    name, units or length; it held `until`, if another has replaced it. `source`: where and when it
    was said."""

    id: str
    text: str
    topics: tuple[str, ...]
    source: str
    at: datetime
    until: datetime | None
    channel: str
    seq: int

    @property
    def origin(self) -> str:
        """Where and when it was said, and until when it held."""
        return f"{self.source}; until {day(self.until)}" if self.until else self.source

    @property
    def line(self) -> str:
        return f"{self.text} [{self.origin}]"


def requests(
    rows: Iterable[StoredMemory], titles: Mapping[str, str] | None = None
) -> list[StandingRequest]:
    """Return the requests among these rows of one person: those that hold first, newest first. The
    same rows give the same answer, in whatever order they were written."""
    said = sorted(rows, key=lambda each: (each.at, each.channel, each.seq or 0, each.position))
    until = _ends(said)
    held = (each for each in said if ENDS not in each.data)
    shown = [_request(each, until.get(each.id), titles or {}) for each in held]
    shown.reverse()
    return sorted(shown, key=lambda each: (each.until is not None, -each.at.timestamp()))


def _ends(said: Sequence[StoredMemory]) -> dict[str, datetime]:
    """Return when each ended. A newer request ends what is about the same topics, or says the same;
    one with several topics holds until all of them are taken."""
    from erstwhile.layers.standing.reading import words_of  # whoever only appends does without

    ended: dict[str, datetime] = {}
    holding: dict[str, set[str]] = {}
    words = {each.id: words_of(each.text) for each in said}
    for each in said:
        topics = set(each.category.split())
        for id, left in list(holding.items()):
            left_over = left - topics
            if (left and not left_over) or words[id] == words[each.id]:
                ended[id] = each.at
                del holding[id]
            else:
                holding[id] = left_over
        if ENDS not in each.data:
            holding[each.id] = topics
    return ended


def _request(
    memory: StoredMemory, until: datetime | None, titles: Mapping[str, str]
) -> StandingRequest:
    return copied(
        StandingRequest,
        memory,
        topics=tuple(memory.category.split()),
        source=", ".join(filter(None, [titles.get(memory.channel), day(memory.at)])),
        until=until,
        seq=memory.seq or 0,
    )
