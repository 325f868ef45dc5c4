"""Limit how often someone may ask."""

from __future__ import annotations

import time
from collections import OrderedDict, deque
from collections.abc import Callable
from typing import Final, Literal

Decision = Literal["go", "tell", "silent"]

_MOST: Final = 10_000  # counted at the same time; the least recent is removed first


class RateLimit:
    """Allow `count` calls in `seconds` for each caller. Beyond that: "tell" once, then "silent"."""

    def __init__(self, count: int, seconds: float, now: Callable[[], float] = time.monotonic) -> None:
        self._count = count
        self._seconds = seconds
        self._now = now
        self._times: OrderedDict[str, deque[float]] = OrderedDict()
        self._told: dict[str, float] = {}

    def check(self, who: str) -> Decision:
        now = self._now()
        times = self._times.setdefault(who, deque())
        self._times.move_to_end(who)
        while times and now - times[0] >= self._seconds:
            times.popleft()
        if len(times) < self._count:
            times.append(now)
            self._told.pop(who, None)
            self._tidy()
            return "go"
        if now - self._told.get(who, now - self._seconds) >= self._seconds:
            self._told[who] = now
            return "tell"
        return "silent"

    def _tidy(self) -> None:
        while len(self._times) > _MOST:
            gone, _ = self._times.popitem(last=False)
            self._told.pop(gone, None)
