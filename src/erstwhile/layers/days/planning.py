"""What a day still wants to be made of: by audience, from the counts of messages alone; then the messages themselves."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date

from erstwhile.configuration.visibility import EVERYONE, Visibility
from erstwhile.layers.days import store
from erstwhile.layers.days.batch import DaySection, set_apart
from erstwhile.layers.days.model import OVER, DayBatch, Moment, View, bounds
from erstwhile.log import people
from erstwhile.log import store as log
from erstwhile.log.model import Message
from erstwhile.storage import Transaction
from erstwhile.writers import xml

_MOST = 20_000  # messages of a day that are read
_SCANNED = 100_000  # characters in which names of people who did not speak are looked for


@dataclass(frozen=True, slots=True)
class Needs:
    """Of one day: the channels of each audience to `make`, with its batch-to-be; what to `close` because the day is over and nothing was
    said since; what to `drop`. `new`: something was said that is in no summary yet."""

    day: date
    make: Mapping[str, tuple[DayBatch, tuple[str, ...]]]
    close: tuple[DayBatch, ...] = ()
    drop: tuple[DayBatch, ...] = ()
    apart: frozenset[str] = frozenset()
    new: bool = False

    def __bool__(self) -> bool:
        return bool(self.make or self.close)


@dataclass(frozen=True, slots=True)
class DayPlan:
    needs: Needs
    moment: Moment
    sections: tuple[DaySection, ...]
    names: Mapping[str, str]


async def needs(
    tx: Transaction, visibility: Visibility, day: date, moment: Moment, view: View | None, *, redo: bool
) -> Needs:
    """With `redo`, because there is a model, drafts are wanted again. Channels that were declared private are only looked at for whoever
    takes part in them and may hear them now (`view`; None: all)."""
    counts = await store.counts(tx, *bounds(day, moment.zone))
    batches = {batch.audience: batch for batch in await store.batches(tx, day, day)}
    over = day < moment.today
    if not counts and (over or not batches):
        return Needs(day, {})
    channels = _by_audience(await visibility.audiences(tx, counts), batches)
    declared = (await store.declared(tx)) & channels.keys()
    passed_over = declared - await _heard(tx, visibility, declared, view)
    make: dict[str, tuple[DayBatch, tuple[str, ...]]] = {}
    closed: list[DayBatch] = []
    new = False
    for audience in sorted(channels.keys() - passed_over):
        wanted = DayBatch(
            day,
            audience,
            OVER if over else moment.hour,
            sum(counts[channel] for channel in channels[audience]),
            draft=False,
        )
        there = batches.get(audience)
        fresh = there is None or (not there.over and there.messages != wanted.messages and there.bucket < wanted.bucket)
        again = there is not None and there.draft and redo
        if fresh or again:
            make[audience] = (wanted, tuple(channels[audience]))
            new |= fresh
        elif there is not None and over and not there.over:
            closed.append(there)
    gone = [batch for batch in batches.values() if not batch.over and batch.audience not in channels]
    return Needs(day, make, tuple(closed), tuple(gone) if EVERYONE in make else (), declared, new)


def _by_audience(audiences: Mapping[str, str], batches: Mapping[str, DayBatch]) -> dict[str, list[str]]:
    """A channel that was private on a day that is over stays told in its own rows, also when it has become open since."""
    found: dict[str, list[str]] = {}
    for channel, audience in sorted(audiences.items()):
        own = batches.get(channel)
        found.setdefault(channel if own is not None and own.over else audience, []).append(channel)
    return found


async def _heard(
    tx: Transaction, visibility: Visibility, declared: frozenset[str], view: View | None
) -> frozenset[str]:
    if view is None or not declared:
        return declared
    theirs = declared & set(await people.channels_of(tx, view.person))
    return await visibility.only(view.within).visible(tx, view.here, theirs, view.asker)


async def plan(tx: Transaction, wanted: Needs, moment: Moment) -> DayPlan:
    zone = moment.zone
    said = await people.said_between(tx, *bounds(wanted.day, zone), _MOST) if wanted.make else []
    everyone = await people.everyone(tx) if said else []
    known = {person.person for person in everyone if not person.blocked}
    sections = []
    for audience, (_, channels) in wanted.make.items():
        # By channel, so that what belongs together is read together.
        theirs = sorted((each for each in said if each[0] in channels), key=lambda each: each[0])
        local = tuple(replace(message, at=message.at.astimezone(zone)) for _, message in theirs)
        if local:
            mentioned = await _mentioned(tx, local, known)
            sections.append(DaySection(audience, local, mentioned, apart=audience in wanted.apart))
    return DayPlan(wanted, moment, set_apart(sections), {person.person: person.name for person in everyone})


async def _mentioned(tx: Transaction, said: Sequence[Message], known: set[str]) -> tuple[str, ...]:
    """Known people whom someone spoke of: by a mention, or by a name that only one of them has."""
    pointed = (id for message in said for id in xml.mentions(message.text))
    called: dict[str, set[str]] = {}
    for person, name in await log.people_named(tx, _text(said)):
        called.setdefault(name.casefold(), set()).add(person)
    named = (person for found in called.values() if len(found) == 1 for person in sorted(found))
    return tuple(dict.fromkeys(person for person in (*pointed, *named) if person in known))


def _text(said: Iterable[Message]) -> str:
    return "\n".join(message.text for message in said)[:_SCANNED]
