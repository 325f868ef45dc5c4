"""The recipe `community`: people here, mentioned or in notes found; these notes; recent messages.

All of it is markup around escaped text, names included, so that nobody can close a tag.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from erstwhile.base.records import dataclass
from erstwhile.configuration.visibility import Visibility
from erstwhile.context import facts_on_file, known_people, render, timed_facts, visible_notes
from erstwhile.context.known_people import KnownFact, KnownPerson
from erstwhile.context.model import PREFACE, ContextPart
from erstwhile.context.recipes import RECENT
from erstwhile.context.timed_facts import PastValues
from erstwhile.context.visible_notes import ContextNote
from erstwhile.layers.notes import store as note_store
from erstwhile.layers.part import Item
from erstwhile.layers.profiles.model import SECTIONS
from erstwhile.log import people as log_people
from erstwhile.log import store as log
from erstwhile.log.model import Message
from erstwhile.search.model import Hit
from erstwhile.storage import Transaction
from erstwhile.text import tokens
from erstwhile.text.excerpt import beginning
from erstwhile.text.lines import one_line
from erstwhile.writers import xml

if TYPE_CHECKING:
    from erstwhile.context.build import ContextRequest

_OPEN, _CLOSE = "<background_facts>", "</background_facts>"
_STEP = 16  # tokens by which the background shrinks until it fits
_TAGS = 30  # tokens of the outer tags


async def parts(
    tx: Transaction, request: ContextRequest, hits: Sequence[Hit], visibility: Visibility
) -> list[ContextPart]:
    latest = await log.latest(tx, request.channel, request.recent)
    shown_messages = [each for each in latest if each.person not in request.silent]
    said = await log_people.tell_apart(tx, shown_messages)
    if request.query:
        notes = await visible_notes.found(tx, hits)
    else:
        notes = await visible_notes.latest(tx, request, visibility)
    channels = {channel for note in notes for channel, _, _ in note.ranges}
    past = await timed_facts.past_values(tx, request, visibility, channels)
    people = await _people(tx, request, (said, notes), (visibility, past))
    notes = [replace(note, text=past.in_text(note.text, note.ranges)) for note in notes]
    lines = [past.in_recent(render.message(each)) for each in reversed(said)]
    room = request.budget - tokens.count(PREFACE) - 4
    shown = _recent(lines, int(room * 0.3))
    spent = sum(part.tokens for part in shown)
    while True:
        background = _background(fit(people, notes, room - spent))
        left = room - sum(part.tokens for part in background)
        shown = _shown(lines, left)
        if tokens.count(render.whole([*background, *shown])) <= request.budget or not background:
            return [*background, *shown]
        spent += _STEP


async def _people(
    tx: Transaction,
    request: ContextRequest,
    here: tuple[Sequence[Message], Sequence[ContextNote]],
    seen_by: tuple[Visibility, PastValues],
) -> list[KnownPerson]:
    """Return everyone in the conversation, some who were mentioned, some who took part in notes."""
    said, notes = here
    present = known_people.present(
        request, [each.person for each in reversed(said) if each.role == "user"]
    )
    mentioned = [*xml.mentions(request.query), *await known_people.asked_about(tx, request)]
    people = await note_store.people_of(tx, [note.id for note in notes])
    took_part = [person for note in notes for person in people.get(note.id, ())]
    reader = facts_on_file.FactReader(seen_by[0], request.channel, request.person, request.silent)

    async def more(person: str, facts: Sequence[KnownFact]) -> list[KnownFact]:
        return await facts_on_file.beside(tx, reader, person, facts)

    found = await known_people.of(tx, request, [*present, *mentioned, *took_part], seen_by, more)
    chosen = [person for person in present if person in found]
    for others in (mentioned, took_part):
        known_here = (person for person in dict.fromkeys(others) if person in found)
        beside = [person for person in known_here if person not in chosen]
        chosen += beside[: request.beside]
    return [found[person] for person in chosen]


# What fits


@dataclass(frozen=True, slots=True)
class CommunityChoice:
    """People with the facts that fit, in the order they are kept; notes best first."""

    people: tuple[KnownPerson, ...]
    notes: tuple[ContextNote, ...]


def fit(people: Sequence[KnownPerson], notes: Sequence[ContextNote], room: int) -> CommunityChoice:
    """Choose what fits. Notes get up to a third, profiles the rest, notes again what is left. Facts
    are left out whole: those of the last people first, then those that match the question least."""
    shorter = (replace(note, text=_cut(one_line(note.text), room // 6)) for note in notes)
    notes = [cut for note, cut in zip(notes, shorter, strict=True) if cut.text or not note.text]
    left = room - _TAGS
    some, left = _notes(notes, left, left // 3)
    kept: list[KnownPerson] = []
    for person in people:
        facts: list[KnownFact] = []
        tags = tokens.count(_tag(person)) + 4
        sections: set[str] = set()
        for fact in person.facts:
            if fact.section == "told":
                fact = replace(fact, text=_cut(fact.text, room // 4))
            cost = tokens.count(_line(person, fact)) + 1 + (0 if facts else tags)
            cost += 0 if fact.section in sections else tokens.count(_heading(fact.section)) + 2
            if cost <= left and fact.text:
                facts.append(fact)
                sections.add(fact.section)
                left -= cost
        if facts:
            kept.append(replace(person, facts=tuple(facts)))
    more, _ = _notes([note for note in notes if note not in some], left, left)
    return CommunityChoice(tuple(kept), (*some, *more))


def _notes(notes: Sequence[ContextNote], left: int, most: int) -> tuple[list[ContextNote], int]:
    taken = []
    for note in notes:
        cost = tokens.count(xml.escape(note.line)) + 1
        if cost <= min(left, most):
            taken.append(note)
            left, most = left - cost, most - cost
    return taken, left


def _cut(text: str, limit: int) -> str:
    return beginning(text, max(0, limit))


# Format


def _background(chosen: CommunityChoice) -> list[ContextPart]:
    """Return profiles and notes inside one pair of tags."""
    people = [_user(person) for person in chosen.people]
    notes = sorted(chosen.notes, key=lambda note: (note.at, note.id))
    lines = []
    for each in notes:
        text = xml.escape(each.line)
        lines.append(Item(each.id, each.kind, text, 0, -1, sources=each.sources))
    made = []
    if people:
        body = "\n".join([_OPEN, *(text for text, _ in people), *([] if notes else [_CLOSE])])
        items = tuple(item for _, items in people for item in items)
        made.append(ContextPart("profiles", _OPEN, items, tokens.count(body) + 1, body=body))
    if notes:
        opened = [] if people else [_OPEN]
        shown = (line.text for line in lines)
        body = "\n".join([*opened, "<notes>", *shown, "</notes>", _CLOSE])
        cost, glue = tokens.count(body) + 1, "\n" if people else "\n\n"
        part = ContextPart("notes", "<notes>", tuple(lines), cost, body=body, glue=glue)
        made.append(part)
    return made


def _user(person: KnownPerson) -> tuple[str, list[Item]]:
    """Format a person's facts by section, the newest of each first."""
    sections: list[str] = []
    items: list[Item] = []
    for section in ("told", *SECTIONS, facts_on_file.SECTION):
        facts = [fact for fact in person.facts if fact.section == section]
        facts.sort(key=lambda each: (each.ended, -each.at, each.id))
        if facts:
            lines = [known_people.item(fact, _line(person, fact)) for fact in facts]
            sections.append("\n".join([_heading(section), *(line.text for line in lines)]))
            items += lines
    return "\n".join([_tag(person), "\n\n".join(sections), "</user>"]), items


