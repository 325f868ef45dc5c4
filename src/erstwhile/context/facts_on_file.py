"""What the facts on file say about a person: what holds first, then what held before, newest first."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Final

from erstwhile.base.clock import day, micros
from erstwhile.base.records import dataclass
from erstwhile.configuration.visibility import Visibility
from erstwhile.context.known_people import KnownFact, asked_about, terms_of
from erstwhile.context.timed_facts import LAYER, marked
from erstwhile.layers.part import Item
from erstwhile.layers.remembered.route import ME
from erstwhile.log import people
from erstwhile.log import store as log
from erstwhile.memories import store as memories
from erstwhile.memories.model import StoredMemory
from erstwhile.storage import Transaction
from erstwhile.text.lines import one_line, unlabelled

if TYPE_CHECKING:
    from erstwhile.context.build import ContextRequest

FACT: Final = "fact"
KINDS: Final = (FACT, LAYER)
SECTION: Final = "facts"  # of a person in a context
_READ: Final = 200  # the newest; a person with many messages has thousands
_SAME: Final = 0.6  # the share of its words that others have from which a fact says nothing new
_STEM: Final = 3  # characters that forms of a word have in common at least
_MORE: Final = 2  # words that a fact has beyond another of its message, if it says more


@dataclass(frozen=True, slots=True)
class StatedFact:
    """A fact about a person. `source`: where and when it was said; `said_by`: who said it, None for the person. It held
    `until`, if it holds no longer."""

    id: str
    kind: str
    text: str
    source: str
    said_by: str | None
    at: datetime
    until: datetime | None
    channel: str
    seq: int

    @property
    def line(self) -> str:
        """The fact with its source, and until when it held."""
        ended = f"; until {day(self.until)}" if self.until else ""
        return f"{self.text} [{self.source}{ended}]"


@dataclass(frozen=True, slots=True)
class FactReader:
    """Who reads: the people in `here` (None: the operator) and the `asker`. Facts of `blocked` people are left out."""

    visibility: Visibility
    here: str | None
    asker: str | None
    blocked: frozenset[str] = frozenset()


async def about(
    tx: Transaction,
    reader: FactReader,
    person: str,
    told: Sequence[str] = (),
    named: Sequence[StoredMemory] = (),
) -> list[StatedFact]:
    """List the facts about a person that the reader may see: those that they said, and those of others that name them
    (`named`). Facts that the texts in `told` have already are left out."""
    found = (*await memories.newest_about(tx, KINDS, person, _READ), *named)
    allowed = (each for each in found if each.said_by not in reader.blocked)
    kept = [
        each for each in {each.id: each for each in allowed}.values() if not each.data.get("done")
    ]
    ends = await memories.by_ids(tx, [each.superseded_by for each in kept if each.superseded_by])
    channels = {each.channel for each in (*kept, *ends.values())}
    visible = await reader.visibility.visible(tx, reader.here, channels, reader.asker)

    def shows(memory: StoredMemory | None) -> bool:
        return memory is None or visible.shows(memory.channel, memory.seq)

    # why it ended must not be shown where that is not visible
    shown = [each for each in kept if shows(each) and shows(ends.get(each.superseded_by or ""))]
    names = terms_of(" ".join([person, *await people.all_names(tx, person)]))
    distinct = _distinct(sorted(shown, key=_newest_first), told, names)
    titles = await log.titles(tx, {each.channel for each in distinct if each.channel})
    ended: dict[tuple[str, int | None], list[StoredMemory]] = {}
    for each in shown:
        if each.valid_to is not None:
            ended.setdefault((each.channel, each.seq), []).append(each)
    over = (_until(each, ended.get((each.channel, each.seq), ()), names) for each in distinct)
    made = [_stated(each, person, titles) for each in over]
    return sorted(made, key=lambda each: (each.until is not None, -each.at.timestamp(), each.id))


async def asked_for(
    tx: Transaction, request: ContextRequest, visibility: Visibility, whom: str
) -> dict[str, list[Item]]:
    """Return what is on file about the people whom the question asks to be told of ("What do you know
    about me?"; `whom` as it says it), from all channels. Such a question has no words in common with what it asks for."""
    asked = [request.person] if whom == ME else await asked_about(tx, request)
    reader = FactReader(visibility, request.channel, request.person, request.silent)
    people = [person for person in asked if person and person not in request.silent]
    found = [each for person in people for each in await about(tx, reader, person)]
    return {"on file": [_item(each) for each in found]}


def _item(fact: StatedFact) -> Item:
    until = f" (until {day(fact.until)})" if fact.until else ""
    text = f"- {one_line(fact.text)}{until}"
    return Item(fact.id, fact.kind, text, fact.seq, fact.seq, channel=fact.channel)


async def beside(
    tx: Transaction, reader: FactReader, person: str, facts: Sequence[KnownFact]
) -> list[KnownFact]:
    """Return what else is on file about a person, as facts of a context."""
    found = await about(tx, reader, person, [each.text for each in facts])
    return [
        KnownFact(
            id=each.id,
            kind=each.kind,
            person=person,
            section=SECTION,
            text=each.text,
            said_by="",
            quoted=False,
            source=each.source + (f"; until {day(each.until)}" if each.until else ""),
            at=micros(each.at),
            channel=each.channel,
            first=each.seq,
            last=each.seq,
            ended=each.until is not None,
        )
        for each in found
    ]


def _until(
    fact: StoredMemory, ended: Sequence[StoredMemory], names: frozenset[str]
) -> StoredMemory:
    """Return a plain fact with the end of what it says, which memories of its message know. If it
    says more, only their part of it ends."""
    if fact.kind != FACT:
        return fact
    text = marked(fact.text, ended)
    if text == fact.text:
        return fact
    over = frozenset[str]().union(*(terms_of(each.text) for each in ended))
    if len(_unsaid(terms_of(unlabelled(fact.text)) - names, over)) >= _MORE:
        return replace(fact, text=text)
    return replace(fact, valid_to=max(each.valid_to for each in ended if each.valid_to))


def naming(found: Sequence[StoredMemory], name: str) -> list[StoredMemory]:
    """Return those that name a person. In front of a fact, or of the question that it answers, the
    name only says who said it; where somebody is addressed ("…, Theo"), it is not about them."""
    own = re.compile(
        rf"(?<!\w)(?<!, ){re.escape(name)}(?![\w:：])|, {re.escape(name)}(?=\s+\w)", re.IGNORECASE
    )
    said = (unlabelled(each.text) if each.kind == FACT else each.text for each in found)
    return [each for each, text in zip(found, said, strict=True) if own.search(text)]


def _newest_first(memory: StoredMemory) -> tuple[bool, float, str]:
    """What has a time of validity comes before plain facts: it says who it is about."""
    return memory.kind == FACT, -memory.at.timestamp(), memory.id


def _distinct(
    found: Sequence[StoredMemory], told: Sequence[str], names: frozenset[str]
) -> list[StoredMemory]:
    """Leave out what is said already, also in other words from the same message. Names don't count.
    What says more is kept: "I'm vegetarian and allergic to cashews" beside "Sofia is vegetarian"."""
    kept: list[StoredMemory] = []
    taken = [terms_of(text) - names for text in told]
    of_message: dict[tuple[str, int | None], frozenset[str]] = {}
    for each in found:
        place = each.channel, each.seq
        own = terms_of(unlabelled(each.text)) - names
        beside = of_message.get(place, frozenset())
        again = bool(own & beside) and len(_unsaid(own, beside)) < _MORE
        if not again and not any(_says(other, own) for other in taken):
            kept.append(each)
            taken.append(own)
        of_message[place] = beside | own
    return kept


def _unsaid(terms: frozenset[str], there: frozenset[str]) -> set[str]:
    """Return the terms of which no form is there: "vivo" is a form of "vive"."""
    begun = {each[:length] for each in there for length in range(_STEM, len(each) + 1)}
    return {each for each in terms - there if each[: max(_STEM, len(each) - 1)] not in begun}


def _says(said: frozenset[str], fact: frozenset[str]) -> bool:
    return len(said & fact) > _SAME * len(fact) if fact else not said


def _stated(memory: StoredMemory, person: str, titles: Mapping[str, str]) -> StatedFact:
    by = memory.said_by or (memory.person if memory.kind == FACT else None)
    return StatedFact(
        id=memory.id,
        kind=memory.kind,
        text=memory.text,
        source=", ".join(filter(None, [titles.get(memory.channel), day(memory.at)])),
        said_by=None if by == person else by,
        at=memory.at,
        until=memory.valid_to,
        channel=memory.channel,
        seq=memory.seq or 0,
    )
