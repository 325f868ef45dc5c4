"""Convert statements of a note to facts of profiles. Plain functions."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from erstwhile.layers import threads
from erstwhile.layers.notes.model import SECTIONS, Note, NoteStatement
from erstwhile.layers.profiles.consolidate import MergedFact
from erstwhile.layers.profiles.model import ProfileFact, new_fact
from erstwhile.log.model import Message
from erstwhile.memories import attribute
from erstwhile.text import suspect


def of_person(
    space: str, note: Note, stated: Sequence[NoteStatement], person: str
) -> list[ProfileFact]:
    """Return the facts about a person in the order they were said."""
    mine = (each for each in stated if each.about == person and each.text.strip())
    found = {fact.id: fact for fact in (_fact(space, note, each) for each in mine)}
    return sorted(found.values(), key=lambda fact: (fact.at, fact.seq or 0, fact.id))


def usable(stated: Sequence[NoteStatement], blocked: Collection[str]) -> list[NoteStatement]:
    """Skip statements about or by blocked people, and those without a known speaker."""
    signed = (each for each in stated if each.said_by is not None)
    return [each for each in signed if not {each.about, each.said_by} & set(blocked)]


def _fact(space: str, note: Note, each: NoteStatement) -> ProfileFact:
    said_by = None if each.said_by == each.about else each.said_by
    text, flag = " ".join(each.text.split()), suspect.flag(each.text)
    fact = new_fact(
        space,
        each.about,
        text,
        each.at,
        note=note.id,
        said_by=said_by,
        flag=flag,
        slot="" if flag else threads.slot(each.slot),
        value="" if flag else " ".join(each.value.split()),
        channel=note.channel,
        writer=note.writer,
        draft=note.draft,
        section=each.section if each.section in SECTIONS else "other",
        seq=each.seq,
    )
    return replace(fact, text=quoted(text)) if flag else fact


def quoted(text: str) -> str:
    """Mark as a quotation, whatever it claims or asks for."""
    return f'said: "{text}"'


def out_of_note(
    whose: tuple[str, str, str],
    fact: MergedFact,
    note: Note,
    messages: Sequence[Message],
    names: Collection[str],
) -> ProfileFact | None:
    """Return a fact that only the consolidation found, attributed to whoever said what is closest
    to it; None if nobody did. `whose`: space, person and writer; `names`: names of people."""
    space, person, writer = whose
    spoke = [each for each in messages if each.role == "user" and each.person]
    closest = attribute.whose(fact.text, spoke, names)
    if closest is None:
        return None
    said_by = None if closest.person == person else closest.person
    place = {"channel": note.channel, "seq": closest.seq}
    by = {"said_by": said_by, "section": fact.section, "writer": writer}
    return new_fact(space, person, fact.text, closest.at, note=note.id, **place, **by)
