"""Write one note: the question to a writer, how its answer is read, and the note without a
model."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from typing import Any, Final

from erstwhile.base.records import dataclass
from erstwhile.layers import threads
from erstwhile.layers.notes import titles
from erstwhile.layers.notes.model import SECTIONS
from erstwhile.layers.structured import reading
from erstwhile.layers.structured.model import StructuredMemory, structured_of
from erstwhile.layers.summaries.model import Range
from erstwhile.log.model import Message
from erstwhile.memories import attribute, classify
from erstwhile.text import analyse
from erstwhile.writers import answers, checks, halves, transcript, xml
from erstwhile.writers.answers import MalformedAnswer
from erstwhile.writers.grounding import unborne
from erstwhile.writers.port import Halves, TranscriptLine, Writer, WriterQuestion, WriterRequest
from erstwhile.writers.prompt import load

PROMPT: Final = load(__package__, "note")
LONGEST_TITLE: Final = 80
LONGEST_SUMMARY: Final = 900  # the prompt asks for 600; a few more are no reason to ask again
LONGEST_FACT: Final = 400
LONGEST_VALUE: Final = 200
_MOST_CLAIMS: Final = 100
_LEANS: Final = (
    0.5  # the named message shares at least this part of the words that another speaker's shares
)
_ROOM: Final = 2048  # output tokens: a fact with its keys takes about 60
_SENTENCE: Final = 3  # words, from which a title counts as a sentence

_BIO: Final = frozenset(
    threads.SINGLE - {"relationship"}
    | {"allergy", "hometown", "nationality", "health", "family background"}
)
_RELATIONS: Final = threads.RELATIONS.union(
    ("relationship", "pet", "family", "friend", "sibling", "child", "parent")
)


@dataclass(frozen=True, slots=True)
class Claim:
    """A statement about someone. `about`: an id or a name as written; `message` counts from 1;
    `quote`: its words there, None if the answer had no place for it."""

    about: str
    section: str
    text: str
    message: int
    slot: str = ""
    value: str = ""
    quote: str | None = None


@dataclass(frozen=True, slots=True)
class WrittenNote:
    title: str
    summary: str
    claims: tuple[Claim, ...]


@dataclass(frozen=True, slots=True)
class NoteMaterial:
    """What a note is made from: the messages of people, and everyone's name."""

    space: str
    channel: str
    messages: tuple[Message, ...]
    names: Mapping[str, str]

    @property
    def people(self) -> tuple[str, ...]:
        return tuple(sorted({each.person for each in self.messages if each.person is not None}))


def ask(said: NoteMaterial) -> WriterQuestion[WrittenNote]:
    material = xml.messages(said.messages, said.names, numbered=True)
    task = transcript.closing("Note as JSON, its texts", [each.text for each in said.messages])
    text = "\n".join(["<messages>", material, "</messages>", "", task])
    return WriterQuestion(
        prompt=PROMPT,
        text=text,
        read=lambda answer: grounded(read(answer, len(said.messages)), said),
        draft=lambda writer: draft(writer, said),
        schema=schema(said),
        cache_key=f"note:{said.channel}:{said.messages[0].seq}",
        room=_ROOM,
        check=lambda note: borne_out(note, said),
        halves=lambda: _halves(said),
    )


def _halves(said: NoteMaterial) -> Halves[WriterQuestion[WrittenNote], WrittenNote] | None:
    half = len(said.messages) // 2

    def joined(one: WrittenNote, other: WrittenNote) -> WrittenNote:
        title, summary = f"{one.title}; {other.title}", f"{one.summary} {other.summary}"
        moved = (replace(claim, message=claim.message + half) for claim in other.claims)
        short = title if len(title) <= LONGEST_TITLE else one.title
        return WrittenNote(short, summary, (*one.claims, *moved))

    return halves.of(said.messages, lambda some: ask(replace(said, messages=tuple(some))), joined)


