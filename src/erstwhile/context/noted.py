"""Notes and topics for a context: those the question is about, or else the latest, as far as they may be heard."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING

from erstwhile.configuration.visibility import Visibility
from erstwhile.context import render
from erstwhile.layers.notes.model import NOTE
from erstwhile.search import of_people
from erstwhile.search.find import NOTES
from erstwhile.search.model import Hit
from erstwhile.storage import Row, Transaction
from erstwhile.storage.queries import load

if TYPE_CHECKING:
    from erstwhile.context.build import ContextRequest

queries = load(__package__)

MOST = 8
LOOKED_FOR = 2 * MOST  # some say nothing that others don't
_LATEST = 200  # looked at, to find those that may be heard


@dataclass(frozen=True, slots=True)
class ContextNote:
    """`sources` are the messages it comes from; `at` is when its conversation ended."""

    id: str
    kind: str
    channel: str
    first: int
    last: int
    day: date
    title: str
    text: str
    at: int
    people: tuple[str, ...]
    sources: tuple[str, ...]

    @property
    def line(self) -> str:
        return f"- [{on(self.day)}] {render.one_line(of_people.titled(self.title, self.text))}"


def on(day: date) -> str:
    return f"{day:%b} {day.day}"


async def found(tx: Transaction, hits: Sequence[Hit]) -> list[ContextNote]:
    """Of what recall found, best first."""
    ids = [hit.id for hit in hits if hit.kind in NOTES]
    rows = await tx.all(queries.notes, ids=json.dumps(ids)) if ids else []
    by_id = {row["id"]: row for row in rows}
    return _apart(await _noted(tx, [by_id[id] for id in ids if id in by_id]))


async def latest(tx: Transaction, wanted: ContextRequest, hearing: Visibility) -> list[ContextNote]:
    """The newest first."""
    rows = await tx.all(queries.latest_notes, limit=_LATEST)
    heard = await hearing.visible(tx, wanted.channel, {row["channel"] for row in rows}, wanted.person)
    return _apart(await _noted(tx, [row for row in rows if row["channel"] in heard][:LOOKED_FOR]))


def _apart(notes: Sequence[ContextNote]) -> list[ContextNote]:
    """Without the topics whose notes are all there: they say the same once more."""
    told = {id for each in notes if each.kind == NOTE for id in each.sources}
    return [each for each in notes if each.kind == NOTE or not told.issuperset(each.sources)][:MOST]


async def _noted(tx: Transaction, rows: Sequence[Row]) -> list[ContextNote]:
    if not rows:
        return []
    messages = await of_people.messages(tx, [of_people.note(row) for row in rows])
    people: dict[str, list[str]] = {}
    for each in await tx.all(queries.note_people, ids=json.dumps([row["id"] for row in rows])):
        people.setdefault(each["note"], []).append(each["person"])
    return [
        ContextNote(
            id=row["id"],
            kind=row["kind"],
            channel=row["channel"],
            first=row["first_seq"],
            last=row["last_seq"],
            day=date.fromisoformat(row["day"]),
            title=row["title"],
            text=row["text"],
            at=row["to_at"],
            people=tuple(people.get(row["id"], ())),
            sources=messages.get(row["id"], ()),
        )
        for row in rows
    ]
