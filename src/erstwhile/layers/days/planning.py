"""Find out what is missing of a day, from message counts alone; then read the messages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime

from erstwhile.base.records import dataclass
from erstwhile.configuration.visibility import EVERYONE, Audiences, Visibility
from erstwhile.layers.days import store
from erstwhile.layers.days.batch import DaySection, set_apart
from erstwhile.layers.days.model import OVER, DayBatch, Moment, View, bounds
from erstwhile.log import message_counts, people
from erstwhile.log import store as log
from erstwhile.log.model import FURTHEST, Message
from erstwhile.storage import Transaction
from erstwhile.writers import xml

_MOST = 20_000  # messages of a day that are read
_SCANNED = 100_000  # characters that are searched for names of mentioned people


@dataclass(frozen=True, slots=True)
class DayPart:
    """Messages of a day and channel with one audience: `since` one and before another, `until`."""

    channel: str
    messages: int
    since: int = 0
    until: int = FURTHEST

    def has(self, channel: str, message: Message) -> bool:
        return channel == self.channel and self.since <= message.seq < self.until


@dataclass(frozen=True, slots=True)
class DayTasks:
    """What is missing of one day. `make`: a batch and its parts of channels for each audience;
    `close`: batches of a day that is over, with nothing new; `drop`: batches to delete; `apart`:
    private audiences. `new`: there are messages in no summary yet."""

    day: date
    make: Mapping[str, tuple[DayBatch, tuple[DayPart, ...]]]
    close: tuple[DayBatch, ...] = ()
    drop: tuple[DayBatch, ...] = ()
    apart: frozenset[str] = frozenset()
    new: bool = False

    def __bool__(self) -> bool:
        return bool(self.make or self.close)


@dataclass(frozen=True, slots=True)
class DayPlan:
    needs: DayTasks
    moment: Moment
    sections: tuple[DaySection, ...]
    names: Mapping[str, str]


async def needs(
    tx: Transaction,
    visibility: Visibility,
    day: date,
    moment: Moment,
    view: View | None,
    *,
    redo: bool,
) -> DayTasks:
    """Return what is missing. With `redo`, also drafts (there is a model now). A private channel is
    only read for a `view` of one of its people who can see it (None: all)."""
    counts = await message_counts.counts(tx, *bounds(day, moment.zone))
    batches = {batch.audience: batch for batch in await store.batches(tx, day, day)}
    over = day < moment.today
    if not counts and (over or not batches):
        return DayTasks(day, {})
    audiences, times = await visibility.audiences(tx, counts), bounds(day, moment.zone)
    channels = await _by_audience(tx, counts, audiences, batches, times)
    private = (await message_counts.private_channels(tx)) & channels.keys()
    hidden = private - await _visible(tx, visibility, private, view)
    make: dict[str, tuple[DayBatch, tuple[DayPart, ...]]] = {}
    closed: list[DayBatch] = []
    new = False
    bucket = OVER if over else moment.hour
    for audience in sorted(channels.keys() - hidden):
        messages = sum(part.messages for part in channels[audience])
        wanted = DayBatch(day, audience, bucket, messages, draft=False)
        there = batches.get(audience)
        fresh, again = there is None, False
        if there is not None:
            fresh = not there.over and there.messages != messages and there.bucket < bucket
            again = there.draft and redo
        if fresh or again:
            make[audience] = (wanted, tuple(channels[audience]))
            new |= fresh
        elif there is not None and over and not there.over:
            closed.append(there)
    gone = [each for each in batches.values() if not each.over and each.audience not in channels]
    return DayTasks(day, make, tuple(closed), tuple(gone) if EVERYONE in make else (), private, new)


async def _by_audience(
    tx: Transaction,
    counts: Mapping[str, int],
    audiences: Audiences,
    batches: Mapping[str, DayBatch],
    day: tuple[datetime, datetime],
) -> dict[str, list[DayPart]]:
    """Group parts of channels by audience. A channel that was private when its day was made stays so."""
    found: dict[str, list[DayPart]] = {}
    for channel, audience in sorted(audiences.items()):
        opened, own = audiences.opened.get(channel), batches.get(channel)
        if opened is not None:
            early = await message_counts.count_before(tx, channel, opened, day)
            parts = [(channel, DayPart(channel, early, until=opened))]
            parts += [(EVERYONE, DayPart(channel, counts[channel] - early, since=opened))]
        else:
            owner = channel if own is not None and own.over else audience
            parts = [(owner, DayPart(channel, counts[channel]))]
        for whose, part in parts:
            if part.messages:
                found.setdefault(whose, []).append(part)
    return found


async def _visible(
    tx: Transaction, visibility: Visibility, private: frozenset[str], view: View | None
) -> frozenset[str]:
    if view is None or not private:
        return private
    theirs = private & set(await people.channels_of(tx, view.person))
    return await visibility.only(view.within).visible(tx, view.here, theirs, view.asker)


async def plan(tx: Transaction, tasks: DayTasks, moment: Moment) -> DayPlan:
    zone = moment.zone
    said = await people.said_between(tx, *bounds(tasks.day, zone), _MOST) if tasks.make else []
    everyone = await people.everyone(tx) if said else []
    known = {person.person for person in everyone if not person.blocked}
    sections = []
    for audience, (_, parts) in tasks.make.items():
        # By channel, so that a conversation stays together.
        theirs = [each for each in said if any(part.has(*each) for part in parts)]
        theirs.sort(key=lambda each: each[0])
        local = tuple(replace(message, at=message.at.astimezone(zone)) for _, message in theirs)
        if local:
            mentioned = await _mentioned(tx, local, known)
            sections.append(DaySection(audience, local, mentioned, apart=audience in tasks.apart))
    named = {id for each in sections for id in (*each.people, *each.mentioned)}
    names = await people.labels_of(tx, named)
    return DayPlan(tasks, moment, set_apart(sections), names)


async def _mentioned(tx: Transaction, said: Sequence[Message], known: set[str]) -> tuple[str, ...]:
    """Return the known people who are mentioned, by id or by a name that only one of them has."""
    pointed = (id for message in said for id in xml.mentions(message.text))
    called: dict[str, set[str]] = {}
    text = "\n".join(message.text for message in said)[:_SCANNED]
    for person, name in await log.people_named(tx, text):
        called.setdefault(name.casefold(), set()).add(person)
    named = (person for found in called.values() if len(found) == 1 for person in sorted(found))
    return tuple(dict.fromkeys(person for person in (*pointed, *named) if person in known))