def schema(said: NoteMaterial) -> dict[str, Any]:
    def maybe() -> dict[str, Any]:  # a new one each time: a client changes what it is given
        return {"anyOf": [answers.text_schema(100), {"type": "null"}]}

    speakers = [{"type": "string", "enum": list(said.people)}] if said.people else []
    claim = answers.object_schema(
        # Of those who don't speak here, only the name as it was used is known: `stated` looks them up.
        person={"anyOf": [*speakers, answers.text_schema(100)]},
        section={"type": "string", "enum": list(SECTIONS)},
        fact=answers.text_schema(300),
        slot=maybe(),
        value=maybe(),
        message=answers.number_schema(len(said.messages)),
        quote=answers.text_schema(120),
    )
    return answers.object_schema(
        title=answers.text_schema(LONGEST_TITLE),
        summary=answers.text_schema(LONGEST_SUMMARY),
        people=answers.list_schema(claim, 20),
    )


# The answer of a model


def read(answer: str, messages: int) -> WrittenNote:
    found = answers.json_object(answer, "title", "summary")
    title, summary = _text(found["title"], "title"), _text(found["summary"], "summary")
    if len(title) > 2 * LONGEST_TITLE:
        raise MalformedAnswer(
            f"The title has {len(title)} characters; {LONGEST_TITLE} are the most."
        )
    if len(summary) > LONGEST_SUMMARY:
        raise MalformedAnswer(f"The summary has {len(summary)} characters; 600 are the most.")
    listed = found.get("people") or []
    if not isinstance(listed, list) or not all(isinstance(each, dict) for each in listed):
        raise MalformedAnswer('"people" is not a list of objects.')
    claims = [_claim(each, messages) for each in listed[:_MOST_CLAIMS]]
    return WrittenNote(shortened(title, LONGEST_TITLE), summary, tuple(claims))


def _claim(each: dict[str, Any], messages: int) -> Claim:
    section = str(each.get("section") or "").strip().casefold()
    if section not in SECTIONS:
        raise MalformedAnswer(f"A section is not one of {', '.join(SECTIONS)}.")
    number = answers.message_number(each.get("message"), messages)
    fact, about = _text(each.get("fact"), "fact"), _text(each.get("person"), "person")
    if len(fact) > LONGEST_FACT:
        raise MalformedAnswer(f"A fact has {len(fact)} characters; {LONGEST_FACT} are the most.")
    slot, value = threads.slot(_optional(each.get("slot"))), _optional(each.get("value"))
    quote = each.get("quote")
    words = xml.plain(quote) if isinstance(quote, str) else None
    return Claim(about, section, fact, number, slot if value else "", value if slot else "", words)


def grounded(note: WrittenNote, said: NoteMaterial) -> WrittenNote:
    """Return each claim with the message it really comes from: a message can talk a model into
    giving another's number. If several people spoke, a claim that no message supports is left
    out."""
    lines = _lines(said)
    placed = [
        replace(each, message=checks.quoted(each.quote, lines, each.message) or each.message)
        for each in note.claims
    ]
    found = [_grounded(each, said) for each in placed]
    claims = tuple(each for each in found if each is not None)
    return replace(note, title=_own_title(note.title, said), claims=claims)


def borne_out(note: WrittenNote, said: NoteMaterial) -> tuple[WrittenNote, int]:
    """Leave out the claims that their messages do not bear out, or whose words are in none."""
    lines = _lines(said)

    def holds(claim: Claim) -> bool:
        if not checks.quoted(claim.quote, lines, claim.message):
            return False
        name = said.names.get(claim.about)
        text = claim.text if name is None else claim.text.replace(claim.about, name)
        return not unborne(text, checks.around(claim.message, lines))

    kept = [each for each in note.claims if holds(each)]
    summary, lost = checks.borne_summary(note.summary, lines)
    return replace(note, summary=summary, claims=tuple(kept)), len(note.claims) - len(kept) + lost


def _own_title(given: str, said: NoteMaterial) -> str:
    """Quote a title that is somebody's sentence, with its author."""
    words = " ".join(given.casefold().split()).strip(titles.MARKS)
    if len(analyse.query_terms(words)) < _SENTENCE:
        return given
    own = (each for each in said.messages if words in " ".join(each.text.casefold().split()))
    author = next(own, None)
    if author is None:
        return given
    return titles.quoted(said.names.get(author.person or "", author.speaker), given)


