"""Decide whether readers would find a fact useful: by the score of the network and by signs that they
go by, such as a firm date, or a joke. `[useful]` in a language's `facts.toml` has their weights."""

from __future__ import annotations

from typing import Final

from erstwhile.writers.extractive import structure
from erstwhile.writers.extractive.judgement import Judgement
from erstwhile.writers.extractive.statements import Statement

# Logarithms of the odds that a fact is useful, from which on it is kept, and the least score (decision 18).
LIMIT: Final = 1.0
LOWEST: Final = 1.2
LIMIT_OF_ONE_CLAUSE: Final = 0.0
LOWEST_OF_ONE_CLAUSE: Final = 1.0
"""These two are for a plain clause about the speaker and nothing else."""
LOWEST_LASTING: Final = 0.5
"""For languages in which too few facts were judged for weights, of what is no sentence with a full stop."""
STOPS: Final = (".", "。")

FLAW: Final = -0.4
"""A sign that weighs less is a flaw: a plain clause with one must reach the higher limit."""
LASTING: Final = frozenset(("biographical", "body", "lasting", "plain"))
DATED: Final = frozenset(("day", "recent"))
MOST_BYTES: Final = 100
MOST_ASKED: Final = 6  # words of a question about a person


def useful(text: str, aside: str, said: Statement, score: float) -> bool:
    signals = said.signals
    if said.assistant or _answers(aside, said):
        return True
    plain = structure.plain(said.judgement)
    if signals.useful is None:
        if plain - {"decision"} or (plain and said.judgement.evidence & DATED):
            return True
        lasting = signals.lasting.search(signals.formal(text)) is not None
        return lasting and not aside and (score >= LOWEST_LASTING or text.endswith(STOPS))
    signs = found(text, aside, said)
    if "certain" in signs:
        return True
    weights = [signals.useful.weights[sign] for sign in signs]
    value = signals.useful.base + signals.useful.score * score + sum(weights)
    value += signals.useful.byte * min(MOST_BYTES, len(text.encode()))
    one_clause = "complete" in signs and signs & LASTING and min(weights) > FLAW
    if one_clause and value >= LIMIT_OF_ONE_CLAUSE:
        return bool(plain) or score >= LOWEST_OF_ONE_CLAUSE
    return value >= LIMIT and (bool(plain) or score >= LOWEST)


def _answers(aside: str, said: Statement) -> bool:
    """Return whether it answers a question about a person."""
    asked = aside.partition(": ")[2]
    if len(asked.split()) >= MOST_ASKED:
        return False
    return any(pattern.search(asked) for pattern in (said.signals.told_of, said.signals.occasion))


def found(text: str, aside: str, said: Statement) -> set[str]:
    """Return the signs of a fact that have a weight."""
    signals, useful = said.signals, said.signals.useful
    assert useful is not None
    formal = signals.formal(text)
    judged = Judgement(said.language, formal) if text != said.text else said.judgement
    signs = {name for name, pattern in useful.patterns.items() if pattern.search(formal)}
    signs |= {name for name in ("firm", "hollow", "own") if getattr(signals, name).search(formal)}
    signs |= said.judgement.evidence
    flags = {
        "addressed": judged.addressed,
        "aside": aside,
        "brief": len(text.split()) < 5,
        "cut": text != said.text and text in said.text,
        "named": said.named,
        "plain": structure.plain(said.judgement),
        "question": said.question,
    }
    signs |= {name for name, shown in flags.items() if shown}
    return signs & useful.weights.keys()
