"""Score how much a statement is worth remembering: what it says, and how concrete it is.

A phrase such as "I moved" or "I'm allergic" is enough by itself. "I made" or "we will" needs a
date, an amount, a name or an important subject. Two of those together are a fact whatever the
phrase: "New pump, 130,000".
"""

from __future__ import annotations

from typing import Final

from erstwhile.writers.extractive.statements import Statement

STRONG: Final = 4
ENOUGH: Final = 3
WEAK: Final = 2
CONCRETE: Final = 3
SETTLED: Final = 4


def score(statement: Statement) -> int:
    """Return the score; 0 if it must not be kept."""
    judged = statement.judgement
    if statement.question or rejected(statement):
        return 0
    if statement.assistant:
        return SETTLED if judged.settled else 0
    if statement.listed and len(statement.terms) > 12:
        return 0
    signals, matched = statement.signals, judged.weights
    strongest = max(matched, default=0)
    found = evidence(statement)
    enough = strongest >= STRONG or (strongest == ENOUGH and len(statement.terms) >= signals.fewest_terms)
    if not enough and strongest == WEAK:
        words = len(statement.judged.split())
        enough = len(statement.terms) > 2 and words >= signals.fewest_words and bool(found - {"kin"})
    if not enough and concrete(found) and len(statement.terms) > 2:
        enough, strongest = True, max(strongest, WEAK)
    return strongest + min(2, max(0, len(matched) - 1)) + min(CONCRETE, len(found)) if enough else 0


def rejected(statement: Statement) -> bool:
    """Whether it is an order, a wish, a platitude, or empty."""
    if not statement.terms or statement.order:
        return True
    return statement.judgement.unreal or statement.judgement.vague


def evidence(statement: Statement) -> frozenset[str]:
    """Return the kinds of evidence in a statement; someone in the conversation is a name."""
    found = statement.judgement.evidence
    return found | {"name"} if statement.named else found


def concrete(found: frozenset[str]) -> bool:
    """Whether it says when or how much, and of what."""
    firm = found - {"recent"}
    return len(firm) > 1 and bool(firm & {"day", "amount"})
