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
    signals, text = statement.signals, statement.judged
    if statement.question or rejected(statement):
        return 0
    if statement.assistant:
        return SETTLED if signals.settled.search(text) else 0
    if statement.listed and len(statement.terms) > 12:
        return 0
    matched = [weight for weight, pattern in signals.primary if pattern.search(text)]
    strongest = max(matched, default=0)
    found = evidence(statement)
    enough = strongest >= STRONG or (strongest == ENOUGH and len(statement.terms) >= signals.fewest_terms)
    if not enough and strongest == WEAK:
        enough = len(statement.terms) > 2 and len(text.split()) >= signals.fewest_words and bool(found - {"kin"})
    if not enough and concrete(found) and len(statement.terms) > 2:
        enough, strongest = True, max(strongest, WEAK)
    return strongest + min(2, max(0, len(matched) - 1)) + min(CONCRETE, len(found)) if enough else 0


def rejected(statement: Statement) -> bool:
    """Whether it is an order, a wish, a platitude, or empty."""
    signals, text = statement.signals, statement.judged
    if statement.order or not statement.terms:
        return True
    return signals.unreal.search(text) is not None or signals.vague.search(text) is not None


def evidence(statement: Statement) -> set[str]:
    """Return the kinds of evidence in a statement. Several amounts or days are a further kind."""
    kinds, text = statement.signals.evidence, statement.judged
    found = {
        kind
        for kind, pattern in (("recent", kinds.recent), ("kin", kinds.kin), ("matter", kinds.matter))
        if pattern.search(text)
    }
    if statement.named or kinds.name.search(text):
        found.add("name")
    for kind, pattern in (("day", kinds.day), ("amount", kinds.amount)):
        number = sum(1 for _ in pattern.finditer(text))
        if number:
            found.add(kind)
        if number > 1:
            found.add(f"{kind}s")
    return found


def concrete(found: set[str]) -> bool:
    """Whether it says when or how much, and of what."""
    firm = found - {"recent"}
    return len(firm) > 1 and bool(firm & {"day", "amount"})
