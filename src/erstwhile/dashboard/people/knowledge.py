"""Reads what is known about a person: all of it, or what the person may read. What several layers say
is one statement, with every source."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace
from datetime import datetime
from typing import Any, Final

from erstwhile.api.portraits import About
from erstwhile.base.clock import day
from erstwhile.base.errors import NotFound
from erstwhile.base.page import Page
from erstwhile.base.records import dataclass
from erstwhile.dashboard import labels
from erstwhile.dashboard.people import timeline
from erstwhile.dashboard.people.timeline import TYPES, TimedMemory
from erstwhile.dashboard.viewer import Viewer
from erstwhile.layers.notes.model import Note
from erstwhile.layers.profiles.model import SECTIONS, ProfileFact, ProfileStatement
from erstwhile.layers.remembered.model import ToldText
from erstwhile.log.people import PersonEntry
from erstwhile.search.model import Hit

_MOST = 400  # memories on a timeline; notes whose titles are looked up
MESSAGES = 8  # of their own, at a time
REMEMBERED: Final = "Remembered"
FACTS: Final = TYPES["fact"]
_SECTIONS = (each.capitalize() for each in SECTIONS if each != "other")
GROUPS: Final = (*_SECTIONS, *TYPES.values(), REMEMBERED, "Other")

Place = tuple[str, int]  # of a message: its channel and number


@dataclass(frozen=True, slots=True)
class StatementSource:
    """Where it was said, and by whom; `said_by` None: the person themselves."""

    label: str
    place: Place | None
    said_by: str | None = None
    at: datetime | None = None


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


@dataclass(frozen=True, slots=True)
class Knowledge:
    """`told` is what is remembered, by audience; of oneself, `about` has the text. `facts` are those
    of the profile."""

    person: str
    name: str
    about: About
    shown: PersonEntry | None = None
    facts: tuple[KnownStatement, ...] = ()
    told: tuple[ToldText, ...] = ()
    held: tuple[TimedMemory, ...] = ()
    messages: Page[Hit] = field(default_factory=Page)
    names: Mapping[str, str] = field(default_factory=dict)
    titles: Mapping[str, str] = field(default_factory=dict)

    def called(self, person: str) -> str:
        return self.names.get(person, person)

    def said_in(self, channel: str, seq: int) -> StatementSource:
        label = f"{self.titles.get(channel, channel)}, message {seq}"
        return StatementSource(label, (channel, seq))


async def read(viewer: Viewer, person: str, *, own: bool = False) -> Knowledge:
    """Read all of it, for the operator; with `own`, what the person may read: nothing that others
    said elsewhere. No model is waited for."""
    memory, asker = await viewer.reading(), person if own else None
    shown = next(iter(await memory.people.list(people=[person])), None)
    name = shown.name if shown else person
    try:
        about = await memory.about(person, asker=asker, fresh=False)
    except NotFound:
        if shown is None and not own:
            raise
        about = About(person, name)  # someone who is only in the list
    typed = await memory.facts.structured(person=person, valid="all", asker=asker, limit=_MOST)
    told: tuple[ToldText, ...] = ()
    if own:
        facts = [
            profile_statement((person, name), section, each, each.source)
            for section, those in about.profile.items()
            for each in those
        ]
        held = timeline.gathered(typed, ())
    else:
        profile = await memory.people.profile(person, ended=True)
        name = name if shown else profile.name
        every = [fact for those in profile.sections.values() for fact in those]
        sources = await _sources(viewer, person, every)
        standing = [fact for fact in every if fact.standing and not fact.absorbed]
        facts = [of_profile((person, name), fact, sources) for fact in standing]
        held = timeline.gathered(typed, every)
        told = tuple(await memory.people.remembered(person))
    spoken = {source.said_by for fact in facts for source in fact.sources}
    spoken |= {each.said_by for those in (about.facts, held) for each in those}
    wanted = sorted(filter(None, spoken))[:500]
    named = await memory.people.list(people=wanted, limit=500) if wanted else ()
    messages = await memory.people.messages(person, limit=MESSAGES)
    await viewer.read_titles(each.channel for those in (held, messages) for each in those)
    names = {each.person: each.name for each in named}
    lists = tuple(facts), told, tuple(held), messages
    return Knowledge(person, name, about, shown, *lists, names, viewer.titles)


async def _sources(
    viewer: Viewer, person: str, facts: Sequence[ProfileFact]
) -> dict[str, StatementSource]:
    notes: list[Note] = []
    if any(fact.notes for fact in facts):
        memory = await viewer.reading()
        notes = await memory.notes.list(person=person, kind="note", limit=_MOST)
    await viewer.read_titles(each.channel for those in (notes, facts) for each in those)
    found = {}
    for note in notes:
        # the title of a draft is words of a message, which would pass for what the source says
        title = "" if note.draft else note.title
        label = f"{title or viewer.title_of(note.channel)}, {day(note.day)}"
        found[note.id] = StatementSource(label, (note.channel, note.first_seq))
    for fact in facts:
        if fact.note and fact.note not in found and fact.seq is not None:
            label = f"{viewer.title_of(fact.channel)}, {day(fact.at)}"
            found[fact.note] = StatementSource(label, (fact.channel, fact.seq))
    return found


def of_profile(
    who: tuple[str, str], fact: ProfileFact, sources: Mapping[str, StatementSource]
) -> KnownStatement:
    origins = [sources[note] for note in fact.notes if note in sources]
    label, place = (origins[0].label, origins[0].place) if origins else ("", None)
    if fact.seq is not None and fact.channel:
        place = fact.channel, fact.seq
    made = profile_statement(who, fact.section, fact, label, place)
    keys = made.keys | ({(fact.slot.casefold(), fact.value.casefold())} if fact.slot else set())
    every, by_hand = (*made.sources, *origins[1:]), fact.edited_at is not None
    return replace(made, sources=every, by_hand=by_hand, flag=fact.flag, keys=keys)


def profile_statement(
    who: tuple[str, str],
    section: str,
    fact: ProfileFact | ProfileStatement,
    label: str,
    place: Place | None = None,
) -> KnownStatement:
    """`who` is the person and their name; `label` names the note."""
    said_by = fact.said_by if fact.said_by != who[0] else None
    label = label or ("the message" if place else "")
    source = StatementSource(label, place, said_by, fact.at)
    return _statement(who, section.capitalize(), fact.text, source, id=fact.id)


def merge(known: Knowledge, *, own: bool = False) -> list[KnownStatement]:
    """Return everything that holds, by group, the latest first."""
    found: list[KnownStatement] = []
    for each in _all(known, own):
        twin = next((n for n, other in enumerate(found) if other.keys & each.keys), None)
        if twin is None:
            found.append(each)
            continue
        first = found[twin]
        places = {source.place for source in first.sources} - {None}
        found[twin] = replace(
            first,
            sources=first.sources + tuple(s for s in each.sources if s.place not in places),
            id=first.id or each.id,
            twins=(*first.twins, *([each.id] if first.id and each.id else [])),
            line=first.line or each.line,
            told=first.told if first.line else each.told,
            keys=first.keys | each.keys,
        )
    found.sort(key=lambda each: -each.at.timestamp() if each.at else 0)
    return sorted(found, key=lambda each: GROUPS.index(each.group))


def _all(known: Knowledge, own: bool) -> Iterator[KnownStatement]:
    """Return all, first what is edited most easily: it is what the others are added to."""
    who = known.person, known.name
    yield from known.facts
    for held in (each for each in known.held if each.until is None):
        place = StatementSource("", None)
        if held.seq is not None and held.channel:
            place = known.said_in(held.channel, held.seq)
        said_by = held.said_by if held.said_by != known.person else None
        source = replace(place, said_by=said_by, at=held.since)
        group = held.about if held.about in GROUPS else FACTS
        made = _statement(who, group, held.text, source, id="" if own else held.id)
        same = held.about.casefold(), held.value.casefold()
        yield replace(made, keys=made.keys | {same})
    for fact in (each for each in known.about.facts if each.until is None):
        place_of = fact.channel, fact.seq
        source = StatementSource(fact.source, place_of, fact.said_by, fact.at)
        yield _statement(who, FACTS, fact.text, source, id="" if own else fact.id)
    for of in known.told or (None,):
        for line in filter(None, (of.text if of else known.about.told).splitlines()):
            made = _statement(who, REMEMBERED, line, None, line=line, told=of)
            yield replace(made, at=of.changed_at if of else None)


def _statement(
    who: tuple[str, str], group: str, text: str, source: StatementSource | None, **more: Any
) -> KnownStatement:
    person, name = who
    words = labels.without_speaker(text, name, person)
    plain = unicodedata.normalize("NFKC", words).casefold().removeprefix(f"{name.casefold()} ")
    keys = frozenset({" ".join(re.findall(r"\w+", plain)) or plain})
    sources, at = ((source,), source.at) if source else ((), None)
    return KnownStatement(group, text, words, at, sources, keys=keys, **more)
