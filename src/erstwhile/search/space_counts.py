"""Count what a space has: messages, channels, people, memories by kind, in all and by day."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime

from erstwhile.base import ids
from erstwhile.base.clock import first_midnight, micros, moment
from erstwhile.base.records import dataclass
from erstwhile.index import documents
from erstwhile.log import store as log
from erstwhile.storage import Transaction


@dataclass(frozen=True, slots=True)
class DayCounts:
    """Counts of one day, or of the days from it on that `SpaceCounts.step` has. A memory belongs to the day it
    is about; kinds without any are left out."""

    day: date
    messages: int
    memories: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class SpaceCounts:
    """What a space has now, and how much of it is of each of the last days. Days are UTC; the last one is today.
    Of all time, `daily` goes from the first to the last message, in steps of `step` days."""

    space: str
    since: datetime
    until: datetime
    messages: int
    channels: int
    people: int
    memories: Mapping[str, int]
    daily: tuple[DayCounts, ...]
    step: int = 1


_DAY = 86_400_000_000  # microseconds
_STEPS = (1, 7, 28, 91, 364)  # days in a step of all time
_MOST = 92  # steps


async def counted(tx: Transaction, until: datetime, days: int) -> SpaceCounts:
    """Count a space, with each of the last `days`; 0 is all time."""
    total = await log.count(tx)
    held = await documents.count_by_kind(tx)
    since, last, step = first_midnight(until, days or 1), micros(until), 1
    if not days and (span := await log.span(tx)) is not None:
        since, last = first_midnight(moment(span[0]), 1), span[1]
        whole = (last - micros(since)) // _DAY + 1
        step = next((each for each in _STEPS if whole <= each * _MOST), -(-whole // _MOST))
    said = await log.count_by_day(tx, micros(since), last, step * _DAY)
    made = await documents.count_by_day(tx, list(held), micros(since), last, step * _DAY)
    return SpaceCounts(
        space=tx.space,
        since=since,
        until=until,
        messages=total["messages"],
        channels=total["channels"],
        people=total["people"],
        memories=_in_order(held),
        daily=tuple(
            DayCounts(moment(start).date(), messages, _in_order(made.get(start, {})))
            for start, messages in said.items()
        ),
        step=step,
    )


def _in_order(counts: Mapping[str, int]) -> dict[str, int]:
    return {kind: counts[kind] for kind in ids.kinds() if counts.get(kind)}
