"""Who is who in a space: names, who has spoken where, and who is blocked."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from erstwhile.base.clock import micros, moment
from erstwhile.base.errors import InvalidInput
from erstwhile.events import store as events
from erstwhile.log.model import Message
from erstwhile.log.store import from_row, people_named, queries
from erstwhile.storage import Transaction


@dataclass(frozen=True, slots=True)
class Person:
    """`blocked`: nothing they say is kept, nothing of theirs recalled. `shares`: what they said in private may be told elsewhere."""

    person: str
    name: str
    blocked: bool
    shares: bool


@dataclass(frozen=True, slots=True)
class Named:
    """A name someone went by, and the first and last time it was seen."""

    name: str
    first_at: datetime
    last_at: datetime


@dataclass(frozen=True, slots=True)
class PersonShown:
    """`names`: all they went by, the latest first. `messages`: how many of theirs are kept; `last_at`: when they said the last."""

    person: str
    name: str
    names: tuple[Named, ...]
    messages: int
    last_at: datetime | None
    blocked: bool
    shares: bool


@dataclass(frozen=True, slots=True)
class Directory:
    """A page of people; `total`: how many there are on all pages."""

    people: list[PersonShown]
    total: int


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which people: `people` by their ids, `named` by a part of their id or of any name they went by; None is everyone."""

    people: tuple[str, ...] | None = None
    named: str | None = None
    skip: int = 0
    limit: int = 50


async def directory(tx: Transaction, wanted: Wanted) -> Directory:
    narrow = {
        "people": None if wanted.people is None else json.dumps(wanted.people),
        "named": wanted.named,
        "lower": None if wanted.named is None else wanted.named.lower(),
    }
    rows = await tx.all(queries.directory, **narrow, skip=wanted.skip, limit=wanted.limit)
    total = await tx.first(queries.directory_total, **narrow)
    these = json.dumps([row["person"] for row in rows])
    said = {row["person"]: row["messages"] for row in await tx.all(queries.said_by_each, people=these)}
    names: dict[str, list[Named]] = {}
    for row in await tx.all(queries.names_of, people=these):
        names.setdefault(row["person"], []).insert(
            0, Named(row["name"], moment(row["first_at"]), moment(row["last_at"]))
        )
    shown = [
        PersonShown(
            person=row["person"],
            name=names[row["person"]][0].name if row["person"] in names else row["person"],
            names=tuple(names.get(row["person"], ())),
            messages=said.get(row["person"], 0),
            last_at=None if row["last_at"] is None else moment(row["last_at"]),
            blocked=bool(row["blocked"]),
            shares=bool(row["shares"]),
        )
        for row in rows
    ]
    return Directory(shown, total["people"] if total else 0)


async def everyone(tx: Transaction) -> list[Person]:
    return [
        Person(row["person"], row["name"] or row["person"], bool(row["blocked"]), bool(row["shares"]))
        for row in await tx.all(queries.people)
    ]


async def names_of(tx: Transaction, people: Iterable[str]) -> dict[str, str]:
    """How each is called now; their id where no name was ever seen."""
    wanted = sorted(set(people))
    rows = await tx.all(queries.names_of, people=json.dumps(wanted)) if wanted else []
    return {person: person for person in wanted} | {row["person"]: row["name"] for row in rows}


async def known_as(tx: Transaction, called: str) -> list[str]:
    """The people who go, or once went, by exactly this id or name; a first name does where nobody has it as their whole name."""
    wanted = " ".join(called.split()).removeprefix("@").casefold()
    found = await people_named(tx, called)
    whole = {person for person, name in found if name.casefold() == wanted}
    return sorted(whole)


async def blocked(tx: Transaction) -> frozenset[str]:
    return frozenset(row["person"] for row in await tx.all(queries.blocked))


async def refuse_blocked(tx: Transaction, *concerned: str | None) -> None:
    """For what is told by hand."""
    silent = await blocked(tx)
    for person in concerned:
        if person in silent:
            raise InvalidInput(f"{person!r} is blocked: nothing is kept of them or from them. Unblock them first.")


async def block(tx: Transaction, person: str, now: datetime, *, blocked: bool, own: bool) -> None:
    """`own`: the person asks for it themselves."""
    if own and not blocked and await tx.first(queries.blocked_by_others, person=person):
        raise InvalidInput(f"{person!r} was blocked by someone else, who alone can take it back.")
    await tx.run(queries.add_person, person=person, now=micros(now))
    await tx.run(queries.set_blocked, person=person, blocked=int(blocked), own=int(own))
    await events.emit(tx, "person", "blocked" if blocked else "unblocked", person, person=person)


async def share(tx: Transaction, person: str, now: datetime, *, shares: bool) -> None:
    await tx.run(queries.add_person, person=person, now=micros(now))
    await tx.run(queries.set_shares, person=person, shares=int(shares))
    await events.emit(tx, "person", "shares" if shares else "keeps", person, person=person)


async def channels_of(tx: Transaction, person: str) -> list[str]:
    """Where the person has spoken, or was declared to hear."""
    return [row["channel"] for row in await tx.all(queries.channels_of, person=person)]


async def people_of(tx: Transaction, channel: str) -> list[str]:
    """The named people who have spoken in a channel, or were declared to hear it."""
    return [row["person"] for row in await tx.all(queries.people_of, channel=channel) if row["person"]]


async def said_between(tx: Transaction, since: datetime, until: datetime, limit: int) -> list[tuple[str, Message]]:
    """What people said in a stretch of time, over all channels, each with its channel; blocked people left out."""
    rows = await tx.all(queries.said_between, since=micros(since), until=micros(until), limit=limit)
    silent = await blocked(tx)
    return [(row["channel"], from_row(row)) for row in rows if row["person"] not in silent]
