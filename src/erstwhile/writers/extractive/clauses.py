"""Take from a sentence the one clause that is a fact: "sounds great, I'm vegan though"."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from erstwhile.writers.extractive import worth
from erstwhile.writers.extractive.judgement import Judgement
from erstwhile.writers.extractive.statements import Sentence, Statement

LASTING: Final = 5
SHORTEST: Final = 10  # characters


def telling(statement: Statement) -> Statement | None:
    """Return the first clause about the speaker that holds for months or is concrete."""
    signals = statement.signals
    if statement.assistant or statement.order or signals.joint.search(statement.text) is None:
        return None
    for part in signals.joint.split(statement.text):
        if len(part) >= SHORTEST and signals.own.match(part) and _is_telling(part, statement):
            each = Sentence(part, statement.language, assistant=False, listed=False)
            clause = replace(statement, judgement=each, text=each.text, judged=each.judged)
            clause = replace(clause, terms=each.terms, question=each.question)
            if worth.score(clause):
                return clause
    return None


def _is_telling(part: str, statement: Statement) -> bool:
    judged = Judgement(statement.language, statement.signals.formal(part))
    return LASTING in judged.weights or (bool(judged.weights) and len(judged.evidence) > 1)
