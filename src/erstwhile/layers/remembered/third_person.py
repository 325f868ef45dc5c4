"""Put what someone said about themselves into the third person.

Only the references to the person change (`language/<code>/third_person.py`); the rest stays. In a
language without that, its rules for memories with a slot say it, clause by clause.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from erstwhile.language import Language, codes, languages, of
from erstwhile.language.third_person import ThirdPerson, named
from erstwhile.layers import threads
from erstwhile.text import detection, sentences
from erstwhile.writers import clauses

_END: Final = re.compile(r"[.!?。！？…~]\Z")


def by_name(said: str, name: str) -> str:
    """Put the speaker's name where they say "I"."""
    words = _grammar(said)
    return words.by_name(said, name) if words else said


def statements(words: str, name: str, others: Sequence[str] = (), *, teller: str = "") -> list[str]:
    """Return the sentences about the person called `name`, in the third person. `others` are
    further names of theirs. `teller`: the name of someone else who says it, whom "I" means then."""
    found = []
    for sentence in sentences.split(words):
        said = sentence.strip(" \t-*•")
        turned = _turned(said, (name, *others), teller) if said else ()
        found += [each if _END.search(each) else each + _stop(each) for each in turned]
    return found


def _turned(said: str, names: Sequence[str], teller: str) -> Iterator[str]:
    spoken = _language(said)
    grammar = spoken.third_person if spoken else None
    if spoken and grammar:
        yield grammar.turn(said, names[0], names, teller)
        yield from _people(said, spoken, names[0]) if not teller else ()
    elif teller or spoken is None or any(_begins(said, each) for each in names):
        yield named(said, names[0], names)
    else:
        for clause in _clauses(said, spoken):
            read = clauses.read(clause, spoken.code, names[0])
            told = [each.text for each in read.notes]
            yield from told if read.whole else (named(clause, names[0], names),)


def _people(said: str, spoken: Language, name: str) -> Iterator[str]:
    """Yield who is who, if the rest of the sentence may once be replaced: "I live in Leeds with my
    husband Tom"."""
    notes = clauses.read(said, spoken.code, name).notes
    slots = [threads.slot(each.slot) for each in notes]
    if any(each in threads.SINGLE - threads.RELATIONS for each in slots):
        for note, slot in zip(notes, slots, strict=True):
            if note.type == "entity" or slot in threads.RELATIONS:
                yield note.text


def _begins(said: str, name: str) -> bool:
    return bool(name) and said.casefold().startswith(name.casefold())


def _clauses(said: str, spoken: Language) -> list[str]:
    """Split a sentence where another clause about its speaker begins."""
    words = spoken.sentences
    if words is None or not words.own_clause:
        return [said]
    joint = rf"[,;、]? (?:{words.clauses}) (?={words.own_clause})|[,;、] ?(?={words.own_clause})"
    pieces = re.split(joint, said, flags=re.IGNORECASE)
    subject, own = said.split(" ", 1)[0], spoken.pronouns and spoken.pronouns.first_person
    if not own or not re.fullmatch(own, subject, re.IGNORECASE):
        return [each.strip() for each in pieces]
    missing = (not re.match(own, each, re.IGNORECASE) for each in pieces)
    return [
        f"{subject} {each.strip()}" if left_out else each.strip()
        for each, left_out in zip(pieces, missing, strict=True)
    ]


def _grammar(said: str) -> ThirdPerson | None:
    spoken = _language(said)
    return spoken.third_person if spoken else None


def _language(said: str) -> Language | None:
    """Return the language that has this script, or in Latin letters these words."""
    script = detection.scripts(said)[0]
    if script != "latin":
        return next((each for each in languages() if each.script == script), None)
    code = detection.spoken(said)
    return of(code) if code in codes() and of(code).script == "latin" else None


def _stop(said: str) -> str:
    script = detection.scripts(said)[0]
    words = next((each.sentences for each in languages() if each.script == script), None)
    return words.stop if words and script != "latin" else "."
