"""The timeline of a person: memories with their validity, as bars in lanes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Final, NamedTuple

from erstwhile import StructuredMemory
from erstwhile.base.clock import day
from erstwhile.base.records import dataclass
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
    """`about` is a slot or a type; `again` are the messages that repeated it after `seq`."""

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
        every = [bar for row in self.rows for bar in row]
        return sorted(every, key=lambda bar: (bar.held.since, bar.held.id))


class Tick(NamedTuple):
    label: str
    left: float


@dataclass(frozen=True, slots=True)
class Timeline:
    """Lanes in which something changed come first, the latest change on top."""

    since: datetime
    until: datetime
    ticks: tuple[Tick, ...]
    lanes: tuple[Lane, ...]


def gathered(typed: Iterable[StructuredMemory], facts: Iterable[ProfileFact]) -> list[TimedMemory]:
    """Both, without duplicates: of a memory with a type it is known best when it was valid. What
    nobody else is named for is the person's own word."""
    held: list[TimedMemory] = []
    for memory in typed:
        about, value = memory.slot or TYPES[memory.type], memory.value or memory.text
        about = about[:1].upper() + about[1:]
        said = memory.said_by, memory.channel, memory.seq, memory.superseded_by
        told = memory.id, about, memory.text, value, memory.valid_from, memory.valid_to
        held.append(TimedMemory(*told, *said, again=memory.sources[1:]))
    values = {(each.about, each.value.casefold()) for each in held}
    texts = {each.text.casefold() for each in held}
    for fact in facts:
        about, value = fact.slot or _SECTIONS[fact.section], fact.value or fact.text
        about = about[:1].upper() + about[1:]
        twice = (about, value.casefold()) in values or fact.text.casefold() in texts
        if not fact.absorbed and not fact.flag and not twice:
            whose = fact.said_by or fact.person, fact.channel, fact.seq, fact.superseded_by
            what = fact.id, about, fact.text, value, fact.at, fact.valid_to
            held.append(TimedMemory(*what, *whose))
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
    latest = {lane.about: max(bar.held.since for bar in lane.bars) for lane in made}
    made.sort(key=lambda lane: (lane.changed, latest[lane.about]), reverse=True)
    return Timeline(since, until, _ticks(since, until), tuple(made))


def in_words(lane: Lane) -> str:
    """ "Seoul until 18 Jul 2026; Busan since": a lane in words, for screen readers."""
    bars = lane.bars
    earlier = [f"{len(bars) - _SPOKEN:,} earlier"] if len(bars) > _SPOKEN else []
    return "; ".join([*earlier, *(f"{bar.held.value} {when(bar.held)}" for bar in bars[-_SPOKEN:])])


def when(held: TimedMemory) -> str:
    """Return the days in UTC, the same in every time zone."""
    since = day(held.since.astimezone(UTC))
    if held.until is None:
        return f"since {since}"
    until = day(held.until.astimezone(UTC))
    return f"on {since}" if held.until.date() == held.since.date() else f"{since} until {until}"


def _lane(
    about: str, held: Sequence[TimedMemory], since: datetime, whole: timedelta, now: datetime
) -> Lane:
    rows: list[list[TimedMemory]] = []
    for each in held:
        free = (row for row in rows if row[-1].until is not None and row[-1].until <= each.since)
        row = next(free, None)
        if row is None:
            rows.append([each])
        else:
            row.append(each)

    def placed(row: Sequence[TimedMemory]) -> tuple[Bar, ...]:
        """Place bars one after the other; those drawn wider make room for their neighbours."""
        lefts = [min((each.since - since) / whole * 100, 100 - _THINNEST) for each in row]
        thinnest, bars, before = min(_THINNEST, 100 / len(row)), list[Bar](), 0.0
        for number, (each, begins) in enumerate(zip(row, lefts, strict=True)):
            ends = (max(each.until or now, each.since) - since) / whole * 100
            left = max(begins, before)
            end = max(ends, begins + _THINNEST, left + thinnest)
            if number + 1 < len(row):
                end = max(min(end, lefts[number + 1]), left + thinnest)
            end = min(end, 100 - thinnest * (len(row) - number - 1))  # room for those that follow
            left, before = min(left, end - thinnest), end
            bars.append(Bar(each, round(left, 3), round(end - left, 3)))
        return tuple(bars)

    changed = any(each.ended_by is not None for each in held)
    return Lane(about, tuple(map(placed, rows)), changed)


def _ticks(since: datetime, until: datetime) -> tuple[Tick, ...]:
    whole, days, start = until - since, (until - since).days, since.astimezone(UTC)
    if days < _DAYS:
        step = timedelta(days=max(1, -(-days // _MOST_TICKS)))
        midnight = start.replace(hour=0, minute=0, second=0, microsecond=0) + timedelta(days=1)
        found = [midnight + step * number for number in range(_MOST_TICKS + 1)]
    else:  # the first days of months that the step falls on: quarters start in January
        months = next((step for step in _STEPS if days / 30.4 / step <= _MOST_TICKS), _STEPS[-1])
        first = (start.year * 12 + start.month - 1) // months * months
        last = min(until.astimezone(UTC).year, 9999) * 12 + 11
        numbers = [number for number in range(first, last + 1, months) if number >= 12]
        found = [datetime(number // 12, number % 12 + 1, 1, tzinfo=UTC) for number in numbers]
    form = "{0.day} {0:%b}" if days < _DAYS else "{0.year}" if months >= 12 else "{0:%b} {0.year}"
    shown = [at for at in found if since <= at <= until - whole * 0.08]
    return tuple(Tick(form.format(at), round((at - since) / whole * 100, 3)) for at in shown)
