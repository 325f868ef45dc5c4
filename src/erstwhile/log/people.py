"""Who is who in a space: names, who has spoken where, and who is blocked."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from erstwhile.base.clock import micros
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


async def block(tx: Transaction, person: str, now: datetime, *, blocked: bool) -> None:
    await tx.run(queries.add_person, person=person, now=micros(now))
    await tx.run(queries.set_blocked, person=person, blocked=int(blocked))
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
