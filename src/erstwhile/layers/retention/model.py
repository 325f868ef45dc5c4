from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, fields
from datetime import UTC, date, datetime, timedelta, tzinfo

from erstwhile.base.records import dataclass


@dataclass(frozen=True, slots=True)
class ExpiryReport:
    """How many memories of each kind expired; `other` has kinds of further layers. A memory counts
    when its text expires, even if its title stays for memories that rest on it."""

    message: int = 0
    day: int = 0
    note: int = 0
    topic: int = 0
    told: int = 0
    profile: int = 0
    other: Mapping[str, int] = field(default_factory=dict)

    @classmethod
    def of(cls, counts: Mapping[str, int]) -> ExpiryReport:
        """Create from counts by kind."""
        names = {each.name for each in fields(cls)}
        other = {kind: number for kind, number in counts.items() if kind not in names and number}
        known = {kind: number for kind, number in counts.items() if kind in names}
        return cls(**known, other=other)

    @property
    def by_kind(self) -> dict[str, int]:
        names = (each.name for each in fields(self) if each.name != "other")
        known = {name: getattr(self, name) for name in names}
        return {**known, **self.other}


@dataclass(frozen=True, slots=True)
class RetentionPolicy:
    """`days` by kind; `recent`: latest messages that always stay; `zone`: where a day begins."""

    days: Mapping[str, float] = field(default_factory=dict)
    recent: int = 20
    zone: tzinfo = UTC

    def day(self, at: datetime) -> date:
        return at.astimezone(self.zone).date()

    def before(self, kind: str, now: datetime) -> datetime | None:
        """Return the time before which memories of a kind expire; None if they are kept."""
        days = self.days.get(kind)
        if days is None:
            return None
        try:
            return now - timedelta(days=days)
        except OverflowError:  # more days than the calendar has
            return None
