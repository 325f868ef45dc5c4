"""Read and check what a model answered: remembering loses nothing, forgetting removes only what was
named, and nothing is invented.

Errors quote nothing of the text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final

from erstwhile.base.records import dataclass
from erstwhile.layers.remembered import lines, merge, slots
from erstwhile.layers.remembered.lines import Line
from erstwhile.layers.remembered.model import Teller
from erstwhile.text import analyse, suspect
from erstwhile.writers import answers, xml
from erstwhile.writers.answers import MalformedAnswer
from erstwhile.writers.grounding import CitedMessages, unborne
from erstwhile.writers.port import TranscriptLine

Names = tuple[str, ...]

_KEPT: Final = 0.6  # share of a sentence's terms in another sentence that count as the same
_SPREAD: Final = 0.8  # the same, over the whole text
_TOLD: Final = 0.4  # share of a new fact's terms in the text: a model may reword it
_ESCAPES: Final = 200  # characters by which a text may be longer as the model read it
_LONGEST, _MOST = 400, 40  # characters of a sentence, and sentences, that are gathered
_FIRST_PERSON: Final = re.compile(r"\A(?:I|I['’](?:m|ve|d|ll)|My)\b")


def told_schema(before: Sequence[str], facts: Sequence[str]) -> dict[str, Any]:
    return answers.object_schema(told=answers.text_schema(_longest(before, facts)))


def left_schema(before: Sequence[Line]) -> dict[str, Any]:
    text = answers.text_schema(len(lines.render(before)) + _ESCAPES)
    return answers.object_schema(found={"type": "boolean"}, told=text)


def gathered_schema(messages: int) -> dict[str, Any]:
    sentence = answers.object_schema(
        sentence=answers.text_schema(_LONGEST), message=answers.number_schema(messages)
    )
    return answers.object_schema(sentences=answers.list_schema(sentence, _MOST))


def _longest(before: Sequence[str], facts: Sequence[str]) -> int:
    """Return the most characters of a text with these facts."""
    return sum(map(len, before)) + 3 * sum(map(len, facts)) + 40 * (len(facts) + len(before))


@dataclass(frozen=True, slots=True)
class RemainingLines:
    """The lines that are left after forgetting, and those that are gone."""

    found: bool
    kept: tuple[Line, ...]
    gone: tuple[Line, ...]


def remembered(answer: str, before: Sequence[str], facts: Sequence[str], names: Names) -> list[str]:
    """Read the sentences from {"told": …}."""
    found = _sentences(answers.json_object(answer, "told"))
    bodies = [line.body for line in found]
    if not bodies:
        raise MalformedAnswer("The text is empty. Keep everything that was told.")
    if any(line.author or line.quoted for line in found) or any(map(_FIRST_PERSON.match, bodies)):
        raise MalformedAnswer("The text is not plain sentences in the third person.")
    if len("\n".join(bodies)) > _longest(before, facts):
        raise MalformedAnswer("The text is much longer than what was told.")
    if suspect.flag("\n".join(bodies)) and not suspect.flag("\n".join([*before, *facts])):
        raise MalformedAnswer("The text contains an instruction or a claim that nobody told.")
    _nothing_lost(bodies, before, facts, names)
    _nothing_new(bodies, [*before, *facts], names)
    return bodies


def _nothing_lost(
    bodies: Sequence[str], before: Sequence[str], facts: Sequence[str], names: Names
) -> None:
    new = [slots.terms(fact, names) for fact in facts]
    known = (old for old in before if not any(slots.terms(old, names) & each for each in new))
    untold = (old for old in known if not _told_in(old, bodies, names))
    lost = [old for old in untold if not _clash(old, facts, names)]
    if lost:
        raise MalformedAnswer(f"{len(lost)} earlier sentences are lost. Keep what still holds.")
    everything = frozenset(analyse.terms("\n".join(bodies)))
    for number, terms in enumerate(new, start=1):
        # A fact that a later one of the same batch contradicts may be gone.
        later = frozenset[str]().union(*new[number:])
        if len(terms & everything) < _TOLD * len(terms) and not terms & later:
            raise MalformedAnswer(f"Fact {number} is not in the text.")


def _clash(old: str, facts: Sequence[str], names: Names) -> bool:
    told = slots.of(old, names)
    found = (slots.of(fact, names) for fact in facts)
    return told is not None and any(slot is not None and slot.name == told.name for slot in found)


def _nothing_new(bodies: Sequence[str], sources: Sequence[str], names: Names) -> None:
    known = frozenset(analyse.terms("\n".join(sources)))
    if any(not slots.terms(body, names) & known for body in bodies):
        raise MalformedAnswer("A sentence says something that nobody told. Add nothing.")
    said = CitedMessages([TranscriptLine(names[0], each) for each in sources], (), frozenset(names))
    if any(unborne(body, said) in ("name", "number") for body in bodies):
        raise MalformedAnswer("A sentence has a name or a number that nobody told. Add nothing.")


def forgotten(answer: str, before: Sequence[Line], words: str, names: Names) -> RemainingLines:
    """Read what is left from {"found": …, "told": …}."""
    given = answers.json_object(answer, "found", "told")
    if not isinstance(given["found"], bool):
        raise MalformedAnswer('"found" must be true or false.')
    if not given["found"]:
        return RemainingLines(False, tuple(before), ())
    kept = _sentences(given)
    if len(lines.render(kept)) > len(lines.render(before)):
        raise MalformedAnswer("The text became longer. Only remove what is to be forgotten.")
    if not all(_taken_from(line, before, names) for line in kept):
        raise MalformedAnswer("A sentence is new or has another author. Only remove, add nothing.")
    bodies = [line.body for line in kept]
    gone = tuple(line for line in before if not is_in(line.body, bodies, names))
    wanted = slots.terms(words, names)
    unnamed = [line for line in gone if not slots.terms(line.body, names) & wanted]
    # If no sentence has these words, one that says it in others ("my pet" for the dog) may go.
    plainly = merge.forget(lines.render(before), words, names, Teller()).changed
    if unnamed and (plainly or len(gone) > 1):
        raise MalformedAnswer("More was removed than what is to be forgotten.")
    if not gone and lines.render(kept) == lines.render(before):
        raise MalformedAnswer('"found" is true, but nothing was removed.')
    return RemainingLines(True, tuple(kept), gone)


def _sentences(given: dict[str, Any]) -> list[Line]:
    told = given["told"]
    if not isinstance(told, str):
        raise MalformedAnswer('"told" must be a text.')
    return lines.parse(lines.seen(xml.plain(told)))


def _told_in(old: str, bodies: Sequence[str], names: Names) -> bool:
    terms = slots.terms(old, names)
    if any(_share(terms, body) >= _KEPT for body in bodies):
        return True
    return _share(terms, "\n".join(bodies)) >= _SPREAD


def is_in(old: str, bodies: Sequence[str], names: Names) -> bool:
    """Return whether one of the sentences still says it."""
    terms = slots.terms(old, names)
    return bool(terms) and any(_share(terms, body) > _KEPT for body in bodies)


def _taken_from(line: Line, before: Sequence[Line], names: Names) -> bool:
    terms = slots.terms(line.body, names)
    same = (old for old in before if old.author == line.author)
    return any(_share(terms, old.body) >= _KEPT for old in same)


def _share(terms: frozenset[str], text: str) -> float:
    """Return the share of terms that a text has."""
    return len(terms.intersection(analyse.terms(text))) / len(terms) if terms else 1.0


def gathered(answer: str, messages: int) -> list[tuple[str, int]]:
    """Read {"sentences": [{"sentence": …, "message": …}]}: sentences, each with the number of the
    message that says it, from 1."""
    given = answers.json_object(answer, "sentences")["sentences"]
    if not isinstance(given, list) or not all(isinstance(each, dict) for each in given):
        raise MalformedAnswer('"sentences" must be a list of objects.')
    found = []
    for each in given:
        number = answers.message_number(each.get("message"), messages)
        said = each.get("sentence")
        text = " ".join(lines.seen(xml.plain(said)).split()) if isinstance(said, str) else ""
        if not text:
            raise MalformedAnswer('A "sentence" is missing or empty.')
        found.append((text, number))
    return found
