from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from erstwhile.rooms.notes.model import SECTIONS as SECTIONS


@dataclass(frozen=True, slots=True)
class ProfileFact:
    """`note` is the note it came from, `notes` all of them; `said_by` whose word it is, None for the person's own;
    `channel` where it was said ("" for nowhere in particular); `flag` says why it is only quoted. With `valid_to` it no longer holds."""

    id: str
    person: str
    section: str
    text: str
    note: str | None
    said_by: str | None
    channel: str
    seq: int | None
    slot: str
    value: str
    flag: str
    at: datetime
    valid_to: datetime | None
    superseded_by: str | None
    writer: str
    draft: bool
    edited_at: datetime | None = None
    notes: tuple[str, ...] = ()
