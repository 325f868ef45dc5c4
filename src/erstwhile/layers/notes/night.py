"""Make topics: the question to a writer, how its answer is read, and topics without a model."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from erstwhile.base.records import dataclass
from erstwhile.layers.notes import cluster
from erstwhile.layers.notes.model import Note
from erstwhile.layers.notes.note import LONGEST_TITLE, shortened
from erstwhile.text import analyse
from erstwhile.writers import answers, halves, transcript, xml
from erstwhile.writers.answers import MalformedAnswer
from erstwhile.writers.port import Halves, TranscriptLine, Writer, WriterQuestion, WriterRequest
from erstwhile.writers.prompt import load

PROMPT: Final = load(__package__, "cluster")
LONGEST_SUMMARY: Final = 1200  # the prompt asks for 800; a few more are no reason to ask again
_ROOM: Final = 3072  # output tokens: the text of each topic, the number of each note


@dataclass(frozen=True, slots=True)
class Topic:
    """`notes` are positions in the question, from 0."""

    title: str
    text: str
    notes: tuple[int, ...]


def ask(
    notes: Sequence[Note], names: Mapping[str, str], most: int
) -> WriterQuestion[tuple[Topic, ...]]:
    fewest = min(cluster.FEWEST, len(notes))
    most = max(fewest, min(most, len(notes)))
    rows = [_shown(number, note, names) for number, note in enumerate(notes, start=1)]
    wanted = str(fewest) if fewest == most else f"{fewest} to {most}"
    closing = transcript.closing(
        f"Make {wanted} topics of these {len(notes)} notes, as JSON, titles and summaries",
        [note.text for note in notes],
        each="each in the language of its notes",
    )
    return WriterQuestion(
        prompt=PROMPT,
        text="\n".join(["<notes>", *rows, "</notes>", "", closing]),
        read=lambda answer: read(answer, notes, fewest, most),
        draft=lambda writer: draft(writer, notes, most),
        schema=schema(len(notes), most),
        cache_key=f"cluster:{notes[0].id}",
        room=_ROOM,
        halves=lambda: _halves(notes, names, most),
    )


def _halves(
    notes: Sequence[Note], names: Mapping[str, str], most: int
) -> Halves[WriterQuestion[tuple[Topic, ...]], tuple[Topic, ...]] | None:
    half, wanted = len(notes) // 2, max(1, most // 2)

    def joined(one: tuple[Topic, ...], other: tuple[Topic, ...]) -> tuple[Topic, ...]:
        places = (tuple(place + half for place in each.notes) for each in other)
        moved = (replace(each, notes=own) for each, own in zip(other, places, strict=True))
        return _at_most((*one, *moved), most)

    return halves.of(notes, lambda some: ask(some, names, wanted), joined)


def _at_most(topics: Sequence[Topic], most: int) -> tuple[Topic, ...]:
    """Put the most similar topics into one where there are too many."""
    if len(topics) <= most:
        return tuple(topics)
    terms = [analyse.query_terms(f"{each.title}\n{each.text}") for each in topics]
    found = []
    for places in cluster.clusters(terms, most):
        own = [topics[place] for place in places]
        title = topics[cluster.central(terms, places)].title
        notes = sorted(note for each in own for note in each.notes)
        found.append(Topic(title, " ".join(each.text for each in own), tuple(notes)))
    return tuple(found)


def _shown(number: int, note: Note, names: Mapping[str, str]) -> str:
    people = ", ".join(" ".join(names.get(person, person).split()) for person in note.people)
    return (
        f'<note number="{number}"><date>{note.day.isoformat()}</date><title>{xml.escape(note.title)}</title>'
        f"<people>{xml.escape(people)}</people><summary>{xml.escape(shortened(note.text, LONGEST_SUMMARY))}</summary></note>"
    )


def schema(notes: int, most: int) -> dict[str, Any]:
    topic = answers.object_schema(
        title=answers.text_schema(LONGEST_TITLE),
        summary=answers.text_schema(LONGEST_SUMMARY),
        notes=answers.list_schema(answers.number_schema(notes), notes),
    )
    return answers.object_schema(topics=answers.list_schema(topic, most))


def read(answer: str, notes: Sequence[Note], fewest: int, most: int) -> tuple[Topic, ...]:
    """Return topics with every note in exactly one: a missing note goes to the most similar topic,
    a note that is named twice stays in the first."""
    listed = answers.json_object(answer, "topics")["topics"]
    if not isinstance(listed, list) or not all(isinstance(each, dict) for each in listed):
        raise MalformedAnswer('"topics" is not a list of objects.')
    numbers = [_numbers(each.get("notes"), len(notes)) for each in listed]
    named: set[int] = set()
    kept = []
    for each, places in zip(listed, numbers, strict=True):
        if set(places) - named:  # skip a topic whose notes are all in others
            title = _text(each, "title", 2 * LONGEST_TITLE)
            kept.append((title, _text(each, "summary", LONGEST_SUMMARY), places))
            named.update(places)
    if not fewest <= len(kept) <= most:
        raise MalformedAnswer(
            f"There are {len(kept)} topics with notes of their own; make {fewest} to {most}."
        )
    full = cluster.complete([places for _, _, places in kept], [_terms(note) for note in notes])
    titled = [(shortened(title, LONGEST_TITLE), text) for title, text, _ in kept]
    return tuple(Topic(*each, tuple(places)) for each, places in zip(titled, full, strict=True))


def _numbers(given: object, notes: int) -> list[int]:
    if not isinstance(given, list):
        raise MalformedAnswer('"notes" is not a list of numbers.')
    found = []
    for each in given:
        number = int(each) if isinstance(each, str) and each.strip().isdigit() else each
        if not isinstance(number, int) or isinstance(number, bool) or not 1 <= number <= notes:
            raise MalformedAnswer(f"A note's number is not one of 1 to {notes}.")
        found.append(number - 1)
    return found


def _text(each: dict[str, Any], what: str, longest: int) -> str:
    given = each.get(what)
    text = " ".join(xml.plain(given).split()) if isinstance(given, str) else ""
    if not text:
        raise MalformedAnswer(f'"{what}" of a topic is missing or empty.')
    if len(text) > longest:
        raise MalformedAnswer(f'"{what}" of a topic has {len(text)} characters, which is too long.')
    return text


def _terms(note: Note) -> list[str]:
    return analyse.query_terms(f"{note.title}\n{note.text}")


# Without a model


async def draft(writer: Writer, notes: Sequence[Note], most: int) -> tuple[Topic, ...]:
    terms = [_terms(note) for note in notes]
    found = await asyncio.to_thread(cluster.clusters, terms, cluster.how_many(len(notes), most))
    made = []
    for places in found:
        title = notes[cluster.central(terms, places)].title
        text = await _condensed(writer, [notes[place] for place in places])
        made.append(Topic(title, text, tuple(places)))
    return tuple(made)


async def _condensed(writer: Writer, notes: Sequence[Note]) -> str:
    if len(notes) == 1:
        return notes[0].text
    lines = [TranscriptLine("", note.text, note.to_at, "summary") for note in notes]
    text = (await writer.condense(WriterRequest(PROMPT, lines))).text
    return text or shortened(" ".join(note.text for note in notes), LONGEST_SUMMARY)


def themselves(notes: Sequence[Note]) -> tuple[Topic, ...]:
    """Return each note as a topic of its own. With one or two notes no model is asked."""
    return tuple(Topic(note.title, note.text, (place,)) for place, note in enumerate(notes))