def _grounded(claim: Claim, said: NoteMaterial) -> Claim | None:
    if len({_voice(each) for each in said.messages}) == 1:
        return claim  # only one person spoke, so it is theirs whatever the message
    shared = attribute.shared(
        claim.text, said.messages, [claim.about, *said.names, *said.names.values()]
    )
    named, own = said.messages[claim.message - 1], shared[claim.message - 1]
    beside = zip(said.messages, shared, strict=True)
    others = [count for each, count in beside if _voice(each) != _voice(named)]
    if own and own >= _LEANS * max(others):
        return claim
    return replace(claim, message=shared.index(max(shared)) + 1) if any(shared) else None


def _voice(message: Message) -> tuple[str | None, str | None]:
    """Return the speaker. A name alone identifies nobody: anyone can take it."""
    return message.person, None if message.person else message.name


def _text(given: object, what: str) -> str:
    text = " ".join(xml.plain(given).split()) if isinstance(given, str) else ""
    if not text:
        raise MalformedAnswer(f'"{what}" is missing or empty.')
    return text


def _optional(given: object) -> str:
    text = " ".join(xml.plain(given).split()) if isinstance(given, str) else ""
    return text if len(text) <= LONGEST_VALUE and text.casefold() not in ("null", "none") else ""


# Without a model


async def draft(writer: Writer, said: NoteMaterial) -> WrittenNote:
    lines = _lines(said)
    request = WriterRequest(PROMPT, lines)
    # A note has its day already.
    undated = replace(request, lines=[replace(line, at=None) for line in lines])
    summary = (await writer.summarise(undated)).text or shortened(lines[0].text, LONGEST_SUMMARY)
    written = await writer.structure(request)
    place = Range(said.channel, 0, 0, said.messages[0].seq, said.messages[-1].seq)
    called = [
        replace(each, name=said.names.get(each.person or "", each.name)) for each in said.messages
    ]
    found = reading.read(said.space, place, written, called).found
    numbers = {each.seq: number for number, each in enumerate(said.messages, start=1)}
    drafts = map(structured_of, found)
    drafted = (_drafted(each, numbers[each.seq]) for each in drafts)
    claims = tuple(claim for claim in drafted if claim is not None)
    values = [each.value for each in claims if each.value]
    # Of 200 messages it takes a tenth of a second: too long for the loop, which answers others.
    title = await asyncio.to_thread(titles.title, lines, summary, values)
    return WrittenNote(title, summary, claims)


def _lines(said: NoteMaterial) -> list[TranscriptLine]:
    found = []
    for each in said.messages:
        speaker = said.names.get(each.person or "", each.speaker)
        found.append(TranscriptLine(speaker, xml.named(each.text, said.names), each.at, each.role))
    return found


def _drafted(found: StructuredMemory, number: int) -> Claim | None:
    about, section = found.person or found.subject, section_of(found)
    if about is None or section is None or len(found.text) > LONGEST_FACT:
        return None
    # What is over gets no slot: there it would look as if it held.
    kept = found.slot and found.value and not found.done and found.type != "entity"
    return Claim(
        about, section, found.text, number, found.slot if kept else "", found.value if kept else ""
    )


def section_of(found: StructuredMemory) -> str | None:
    """Return the profile section of a structured memory; None if it describes nobody."""
    if found.type in ("decision", "todo"):
        return None
    if found.type == "entity" or found.slot in _RELATIONS:
        return "relationships"
    if found.slot in _BIO:
        return "bio"
    if _skills().search(found.slot):
        return "skills"
    if found.type == "preference":
        taste = found.slot in threads.TASTES or found.slot.startswith("favourite ")
        return "interests" if taste else "opinions"
    return "other"


@cache
def _skills() -> re.Pattern[str]:
    return re.compile(classify.words("sections", "skill_slots"))


def shortened(text: str, most: int) -> str:
    """Return the text in one line, cut at a space if there is one."""
    plain = " ".join(text.split())
    if len(plain) <= most:
        return plain
    cut = plain[: most - 1]
    head, space, _ = cut.rpartition(" ")
    return (head if space and len(head) > most // 2 else cut).rstrip(" ,;:-") + "…"
