"""Counters that follow events, and are corrected by counting again now and then."""

from __future__ import annotations

from collections.abc import Sequence

from erstwhile.base import ids
from erstwhile.events.model import Event
from erstwhile.search.counted import Counted

_CHANGES = {"added": 1, "removed": -1}
_REST = 20  # times as long as counting took, before it is done again


class Tally:
    def __init__(self, held: Counted) -> None:
        self.settle(held)

    def settle(self, held: Counted) -> None:
        self.held = held
        self.messages, self.memories = held.messages, dict(held.memories)

    @property
    def total(self) -> int:
        return sum(self.memories.values())

    def hear(self, events: Sequence[Event]) -> None:
        for event in events:
            change = _CHANGES.get(event.action, 0)
            if event.at <= self.held.until:
                continue  # counted already
            if event.kind == "message" and change:
                self.messages += change * ((event.until or event.seq or 0) - (event.seq or 0) + 1)
            elif event.kind in ids.kinds() and change:
                self.memories[event.kind] = max(0, self.memories.get(event.kind, 0) + change)


class RecountPause:
    """When to count again: after a change, and never so often that counting is all that is done."""

    def __init__(self) -> None:
        self._due = False
        self._next = 0.0

    def changed(self) -> None:
        self._due = True

    def ready(self, now: float) -> bool:
        return self._due and now >= self._next

    def done(self, now: float, took: float) -> None:
        self._due, self._next = False, now + took * _REST
