"""Which message a fact leans on most."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence

from erstwhile.log.model import Message
from erstwhile.text import analyse


def closest(fact: str, messages: Sequence[Message]) -> Message | None:
    """The message that shares the rarest words with the fact; None when it shares none with any.

    A fact that names its speaker in front ("Mina: …", "Mina (3 Mar 2026): …") leans on something that speaker said.
    """
    own = [each for each in messages if re.match(rf"{re.escape(each.speaker)}\s*(\([^()]{{1,40}}\))?\s*[:：]", fact)]
    messages = own or messages
    spoken = [set(analyse.terms(f"{each.speaker}\n{each.text}")) for each in messages]
    held = Counter(term for terms in spoken for term in terms)
    wanted = set(analyse.query_terms(fact))

    def weight(terms: set[str]) -> float:
        shared = sorted(wanted & terms)  # sorted: a sum of floats depends on its order
        return sum(math.log(1 + len(messages) / held[term]) for term in shared)

    weights = [weight(terms) for terms in spoken]
    best = max(weights, default=0.0)
    return messages[weights.index(best)] if best > 0 else None
