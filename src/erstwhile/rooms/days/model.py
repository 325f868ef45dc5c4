from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime


@dataclass(frozen=True, slots=True)
class Day:
    """What one person did on one day, as far as its audience may hear: "" is everyone in the space, else a private channel."""

    id: str
    day: date
    audience: str
    person: str
    text: str
    writer: str
    draft: bool
    made_at: datetime


@dataclass(frozen=True, slots=True)
class Portrait:
    """What is known of a person: `told` what someone asked to remember, `today` and `history` (the six days before) what they did, `text`
    the three in one."""

    person: str
    name: str
    told: str
    today: str
    history: str
    text: str
