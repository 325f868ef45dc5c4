"""A person's profile as far as those who hear it may: what holds, by section, each fact with where it is known from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime

from erstwhile.base.clock import moment
from erstwhile.configuration.visibility import Visibility
from erstwhile.language.en.calendar import MONTHS_SHORT
from erstwhile.layers.days.store import queries
from erstwhile.layers.profiles.model import SECTIONS
from erstwhile.log import people
from erstwhile.storage import Row, Transaction


@dataclass(frozen=True, slots=True)
class ProfileStatement:
    """`source` is the note it came from, "title, Mon D", or ""; `said_by` whose word it is, None for the person's own."""

    id: str
    text: str
    source: str
    said_by: str | None
    at: datetime


async def profile_of(
    tx: Transaction, hearing: Visibility, person: str, here: str | None, asker: str | None
) -> Mapping[str, tuple[ProfileStatement, ...]]:
    """All six sections, always in the same order."""
    silent = await people.blocked(tx)
    rows = [row for row in await tx.all(queries.profile_shown, person=person) if row["said_by"] not in silent]
    heard = await hearing.visible(tx, here, {row["channel"] for row in rows}, asker)
    kept = [row for row in rows if row["channel"] in heard]
    return {section: tuple(_stated(row) for row in kept if row["section"] == section) for section in SECTIONS}


def _stated(row: Row) -> ProfileStatement:
    return ProfileStatement(
        row["id"], row["text"], _source(row["title"], row["day"]), row["said_by"], moment(row["at"])
    )


def _source(title: str | None, day: str | None) -> str:
    if not title or not day:
        return ""
    noted = date.fromisoformat(day)
    return f"{title}, {MONTHS_SHORT[noted.month - 1]} {noted.day}"
