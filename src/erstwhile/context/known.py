"""What is known of people: the facts of their profiles that hold, and what was told, as far as it may be heard here."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING

from erstwhile.base.clock import micros, moment
from erstwhile.configuration.visibility import Visibility
from erstwhile.context import noted, render
from erstwhile.context.model import Item
from erstwhile.context.noted import on, queries
from erstwhile.layers.remembered.model import TOLD
from erstwhile.layers.remembered.names import distinct_names
from erstwhile.log import people
from erstwhile.log.model import Message
from erstwhile.memories import kinds
from erstwhile.memories import store as memories
from erstwhile.memories.model import StoredMemory
from erstwhile.search.model import Hit
from erstwhile.storage import Row, Transaction
from erstwhile.text import analyse

if TYPE_CHECKING:
    from erstwhile.context.build import ContextRequest

_SEVERAL = 2
_BY_HAND = "told by hand"


@dataclass(frozen=True, slots=True)
class KnownFact:
    """`said_by` is the name of whoever said it, "" for the person; `source` the note it came from and its day. It comes from the messages
    `first` to `last` of its channel, unless `sources` names others."""

    id: str
    kind: str
    person: str
    section: str
    text: str
    said_by: str
    quoted: bool
    source: str
    at: int
    channel: str
    first: int
    last: int
    sources: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class KnownPerson:
    """`facts`: what a tight budget should keep first: what was told, then what the question is about, then the newest."""

    person: str
    name: str
    facts: tuple[KnownFact, ...]


async def of(
    tx: Transaction, wanted: ContextRequest, ids: Iterable[str], hearing: Visibility
) -> dict[str, KnownPerson]:
    """Of these people, those of whom something is known that may be heard here."""
    asked = [person for person in dict.fromkeys(ids) if person not in wanted.silent]
    told = {each.id: each for each in await memories.about(tx, TOLD, asked)}
    rows = [*await tx.all(queries.known, people=json.dumps(asked)), *map(_row, told.values())] if asked else []
    if not rows:
        return {}
    channels = {row[column] or "" for row in rows for column in ("channel", "noted_in")}
    heard = await hearing.heard(tx, wanted.channel, channels, wanted.person)
    rows = [row for row in rows if row["channel"] in heard and row["said_by"] not in wanted.silent]
    names = await people.names_of(tx, {row[column] for row in rows for column in ("person", "said_by") if row[column]})
    authors = await distinct_names(tx, {row["said_by"] for row in rows if row["said_by"]}, names)
    heeded = [told[row["id"]] for row in rows if row["id"] in told]
    messages, shown = await kinds.sources(tx, heeded), await kinds.shown(tx, heeded)
    rows = [{**row, "text": shown.get(row["id"], row["text"])} for row in rows]  # quotations left out
    by_person: dict[str, list[KnownFact]] = {}
    for row in (row for row in rows if row["text"]):
        by_person.setdefault(row["person"], []).append(_known(row, authors, heard, messages))
    terms = frozenset(analyse.query_terms(wanted.query))
    return {
        person: KnownPerson(
            person, names[person], tuple(sorted(by_person[person], key=lambda each: _last(each, terms)))
        )
        for person in asked
        if person in by_person
    }


def present(wanted: ContextRequest, said: Sequence[Message]) -> list[str]:
    """Whoever asks, then whoever spoke, the latest first; nobody who is blocked or was not named."""
    spoke = [each.person for each in reversed(said) if each.role == "user" and each.person is not None]
    here = [wanted.person, *spoke] if wanted.person is not None else spoke
    return [person for person in dict.fromkeys(here) if person is not None and person not in wanted.silent]


async def parts(
    tx: Transaction, wanted: ContextRequest, matches: tuple[Sequence[Message], Sequence[Hit]], hearing: Visibility
) -> dict[str, list[Item]]:
    """For the recipe `full`: what is known of whoever asks, and where several people talk, of the others here and of what was noted."""
    said, hits = matches
    here = present(wanted, said)
    several = len(await people.people_of(tx, wanted.channel)) >= _SEVERAL
    known = await of(tx, wanted, here if several or wanted.person is None else here[:1], hearing)
    lines = [(each, fact) for each in known.values() for fact in each.facts]
    notes = await noted.found(tx, hits) if several else []
    return {
        "people": [item(fact, _line(each, fact), number) for number, (each, fact) in enumerate(lines)],
        "notes": [
            Item(each.id, each.kind, each.line, 0, -1, channel=each.channel, at=each.at, sources=each.sources)
            for each in notes
        ],
    }


def item(fact: KnownFact, text: str, place: int = 0) -> Item:
    """`place`: where it is shown among the others."""
    return Item(fact.id, fact.kind, text, fact.first, fact.last, channel=fact.channel, at=place, sources=fact.sources)


def _line(person: KnownPerson, fact: KnownFact) -> str:
    said = f'"{fact.text}" (says {fact.said_by or person.name})' if fact.quoted else fact.text
    if fact.said_by and not fact.quoted:
        said += f" (says {fact.said_by})"
    whose = "" if said.startswith(person.name) else f"{person.name}: "
    return render.one_line(f"- {whose}{said}{f' [{fact.source}]' if fact.source else ''}")


def _row(told: StoredMemory) -> Row:
    empty = dict.fromkeys(("said_by", "seq", "note", "title", "day", "noted_in", "first_seq", "last_seq"))
    named = {"kind": TOLD, "section": TOLD, "id": told.id, "person": told.person, "text": told.text}
    return {**empty, **named, "channel": told.channel, "flag": "", "at": micros(told.at)}


def _known(
    row: Row, authors: Mapping[str, str], heard: frozenset[str], messages: Mapping[str, Sequence[str]]
) -> KnownFact:
    noted_here = row["title"] is not None and row["noted_in"] in heard
    seq = row["seq"]
    if seq is not None:
        channel, first, last = row["channel"], seq, seq
    elif noted_here:
        channel, first, last = row["noted_in"], row["first_seq"], row["last_seq"]
    else:
        channel, first, last = "", 0, -1  # no message
    return KnownFact(
        id=row["id"],
        kind=row["kind"],
        person=row["person"],
        section=row["section"],
        text=row["text"],
        said_by=authors[row["said_by"]] if row["said_by"] and row["said_by"] != row["person"] else "",
        quoted=bool(row["flag"]),
        source=_source(row, noted_here=noted_here),
        at=row["at"],
        channel=channel,
        first=first,
        last=last,
        sources=tuple(messages.get(row["id"], ())),
    )


def _source(row: Row, *, noted_here: bool) -> str:
    if row["kind"] == TOLD:
        return ""
    if noted_here:
        return ", ".join(filter(None, [row["title"], on(date.fromisoformat(row["day"]))]))
    return on(moment(row["at"]).date()) if row["note"] is not None or row["seq"] is not None else _BY_HAND


def _last(fact: KnownFact, terms: frozenset[str]) -> tuple[bool, int, int, str]:
    """What a tight budget drops first is last."""
    shared = len(terms.intersection(analyse.query_terms(fact.text))) if terms else 0
    return fact.section != TOLD, -shared, -fact.at, fact.id
