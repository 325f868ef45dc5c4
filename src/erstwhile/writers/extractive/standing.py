"""Decide whether a fact stands by itself: who and what it is about are in it, not in the lines around it.

`bench/FACTS.md` says what makes a fact useful. Fewer facts that can be understood are better than more that can't.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import Final

from erstwhile import language
from erstwhile.language.facts import NEVER
from erstwhile.text import analyse
from erstwhile.writers.extractive import worth
from erstwhile.writers.extractive.judgement import Judgement
from erstwhile.writers.extractive.statements import Statement

FEWEST: Final = 2  # words that tell something, besides days
LASTING: Final = 5
STRONG: Final = 4
WEAK: Final = 2
TIED: Final = frozenset({"name", "kin", "day"})  # what ties it to somebody, somewhere or a date
SHORTEST_QUESTION: Final = 5  # characters
SHORTEST: Final = 14  # characters of a list of numbers in a script without spaces

_FIRST_SENTENCE: Final = re.compile(r"^([^.!?,;:]{3,29}[^.!?,;:\d])[.!] (?=\S)")


def stands(text: str, aside: str, statement: Statement, people: frozenset[str]) -> bool:
    """Return whether a fact can be understood alone. `people`: the names of the conversation, in lower case."""
    signals = statement.signals
    if text.startswith("(") or _is_lost(text, statement) or _is_loose(text, statement, people):
        return False
    if aside:
        asked = aside.partition(": ")[2]
        if statement.question and statement.judgement.latin:
            firm = signals.firm is NEVER or signals.firm.search(text)
            if not firm or _telling(text, statement) < FEWEST:
                return False  # a proposal that does not say what of, or for a day of this week
        elif len(asked) < SHORTEST_QUESTION:
            return False
        if (
            not statement.question
            and statement.judgement.latin
            and not _has_topic(asked, statement)
        ):
            return False
        return not (
            _is_lost(asked, statement)
            or signals.pronoun.search(asked)
            or signals.unnamed.search(asked)
        )
    if not _is_supported(text, statement):
        return False
    strong = max(statement.judgement.weights, default=0) >= STRONG
    if not statement.judgement.latin:
        return strong or len(text) > SHORTEST_QUESTION
    if not _has_subject(text, statement):
        return False
    telling = _telling(text, statement)
    return telling >= FEWEST or (strong and telling > 0 and not statement.assistant)


def _is_lost(text: str, statement: Statement) -> bool:
    judged: Judgement = statement.judgement
    if text != statement.judged:
        judged = Judgement(statement.language, text)
    return judged.has("lost")


def _has_topic(asked: str, statement: Statement) -> bool:
    """Return whether a question says what it is about, so that a bare number answers something."""
    signals = statement.signals
    subjects = (signals.told_of, signals.evidence.matter, signals.evidence.name, signals.occasion)
    return any(pattern.search(asked) for pattern in subjects) and _telling(asked, statement) > 0


def _is_supported(text: str, statement: Statement) -> bool:
    """Return whether enough speaks for it: a phrase such as "I moved" does; the weaker the phrase,
    the more must be concrete."""
    found = worth.evidence(statement)
    if text != statement.text and statement.signals.evidence.name.search(text):
        found |= {"name"}  # in the sentence before it
    kinds = {"day" if each == "days" else "amount" if each == "amounts" else each for each in found}
    strongest = max(statement.judgement.weights, default=0)
    if statement.assistant:
        return bool(kinds & {"name", "matter", "amount"}) or not statement.judgement.latin
    if strongest > WEAK:
        return True
    if strongest == WEAK:
        if not statement.judgement.latin:
            return len(kinds) > 2
        if statement.signals.own is NEVER or len(text) > len(statement.text):
            return len(kinds) > 1 or not statement.signals.hollow.search(text)
        if not kinds & TIED:
            return False
        counted = len(kinds) + any(
            map(str.isdigit, text)
        )  # "3 red lanterns" is no amount of a known unit
        return len(kinds) > 2 or (counted > 1 and statement.signals.own.match(text) is not None)
    if not statement.judgement.latin:
        return len(text) >= SHORTEST and ("amounts" in found or len(kinds) > 2)
    if statement.judgement.fragment:
        listed = {"amount", "matter"} <= kinds and "amounts" in found
        counted = sum(1 for _ in statement.signals.evidence.amount.finditer(text)) > FEWEST
        return (listed and (counted or "name" in kinds or ":" in text)) or (
            {"amount", "name"} <= kinds and text != statement.text
        )
    return len(kinds) > 2 or statement.signals.subject.match(text) is not None


def _has_subject(text: str, statement: Statement) -> bool:
    """Return whether it begins with whom or what it is about. What a body can't take needs no other
    subject."""
    signals = statement.signals
    if (
        statement.assistant
        or signals.own is NEVER
        or max(statement.judgement.weights, default=0) >= LASTING
    ):
        return True
    listed = statement.judgement.fragment and "amounts" in worth.evidence(statement)
    dated = {"name", "day"} <= worth.evidence(statement) and signals.firm.search(text) is not None
    return listed or dated or signals.subject.match(text) is not None


def without_trailer(text: str, statement: Statement) -> str:
    """Remove a request or an aside at the end: "… so please don't", "…, by the way"."""
    match = statement.signals.trailing.search(text)
    return text[: match.start()] if match is not None and match.start() >= SHORTEST else text


def without_opener(text: str, statement: Statement) -> str:
    """Remove a first sentence of one or two words that tells nothing: "reversed. Cancelling the …"."""
    match = _FIRST_SENTENCE.match(text)
    if (
        match is None
        or statement.assistant
        or len(match[1].split()) > 2
        or match[1].split()[0].lower() in _abbreviations(statement.language)
        or len(text) - match.end() < 12
    ):
        return text
    evidence = statement.signals.evidence
    if any(
        pattern.search(match[1])
        for pattern in (evidence.day, evidence.amount, evidence.name, evidence.matter)
    ):
        return text
    if any(
        pattern.search(match[1]) for weight, pattern in statement.signals.primary if weight > WEAK
    ):
        return text
    return text[match.end() :]


@cache
def _abbreviations(code: str) -> frozenset[str]:
    known = language.of(code).sentences if code in language.codes() else None
    return frozenset(known.abbreviations.split() if known else ())


def _is_loose(text: str, statement: Statement, people: frozenset[str]) -> bool:
    """Return whether it says "she" before it says who, or speaks to someone about nothing in
    particular."""
    signals = statement.signals
    pronoun = signals.pronoun.search(text)
    if pronoun is not None:
        before = text[: pronoun.start()]
        named = signals.antecedent.search(before) or any(name in before.lower() for name in people)
        if not named:
            return True
    weak = max(statement.judgement.weights, default=0) < STRONG
    concrete = worth.evidence(statement) & {"day", "amount"}
    return statement.judgement.addressed and weak and not concrete and not statement.assistant


def _telling(text: str, statement: Statement) -> int:
    """Count the words that tell something, without days, times and an assistant's "Noted"."""
    signals = statement.signals
    rest = signals.evidence.day.sub(" ", text)
    if statement.assistant:
        rest = re.sub(r"^\w+[:.,!] ?", "", rest)
    return len({term for term in _terms(rest) if not term[0].isdigit()})


@lru_cache(maxsize=1024)
def _terms(text: str) -> tuple[str, ...]:
    return tuple(analyse.query_terms(text))
