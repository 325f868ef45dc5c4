"""Read the feed from a cursor on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from erstwhile.base.clock import moment
from erstwhile.events.cursors import CursorKey, FeedPosition
from erstwhile.events.model import Event
from erstwhile.events.store import queries
from erstwhile.storage import Row, Transaction

PAGE = 200
OLDEST = "0"  # the cursor before all events that are kept


async def key(tx: Transaction) -> CursorKey:
    """Return the key of the cursors of this space."""
    row = await tx.first(queries.secret)
    assert row is not None
    return CursorKey(row["secret"], tx.space)


async def start(tx: Transaction, after: str | None, key: CursorKey) -> tuple[FeedPosition, bool]:
    """Return the start of a reader, and whether its cursor is still kept: without a cursor, now;
    with an unknown one, the oldest event."""
    if after is None:
        row = await tx.first(queries.mark)
        assert row is not None
        return FeedPosition(row["stamp"], row["number"]), True
    place = FeedPosition() if after == OLDEST else key.read(after)
    if after == OLDEST or (place and await tx.first(queries.there, stamp=place.stamp, number=place.number)):
        return place or FeedPosition(), True
    return FeedPosition(), False


async def page(tx: Transaction, place: FeedPosition, key: CursorKey) -> tuple[list[Event], FeedPosition, bool]:
    """Return the next events, the new position, and whether there may be more."""
    rows = await tx.all(queries.page, stamp=place.stamp, number=place.number, limit=PAGE)
    if rows:
        place = FeedPosition(rows[-1]["stamp"], rows[-1]["number"])
    return merged([_event(row, key) for row in rows]), place, len(rows) == PAGE


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


def _event(row: Row, key: CursorKey) -> Event:
    return Event(
        cursor=key.write(FeedPosition(row["stamp"], row["number"])),
        at=moment(row["at"]),
        kind=row["kind"],
        action=row["action"],
        id=row["id"],
        channel=row["channel"],
        person=row["person"],
        seq=row["seq"],
        until=row["until"],
    )
