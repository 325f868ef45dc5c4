"""From what a writer noted to the memories of a reading: whose they are, since when, and on which message each leans."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time

from erstwhile.layers.structured import threads
from erstwhile.layers.structured.model import FoundStructured, StructuredReading, structured_id
from erstwhile.layers.summaries.model import Range
from erstwhile.log.model import Message
from erstwhile.writers.port import TypedNote, WriterOutput

_SPEAKS = "user"  # the role of people; what other roles say is nobody's own word
_EARLIEST, _LATEST = 1900, 2200  # years


@dataclass(frozen=True, slots=True)
class _Whose:
    """`owner` is whom its thread belongs to."""

    person: str | None
    subject: str | None
    said_by: str | None
    owner: str


def read(space: str, range: Range, written: WriterOutput, messages: Sequence[Message]) -> StructuredReading:
    """Each once a message: what is said again may come after something else was."""
    found: dict[str, FoundStructured] = {}
    for each in sorted(written.noted, key=lambda noted: noted.message):
        if 1 <= each.message <= len(messages):  # a writer checks this; a memory without a message is none
            memory = _memory(space, range, each, messages)
            again = 0
            while memory is not None and memory.id in found and found[memory.id].seq != memory.seq:
                again += 1
                memory = replace(memory, id=_id(space, range, memory, again))
            if memory is not None:
                found.setdefault(memory.id, memory)
    return StructuredReading(range, written, tuple(found.values()))


def _id(space: str, range: Range, memory: FoundStructured, again: int = 0) -> str:
    words = memory.value if memory.slot and memory.value else memory.text
    said = (memory.type, memory.subject or "", memory.slot, words, memory.done)
    return structured_id(space, (range.channel, range.first, range.last), said, again)


def _memory(space: str, range: Range, noted: TypedNote, messages: Sequence[Message]) -> FoundStructured | None:
    message = messages[noted.message - 1]
    if noted.type == "preference" and message.role != _SPEAKS:
        return None  # an assistant or a tool can say what someone likes; that does not make it so
    slot = threads.slot(noted.slot)
    whose = _whose(noted, slot, message, (range.channel, messages))
    memory = FoundStructured(
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


def _whose(noted: TypedNote, slot: str, message: Message, where: tuple[str, Sequence[Message]]) -> _Whose:
    channel, messages = where
    speaks = message.role == _SPEAKS
    said_by = (message.person or message.name or _SPEAKS) if speaks else message.role
    subject = noted.subject
    if subject is None and speaks and _personal(noted.type, slot):
        subject = message.speaker
    if subject is None:
        return _Whose(None, None, said_by, f"channel:{channel}")
    if speaks and _named(subject, message):
        owner = f"person:{message.person}" if message.person else f"speaker:{channel}:{message.speaker.casefold()}"
        return _Whose(message.person, subject, said_by, owner)
    other = next(
        (each.person for each in messages if each.role == _SPEAKS and each.person and _named(subject, each)), None
    )
    if other is None:
        whose = message.person if noted.type == "entity" and speaks else None  # their sister, their town
        return _Whose(whose, subject, said_by, f"name:{subject.casefold()}:{said_by}:{channel}")
    # What one says of another stands beside what that one says, and ends none of it. Who has to do something is a matter of both.
    owner = f"person:{other}" if noted.type == "todo" and speaks else f"person:{other}:{said_by}"
    return _Whose(other, subject, said_by, owner)


def _personal(type: str, slot: str) -> bool:
    """What is the speaker's own when nobody is named."""
    return type in ("preference", "todo") or (type == "fact" and threads.single(type, slot))


def _named(subject: str, message: Message) -> bool:
    names = {each.casefold() for each in (message.name, message.person, message.speaker) if each}
    return " ".join(subject.casefold().split()).removeprefix("the ") in {" ".join(name.split()) for name in names}


def _since(written: str | None) -> datetime | None:
    day = _day(written)
    return None if day is None else datetime.combine(day, time(), UTC)


def _day(written: str | None) -> date | None:
    try:
        day = date.fromisoformat((written or "")[:10])
    except ValueError:
        return None
    return day if _EARLIEST <= day.year <= _LATEST else None