def _tag(person: KnownPerson) -> str:
    return f'<user name="{xml.escape(person.name)}">'


def _heading(section: str) -> str:
    return f"{section.capitalize()}:"


def _line(person: KnownPerson, fact: KnownFact) -> str:
    """Format a fact. A flagged one is a quotation; what someone else said carries their name."""
    says = fact.said_by or (person.name if fact.quoted else "")
    said = _typed(fact.text)
    if fact.quoted:
        said = f'"{said}"'
    if says:
        said += f" (says {_typed(says)})"
    return f"- {said}" + (f"  [{_typed(fact.source)}]" if fact.source else "")


def _typed(text: str) -> str:
    return xml.escape(one_line(text))


def _recent(lines: Sequence[Item], limit: int) -> list[ContextPart]:
    return render.pack([replace(RECENT, share=1.0)], {"recent": lines}, limit)


def _shown(lines: Sequence[Item], limit: int) -> list[ContextPart]:
    """Return recent messages. Escaping makes them longer, so a long message may be cut shorter."""
    for share in (1, 2, 6):
        shown = _within(_recent(lines, limit // share), limit)
        if shown:
            return shown
    return []


def _within(shown: Sequence[ContextPart], limit: int) -> list[ContextPart]:
    """Escape the messages, and drop the oldest until they fit."""
    if not shown:
        return []
    (part,) = shown
    items = [replace(item, text=xml.escape(item.text)) for item in part.items]
    while items:
        made = replace(part, items=tuple(items))
        made = replace(made, tokens=tokens.count(made.text) + 2)
        if made.tokens <= limit:
            return [made]
        items.pop(0)
    return []
