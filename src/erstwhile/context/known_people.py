"""What is known about people and visible here: profile facts that hold, and remembered texts."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

from erstwhile.base.clock import micros
from erstwhile.base.records import dataclass
from erstwhile.configuration.visibility import Visibility
from erstwhile.context import visible_notes
from erstwhile.context.visible_notes import on
from erstwhile.layers.notes.model import Note
from erstwhile.layers.notes.titles import as_name
from erstwhile.layers.part import Item
from erstwhile.layers.profiles import store as profiles
from erstwhile.layers.profiles.model import KIND as PROFILE
from erstwhile.layers.profiles.model import authors as profile_authors
from erstwhile.layers.remembered.model import TOLD
from erstwhile.layers.remembered.route import route
from erstwhile.log import people
from erstwhile.log import store as log
from erstwhile.memories import kinds
from erstwhile.memories import store as memories
from erstwhile.memories.model import StoredMemory
from erstwhile.search.model import Hit
from erstwhile.storage import Transaction
from erstwhile.text import analyse
from erstwhile.text.lines import one_line

if TYPE_CHECKING:
    from erstwhile.context.build import ContextRequest
    from erstwhile.context.timed_facts import PastValues

_KINDS = (PROFILE.name, TOLD)
_BY_HAND = "told by hand"
_Known = tuple[StoredMemory, Note | None]  # with the note it came from


@dataclass(frozen=True, slots=True)
class KnownFact:
    """`said_by`: the speaker's name, "" for the person; `source`: the note it came from and its
    day. It comes from messages `first` to `last` of its channel, unless `sources` names others.
    `ended`: some of it no longer holds."""

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
    ended: bool = False


MoreFacts = Callable[[str, Sequence[KnownFact]], Awaitable[list[KnownFact]]]


@dataclass(frozen=True, slots=True)
class KnownPerson:
    """`facts`, sorted by what a tight budget keeps first: what holds; remembered, on the question, newest."""

    person: str
    name: str
    facts: tuple[KnownFact, ...]


async def of(
    tx: Transaction,
    request: ContextRequest,
    ids: Iterable[str],
    seen_by: tuple[Visibility, PastValues],
    more: MoreFacts | None = None,
) -> dict[str, KnownPerson]:
    """Return those of these people about whom something is known that is visible here. `more` adds facts on file."""
    visibility, past = seen_by
    asked = [person for person in dict.fromkeys(ids) if person not in request.silent]
    stored = await memories.about(tx, _KINDS, asked)
    told = [each for each in stored if each.kind == TOLD]
    facts = await profiles.with_notes(tx, [each for each in stored if each.kind != TOLD])
    found: list[_Known] = [*facts, *((each, None) for each in told)]
    channels = {each.channel for each, _ in found} | {note.channel for _, note in found if note}
    visible = await visibility.visible(tx, request.channel, channels, request.person)
    found = [each for each in found if visible.shows(each[0].channel, each[0].seq)]
    found = [each for each in found if each[0].said_by not in request.silent]
    authors = await profile_authors(tx, [each for each, _ in found])
    told = [each for each, _ in found if each.kind == TOLD]
    messages = await kinds.sources(tx, told)
    shown = await kinds.shown(tx, told)  # quotations left out
    by_person: dict[str, list[KnownFact]] = {}
    for memory, note in found:
        seen = note if note and visible.shows(note.channel, note.first_seq) else None
        fact = _known(memory, seen, authors)
        text, sources = shown.get(fact.id, fact.text), tuple(messages.get(fact.id, ()))
        now = past.in_text(text, [(fact.channel, fact.first, fact.last)])
        fact = replace(fact, text=now, sources=sources, ended=now != text)
        if fact.text:
            by_person.setdefault(fact.person, []).append(fact)
    if more is not None:
        for person in asked:
            if added := await more(person, by_person.get(person, ())):
                by_person[person] = [*by_person.get(person, ()), *added]
    names = await people.labels_of(tx, by_person)
    terms = terms_of(request.query)
    there = [person for person in asked if person in by_person]
    for person in there:
        by_person[person].sort(key=lambda each: _last(each, terms))
    return {each: KnownPerson(each, names[each], tuple(by_person[each])) for each in there}


def present(request: ContextRequest, spoke: Iterable[str | None]) -> list[str]:
    """Return the asker, then those who spoke, without blocked people."""
    here = dict.fromkeys([request.person, *spoke])
    return [person for person in here if person is not None and person not in request.silent]


def asked_whom(wanted: ContextRequest) -> str | None:
    """Return whom the question asks to be told of, as it names them; None if it asks for something else."""
    request = route(wanted.query) if wanted.query else None
    return request.whom if request is not None and request.intent == "about" else None


async def asked_about(tx: Transaction, request: ContextRequest) -> list[str]:
    """Return the people whom the question names, or mentions by their id."""
    found = await log.people_named(tx, request.query) if request.query else []
    return list(dict.fromkeys(person for person, _ in found))


async def parts(
    tx: Transaction,
    request: ContextRequest,
    matches: tuple[Iterable[str | None], Sequence[Hit]],
    seen_by: tuple[Visibility, PastValues],
) -> dict[str, list[Item]]:
    """Return parts for `full`: the asker, some whom the question names; if several people talk, also
    the others, and notes."""
    spoke, hits = matches
    here = present(request, spoke)
    several, others = await tx.together(
        people.several(tx, request.channel), asked_about(tx, request)
    )
    about = here if several or request.person is None else here[:1]
    about = [*about, *others[: request.beside]]
    asked = [visible_notes.found(tx, hits)] if several else []
    known, *notes = await tx.together(of(tx, request, about, seen_by), *asked)
    terms = terms_of(request.query)
    lines = [(each, fact) for each in known.values() for fact in each.facts]
    lines.sort(key=lambda line: (line[1].ended, -_worth(line[0], line[1], terms)))
    facts = [item(fact, _line(each, fact), number) for number, (each, fact) in enumerate(lines)]
    items = []
    for note in (each for several in notes for each in several):
        place = {"channel": note.channel, "at": note.at, "ranges": note.ranges}
        items.append(Item(note.id, note.kind, note.line, 0, -1, sources=note.sources, **place))
    return {"people": facts, "notes": items}


def _worth(person: KnownPerson, fact: KnownFact, terms: frozenset[str]) -> int:
    """Return how much a line is on the question; what was told by hand is worth one term."""
    return len(terms & terms_of(f"{person.name} {fact.text}")) + (fact.section == TOLD)


def item(fact: KnownFact, text: str, place: int = 0) -> Item:
    """Return a line. `place`: its position among the others."""
    span, sources = (fact.first, fact.last), fact.sources
    return Item(fact.id, fact.kind, text, *span, channel=fact.channel, at=place, sources=sources)


def _line(person: KnownPerson, fact: KnownFact) -> str:
    said = f'"{fact.text}" (says {fact.said_by or person.name})' if fact.quoted else fact.text
    if fact.said_by and not fact.quoted:
        said += f" (says {fact.said_by})"
    named = not fact.quoted and log.stands_in(person.name, fact.text)
    whose = "" if named else f"{person.name}: "
    return one_line(f"- {whose}{said}{f' [{fact.source}]' if fact.source else ''}")


def _known(memory: StoredMemory, note: Note | None, authors: Mapping[str, str]) -> KnownFact:
    """Convert a memory. `note`: the one it came from, if it is visible."""
    if memory.seq is not None:
        channel, first, last = memory.channel, memory.seq, memory.seq
    elif note is not None:
        channel, first, last = note.channel, note.first_seq, note.last_seq
    else:
        channel, first, last = "", 0, -1  # no message
    return KnownFact(
        id=memory.id,
        kind=memory.kind,
        person=memory.person or "",
        section=TOLD if memory.kind == TOLD else memory.category,
        text=memory.text,
        said_by=authors[memory.said_by]
        if memory.said_by and memory.said_by != memory.person
        else "",
        quoted=bool(memory.data.get("flag")),
        source=_source(memory, note),
        at=micros(memory.at),
        channel=channel,
        first=first,
        last=last,
    )


def _source(memory: StoredMemory, note: Note | None) -> str:
    if memory.kind == TOLD:
        return ""
    if note is not None:
        title = as_name(note.title) if note.draft else note.title
        return ", ".join(filter(None, [title, on(note.day)]))
    return on(memory.at.date()) if memory.data.get("note") or memory.seq is not None else _BY_HAND


@lru_cache(maxsize=4096)
def terms_of(text: str) -> frozenset[str]:
    """Return the terms of a text. The same lines are candidates at every turn."""
    return frozenset(analyse.query_terms(text))


def _last(fact: KnownFact, terms: frozenset[str]) -> tuple[bool, int, int, str]:
    """Return the sort key; a tight budget drops the last first."""
    shared = len(terms & terms_of(fact.text)) if terms else 0
    return fact.section != TOLD, -shared, -fact.at, fact.id
