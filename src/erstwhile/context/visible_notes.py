"""Notes and topics for a context: those on the question, or else the latest, as far as visible."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import TYPE_CHECKING

from erstwhile.base.clock import micros
from erstwhile.base.records import dataclass
from erstwhile.configuration.visibility import Visibility
from erstwhile.layers.notes.model import NOTE
from erstwhile.layers.notes.titles import as_name
from erstwhile.layers.part import SeqRange
from erstwhile.memories import kinds, select
from erstwhile.memories import store as memories
from erstwhile.memories.model import StoredMemory
from erstwhile.search.find import NOTES
from erstwhile.search.model import Hit
from erstwhile.storage import Transaction
from erstwhile.text.lines import one_line

if TYPE_CHECKING:
    from erstwhile.context.build import ContextRequest


MOST = 8
LOOKED_FOR = 2 * MOST  # some only repeat others
_LATEST = 200  # how many to read, to find visible ones


@dataclass(frozen=True, slots=True)
class ContextNote:
    """`sources`: the messages it was made from, which are in `ranges`; `at`: when its conversation ended."""

    id: str
    kind: str
    channel: str
    first: int
    last: int
    day: date
    title: str
    text: str
    at: int
    sources: tuple[str, ...]
    ranges: tuple[SeqRange, ...] = ()

    @property
    def line(self) -> str:
        words = " — ".join(filter(None, (self.title, self.text)))
        return f"- [{on(self.day)}] {one_line(words)}"


def on(day: date) -> str:
    return f"{day:%b} {day.day}"


async def found(tx: Transaction, hits: Sequence[Hit]) -> list[ContextNote]:
    """Return the notes among the hits, best first."""
    ids = [hit.id for hit in hits if hit.kind in NOTES]
    stored = await memories.by_ids(tx, ids)
    return _apart(await _noted(tx, [stored[id] for id in ids if id in stored]))


async def latest(
    tx: Transaction, request: ContextRequest, visibility: Visibility
) -> list[ContextNote]:
    """Return the latest visible notes, newest first."""
    notes = await select.latest_notes(tx, _LATEST)
    channels = {note.channel for note in notes}
    visible = await visibility.visible(tx, request.channel, channels, request.person)
    shown = [note for note in notes if visible.shows(note.channel, note.first_seq)]
    return _apart(await _noted(tx, shown[:LOOKED_FOR]))


def _apart(notes: Sequence[ContextNote]) -> list[ContextNote]:
    """Leave out topics whose notes are all there, because they repeat them."""
    told = {id for each in notes if each.kind == NOTE for id in each.sources}
    return [each for each in notes if each.kind == NOTE or not told.issuperset(each.sources)][:MOST]


async def _noted(tx: Transaction, notes: Sequence[StoredMemory]) -> list[ContextNote]:
    notes = [note for note in notes if note.text or not note.writer]  # the others have expired
    messages = await kinds.messages(tx, notes)
    made_of = await kinds.sources(tx, [note for note in notes if note.kind != NOTE])
    parts = await memories.by_ids(tx, [id for each in made_of.values() for id in each])

    def ranges(note: StoredMemory) -> tuple[SeqRange, ...]:
        """Return the messages of a note, or those of the notes of a topic."""
        of = [note] if note.kind == NOTE else [parts[id] for id in made_of[note.id] if id in parts]
        return tuple(each.range for each in of)

    return [
        ContextNote(
            id=note.id,
            kind=note.kind,
            channel=note.channel,
            first=note.first_seq or 0,
            last=note.last_seq or 0,
            day=date.fromisoformat(note.category),
            title=as_name(note.title) if note.draft else note.title,  # else a model named it
            text=note.text,
            at=micros(note.at),
            sources=messages.get(note.id, ()),
            ranges=ranges(note),
        )
        for note in notes
    ]
