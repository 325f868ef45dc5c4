from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo


@dataclass(frozen=True, slots=True)
class Expired:
    """How many of each kind have gone; `other` has kinds of further layers. A memory counts when
    its words go, also where its title stays for what rests on it."""

    message: int = 0
    day: int = 0
    note: int = 0
    topic: int = 0
    told: int = 0
    profile: int = 0
    other: Mapping[str, int] = field(default_factory=dict)

    @classmethod
    def of(cls, counts: Mapping[str, int]) -> Expired:
        """From counts by kind."""
        known = {each.name for each in fields(cls)}
        other = {kind: number for kind, number in counts.items() if kind not in known and number}
        return cls(**{kind: number for kind, number in counts.items() if kind in known}, other=other)

    @property
    def by_kind(self) -> dict[str, int]:
        known = {each.name: getattr(self, each.name) for each in fields(self) if each.name != "other"}
        return {**known, **self.other}


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
