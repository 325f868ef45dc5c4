"""Whether anything in a profile is worth a call that consolidates it. Plain functions."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from itertools import chain, combinations
from typing import Final

from erstwhile.layers import threads
from erstwhile.layers.profiles import merge
from erstwhile.layers.profiles.consolidate import Material
from erstwhile.layers.profiles.model import ProfileFact

# The share of the shorter fact's weight that two facts have in common, as for facts of several
# channels (`facts/links.py`): rare words count more.
_ENOUGH: Final = 0.45


def alike(seen: Material) -> bool:
    """Whether two facts may say the same or contradict each other. Notes alone are no reason: what
    they state about people became facts when they were written."""
    name = frozenset(merge.words(seen.names.get(seen.person, seen.person)))
    words = {fact.id: frozenset(merge.words(fact.text)) - name for fact in seen.facts}
    held = Counter(chain.from_iterable(words.values()))

    def weight(of: Iterable[str]) -> float:
        return sum(math.log(1 + len(words) / held[word]) for word in of)

    def similar(one: ProfileFact, other: ProfileFact) -> bool:
        least = min(weight(words[one.id]), weight(words[other.id]))
        return least > 0 and weight(words[one.id] & words[other.id]) >= _ENOUGH * least

    return any(
        _comparable(one, other, seen) and (_of_one_slot(one, other) or similar(one, other))
        for one, other in combinations(seen.facts, 2)
    )


def _comparable(one: ProfileFact, other: ProfileFact, seen: Material) -> bool:
    """Whether one could be put into the other, or ended by it."""
    places = {seen.audience(one), seen.audience(other)} - {""}
    return one.said_by == other.said_by and not (one.fixed and other.fixed) and len(places) < 2


def _of_one_slot(one: ProfileFact, other: ProfileFact) -> bool:
    return bool(one.slot) and one.slot == other.slot and one.slot not in threads.TASTES
