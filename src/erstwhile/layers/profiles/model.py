from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from erstwhile.base import ids
from erstwhile.base.records import copied, dataclass
from erstwhile.layers.notes import store as notes
from erstwhile.layers.notes.model import SECTIONS as SECTIONS
from erstwhile.layers.notes.model import Note
from erstwhile.log import people
from erstwhile.log import store as log
from erstwhile.memories import kinds
from erstwhile.memories.kinds import Kind, Sources, Texts
from erstwhile.memories.model import StoredMemory
from erstwhile.storage import Transaction

IMPORTED = "import:"  # prefix of the writer of a fact that was imported from another memory
_COLUMNS = (
    *("id", "person", "text", "said_by", "channel", "seq", "at", "valid_to", "superseded_by"),
    *("writer", "draft", "edited_at"),
)
# Besides `notes`: what has no column in the table of memories.
_DATA = ("note", "slot", "value", "flag")


@dataclass(frozen=True, slots=True)
class ProfileFact:
    """`note`: the note it came from; `notes`: all notes; `said_by`: who said it, None for the
    person; `channel`: where it was said, or ""; `flag`: why it is only quoted. With `valid_to` it
    no longer holds."""

    id: str
    person: str
    section: str
    text: str
    note: str | None
    said_by: str | None
    channel: str
    seq: int | None
    slot: str
    value: str
    flag: str
    at: datetime
    valid_to: datetime | None
    superseded_by: str | None
    writer: str
    draft: bool
    edited_at: datetime | None = None
    notes: tuple[str, ...] = ()

    @property
    def standing(self) -> bool:
        return self.valid_to is None

    @property
    def absorbed(self) -> bool:
        """Whether another fact says it instead: it never held by itself, so it ends at once."""
        return self.superseded_by is not None and self.valid_to == self.at

    @property
    def fixed(self) -> bool:
        """Whether only people change it: someone wrote it by hand, or it is only a quotation."""
        return self.edited_at is not None or bool(self.flag)

    @property
    def imported(self) -> bool:
        return self.writer.startswith(IMPORTED)

    @property
    def kept(self) -> bool:
        """Whether it stays without its notes: a person wrote, edited or imported it."""
        return self.edited_at is not None or self.imported


@dataclass(frozen=True, slots=True)
class Profile:
    """A person's facts by section, each in the order they were said."""

    person: str
    name: str
    sections: Mapping[str, tuple[ProfileFact, ...]]


def fact_id(
    space: str, person: str, note: str | None, text: str, said_by: str | None = None
) -> str:
    """Return the id. The same words of the same note, by the same person about the same person, are
    one fact, whatever their case, spacing and full stop."""
    said = " ".join(text.casefold().split()).rstrip(".!。！") or text
    return ids.derived("profile", space, person, note or "", said, *([said_by] if said_by else []))


def new_fact(space: str, person: str, text: str, at: datetime, **more: Any) -> ProfileFact:
    """Create a fact that holds; by default without a note, said by the person."""
    note, said_by = more.get("note"), more.get("said_by")
    usual: dict[str, Any] = {
        **dict.fromkeys(("note", "said_by", "seq", "valid_to", "superseded_by")),
        **dict.fromkeys(("channel", "slot", "value", "flag", "writer"), ""),
        "section": "other",
        "draft": False,
        "notes": (note,) if note else (),
    }
    id = fact_id(space, person, note, text, said_by)
    return ProfileFact(**{**usual, "id": id, "person": person, "text": text, "at": at, **more})


def fact_of(memory: StoredMemory) -> ProfileFact:
    given: dict[str, Any] = {"note": None, "slot": "", "value": "", "flag": ""}
    given |= {name: memory.data[name] for name in _DATA if name in memory.data}
    notes = tuple(memory.data.get("notes", ()))
    return copied(ProfileFact, memory, **given, section=memory.category, notes=notes)


def memory_of(
    fact: ProfileFact, before: StoredMemory | None, to_at: datetime | None, now: datetime
) -> StoredMemory:
    """Convert to a memory. `before`: the stored one; `to_at`: the end of the last conversation in
    which it was said."""
    same = {name: getattr(fact, name) for name in _COLUMNS}
    data: dict[str, Any] = {name: value for name in _DATA if (value := getattr(fact, name))}
    data["notes"] = list(fact.notes)
    given = {**same, "category": fact.section, "valid_from": fact.at, "to_at": to_at, "data": data}
    if before:
        return replace(before, **given)
    return StoredMemory(kind=KIND.name, created_at=now, **given)


# The kind of memory


async def authors(tx: Transaction, facts: Sequence[StoredMemory]) -> dict[str, str]:
    """Return labels for those who said something about someone else."""
    return dict(await people.labels_of(tx, {each.said_by for each in facts if each.said_by}))


async def _shown(tx: Transaction, facts: Sequence[StoredMemory]) -> Texts:
    """Return each text with its speaker, and with the day it ended, if it did."""
    named = await authors(tx, facts)
    texts = {}
    for each in facts:
        other = each.said_by if each.said_by != each.person else None
        by = f" (said by {named[other]})" if other else ""
        until = f" (until {each.valid_to:%Y-%m-%d})" if each.valid_to else ""
        texts[each.id] = each.text + by + until
    return texts


async def _sources(tx: Transaction, facts: Sequence[StoredMemory]) -> Sources:
    """Return the notes that still exist, the original first; without any, the message."""
    noted = await notes_of(tx, [fact_of(each) for each in facts])
    bare = [each for each in facts if not noted[each.id]]
    places = [("", 1, 0) if at.seq is None else (at.channel, at.seq, at.seq) for at in bare]
    said = zip(bare, await log.ids_in(tx, places), strict=True)
    sources = {id: tuple(note.id for note in found) for id, found in noted.items()}
    return sources | {each.id: ids for each, ids in said}


async def notes_of(tx: Transaction, facts: Sequence[ProfileFact]) -> dict[str, list[Note]]:
    """Return the notes of each fact: the one it came from first, the others by time."""
    wanted = sorted({note for fact in facts for note in fact.notes})
    there = {note.id: note for note in await notes.by_ids(tx, wanted)}
    sources = {}
    for fact in facts:
        found = [there[note] for note in fact.notes if note in there]
        found.sort(key=lambda note: (note.id != fact.note, note.from_at, note.id))
        sources[fact.id] = found
    return sources


KIND = kinds.register(
    Kind(
        "profile",
        label="Profile fact",
        plural="profile_facts",
        shown=_shown,
        embedded=_shown,
        sources=_sources,
        searched=lambda fact: fact.text if fact.valid_to is None else None,
        many="profile facts",
        colour="told",
        page="person",
    )
)


@dataclass(frozen=True, slots=True)
class ProfileStatement:
    """`source`: its note as "title, Mon D", or ""; `said_by`: who said it, None for the person."""

    id: str
    text: str
    source: str
    said_by: str | None
    at: datetime
