"""Read a clause by the rules of its language, without a model: what it says of its speaker in the third person."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import replace
from typing import Final

from erstwhile import language
from erstwhile.base.records import dataclass
from erstwhile.language.facts import NEVER
from erstwhile.writers.extractive import statements, structure
from erstwhile.writers.extractive.judgement import rules_of
from erstwhile.writers.port import TranscriptLine, TypedNote

_STEM: Final = 3  # characters that two forms of a word have in common at least


@dataclass(frozen=True, slots=True)
class ClauseReading:
    """What the rules read in a clause about its speaker, told by others. `whole`: nothing else is
    said in it."""

    notes: tuple[TypedNote, ...]
    whole: bool


def read(clause: str, spoken: str, name: str) -> ClauseReading:
    statement = replace(statements.single(clause, spoken), speaker=name)
    if statement.question or statement.order:
        return ClauseReading((), whole=False)
    line = TranscriptLine(name, clause, None, structure.SPEAKS)
    notes = tuple(
        structure.typed_note(rule, value, match, (statement, line))
        for rule, value, match in structure.matches(statement.judgement)
    )
    told = " ".join(each.text for each in notes)
    return ClauseReading(notes, whole=bool(notes) and _is_said(clause, told, spoken))


def _is_said(clause: str, told: str, spoken: str) -> bool:
    """Return whether each word of a clause is in what is told, in any form, or says nothing."""
    own, rules = language.of(spoken), rules_of(spoken)
    rest, said = clause.casefold(), told.casefold()
    denial = own.negation.denial if own.negation else NEVER.pattern
    if re.search(denial, rest) and not re.search(denial, said):
        return False
    empty = [
        own.pronouns.first_person if own.pronouns else "",
        own.sentences.endings if own.sentences else "",
    ]
    rest = re.sub("|".join(filter(None, empty)), " ", rest)
    if own.script != "latin":
        return all(each in said for each in re.findall(r"[^\W_ぁ-ん]", rest))
    there = {_start(each) for each in re.findall(r"\w+", said)}
    words = (each for each in re.findall(r"\w+", rest) if _start(each) not in there)
    return all(
        each in own.stopwords or (rules and rules.ending.search(f" {each}")) for each in words
    )


def _start(word: str) -> str:
    """Return how all forms of a word begin, without accents: "alérgica" is a form of "alergia"."""
    parts = unicodedata.normalize("NFD", word)
    return "".join(each for each in parts if not unicodedata.combining(each))[:_STEM]
