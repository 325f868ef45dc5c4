from __future__ import annotations

from datetime import UTC, datetime, timedelta


class FixedClock:
    """A clock that moves only by `advance`: `erstwhile.open(…, clock=FixedClock())`."""

    def __init__(self, start: datetime = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)) -> None:
        self.now = start

    def __call__(self) -> datetime:
        return self.now

    def advance(self, **by: float) -> datetime:
        """`clock.advance(minutes=25)`."""
        self.now += timedelta(**by)
        return self.now
