"""Analyse a question: its words, the people it names, the time it mentions."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime
from functools import cache

from erstwhile.base.clock import micros
from erstwhile.base.records import dataclass
from erstwhile.language import assistant, codes, of
from erstwhile.log import people
from erstwhile.log import store as log
from erstwhile.storage import Transaction
from erstwhile.text import analyse, detection

_TERMS = 64  # of a very long question, the first
_FEW = 3  # terms that are looked for, not asked about
_LONGEST = 2000  # characters that its meaning is read from
_ENDS = 4000  # characters at the beginning and at the end of a question that are read at all
_MARKS = ("?", "？")
_STOPS = ".!?…。！？\n"  # between two sentences, or inside of one
AFTERWARDS = 7 * 86_400 * 1_000_000  # people tell of a day for about a week


@dataclass(frozen=True, slots=True)
class Question:
    """`plain` is the text without the names, which help to find by words and harm finding by meaning; `spoken` has the
    first person in their place, as whoever is named tells it, so that it stays a sentence. `asks`: it is a
    question, whose answer may be beside its words; one or two words are only searched themselves. `people`: who
    probably said the answer; None is someone without an id."""

    text: str
    terms: tuple[str, ...]
    names: frozenset[str]
    people: tuple[str | None, ...]
    plain: str
    spans: tuple[tuple[int | None, int | None], ...]
    when: str
    back: str
    asks: bool
    replied: bool = False  # the assistant said it
    asks_when: bool = False  # it asks for a time
    spoken: str = ""


def ends(text: str) -> str:
    """Return what is read of a question: all, or the beginning and the end of one that brings a document along."""
    return text if len(text) <= 2 * _ENDS else f"{text[:_ENDS]}\n{text[-_ENDS:]}"


def questions_in(text: str) -> str:
    """Return the questions of a message that says more than them, else "". What is said around them
    hides what they ask: "Where is Mina living now? I want to drop a parcel off."."""
    inside = text.strip()[:-1]
    if not (any(map(text.__contains__, _MARKS)) and any(map(inside.__contains__, _STOPS))):
        return ""
    from erstwhile.text import sentences  # not needed for one sentence

    found = sentences.split(ends(text))
    asked = [each for each in found if each.endswith(_MARKS)]
    return " ".join(asked) if len(asked) < len(found) else ""


async def understand(
    tx: Transaction,
    text: str,
    now: datetime,
    asker: str | None = None,
    *,
    with_assistant: bool = False,
) -> tuple[Question, frozenset[str]]:
    """Analyse a question, and return the blocked people too. "Where do I live?" is about the `asker`, unless it names
    someone; if nobody says who asks, it is about the only one who speaks in the space. "What did you recommend?" is
    about what an assistant said, where there is one."""
    from erstwhile.text import when  # its tables of seven languages are only read by whoever asks

    text = (
        ends(text).replace("\0", " ").encode("utf-8", "replace").decode()
    )  # what no database takes
    given = text[:_LONGEST]
    is_question = text.rstrip().endswith(_MARKS)
    named, blocked = await log.people_in(tx, text)
    language = detection.dominant([text])
    replied = with_assistant and assistant.means_assistant(text, language)
    speakers: list[str | None] = [] if replied else [person for person, _ in named]
    if not named and not replied and _means_asker(text, language):
        asker = await people.only_speaker(tx) if asker is None else asker
        if asker:
            named = [(asker, await log.name_of(tx, asker))]
            text = f"{text} {named[0][1]}"
        speakers = [] if asker is None else [asker or None]
    terms = analyse.query_terms(text)
    asks = len(terms) > _FEW or is_question
    if asks:  # else a hit would hold one character of a word
        terms = analyse.with_characters(terms, text)
    spans = when.spans(text, now)
    question = Question(
        text=text,
        terms=tuple(terms[:_TERMS]),
        names=frozenset(term for _, name in named for term in analyse.document_terms(name)),
        people=tuple(dict.fromkeys(speakers)),
        plain=_without(text[:_LONGEST], [name for _, name in named]),
        spans=tuple((_micros(each.first), _later(each.last)) for each in spans),
        when=", ".join(each.text for each in spans),
        back=when.refers_back(text),
        asks=asks,
        replied=replied,
        asks_when=when.asks_when(text),
        spoken=_in_first_person(given, [name for _, name in named], language),
    )
    return question, blocked


def _means_asker(text: str, language: str) -> bool:
    """Return whether askers mean themselves. It goes by the language: "mon" is French for my, and English for Monday."""
    pattern = _asker(language)
    return pattern is not None and pattern.search(text) is not None


@cache
def _asker(language: str) -> re.Pattern[str] | None:
    """Return a pattern of the words by which an asker means themselves, if the language has one."""
    pronouns = of(language).pronouns if language in codes() else None
    return re.compile(pronouns.asker, re.IGNORECASE) if pronouns and pronouns.asker else None


def _without(text: str, names: Sequence[str]) -> str:
    for name in names:
        text = re.sub(rf"{re.escape(name)}(?:['’]s)?", " ", text, flags=re.IGNORECASE)
    return " ".join(text.split())


def _in_first_person(text: str, names: Sequence[str], language: str) -> str:
    """Put "I" and "my" for the names. Only for English, which is what sentences are read of."""
    if language != "en":
        return _without(text, names)
    for name in names:
        text = re.sub(rf"{re.escape(name)}['’]s\b", " my ", text, flags=re.IGNORECASE)
        text = re.sub(re.escape(name), " I ", text, flags=re.IGNORECASE)
    return " ".join(text.split())


def _micros(at: datetime | None) -> int | None:
    return None if at is None else micros(at)


def _later(at: datetime | None) -> int | None:
    return None if at is None else micros(at) + AFTERWARDS
