from __future__ import annotations

from datetime import datetime

from erstwhile.base.records import dataclass


@dataclass(frozen=True, slots=True)
class Event:
    """A change. `kind`: message, a kind of memory, or "job", "person", "channel", "settings",
    "space". `seq` to `until` are the messages it is about. `cursor`: where to continue. Kind
    "space" with action "reset" means that missed events are no longer kept: reload what you show.
    """

    cursor: str
    at: datetime
    kind: str
    action: str
    id: str
    channel: str | None = None
    person: str | None = None
    seq: int | None = None
    until: int | None = None
