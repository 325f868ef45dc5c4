from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from erstwhile.base import ids
from erstwhile.base.clock import moment
from erstwhile.layers.notes.model import SECTIONS as SECTIONS
from erstwhile.storage import Row

IMPORTED = "import:"  # how the writer of a fact begins that was brought from another memory


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

    @property
    def standing(self) -> bool:
        return self.valid_to is None

    @property
    def absorbed(self) -> bool:
        """Another fact says it in its place: it never held by itself, so it ends when it was said."""
        return self.superseded_by is not None and self.valid_to == self.at

    @property
    def fixed(self) -> bool:
        """Nobody but a person changes it: someone wrote it by hand, or it is only a quotation."""
        return self.edited_at is not None or bool(self.flag)

    @property
    def imported(self) -> bool:
        return self.writer.startswith(IMPORTED)


@dataclass(frozen=True, slots=True)
class Profile:
    """A person's facts by section, each in the order they were said."""

    person: str
    name: str
    sections: Mapping[str, tuple[ProfileFact, ...]]


def fact_id(space: str, person: str, note: str | None, text: str, said_by: str | None = None) -> str:
    """The same words of the same note, by the same person about the same, are the same fact, whatever their case, spacing and stop."""
    said = " ".join(text.casefold().split()).rstrip(".!。！") or text
    return ids.derived("profile", space, person, note or "", said, *([said_by] if said_by else []))


def from_row(row: Row, further: tuple[str, ...] = ()) -> ProfileFact:
    note: str | None = row["note"]
    return ProfileFact(
        id=row["id"],
        person=row["person"],
        section=row["section"],
        text=row["text"],
        note=note,
        said_by=row["said_by"],
        channel=row["channel"],
        seq=row["seq"],
        slot=row["slot"],
        value=row["value"],
        flag=row["flag"],
        at=moment(row["at"]),
        valid_to=None if row["valid_to"] is None else moment(row["valid_to"]),
        superseded_by=row["superseded_by"],
        writer=row["writer"],
        draft=bool(row["draft"]),
        edited_at=None if row["edited_at"] is None else moment(row["edited_at"]),
        notes=tuple(dict.fromkeys([*([note] if note else []), *further])),
    )
