"""Reads what is known about a person: all of it, or what the person may read. What several layers say
is one statement, with every source."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace
from datetime import datetime
from typing import Final

from erstwhile.api.memory import Memory
from erstwhile.api.page import Page
from erstwhile.api.portraits import About
from erstwhile.base.clock import day
from erstwhile.base.errors import NotFound
from erstwhile.base.records import dataclass
from erstwhile.dashboard import labels
from erstwhile.dashboard.people import timeline
from erstwhile.dashboard.people.timeline import TYPES, TimedMemory
from erstwhile.dashboard.viewer import Viewer
from erstwhile.layers.notes.model import Note
from erstwhile.layers.profiles.model import SECTIONS, ProfileFact
from erstwhile.layers.remembered.model import ToldText
from erstwhile.log.people import PersonEntry
from erstwhile.search.model import Hit

_MOST = 400  # memories on a timeline; notes whose titles are looked up
MESSAGES = 8  # of their own, at a time


@dataclass(frozen=True, slots=True)
class MessagePlace:
    """A message in its conversation."""

    channel: str
    seq: int


@dataclass(frozen=True, slots=True)
class StatementSource:
    """Where it was said, and by whom; `said_by` None: the person themselves."""

    label: str
    place: MessagePlace | None
    said_by: str | None = None
    at: datetime | None = None


@dataclass(frozen=True, slots=True)
class ProfileEntry:
    """A fact of the profile. `said_by` None: the person's own word. `source` names its note."""

    id: str
    section: str
    text: str
    said_by: str | None
    source: str
    place: MessagePlace | None
    at: datetime
    by_hand: bool = False
    flag: str = ""
    more: tuple[StatementSource, ...] = ()
    slot: str = ""
    value: str = ""


@dataclass(frozen=True, slots=True)
class Knowledge:
    """`told` is what is remembered, by audience; of oneself, `about` has the text."""

    person: str
    name: str
    about: About
    shown: PersonEntry | None = None
    facts: tuple[ProfileEntry, ...] = ()
    told: tuple[ToldText, ...] = ()
    held: tuple[TimedMemory, ...] = ()
    messages: Page[Hit] = field(default_factory=Page)
    names: Mapping[str, str] = field(default_factory=dict)
    titles: Mapping[str, str] = field(default_factory=dict)

    def called(self, person: str) -> str:
        return self.names.get(person, person)

    def said_in(self, channel: str, seq: int) -> StatementSource:
        label = f"{self.titles.get(channel, channel)}, message {seq}"
        return StatementSource(label, MessagePlace(channel, seq))


async def of_person(viewer: Viewer, person: str) -> Knowledge:
    """Read all of it, for the operator. No model is waited for."""
    memory = await viewer.reading()
    shown = next(iter(await memory.people.list(people=[person])), None)
    about = await _about(memory, person, shown)
    profile = await memory.people.profile(person, ended=True)
    structured = await memory.facts.structured(person=person, valid="all", limit=_MOST)
    every = [fact for facts in profile.sections.values() for fact in facts]
    origins = await _origins(viewer, memory, person, every)
    facts = [_fact(fact, origins) for fact in every if fact.standing and not fact.absorbed]
    held = timeline.gathered(structured, every)
    told = await memory.people.remembered(person)
    name = shown.name if shown else profile.name
    known = Knowledge(person, name, about, shown, tuple(facts), tuple(told), tuple(held))
    return await _completed(viewer, memory, known)


async def of_oneself(viewer: Viewer, person: str) -> Knowledge:
    """Read what the person may read: nothing that others said elsewhere."""
    memory = await viewer.reading()
    shown = next(iter(await memory.people.list(people=[person])), None)
    about = await _about(memory, person, shown, asker=person)
    structured = await memory.facts.structured(
        person=person, valid="all", asker=person, limit=_MOST
    )
    facts = tuple(
        ProfileEntry(each.id, section, each.text, each.said_by, each.source, None, each.at)
        for section, those in about.profile.items()
        for each in those
    )
    held = tuple(timeline.from_structured(each) for each in structured)
    known = Knowledge(person, shown.name if shown else person, about, shown, facts, held=held)
    return await _completed(viewer, memory, known)


async def _completed(viewer: Viewer, memory: Memory, known: Knowledge) -> Knowledge:
    """Add their latest messages, and the names of those who said something about them."""
    said = [
        each.said_by for those in (known.about.facts, known.facts, known.held) for each in those
    ]
    wanted = sorted({person for person in said if person})[:500]
    named = await memory.people.list(people=wanted, limit=500) if wanted else ()
    messages = await memory.people.messages(known.person, limit=MESSAGES)
    await viewer.read_titles(each.channel for those in (known.held, messages) for each in those)
    names = {each.person: each.name for each in named}
    return replace(known, messages=messages, names=names, titles=viewer.titles)


async def _about(
    memory: Memory, person: str, shown: PersonEntry | None, asker: str | None = None
) -> About:
    """Return the portrait; empty for someone who is only in the list."""
    try:
        return await memory.about(person, asker=asker, fresh=False)
    except NotFound:
        if shown is None and asker is None:
            raise
        return About(person, shown.name if shown else person)


async def _origins(
    viewer: Viewer, memory: Memory, person: str, facts: Sequence[ProfileFact]
) -> dict[str, StatementSource]:
    """Return the notes these facts come from."""
    notes: list[Note] = []
    if any(fact.notes for fact in facts):
        notes = await memory.notes.list(person=person, kind="note", limit=_MOST)
    await viewer.read_titles(each.channel for those in (notes, facts) for each in those)
    found = {}
    for note in notes:
        # the title of a draft is words of a message, which would pass for what the source says
        title = "" if note.draft else note.title
        label = f"{title or viewer.title_of(note.channel)}, {day(note.day)}"
        found[note.id] = StatementSource(label, MessagePlace(note.channel, note.first_seq))
    for fact in facts:
        if fact.note and fact.note not in found and fact.seq is not None:
            label = f"{viewer.title_of(fact.channel)}, {day(fact.at)}"
            found[fact.note] = StatementSource(label, MessagePlace(fact.channel, fact.seq))
    return found


