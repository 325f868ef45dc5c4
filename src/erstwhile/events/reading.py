"""Read the feed from a cursor on."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import replace

from erstwhile.base.records import dataclass, from_row
from erstwhile.events.model import Event
from erstwhile.events.store import queries
from erstwhile.storage import Transaction, migrate

PAGE = 200
OLDEST = "0"  # the cursor before all events that are kept


async def key(tx: Transaction) -> CursorKey:
    """Return the key of the cursors of this space."""
    return CursorKey(await migrate.secret(tx), tx.space)


async def start(tx: Transaction, after: str | None, key: CursorKey) -> tuple[FeedPosition, bool]:
    """Return the start of a reader, and whether its cursor is still kept: without a cursor, now;
    with an unknown one, the oldest event."""
    if after is None:
        row = await tx.first(queries.mark)
        assert row is not None
        return FeedPosition(row["stamp"], row["number"]), True
    place = FeedPosition() if after == OLDEST else key.read(after)
    if after == OLDEST or (
        place and await tx.first(queries.there, stamp=place.stamp, number=place.number)
    ):
        return place or FeedPosition(), True
    return FeedPosition(), False


async def page(
    tx: Transaction, place: FeedPosition, key: CursorKey
) -> tuple[list[Event], FeedPosition, bool]:
    """Return the next events, the new position, and whether there may be more."""
    rows = await tx.all(queries.page, stamp=place.stamp, number=place.number, limit=PAGE)
    if rows:
        place = FeedPosition(rows[-1]["stamp"], rows[-1]["number"])
    events = []
    for row in rows:
        cursor = key.write(FeedPosition(row["stamp"], row["number"]))
        events.append(from_row(Event, row, cursor=cursor))
    return merged(events), place, len(rows) == PAGE


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


_CURSOR = re.compile(r"[0-9a-f]{32}")
_ROUNDS = range(4)
_FURTHEST = 2**63  # numbers of a database are smaller


@dataclass(frozen=True, slots=True)
class FeedPosition:
    """The position of a reader. On SQLite, with one writer, `stamp` is the event's number."""

    stamp: int = 0
    number: int = 0


class CursorKey:
    """The key of a space, which encrypts the cursors of its feed: places are numbers of the whole
    database, which would tell the readers of one space how much happens in others.

    The cipher is a Feistel network of four rounds over BLAKE2, two halves of 64 bits. A cursor that
    was made up decrypts to some place that is not there."""

    def __init__(self, secret: str, space: str) -> None:
        digest = hashlib.blake2b(space.encode(), key=secret.encode(), digest_size=32)
        self._key = digest.digest()

    def write(self, place: FeedPosition) -> str:
        left, right = place.stamp, place.number
        for turn in _ROUNDS:
            left, right = right, left ^ self._mix(turn, right)
        return f"{left:016x}{right:016x}"

    def read(self, cursor: str) -> FeedPosition | None:
        """Return the place of a cursor, or None if it can't be one."""
        if not _CURSOR.fullmatch(cursor):
            return None
        left, right = int(cursor[:16], 16), int(cursor[16:], 16)
        for turn in reversed(_ROUNDS):
            left, right = right ^ self._mix(turn, left), left
        return FeedPosition(left, right) if max(left, right) < _FURTHEST else None

    def _mix(self, turn: int, half: int) -> int:
        salt, given = bytes([turn]), half.to_bytes(8, "big")
        mixed = hashlib.blake2b(given, key=self._key, salt=salt, digest_size=8)
        return int.from_bytes(mixed.digest(), "big")
