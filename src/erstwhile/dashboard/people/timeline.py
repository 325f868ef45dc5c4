"""The timeline of a person: memories with their validity, as bars in lanes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Final

from erstwhile import StructuredMemory
from erstwhile.base.records import dataclass
from erstwhile.language.en.calendar import MONTHS_SHORT
from erstwhile.layers.profiles.model import ProfileFact

TYPES: Final = {
    "fact": "Facts",
    "preference": "Preferences",
    "decision": "Decisions",
    "todo": "To do",
    "entity": "Things and people",
}
_SECTIONS: Final = {  # what is not about one thing by its section, in the words of the slots
    "bio": "Bio",
    "interests": "Interest",
    "skills": "Skill",
    "opinions": "Opinion",
    "relationships": "Relationship",
    "other": "Other",
}
_STEPS: Final = (1, 2, 3, 6, 12, 24, 60, 120, 240, 600, 1_200, 6_000, 24_000)  # months per tick
_MOST_TICKS: Final = 6
_DAYS: Final = 70  # a time shorter than this is measured in days, not in months
_NARROW: Final = 11.0  # per cent
_SPOKEN: Final = 20  # of a lane that are named to whoever does not see it
_THINNEST: Final = 1.2  # per cent of the width: what held for a day in years can still be seen


@dataclass(frozen=True, slots=True)
class TimedMemory:
    """A memory that was valid `since` a time `until` another (None: still).

    `about` is a slot or a type; `again` are the messages that repeated it after `seq`.
    """

    id: str
    about: str
    text: str
    value: str
    since: datetime
    until: datetime | None
    said_by: str | None
    channel: str
    seq: int | None
    ended_by: str | None = None
    again: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Bar:
    """`left` and `width` are per cent of the whole time."""

    held: TimedMemory
    left: float
    width: float

    @property
    def thin(self) -> bool:
        """Too thin for words."""
        return self.width < _NARROW


@dataclass(frozen=True, slots=True)
class Lane:
    """The memories about one thing, oldest first. `changed`: one replaced another."""

    about: str
    rows: tuple[tuple[Bar, ...], ...]
    changed: bool

    @property
    def bars(self) -> list[Bar]:
        return sorted(
            (bar for row in self.rows for bar in row), key=lambda bar: (bar.held.since, bar.held.id)
        )


@dataclass(frozen=True, slots=True)
class Tick:
    label: str
    left: float


@dataclass(frozen=True, slots=True)
class Timeline:
    """Lanes in which something changed come first, the latest change on top."""

    since: datetime
    until: datetime
    ticks: tuple[Tick, ...]
    lanes: tuple[Lane, ...]


def from_structured(memory: StructuredMemory) -> TimedMemory:
    about, value = _about(memory.slot, TYPES[memory.type]), memory.value or memory.text
    said = memory.said_by, memory.channel, memory.seq, memory.superseded_by
    since, until, again = memory.valid_from, memory.valid_to, memory.sources[1:]
    return TimedMemory(memory.id, about, memory.text, value, since, until, *said, again=again)


def gathered(
    typed: Iterable[StructuredMemory], profile: Iterable[ProfileFact]
) -> list[TimedMemory]:
    """Both, without duplicates: of a memory with a type it is known best when it was valid."""
    held = [from_structured(each) for each in typed]
    values = {(each.about, each.value.casefold()) for each in held}
    texts = {each.text.casefold() for each in held}
    for fact in profile:
        about, value = _about(fact.slot, _SECTIONS[fact.section]), fact.value or fact.text
        said = fact.said_by or fact.person, fact.channel, fact.seq, fact.superseded_by
        each = TimedMemory(fact.id, about, fact.text, value, fact.at, fact.valid_to, *said)
        twice = (each.about, each.value.casefold()) in values or each.text.casefold() in texts
        if not fact.absorbed and not fact.flag and not twice:
            held.append(each)
    return held


def timeline(held: Sequence[TimedMemory], now: datetime) -> Timeline:
    since = min((each.since for each in held), default=now)
    until = max([now, *(each.until or each.since for each in held)])
    whole = max(until - since, timedelta(hours=1))
    since = until - whole
    lanes: dict[str, list[TimedMemory]] = {}
    for each in sorted(held, key=lambda each: (each.since, each.id)):
        lanes.setdefault(each.about, []).append(each)
    made = [_lane(about, those, since, whole, now) for about, those in lanes.items()]
    made.sort(
        key=lambda lane: (lane.changed, max(bar.held.since for bar in lane.bars)), reverse=True
    )
    return Timeline(since, until, _ticks(since, until), tuple(made))


def in_words(lane: Lane) -> str:
    """ "Seoul until 18 Jul 2026; Busan since": a lane in words, for screen readers."""
    bars = lane.bars
    earlier = [f"{len(bars) - _SPOKEN:,} earlier"] if len(bars) > _SPOKEN else []
    return "; ".join([*earlier, *(f"{bar.held.value} {when(bar.held)}" for bar in bars[-_SPOKEN:])])


def when(held: TimedMemory) -> str:
    if held.until is None:
        return f"since {day(held.since)}"
    if held.until.date() == held.since.date():
        return f"on {day(held.since)}"
    return f"{day(held.since)} until {day(held.until)}"


def day(at: datetime) -> str:
    """Return the day in UTC, the same in every time zone."""
    there = at.astimezone(UTC)
    return f"{there.day} {MONTHS_SHORT[there.month - 1]} {there.year}"


def _about(slot: str, otherwise: str) -> str:
    return slot[:1].upper() + slot[1:] if slot else otherwise


def _lane(
    about: str, held: Sequence[TimedMemory], since: datetime, whole: timedelta, now: datetime
) -> Lane:
    def bar(each: TimedMemory) -> Bar:
        left = min((each.since - since) / whole * 100, 100 - _THINNEST)
        right = (max(each.until or now, each.since) - since) / whole * 100
        return Bar(each, round(left, 3), round(max(right - left, _THINNEST), 3))

    rows: list[list[TimedMemory]] = []
    for each in held:
        free = next(
            (row for row in rows if row[-1].until is not None and row[-1].until <= each.since), None
        )
        if free is None:
            rows.append([each])
        else:
            free.append(each)
    changed = any(each.ended_by is not None for each in held)
    return Lane(about, tuple(_row([bar(each) for each in row]) for row in rows), changed)


def _row(bars: Sequence[Bar]) -> tuple[Bar, ...]:
    """Place bars one after the other; those drawn wider make room for their neighbours."""
    placed: list[Bar] = []
    thinnest = min(_THINNEST, 100 / max(1, len(bars)))
    for number, bar in enumerate(bars):
        left = max(bar.left, placed[-1].left + placed[-1].width if placed else 0.0)
        end = max(bar.left + bar.width, left + thinnest)
        room = 100 - thinnest * (len(bars) - number - 1)  # for those that follow
        if number + 1 < len(bars):
            end = max(min(end, bars[number + 1].left), left + thinnest)
        end = min(end, room)
        left = min(left, end - thinnest)
        placed.append(Bar(bar.held, round(left, 3), round(end - left, 3)))
    return tuple(placed)


def _ticks(since: datetime, until: datetime) -> tuple[Tick, ...]:
    whole, days = until - since, (until - since).days
    found: list[datetime]
    if days < _DAYS:
        step = timedelta(days=max(1, -(-days // _MOST_TICKS)))
        midnight = since.astimezone(UTC).replace(
            hour=0, minute=0, second=0, microsecond=0
        ) + timedelta(days=1)
        found = [midnight + step * number for number in range(_MOST_TICKS + 1)]
        labels = [f"{at.day} {MONTHS_SHORT[at.month - 1]}" for at in found]
    else:
        months = next((step for step in _STEPS if days / 30.4 / step <= _MOST_TICKS), _STEPS[-1])
        found = _firsts(since, until, months)
        years = months >= 12
        labels = [
            str(at.year) if years else f"{MONTHS_SHORT[at.month - 1]} {at.year}" for at in found
        ]
    return tuple(
        Tick(label, round((at - since) / whole * 100, 3))
        for at, label in zip(found, labels, strict=True)
        if since <= at <= until - whole * 0.08
    )


def _firsts(since: datetime, until: datetime, months: int) -> list[datetime]:
    """Return the first days of the months that the step falls on: quarters start in January."""
    start, found = since.astimezone(UTC), []
    number = (start.year * 12 + start.month - 1) // months * months
    last = until.astimezone(UTC).year * 12 + 11
    while number <= min(last, 9999 * 12 + 11):
        if number >= 12:
            found.append(datetime(number // 12, number % 12 + 1, 1, tzinfo=UTC))
        number += months
    return found
