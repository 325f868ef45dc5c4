"""Take from a sentence the one clause that says something lasting: "sounds great, I'm vegan though" is a fact."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from erstwhile.writers.extractive import worth
from erstwhile.writers.extractive.statements import Sentence, Statement

LASTING: Final = 5
SHORTEST: Final = 10  # characters


def lasting(statement: Statement) -> Statement | None:
    """Return the first clause about the speaker that holds for months or is concrete, None if there is none."""
    signals = statement.signals
    if statement.assistant or statement.order or len(statement.text) < SHORTEST or signals.joint.search(statement.text) is None:
        return None
    for part in signals.joint.split(statement.text):
        if len(part) >= SHORTEST and signals.own.match(part):
            sentence = Sentence(part, statement.language, assistant=False, listed=False)
            if LASTING in sentence.weights or (sentence.weights and len(sentence.evidence) > 1):
                clause = replace(
                    statement, judgement=sentence, text=part, judged=sentence.judged, terms=sentence.terms, question=sentence.question
                )
                if worth.score(clause):
                    return clause
    return None
