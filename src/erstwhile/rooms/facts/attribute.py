"""Which message a fact leans on most."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

from erstwhile.log.model import Message
from erstwhile.text import analyse


def closest(fact: str, messages: Sequence[Message]) -> Message | None:
    """The message that shares the rarest words with the fact; None when it shares none with any."""
    spoken = [set(analyse.terms(f"{each.speaker}\n{each.text}")) for each in messages]
    held = Counter(term for terms in spoken for term in terms)
    wanted = set(analyse.query_terms(fact))

    def weight(terms: set[str]) -> float:
        shared = sorted(wanted & terms)  # sorted: a sum of floats depends on its order
        return sum(math.log(1 + len(messages) / held[term]) for term in shared)

    weights = [weight(terms) for terms in spoken]
    best = max(weights, default=0.0)
    return messages[weights.index(best)] if best > 0 else None
