"""From any memory down to the messages it came from."""

from __future__ import annotations

from erstwhile.base import ids
from erstwhile.base.errors import NotFound
from erstwhile.log import store as log
from erstwhile.log.model import Message
from erstwhile.recall.model import Source
from erstwhile.rooms.brief import store as briefs
from erstwhile.rooms.brief.model import Brief
from erstwhile.rooms.chunks import store as chunks
from erstwhile.rooms.chunks.model import Chunk
from erstwhile.rooms.facts import store as facts
from erstwhile.rooms.facts.model import Fact
from erstwhile.rooms.notes import store as notes
from erstwhile.rooms.notes.model import Note
from erstwhile.rooms.structured import store as structured
from erstwhile.rooms.structured.model import Structured
from erstwhile.storage import Transaction


async def sources(tx: Transaction, id: str) -> Source:
    kind = ids.kind_of(id)
    if kind == "message":
        found = (await log.by_ids(tx, [id])).get(id)
        if found:
            return _message(*found)
    elif kind == "fact":
        fact = await facts.get(tx, id)
        if fact:
            return await _fact(tx, fact)
    elif kind == "structured":
        memory = await structured.get(tx, id)
        if memory:
            return await _structured(tx, memory)
    elif kind == "brief":
        brief = await briefs.by_id(tx, id)
        if brief:
            return await _brief(tx, brief)
    elif kind in ("note", "topic"):
        note = await notes.get(tx, id)
        if note and note.text:
            return await _note(tx, note)
    else:
        chunk = await chunks.get(tx, id)
        if chunk and not chunk.emptied:
            return await _chunk(tx, chunk)
    raise NotFound(
        f"There is no {kind} {id} in space {tx.space!r}. It may have been replaced, or belong to another space."
    )


def _message(channel: str, message: Message) -> Source:
    return Source(
        id=message.id,
        kind="message",
        text=message.text,
        channel=channel,
        at=message.at,
        writer=message.model,
        seq=message.seq,
        speaker=message.speaker,
        sources=(),
    )


async def _fact(tx: Transaction, fact: Fact) -> Source:
    """The message it leans on comes first, then the others it was read with."""
    messages = await log.between(tx, fact.channel, fact.first_seq, fact.last_seq)
    messages.sort(key=lambda message: (message.seq != fact.seq, message.seq))
    return Source(
        id=fact.id,
        kind="fact",
        text=fact.text,
        channel=fact.channel,
        at=fact.at,
        writer=fact.writer,
        seq=fact.seq,
        speaker=None,
        sources=tuple(_message(fact.channel, message) for message in messages),
    )


async def _structured(tx: Transaction, memory: Structured) -> Source:
    """As with a fact: the message it leans on, then those it was read with."""
    messages = await log.between(tx, memory.channel, memory.first_seq, memory.last_seq)
    messages.sort(key=lambda message: (message.seq != memory.seq, message.seq))
    return Source(
        id=memory.id,
        kind="structured",
        text=memory.text,
        channel=memory.channel,
        at=memory.at,
        writer=memory.writer,
        seq=memory.seq,
        speaker=None,
        sources=tuple(_message(memory.channel, message) for message in messages),
    )


async def _note(tx: Transaction, note: Note) -> Source:
    """A topic's notes, a note's messages."""
    below = tuple([await _note(tx, part) for part in await notes.by_ids(tx, note.notes)])
    said = await log.between(tx, note.channel, note.first_seq, note.last_seq)
    return Source(
        id=note.id,
        kind=note.kind,
        text=note.text,
        channel=note.channel,
        at=note.to_at,
        writer=note.writer,
        seq=None,
        speaker=None,
        sources=below or tuple(_message(note.channel, each) for each in said if each.role == "user"),
    )


async def _brief(tx: Transaction, brief: Brief) -> Source:
    """Everything said up to its cursor."""
    messages = await log.between(tx, brief.channel, 1, brief.covers)
    return Source(
        id=brief.id,
        kind="brief",
        text=brief.shown,
        channel=brief.channel,
        at=messages[-1].at,
        writer=brief.writer or None,
        seq=None,
        speaker=None,
        sources=tuple(_message(brief.channel, message) for message in messages),
    )


async def _chunk(tx: Transaction, chunk: Chunk) -> Source:
    range = chunk.range
    if chunk.kind == "meta":
        below = tuple([await _chunk(tx, part) for part in await chunks.children(tx, chunk.id)])
    else:
        below = tuple(
            _message(range.channel, each) for each in await log.between(tx, range.channel, range.first, range.last)
        )
    return Source(
        id=chunk.id,
        kind=chunk.kind,
        text=chunk.text,
        channel=range.channel,
        at=chunk.to_at,
        writer=chunk.writer,
        seq=None,
        speaker=None,
        sources=below,
    )
