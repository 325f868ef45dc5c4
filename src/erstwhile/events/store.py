"""Events in the database."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

from erstwhile.base.clock import moment
from erstwhile.base.records import dataclass
from erstwhile.events.model import Event
from erstwhile.storage import Dialect, Row, Transaction
from erstwhile.storage.queries import load

queries = load(__package__)

PAGE = 200
_BATCH = 1000
_CURSOR = re.compile(r"(\d{1,18})(?:\.(\d{1,18}))?")
_NOWHERE: dict[str, Any] = {"channel": None, "person": None, "seq": None, "until": None}


@dataclass(frozen=True, slots=True)
class FeedPosition:
    """The position of a reader. On SQLite, with one writer, `stamp` is the event's number."""

    stamp: int = 0
    number: int = 0

    def cursor(self, dialect: Dialect) -> str:
        return str(self.stamp) if dialect == "sqlite" else f"{self.stamp}.{self.number}"


OLDEST = "0"  # the cursor before all events that are kept


async def emit(tx: Transaction, kind: str, action: str, id: str, **where: Any) -> None:
    """Write an event. `where`: channel, person, seq and until, and another space."""
    await tx.run(queries.emit, kind=kind, action=action, id=id, **_NOWHERE | where)


async def mark(tx: Transaction) -> int:
    row = await tx.first(queries.mark)
    assert row is not None
    return int(row["stamp"])


async def discard_since(tx: Transaction, since: int) -> None:
    """Delete the events that this transaction has written since the mark."""
    await tx.run(queries.retract, mark=since)


async def start(tx: Transaction, after: str | None) -> tuple[FeedPosition, bool]:
    """Return the start of a reader, and whether its cursor is still kept: without a cursor, now;
    with an unknown one, the oldest event."""
    if after is None:
        row = await tx.first(queries.mark)
        assert row is not None
        return FeedPosition(row["stamp"], row["number"]), True
    found = _CURSOR.fullmatch(after)
    place = FeedPosition(int(found[1]), int(found[2] or 0)) if found else FeedPosition()
    if after == OLDEST or await tx.first(queries.there, stamp=place.stamp, number=place.number):
        return place, True
    return FeedPosition(), False


async def page(tx: Transaction, place: FeedPosition) -> tuple[list[Event], FeedPosition, bool]:
    """Return the next events, the new position, and whether there may be more."""
    rows = await tx.all(queries.page, stamp=place.stamp, number=place.number, limit=PAGE)
    if rows:
        place = FeedPosition(rows[-1]["stamp"], rows[-1]["number"])
    return merged([_event(row, tx.dialect) for row in rows]), place, len(rows) == PAGE


def merged(events: Sequence[Event]) -> list[Event]:
    """Merge "removed" and a following "added" into "changed"."""
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
        cursor=FeedPosition(row["stamp"], row["number"]).cursor(dialect),
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
    """Return the spaces with events from `since` on, and where to look next time."""
    rows = await tx.all(queries.news, spaces=json.dumps(list(spaces)), since=since)
    return {row["space"] for row in rows if row["space"] is not None}, rows[0]["mark"]


async def prune(tx: Transaction, keep: timedelta) -> bool:
    """Delete a batch of older events; return whether there may be more."""
    return await tx.run(queries.prune, keep=keep // timedelta(microseconds=1), limit=_BATCH) == _BATCH
