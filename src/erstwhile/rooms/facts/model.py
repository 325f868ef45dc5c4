from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from erstwhile.base.clock import moment
from erstwhile.storage import Row


@dataclass(frozen=True, slots=True)
class Fact:
    id: str
    channel: str
    first_seq: int
    last_seq: int
    seq: int | None
    person: str | None
    text: str
    writer: str
    draft: bool
    at: datetime


def from_row(row: Row) -> Fact:
    return Fact(
        id=row["id"],
        channel=row["channel"],
        first_seq=row["first_seq"],
        last_seq=row["last_seq"],
        seq=row["seq"],
        person=row["person"],
        text=row["text"],
        writer=row["writer"],
        draft=bool(row["draft"]),
        at=moment(row["at"]),
    )
