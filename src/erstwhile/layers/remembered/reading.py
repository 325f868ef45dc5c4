"""What a model made of a told text, checked: nothing lost by remembering, nothing but what was named by forgetting, nothing made up.

Plain functions. What is wrong is said without quoting anything.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from erstwhile.layers.remembered import lines, merge, slots
from erstwhile.layers.remembered.lines import Line
from erstwhile.layers.remembered.merge import Teller
from erstwhile.text import analyse, suspect
from erstwhile.writers import answers, xml
from erstwhile.writers.answers import MalformedAnswer

Names = tuple[str, ...]

_KEPT: Final = 0.6  # of a sentence's terms, how many must be found again for it to be still told
_SPREAD: Final = 0.8  # the same, when they are looked for in all of the text
_TOLD: Final = 0.4  # of a new fact's terms: a model words it as it likes
_FIRST_PERSON: Final = re.compile(r"\A(?:I|I['’](?:m|ve|d|ll)|My)\b")


@dataclass(frozen=True, slots=True)
class Left:
    """After forgetting: whether it was there, the lines that are left, and those that are gone."""

    found: bool
    kept: tuple[Line, ...]
    gone: tuple[Line, ...]


def told_schema() -> dict[str, Any]:
    return _schema(told={"type": "string"})


def left_schema() -> dict[str, Any]:
    return _schema(found={"type": "boolean"}, told={"type": "string"})


def _schema(**fields: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": fields, "required": list(fields), "additionalProperties": False}


def remembered(answer: str, before: Sequence[str], facts: Sequence[str], names: Names) -> list[str]:
    """The sentences, from {"told": …}."""
    found = _sentences(answers.json_object(answer, "told"))
    bodies = [line.body for line in found]
    if not bodies:
        raise MalformedAnswer("The text is empty: what was told is lost.")
    if any(line.author or line.quoted for line in found) or any(map(_FIRST_PERSON.match, bodies)):
        raise MalformedAnswer("The text is not plain sentences in the third person.")
    if len("\n".join(bodies)) > sum(map(len, before)) + 3 * sum(map(len, facts)) + 40 * (len(facts) + len(before)):
        raise MalformedAnswer("The text is much longer than what was told.")
    if suspect.flag("\n".join(bodies)) and not suspect.flag("\n".join([*before, *facts])):
        raise MalformedAnswer("The text holds an instruction or a claim that nobody told.")
    _nothing_lost(bodies, before, facts, names)
    _nothing_new(bodies, [*before, *facts], names)
    return bodies


def _nothing_lost(bodies: Sequence[str], before: Sequence[str], facts: Sequence[str], names: Names) -> None:
    new = [slots.terms(fact, names) for fact in facts]
    lost = [
        old
        for old in before
        if not _told_in(old, bodies, names)
        and not any(slots.terms(old, names) & terms for terms in new)
        and not _clash(old, facts, names)
    ]
    if lost:
        raise MalformedAnswer(
            f"{len(lost)} of the sentences that were told before are lost. Keep everything that is not contradicted."
        )
    everything = frozenset(analyse.terms("\n".join(bodies)))
    for number, terms in enumerate(new, start=1):
        # What is contradicted by a later fact of the same batch may be gone.
        later = frozenset[str]().union(*new[number:])
        if len(terms & everything) < _TOLD * len(terms) and not terms & later:
            raise MalformedAnswer(f"Fact {number} is not in the text.")


def _clash(old: str, facts: Sequence[str], names: Names) -> bool:
    told = slots.of(old, names)
    return told is not None and any(
        (slot := slots.of(fact, names)) is not None and slot.name == told.name for fact in facts
    )


def _nothing_new(bodies: Sequence[str], sources: Sequence[str], names: Names) -> None:
    known = frozenset(analyse.terms("\n".join(sources)))
    if any(not slots.terms(body, names) & known for body in bodies):
        raise MalformedAnswer("A sentence says what nobody told. Take nothing from elsewhere.")


def forgotten(answer: str, before: Sequence[Line], words: str, names: Names) -> Left:
    """What is left, from {"found": …, "told": …}."""
    given = answers.json_object(answer, "found", "told")
    if not isinstance(given["found"], bool):
        raise MalformedAnswer('"found" must be true or false.')
    if not given["found"]:
        return Left(False, tuple(before), ())
    kept = _sentences(given)
    if len(lines.render(kept)) > len(lines.render(before)):
        raise MalformedAnswer("The text became longer by forgetting.")
    if not all(_taken_from(line, before, names) for line in kept):
        raise MalformedAnswer("A sentence is new, or has another author. Only leave out what is to be forgotten.")
    bodies = [line.body for line in kept]
    gone = tuple(line for line in before if not still(line.body, bodies, names))
    wanted = slots.terms(words, names)
    unnamed = [line for line in gone if not slots.terms(line.body, names) & wanted]
    # Told in other words ("my pet" for the dog), one sentence may go, if nothing is told in these.
    plainly = merge.forget(lines.render(before), words, names, Teller()).changed
    if unnamed and (plainly or len(gone) > 1):
        raise MalformedAnswer("More is gone than what was to be forgotten.")
    if not gone and lines.render(kept) == lines.render(before):
        raise MalformedAnswer('"found" is true, but nothing was taken out.')
    return Left(True, tuple(kept), gone)


def _sentences(given: dict[str, Any]) -> list[Line]:
    told = given["told"]
    if not isinstance(told, str):
        raise MalformedAnswer('"told" must be a text.')
    return lines.parse(lines.seen(xml.plain(told)))


def _told_in(old: str, bodies: Sequence[str], names: Names) -> bool:
    terms = slots.terms(old, names)
    everything = frozenset(analyse.terms("\n".join(bodies)))
    return any(len(terms & frozenset(analyse.terms(body))) >= _KEPT * len(terms) for body in bodies) or len(
        terms & everything
    ) >= _SPREAD * len(terms)


def still(old: str, bodies: Sequence[str], names: Names) -> bool:
    terms = slots.terms(old, names)
    return any(len(terms & frozenset(analyse.terms(body))) > _KEPT * len(terms) for body in bodies)


def _taken_from(line: Line, before: Sequence[Line], names: Names) -> bool:
    terms = slots.terms(line.body, names)
    return any(
        old.author == line.author and len(terms & frozenset(analyse.terms(old.body))) >= _KEPT * len(terms)
        for old in before
    )


@dataclass(frozen=True, slots=True)
class Leaning:
    """A sentence and the number of the message that says it, from 1."""

    text: str
    message: int


def gathered_schema() -> dict[str, Any]:
    each = _schema(sentence={"type": "string"}, message={"type": "integer"})
    return _schema(sentences={"type": "array", "items": each})


def gathered(answer: str, messages: int) -> list[Leaning]:
    """From {"sentences": [{"sentence": …, "message": …}]}."""
    given = answers.json_object(answer, "sentences")["sentences"]
    if not isinstance(given, list) or not all(isinstance(each, dict) for each in given):
        raise MalformedAnswer('"sentences" must be a list of objects.')
    return [_leaning(each, messages) for each in given]


def _leaning(each: dict[str, Any], messages: int) -> Leaning:
    number, sentence = each.get("message"), each.get("sentence")
    if isinstance(number, str) and number.strip().lstrip("#").isdigit():
        number = int(number.strip().lstrip("#"))
    if not isinstance(number, int) or isinstance(number, bool) or not 1 <= number <= messages:
        raise MalformedAnswer(f'A "message" is not a number from 1 to {messages}.')
    text = " ".join(lines.seen(xml.plain(sentence)).split()) if isinstance(sentence, str) else ""
    if not text:
        raise MalformedAnswer('A "sentence" is missing or empty.')
    return Leaning(text, number)
