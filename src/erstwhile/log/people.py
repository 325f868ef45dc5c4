"""People of a space: names, channels they have spoken in, and blocking."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final

from erstwhile.base import records
from erstwhile.base.clock import micros
from erstwhile.base.errors import InvalidInput
from erstwhile.base.page import DEFAULT, Page, cut_at
from erstwhile.base.records import dataclass
from erstwhile.events import store as events
from erstwhile.log.check import folded, not_a_twin
from erstwhile.log.model import Message
from erstwhile.log.store import from_row, name_row, people_named, person_row, queries, twins_of
from erstwhile.storage import Row, Transaction, column
from erstwhile.text import labels
from erstwhile.text.labels import NameLabel

_UNKNOWN = "unknown"  # behind the name of someone without an id, if a known person has it


@dataclass(frozen=True, slots=True)
class Person:
    """A person. `blocked`: their messages are neither stored nor recalled. `shares`: their private
    channels may be visible elsewhere."""

    person: str
    name: str
    blocked: bool
    shares: bool


@dataclass(frozen=True, slots=True)
class PersonName:
    """A name of a person, and when it was first and last seen."""

    name: str
    first_at: datetime
    last_at: datetime


@dataclass(frozen=True, slots=True)
class PersonEntry:
    """A person with all their `names`, the latest first, the number of stored `messages` and the
    time of the last."""

    person: str
    name: str
    names: tuple[PersonName, ...]
    messages: int
    last_at: datetime | None
    blocked: bool
    shares: bool


@dataclass(frozen=True, slots=True)
class PeopleFilter:
    """Which people to list: `people` by id, `named` by part of an id or name; None is everyone."""

    people: tuple[str, ...] | None = None
    named: str | None = None
    start: int = 0
    limit: int = DEFAULT


async def directory(tx: Transaction, filters: PeopleFilter) -> Page[PersonEntry]:
    narrow = {
        "people": None if filters.people is None else json.dumps(filters.people),
        "named": filters.named,
        "lower": None if filters.named is None else filters.named.lower(),
    }
    rows = await tx.all(queries.directory, **narrow, skip=filters.start, limit=filters.limit)
    total = await tx.first(queries.directory_total, **narrow)
    these = json.dumps([row["person"] for row in rows])
    counted = await tx.all(queries.said_by_each, people=these)
    said = {row["person"]: row["messages"] for row in counted}
    names: dict[str, list[PersonName]] = {}
    for row in await tx.all(queries.names_of, people=these):
        names.setdefault(row["person"], []).insert(0, records.from_row(PersonName, row))
    shown = []
    for row in rows:
        known = tuple(names.get(row["person"], ()))
        told = {"name": known[0].name if known else row["person"], "names": known}
        told |= {"messages": said.get(row["person"], 0)}
        shown.append(records.from_row(PersonEntry, row, **told))
    return cut_at(shown, filters.start, filters.limit, total["people"] if total else 0)


async def everyone(tx: Transaction) -> list[Person]:
    rows = await tx.all(queries.people)
    return [records.from_row(Person, row, name=row["name"] or row["person"]) for row in rows]


async def names_of(tx: Transaction, people: Iterable[str]) -> dict[str, str]:
    """Return the current name of each person, or their id."""
    wanted = sorted(set(people))
    rows = await tx.all(queries.names_of, people=json.dumps(wanted)) if wanted else []
    return {person: person for person in wanted} | {row["person"]: row["name"] for row in rows}


async def labels_of(tx: Transaction, people: Iterable[str]) -> dict[str, NameLabel]:
    """Return the label of each person: their current name, with the id if others share it."""
    names = await names_of(tx, people)
    return {person: label for (person, _), label in (await _labels(tx, names.items())).items()}


async def tell_apart(tx: Transaction, messages: Sequence[Message]) -> list[Message]:
    """Return the messages with names that tell their authors apart. See `labels_of`."""
    found = await _author_labels(tx, {(each.person, each.name) for each in messages})
    return [
        each if label is None else replace(each, name=label)
        for each in messages
        for label in [found.get((each.person, each.name))]
    ]


async def tell_rows_apart(tx: Transaction, rows: Sequence[Row]) -> list[Row]:
    """Return rows of messages with names that tell their authors apart. See `labels_of`."""
    found = await _author_labels(tx, {(row["person"], row["name"]) for row in rows})
    return [
        row if label is None or label == row["name"] else {**row, "name": label}
        for row in rows
        for label in [found.get((row["person"], row["name"]))]
    ]


_Author = tuple[str | None, str | None]


async def _author_labels(tx: Transaction, authors: set[_Author]) -> dict[_Author, NameLabel]:
    """Return the label of each person and name of a message. A message that names only the person has the name they
    were last seen with."""
    nameless = [person for person, name in authors if person and not name]
    names = await names_of(tx, nameless) if nameless else {}
    known = {
        (person, name): (person or "", name or names.get(person or "", person or ""))
        for person, name in authors
        if person or name
    }
    found = await _labels(tx, set(known.values()))
    return {author: found[shown] for author, shown in known.items()}


async def _labels(
    tx: Transaction, named: Iterable[tuple[str, str]]
) -> dict[tuple[str, str], NameLabel]:
    """Return the label of each person under a name. Someone without an id is nobody known."""
    keys = {pair: labels.key(pair[1]) for pair in named}
    wanted = json.dumps(sorted(set(keys.values()) - {""}))
    rows = await tx.all(queries.holders, labels=wanted) if keys else []
    shared = {row["label"]: {row["first"], row["last"]} for row in rows}
    return {
        (person, name): labels.with_id(name, person or _UNKNOWN)
        if name != person and (labels.dubious(name) or shared.get(key, {person}) != {person})
        else labels.label(name) or labels.with_id("", person)
        for (person, name), key in keys.items()
    }


async def all_names(tx: Transaction, person: str) -> list[str]:
    """Return the names a person has had, the latest first."""
    return [row["name"] for row in reversed(await tx.all(queries.names, person=person))]


async def add(tx: Transaction, person: str, now: datetime, name: str = "") -> None:
    """Add a person, if new, with a name that was seen now."""
    at = micros(now)
    await refuse_twins(tx, [person])
    await tx.run_many(queries.add_person, [person_row(person, at)])
    if name:
        await tx.run_many(queries.add_names, [name_row(person, name, at, at)])


async def refuse_twins(tx: Transaction, people: Iterable[str]) -> None:
    """Refuse ids that differ from known ones only in case."""
    people = sorted(set(people))
    known = await twins_of(tx, people)
    for person in people:
        not_a_twin(person, known.setdefault(folded(person), person))


async def exists(tx: Transaction, person: str) -> bool:
    """Return whether there is a person with exactly this id."""
    return await row_of(tx, person) is not None


async def hold(tx: Transaction, person: str) -> None:
    """Lock a person until the commit."""
    await tx.first(queries.hold_person, person=person)


async def row_of(tx: Transaction, person: str) -> Row | None:
    """Return whether a person is blocked, and shares; None if there is no such person."""
    return await tx.first(queries.person_row, person=person)


async def names_over_time(tx: Transaction, person: str) -> list[PersonName]:
    """Return the names a person has had, the oldest first."""
    rows = await tx.all(queries.names, person=person)
    found = [records.from_row(PersonName, row) for row in rows]
    return sorted(found, key=lambda each: (each.first_at, each.name))


async def is_known(tx: Transaction, person: str) -> bool:
    """Return whether there is a person with this id, or one that differs only in case."""
    return folded(person) in await twins_of(tx, [person])


async def known_as(tx: Transaction, called: str) -> list[str]:
    """Return the people with exactly this id or name, now or before. A first name matches if nobody
    has it as full name."""
    wanted = " ".join(called.split()).removeprefix("@").casefold()
    found = await people_named(tx, called)
    whole = {person for person, name in found if name.casefold() == wanted}
    return sorted(whole)


async def blocked(tx: Transaction) -> frozenset[str]:
    return frozenset(await column(tx, queries.blocked))


async def blocked_names(tx: Transaction) -> list[Row]:
    """Return blocked people with every name they ever had, and since when."""
    return await tx.all(queries.blocked_names)


async def had_before(tx: Transaction, name: str, since: int) -> bool:
    """Return whether someone who is not blocked had a name before a time."""
    return await tx.first(queries.had_before, name=name, since=since) is not None


async def refuse_blocked(tx: Transaction, *concerned: str | None) -> None:
    """Raise InvalidInput if the person is blocked."""
    blocked_people = await blocked(tx)
    for person in concerned:
        if person in blocked_people:
            raise InvalidInput(
                f"{person!r} is blocked: nothing is stored about them or from them. Unblock them first."
            )


async def block(tx: Transaction, person: str, now: datetime, *, blocked: bool, own: bool) -> None:
    """Block or unblock a person. `own`: the person does it themselves."""
    if own and not blocked and await tx.first(queries.blocked_by_others, person=person):
        raise InvalidInput(f"{person!r} was blocked by someone else and can't unblock themselves.")
    await add(tx, person, now)
    await tx.run(queries.set_blocked, person=person, blocked=int(blocked), own=int(own))
    await events.emit(tx, "person", "blocked" if blocked else "unblocked", person, person=person)


async def share(tx: Transaction, person: str, now: datetime, *, shares: bool) -> None:
    await add(tx, person, now)
    await tx.run(queries.set_shares, person=person, shares=int(shares))
    await events.emit(tx, "person", "shares" if shares else "keeps", person, person=person)


# For queries over any table: the channels of `:person`, and the people of `:channel`.
CHANNELS_OF: Final = "SELECT channel FROM speakers WHERE space = :space AND person = :person"
PEOPLE_OF: Final = "SELECT person FROM speakers WHERE space = :space AND channel = :channel"


async def channels_of(tx: Transaction, person: str) -> list[str]:
    """Return the channels of which the person is a member or speaker."""
    return await column(tx, queries.channels_of, person=person)


async def spoke_since(tx: Transaction, person: str, channel: str, since: int) -> bool:
    """Return whether a person has spoken in a channel from a message on."""
    where = {"person": person, "channel": channel, "since": since}
    return await tx.first(queries.spoke_since, **where) is not None


async def only_speaker(tx: Transaction) -> str | None:
    """Return who speaks in the space, if that is one person only; "" stands for one without an id."""
    row = await tx.first(queries.only_speaker)
    return None if row is None else row["person"]


async def several(tx: Transaction, channel: str) -> bool:
    """Return whether more than one person is a member or speaker of a channel."""
    row = await tx.first(queries.several, channel=channel)
    return row is not None and row["people"] > 1


async def add_members(tx: Transaction, channel: str, people: Sequence[str]) -> None:
    """Make people members of a channel, of all that was said in it."""
    await refuse_twins(tx, people)
    rows = [{"channel": channel, "person": each, "since": 0} for each in sorted(set(people))]
    await tx.run_many(queries.add_speaker, rows)


async def channel_members(
    tx: Transaction, channels: Sequence[str], here: str, asker: str = ""
) -> dict[str, Row]:
    """Return for each channel: `privacy`, the number of its `people`, from which message on it is
    `opened` to everyone, and, of what was said before: how many of those in `here` (and `asker`) it
    `lacks`, and how many of its own are `unwilling` to share."""
    named = json.dumps(sorted(set(channels)))
    given = {"channels": named, "here": here, "asker": asker}
    rows = await tx.all(queries.channel_members, **given) if channels else []
    return {row["channel"]: row for row in rows}


async def named_members(
    tx: Transaction, channels: Sequence[str], most: int
) -> dict[str, tuple[list[str], int]]:
    """Return the names of the first people of each channel, and how many there are."""
    found: dict[str, tuple[list[str], int]] = {}
    for row in await tx.all(queries.named_members, channels=json.dumps(list(channels)), most=most):
        found.setdefault(row["channel"], ([], row["many"]))[0].append(row["name"])
    return found


async def first_members(
    tx: Transaction, channels: Sequence[str], most: int
) -> dict[str, list[str]]:
    """Return the first `most` named people of each channel."""
    found: dict[str, list[str]] = {channel: [] for channel in channels}
    for row in await tx.all(queries.first_members, channels=json.dumps(list(channels)), most=most):
        found[row["channel"]].append(row["person"])
    return found


async def said_between(
    tx: Transaction, since: datetime, until: datetime, limit: int
) -> list[tuple[str, Message]]:
    """Return the messages of a period over all channels, without those of blocked people."""
    rows = await tx.all(queries.said_between, since=micros(since), until=micros(until), limit=limit)
    blocked_people = await blocked(tx)
    return [(row["channel"], from_row(row)) for row in rows if row["person"] not in blocked_people]
