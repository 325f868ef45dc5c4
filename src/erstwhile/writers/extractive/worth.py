"""Score how much a statement is worth remembering: what it says, and how concrete it is.

A phrase such as "I moved" or "I'm allergic" is enough by itself. "I made" or "we will" needs a
date, an amount, a name or an important subject. Two of those together are a fact whatever the
phrase: "New pump, 130,000".
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from erstwhile.writers.extractive.statements import Sentence, Statement

BODY: Final = 6  # of what a body can't take; more: how it takes it
STRONG: Final = 4
ENOUGH: Final = 3
WEAK: Final = 2
CONCRETE: Final = 3
SETTLED: Final = 4
KEPT: Final = 4096  # sentences; those of a few hundred chunks


def score(statement: Statement) -> int:
    """Return the score; 0 if it must not be kept."""
    return _score(statement.judgement, statement.named)


@lru_cache(maxsize=KEPT)
def _score(judged: Sentence, named: bool) -> int:
    if judged.question or _is_rejected(judged):
        return 0
    if judged.assistant:
        return SETTLED if judged.settled else 0
    if judged.listed and len(judged.terms) > 12:
        return 0
    signals, matched = judged.signals, judged.weights
    strongest = max(matched, default=0)
    found = _evidence(judged, named)
    long = len(judged.terms) >= signals.fewest_terms
    enough = strongest >= STRONG or (strongest == ENOUGH and long)
    if not enough and strongest == WEAK:
        words = len(judged.judged.split())
        enough = len(judged.terms) > 2 and words >= signals.fewest_words and bool(found - {"kin"})
    if not enough and concrete(found) and len(judged.terms) > 2:
        enough, strongest = True, max(strongest, WEAK)
    return strongest + min(2, max(0, len(matched) - 1)) + min(CONCRETE, len(found)) if enough else 0


def rejected(statement: Statement) -> bool:
    """Return whether it is an order, a wish, a platitude, or empty."""
    return _is_rejected(statement.judgement)


def _is_rejected(judged: Sentence) -> bool:
    return not judged.terms or judged.order or judged.unreal or judged.vague


def evidence(statement: Statement) -> frozenset[str]:
    """Return the kinds of evidence in a statement; someone in the conversation is a name."""
    return _evidence(statement.judgement, statement.named)


def _evidence(judged: Sentence, named: bool) -> frozenset[str]:
    return judged.evidence | {"name"} if named else judged.evidence


def concrete(found: frozenset[str]) -> bool:
    """Return whether it says when or how much, and of what."""
    firm = found - {"recent"}
    return len(firm) > 1 and bool(firm & {"day", "amount"})
