from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

REMEMBER, FORGET = ACTIONS = ("remember", "forget")


@dataclass(frozen=True, slots=True)
class Told:
    """`audience` is "" for what anyone in the space may hear, else the private channel it was told in. `version` counts its changes."""

    id: str
    person: str
    audience: str
    text: str
    version: int
    writer: str
    draft: bool
    changed_at: datetime


@dataclass(frozen=True, slots=True)
class Telling:
    """Someone asked to remember or to forget `words`. `said_by`: who, None for the app itself; `channel` and `seq`: in which message, if
    any; `found`: whether what was to be forgotten was there; `flag` says why it is only quoted ("" if nothing speaks against it)."""

    person: str
    action: str
    words: str
    said_by: str | None = None
    channel: str | None = None
    seq: int | None = None
    found: bool = True
    flag: str = ""
    at: datetime | None = None
