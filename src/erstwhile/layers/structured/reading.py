"""Make the memories of a reading from a writer's notes: whose they are, since when, from where."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, time

from erstwhile.base.records import dataclass
from erstwhile.layers import threads
from erstwhile.layers.structured.model import FoundStructuredMemory, structured_id
from erstwhile.layers.summaries.model import ChunkReading, Range
from erstwhile.log.model import Message
from erstwhile.writers.grounding import other_script
from erstwhile.writers.port import TypedNote, WriterOutput

_SPEAKS = "user"  # the role of people
_EARLIEST, _LATEST = 1900, 2200  # years


@dataclass(frozen=True, slots=True)
class _Whose:
    """Whom a memory is about, and who said it. `owner`: whose thread it belongs to."""

    person: str | None
    subject: str | None
    said_by: str | None
    owner: str


StructuredReading = ChunkReading[FoundStructuredMemory]


def read(
    space: str, range: Range, written: WriterOutput, messages: Sequence[Message]
) -> StructuredReading:
    """Return each memory once per message. A repetition may come after something else was said."""
    found: dict[str, FoundStructuredMemory] = {}
    for each in sorted(written.noted, key=lambda noted: noted.message):
        if 1 <= each.message <= len(messages):  # the writer has checked this too
            memory = _memory(space, range, each, messages)
            said = messages[each.message - 1].text
            if memory is not None and not written.draft and other_script(each.text, said):
                memory = replace(memory, unverified=True)
            again = 0
            while memory is not None and memory.id in found and found[memory.id].seq != memory.seq:
                again += 1
                memory = replace(memory, id=_id(space, range, memory, again))
            if memory is not None:
                found.setdefault(memory.id, memory)
    return ChunkReading(range, written, tuple(found.values()))


def _id(space: str, range: Range, memory: FoundStructuredMemory, again: int = 0) -> str:
    words = memory.value if memory.slot and memory.value else memory.text
    said = (memory.type, memory.subject or "", memory.slot, words, memory.done)
    return structured_id(space, (range.channel, range.first, range.last), said, again)


def _memory(
    space: str, range: Range, noted: TypedNote, messages: Sequence[Message]
) -> FoundStructuredMemory | None:
    message = messages[noted.message - 1]
    if noted.type == "preference" and message.role != _SPEAKS:
        return None  # what an assistant or a tool says is no preference of a person
    slot = threads.slot(noted.slot)
    whose = _whose(noted, slot, message, (range.channel, messages))
    memory = FoundStructuredMemory(
        id="",
        type=noted.type,
        text=noted.text,
        person=whose.person,
        subject=whose.subject,
        said_by=whose.said_by,
        slot=slot,
        value=noted.value,
        confidence=noted.confidence,
        done=noted.done,
        due=noted.due if noted.type == "todo" and _day(noted.due) else None,
        owner=whose.owner,
        thread=threads.thread(whose.owner, noted.type, slot, noted.value, noted.text),
        seq=message.seq,
        at=message.at,
        valid_from=_since(noted.since) or message.at,
    )
    return replace(memory, id=_id(space, range, memory))


def _whose(
    noted: TypedNote, slot: str, message: Message, where: tuple[str, Sequence[Message]]
) -> _Whose:
    channel, messages = where
    speaks = message.role == _SPEAKS
    said_by = (message.person or message.name or _SPEAKS) if speaks else message.role
    subject = noted.subject
    if subject is None and speaks and _personal(noted.type, slot):
        subject = message.speaker
    if subject is None:
        return _Whose(None, None, said_by, f"channel:{channel}")
    if speaks and _named(subject, message):
        speaker = f"speaker:{channel}:{message.speaker.casefold()}"
        owner = f"person:{message.person}" if message.person else speaker
        return _Whose(message.person, subject, said_by, owner)
    spoke = (each for each in messages if each.role == _SPEAKS and each.person)
    other = next((each.person for each in spoke if _named(subject, each)), None)
    if other is None:
        owned = noted.type == "entity" and speaks  # their sister, their town
        owner = f"name:{subject.casefold()}:{said_by}:{channel}"
        return _Whose(message.person if owned else None, subject, said_by, owner)
    # What one person says about another ends nothing that the other said. A todo concerns both.
    owner = f"person:{other}" if noted.type == "todo" and speaks else f"person:{other}:{said_by}"
    return _Whose(other, subject, said_by, owner)


def _personal(type: str, slot: str) -> bool:
    """Return whether it is about the speaker if it names nobody."""
    return type in ("preference", "todo") or (type == "fact" and threads.single(type, slot))


def _named(subject: str, message: Message) -> bool:
    names = {each.casefold() for each in (message.name, message.person, message.speaker) if each}
    called = " ".join(subject.casefold().split()).removeprefix("the ")
    return called in {" ".join(name.split()) for name in names}


def _since(written: str | None) -> datetime | None:
    day = _day(written)
    return None if day is None else datetime.combine(day, time(), UTC)


def _day(written: str | None) -> date | None:
    try:
        day = date.fromisoformat((written or "")[:10])
    except ValueError:
        return None
    return day if _EARLIEST <= day.year <= _LATEST else None
