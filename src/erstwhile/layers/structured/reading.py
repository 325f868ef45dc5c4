"""Make the memories of a reading from a writer's notes: whose they are, since when, from where."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, time

from erstwhile.layers import threads
from erstwhile.layers.structured.model import DATA, structured_id
from erstwhile.layers.summaries.model import ChunkReading, Range, found_in
from erstwhile.log.model import Message
from erstwhile.memories.model import StoredMemory
from erstwhile.writers.port import TypedNote, WriterOutput

_KIND = "structured"
_SPEAKS = "user"  # the role of people
_EARLIEST, _LATEST = 1900, 2200  # years


def read(
    space: str, range: Range, written: WriterOutput, messages: Sequence[Message]
) -> ChunkReading:
    """Return each memory once per message. A repetition may come after something else was said."""
    found: dict[str, StoredMemory] = {}
    for each in sorted(written.noted, key=lambda noted: noted.message):
        if not 1 <= each.message <= len(messages):  # the writer has checked this too
            continue
        memory = _memory(range, written, each, messages)
        if memory is not None:
            memory, again = replace(memory, id=_id(space, memory, 0)), 0
            while memory.id in found and found[memory.id].seq != memory.seq:
                again += 1
                memory = replace(memory, id=_id(space, memory, again))
            found.setdefault(memory.id, memory)
    return ChunkReading(range, written, tuple(found.values()))


def _id(space: str, memory: StoredMemory, again: int) -> str:
    slot, value = memory.data["slot"], memory.data["value"]
    words = value if slot and value else memory.text
    said = memory.category, memory.data["subject"] or "", slot, words, memory.data["done"]
    return structured_id(space, memory.range, said, again)


def _memory(
    range: Range, written: WriterOutput, noted: TypedNote, messages: Sequence[Message]
) -> StoredMemory | None:
    message = messages[noted.message - 1]
    if noted.type == "preference" and message.role != _SPEAKS:
        return None  # what an assistant or a tool says is no preference of a person
    slot = threads.slot(noted.slot)
    person, subject, said_by, owner = _whose(noted, slot, message, (range.channel, messages))
    since = _day(noted.since)
    due = noted.due if noted.type == "todo" and _day(noted.due) else None
    data = {name: getattr(noted, name) for name in DATA}
    data |= {"subject": subject, "slot": slot, "due": due, "owner": owner}
    return found_in(
        range,
        written,
        message,
        noted.text,
        id="",
        kind=_KIND,
        category=noted.type,
        person=person,
        said_by=said_by,
        valid_from=datetime.combine(since, time(), UTC) if since else message.at,
        data=data,
    )


def _whose(
    noted: TypedNote, slot: str, message: Message, where: tuple[str, Sequence[Message]]
) -> tuple[str | None, str | None, str, str]:
    """Return whom it is about, by id and as named, who said it, and whose thread it belongs to."""
    channel, messages = where
    speaks = message.role == _SPEAKS
    said_by = (message.person or message.name or _SPEAKS) if speaks else message.role
    subject = noted.subject
    personal = noted.type in ("preference", "todo")
    if noted.type == "fact":
        personal = threads.single("fact", slot)
    if subject is None and speaks and personal:  # it names nobody
        subject = message.speaker
    if subject is None:
        return None, None, said_by, f"channel:{channel}"
    if speaks and _named(subject, message):
        speaker = f"speaker:{channel}:{message.speaker.casefold()}"
        owner = f"person:{message.person}" if message.person else speaker
        return message.person, subject, said_by, owner
    spoke = (each for each in messages if each.role == _SPEAKS and each.person)
    other = next((each.person for each in spoke if _named(subject, each)), None)
    if other is None:
        owned = noted.type == "entity" and speaks  # their sister, their town
        owner = f"name:{subject.casefold()}:{said_by}:{channel}"
        return message.person if owned else None, subject, said_by, owner
    # What one person says about another ends nothing that the other said. A todo concerns both.
    owner = f"person:{other}" if noted.type == "todo" and speaks else f"person:{other}:{said_by}"
    return other, subject, said_by, owner


def _named(subject: str, message: Message) -> bool:
    names = {each.casefold() for each in (message.name, message.person, message.speaker) if each}
    called = " ".join(subject.casefold().split()).removeprefix("the ")
    return called in {" ".join(name.split()) for name in names}


def _day(written: str | None) -> date | None:
    try:
        day = date.fromisoformat((written or "")[:10])
    except ValueError:
        return None
    return day if _EARLIEST <= day.year <= _LATEST else None
