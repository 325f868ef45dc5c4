from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

PAGE = 200  # rows that one transaction takes away


@dataclass(frozen=True, slots=True)
class Expired:
    """How many of each kind have gone. A note or topic counts when its words go, also where its name stays for what leans on it."""

    message: int = 0
    day: int = 0
    note: int = 0
    topic: int = 0
    told: int = 0
    profile: int = 0


@dataclass(frozen=True, slots=True)
class Keeping:
    """`days` by kind; `recent`: the latest messages of a channel that stay however old they are; `zone`: where a day begins."""

    days: Mapping[str, float] = field(default_factory=dict)
    recent: int = 20
    zone: ZoneInfo = field(default_factory=lambda: ZoneInfo("UTC"))

    def day(self, at: datetime) -> date:
        return at.astimezone(self.zone).date()

    def before(self, kind: str, now: datetime) -> datetime | None:
        """What is older than this has been kept long enough; None where all of it is kept."""
        days = self.days.get(kind)
        if days is None:
            return None
        try:
            return now - timedelta(days=days)
        except OverflowError:  # for longer than there have been years
            return None
