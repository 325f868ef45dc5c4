"""What is known about a person as one list: what several layers say is said once, with every
source."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from typing import Final

from erstwhile.base.records import dataclass
from erstwhile.dashboard import labels
from erstwhile.dashboard.people.knowledge import (
    Knowledge,
    MessagePlace,
    ProfileEntry,
    StatementSource,
)
from erstwhile.dashboard.people.timeline import TYPES, TimedMemory
from erstwhile.layers.profiles.model import SECTIONS
from erstwhile.layers.remembered.model import ToldText

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
