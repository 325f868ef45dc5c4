"""Events on disk."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

from erstwhile.base.clock import moment
from erstwhile.events.model import Event
from erstwhile.storage import Dialect, Row, Transaction
from erstwhile.storage.queries import load

queries = load(__package__)

PAGE = 200
_BATCH = 1000
_CURSOR = re.compile(r"(\d{1,18})(?:\.(\d{1,18}))?")
_NOWHERE: dict[str, Any] = {"channel": None, "person": None, "seq": None, "until": None}


@dataclass(frozen=True, slots=True)
class Place:
    """How far a reader has come. On SQLite writers take turns and the event's number says it all, as `stamp`."""

    stamp: int = 0
    number: int = 0

    def cursor(self, dialect: Dialect) -> str:
        return str(self.stamp) if dialect == "sqlite" else f"{self.stamp}.{self.number}"


OLDEST = "0"  # the cursor before all events that are kept


async def emit(tx: Transaction, kind: str, action: str, id: str, **where: Any) -> None:
    """`where`: its channel, person, seq and until, as far as it has them; its space, if that is not the transaction's."""
    await tx.run(queries.emit, kind=kind, action=action, id=id, **_NOWHERE | where)


async def mark(tx: Transaction) -> int:
    row = await tx.first(queries.mark)
    assert row is not None
    return int(row["stamp"])


async def retract(tx: Transaction, since: int) -> None:
    """Takes back what this transaction has written since the mark: for work whose every step nobody needs to hear of."""
    await tx.run(queries.retract, mark=since)


async def start(tx: Transaction, after: str | None) -> tuple[Place, bool]:
    """Where a reader begins, and whether what it asks to go on from is there: without a cursor, now; with one that is no longer kept, or
    never was, at the oldest."""
    if after is None:
        row = await tx.first(queries.mark)
        assert row is not None
        return Place(row["stamp"], row["number"]), True
    found = _CURSOR.fullmatch(after)
    place = Place(int(found[1]), int(found[2] or 0)) if found else Place()
    if after == OLDEST or await tx.first(queries.there, stamp=place.stamp, number=place.number):
        return place, True
    return Place(), False


async def page(tx: Transaction, place: Place) -> tuple[list[Event], Place, bool]:
    """The next events, where to go on, and whether there are more by now."""
    rows = await tx.all(queries.page, stamp=place.stamp, number=place.number, limit=PAGE)
    if rows:
        place = Place(rows[-1]["stamp"], rows[-1]["number"])
    return merged([_event(row, tx.dialect) for row in rows]), place, len(rows) == PAGE


def merged(events: Sequence[Event]) -> list[Event]:
    """What was removed and then added again has changed."""
    kept: dict[str, Event] = {}
    removed: dict[tuple[str, str], str] = {}
    for event in events:
        name = (event.kind, event.id)
        if event.action == "removed":
            removed[name] = event.cursor
        elif event.action == "added" and name in removed:
            del kept[removed.pop(name)]
            event = replace(event, action="changed")
        kept[event.cursor] = event
    return list(kept.values())


def _event(row: Row, dialect: Dialect) -> Event:
    return Event(
        cursor=Place(row["stamp"], row["number"]).cursor(dialect),
        at=moment(row["at"]),
        kind=row["kind"],
        action=row["action"],
        id=row["id"],
        channel=row["channel"],
        person=row["person"],
        seq=row["seq"],
        until=row["until"],
    )


async def news(tx: Transaction, spaces: Sequence[str], since: int) -> tuple[set[str], int]:
    """Which of the spaces have events from `since` on, and from where to look next time."""
    rows = await tx.all(queries.news, spaces=json.dumps(list(spaces)), since=since)
    return {row["space"] for row in rows if row["space"] is not None}, rows[0]["mark"]


async def prune(tx: Transaction, keep: timedelta) -> bool:
    """Removes a batch of what is older; says whether there may be more."""
    return await tx.run(queries.prune, keep=keep // timedelta(microseconds=1), limit=_BATCH) == _BATCH
