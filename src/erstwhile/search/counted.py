"""Count what a space has: messages, channels, people, memories by kind, in all and by day."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime

from erstwhile.base import ids
from erstwhile.base.clock import micros, moment
from erstwhile.base.records import dataclass
from erstwhile.index import documents
from erstwhile.log import store as log
from erstwhile.storage import Transaction


@dataclass(frozen=True, slots=True)
class CountedDay:
    """Counts of one day. A memory belongs to the day it is about; kinds without any are left out."""

    day: date
    messages: int
    memories: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Counted:
    """What a space has now, and how much of it is of each of the last days. Days are UTC; the last one is today."""

    space: str
    since: datetime
    until: datetime
    messages: int
    channels: int
    people: int
    memories: Mapping[str, int]
    daily: tuple[CountedDay, ...]


async def counted(tx: Transaction, since: datetime, until: datetime) -> Counted:
    """Count a space. `since` is the midnight (UTC) that begins the first day."""
    total = await log.count(tx)
    held = await documents.count_by_kind(tx)
    said = await log.count_by_day(tx, micros(since), micros(until))
    made = await documents.count_by_day(tx, list(held), micros(since), micros(until))
    return Counted(
        space=tx.space,
        since=since,
        until=until,
        messages=total["messages"],
        channels=total["channels"],
        people=total["people"],
        memories=_in_order(held),
        daily=tuple(
            CountedDay(moment(start).date(), messages, _in_order(made.get(start, {})))
            for start, messages in said.items()
        ),
    )


def _in_order(counts: Mapping[str, int]) -> dict[str, int]:
    return {kind: counts[kind] for kind in ids.kinds() if counts.get(kind)}
