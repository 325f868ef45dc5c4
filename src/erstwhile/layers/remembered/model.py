from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from erstwhile.base.clock import moment
from erstwhile.layers.remembered import lines
from erstwhile.memories.model import StoredMemory
from erstwhile.storage import Row

TOLD = "told"
REMEMBER, FORGET = ACTIONS = ("remember", "forget")
ABOUT, TALK = "about", "talk"
INTENTS = (REMEMBER, FORGET, ABOUT, TALK)
PLAIN = "extractive/1"


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

    @property
    def plain(self) -> str:
        """Without what is only quoted: what others may be told."""
        return lines.unquoted(self.text)


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


@dataclass(frozen=True, slots=True)
class Forgotten:
    """`found`: whether it was there; `removed`: the sentences that are gone; `text`: what is still told of the person."""

    found: bool
    person: str
    text: str
    removed: str
    draft: bool


@dataclass(frozen=True, slots=True)
class Commanded:
    """What a line of talk asked for, and what came of it. `intent` is remember, forget, about or talk (nothing was done); `person` is whom
    it is about, None if that can't be told, and then `text` says what to do."""

    intent: str
    person: str | None = None
    fact: str = ""
    found: bool = False
    text: str = ""


def told_of(memory: StoredMemory, version: int) -> Told:
    return Told(
        id=memory.id,
        person=memory.person or "",
        audience=memory.channel,
        text=memory.text,
        version=version,
        writer=memory.writer,
        draft=memory.draft,
        changed_at=memory.at,
    )


def telling_from_row(row: Row) -> Telling:
    return Telling(
        person=row["person"],
        action=row["action"],
        words=row["words"],
        said_by=row["said_by"],
        channel=row["channel"],
        seq=row["seq"],
        found=bool(row["found"]),
        flag=row["flag"],
        at=moment(row["at"]),
    )
