"""What a note states about people, as facts of their profiles. Plain functions."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from erstwhile.layers.facts import attribute
from erstwhile.layers.notes.model import SECTIONS, Note, NoteStatement
from erstwhile.layers.profiles.consolidate import MergedFact, SourceNote
from erstwhile.layers.profiles.model import ProfileFact, fact_id
from erstwhile.layers.structured import threads
from erstwhile.log.model import Message
from erstwhile.text import suspect


def of_person(space: str, note: Note, stated: Sequence[NoteStatement], person: str) -> list[ProfileFact]:
    """In the order they were said."""
    found = [_fact(space, note, each) for each in stated if each.about == person and each.text.strip()]
    return sorted({fact.id: fact for fact in found}.values(), key=lambda fact: (fact.at, fact.seq or 0, fact.id))


def heard(stated: Sequence[NoteStatement], silent: Collection[str]) -> list[NoteStatement]:
    """Neither about nor by anyone who is blocked, nor by nobody in particular: another's word must carry their name."""
    return [each for each in stated if each.said_by is not None and not {each.about, each.said_by} & set(silent)]


def _fact(space: str, note: Note, each: NoteStatement) -> ProfileFact:
    said_by = None if each.said_by == each.about else each.said_by
    text = " ".join(each.text.split())
    flag = suspect.flag(each.text)
    return ProfileFact(
        id=fact_id(space, each.about, note.id, text, said_by),
        person=each.about,
        section=each.section if each.section in SECTIONS else "other",
        text=quoted(text) if flag else text,
        note=note.id,
        said_by=said_by,
        channel=note.channel,
        seq=each.seq,
        slot="" if flag else threads.slot(each.slot),
        value="" if flag else " ".join(each.value.split()),
        flag=flag,
        at=each.at,
        valid_to=None,
        superseded_by=None,
        writer=note.writer,
        draft=note.draft,
        notes=(note.id,),
    )


def quoted(text: str) -> str:
    """What is only what someone said, whatever it claims or asks for."""
    return f'said: "{text}"'


def out_of_note(
    whose: tuple[str, str, str],
    wanted: MergedFact,
    note: SourceNote,
    messages: Sequence[Message],
    names: Collection[str],
) -> ProfileFact | None:
    """A fact that only the night's reading found; `whose` are the space, the person and the writer, `names` how people are called. It is
    the word of whoever said what is closest to it; None when nobody did."""
    space, person, writer = whose
    spoke = [each for each in messages if each.role == "user" and each.person]
    leans = attribute.whose(wanted.text, spoke, names)
    if leans is None:
        return None
    said_by = None if leans.person == person else leans.person
    return ProfileFact(
        id=fact_id(space, person, note.id, wanted.text, said_by),
        person=person,
        section=wanted.section,
        text=wanted.text,
        note=note.id,
        said_by=said_by,
        channel=note.channel,
        seq=leans.seq,
        slot="",
        value="",
        flag="",
        at=leans.at,
        valid_to=None,
        superseded_by=None,
        writer=writer,
        draft=False,
        notes=(note.id,),
    )