def _fact(fact: ProfileFact, sources: Mapping[str, StatementSource]) -> ProfileEntry:
    origins = [sources[note] for note in fact.notes if note in sources]
    first = origins[0] if origins else None
    place = first.place if first else None
    if fact.seq is not None and fact.channel:
        place = MessagePlace(fact.channel, fact.seq)
    return ProfileEntry(
        id=fact.id,
        section=fact.section,
        text=fact.text,
        said_by=fact.said_by,
        source=first.label if first else "",
        place=place,
        at=fact.at,
        by_hand=fact.edited_at is not None,
        flag=fact.flag,
        more=tuple(origins[1:]),
        slot=fact.slot,
        value=fact.value,
    )


REMEMBERED: Final = "Remembered"
FACTS: Final = TYPES["fact"]
GROUPS: Final = (
    *(each.capitalize() for each in SECTIONS if each != "other"),
    *TYPES.values(),
    REMEMBERED,
    "Other",
)


@dataclass(frozen=True, slots=True)
class KnownStatement:
    """`text` is what is stored, `words` what is shown. `id` names a memory that can be edited,
    `twins` those that say the same; `line` is one that can be forgotten in the text of `told`."""

    group: str
    text: str
    words: str
    at: datetime | None
    sources: tuple[StatementSource, ...] = ()
    id: str = ""
    twins: tuple[str, ...] = ()
    line: str = ""
    told: ToldText | None = None
    by_hand: bool = False
    flag: str = ""
    keys: frozenset[object] = frozenset()


def merge(known: Knowledge, *, own: bool = False) -> list[KnownStatement]:
    """Return everything that holds, by group, the latest first. `own`: the person edits their profile
    alone."""
    found: list[KnownStatement] = []
    for each in _all(known, own):
        twin = next((n for n, other in enumerate(found) if other.keys & each.keys), None)
        if twin is None:
            found.append(each)
            continue
        first = found[twin]
        places = {source.place for source in first.sources if source.place}
        more = tuple(
            source for source in each.sources if source.place is None or source.place not in places
        )
        line, told = (each.line, each.told) if not first.line else (first.line, first.told)
        id = first.id or each.id
        twins = (*first.twins, *([each.id] if first.id and each.id else []))
        merged = replace(
            first, sources=(*first.sources, *more), line=line, told=told, id=id, twins=twins
        )
        found[twin] = replace(merged, keys=first.keys | each.keys)
    found.sort(key=lambda each: -each.at.timestamp() if each.at else 0)
    return sorted(found, key=lambda each: GROUPS.index(each.group))


def _all(known: Knowledge, own: bool) -> Iterator[KnownStatement]:
    """Return all, first what is edited most easily: it is what the others are added to."""
    for entry in known.facts:
        yield _of_profile(known, entry)
    for held in known.held:
        if held.until is None:
            yield _of_timed(known, held, own)
    for fact in known.about.facts:
        if fact.until is None:
            source = StatementSource(
                fact.source, MessagePlace(fact.channel, fact.seq), fact.said_by, fact.at
            )
            yield _statement(
                known, FACTS, fact.text, fact.at, sources=(source,), id="" if own else fact.id
            )
    told: list[tuple[str, ToldText | None]] = [(each.text, each) for each in known.told] or [
        (known.about.told, None)
    ]
    for text, of in told:
        for line in filter(None, text.splitlines()):
            yield _statement(
                known, REMEMBERED, line, of.changed_at if of else None, line=line, told=of
            )


def _of_profile(known: Knowledge, entry: ProfileEntry) -> KnownStatement:
    said_by = entry.said_by if entry.said_by != known.person else None
    sources = [StatementSource(entry.source or "the message", entry.place, said_by, entry.at)]
    sources += entry.more
    if not entry.source and not entry.place:
        sources = [StatementSource("", None, said_by, entry.at)]
    made = _statement(
        known, entry.section.capitalize(), entry.text, entry.at, sources=tuple(sources), id=entry.id
    )
    keys = made.keys | ({(entry.slot.casefold(), entry.value.casefold())} if entry.slot else set())
    return replace(made, by_hand=entry.by_hand, flag=entry.flag, keys=keys)


def _of_timed(known: Knowledge, held: TimedMemory, own: bool) -> KnownStatement:
    place = StatementSource("", None)
    if held.seq is not None and held.channel:
        place = known.said_in(held.channel, held.seq)
    said_by = held.said_by if held.said_by != known.person else None
    group = held.about if held.about in GROUPS else FACTS
    source = replace(place, said_by=said_by, at=held.since)
    made = _statement(
        known, group, held.text, held.since, sources=(source,), id="" if own else held.id
    )
    return replace(made, keys=made.keys | {(held.about.casefold(), held.value.casefold())})


def _statement(
    known: Knowledge, group: str, text: str, at: datetime | None, **more: object
) -> KnownStatement:
    words = labels.without_speaker(text, known.name, known.person)
    plain = unicodedata.normalize("NFKC", words).casefold()
    plain = plain.removeprefix(f"{known.name.casefold()} ")
    key = " ".join(re.findall(r"\w+", plain)) or plain
    return KnownStatement(group, text, words, at, keys=frozenset({key}), **more)  # type: ignore[arg-type]
