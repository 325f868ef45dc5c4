"""Take the one clause that is a fact from a sentence ("sounds great, I'm vegan though"), and cut
those that tell nothing from the end of a fact ("I'm a chef, that's half the problem")."""

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
    if statement.signals.hollow.search(part):
        return False
    strongest = max(judged.weights, default=0)
    return strongest >= LASTING or (strongest > 0 and len(judged.evidence) > 1)


def without_tail(text: str, statement: Statement) -> str:
    """Remove clauses at the end that tell nothing: "so it's that or nothing", "he can look"."""
    signals, end = statement.signals, len(text)
    for match in reversed(list(signals.tail.finditer(text, SHORTEST))):
        if _tells(text[match.end() : end], statement):
            break
        end = match.start()
    head = text[:end]
    if head.count("(") > head.count(")"):  # what is in brackets goes with its end
        head = head[: head.rindex("(")].rstrip()
    if end == len(text) or not Judgement(statement.language, signals.formal(head)).weights:
        return text
    return head


def _tells(clause: str, statement: Statement) -> bool:
    """Return whether a clause after the first tells something. One about the speaker usually
    does."""
    signals = statement.signals
    judged = Judgement(statement.language, signals.formal(clause))
    if judged.unreal or judged.vague:
        return False
    if judged.evidence - {"recent"} or any(map(str.isdigit, clause)):
        return True
    if judged.addressed or signals.hollow.search(clause):
        return False
    lasting = max(judged.weights, default=0) >= LASTING
    return lasting or signals.own.match(clause) is not None
