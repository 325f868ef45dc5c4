"""Decide whether readers would find a fact useful: by the score of the network and by signs that they
go by, such as a firm date, or a joke. `[useful]` in a language's `facts.toml` has their weights."""

from __future__ import annotations

from typing import Final

from erstwhile.writers.extractive import structure
from erstwhile.writers.extractive.judgement import Judgement
from erstwhile.writers.extractive.statements import Statement

LIMIT: Final = 1.2
"""Logarithm of the odds that a fact is useful, from which on it is kept (decision 18)."""
LOWEST: Final = 1.5
"""What the network must say of a fact at least, unless it is in plain words."""
PLAIN: Final = 0.2
FEWEST: Final = 1.0
"""The same two for one plain clause about the speaker."""
FLAW: Final = -0.4
"""What weighs less speaks against a fact."""
LASTING: Final = frozenset(("biographical", "body", "lasting", "plain"))
MOST_BYTES: Final = 100


def useful(text: str, aside: str, said: Statement, score: float) -> bool:
    useful = said.signals.useful
    plain = structure.plain(said.judgement)
    if said.assistant:
        return True
    if useful is None:
        return bool(plain) or said.signals.lasting.search(said.signals.formal(text)) is not None
    shown = found(text, aside, said)
    if "certain" in shown:
        return True
    weights = [useful.weights[sign] for sign in shown]
    complete = "complete" in shown and shown & LASTING and min(weights) > FLAW
    if score < (FEWEST if complete else LOWEST) and not plain:
        return False
    value = useful.base + useful.score * score + useful.byte * min(MOST_BYTES, len(text.encode()))
    return value + sum(weights) >= (PLAIN if complete else LIMIT)


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
        "cut": text != said.text and text in said.text,
        "named": said.named,
        "plain": structure.plain(said.judgement),
        "question": said.question,
        "brief": len(text.split()) < 5,
    }
    signs |= {name for name, shown in flags.items() if shown}
    return signs & useful.weights.keys()
