"""Link facts of a person that say the same in different channels of the space."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import chain

from erstwhile.layers.facts.model import KIND
from erstwhile.layers.summaries.model import ChunkReading
from erstwhile.log import people as log_people
from erstwhile.log import store as log
from erstwhile.memories import store as memories
from erstwhile.storage import Transaction
from erstwhile.text import analyse
from erstwhile.text.lines import unlabelled

_COMPARED = 200  # latest facts of the person from other channels
_KEPT = 4096  # facts whose terms are kept: each is compared with every new fact of its person

# The share of the shorter fact's weight that two facts must have in common. Measured on the pairs
# of tests/layers/test_fact_categories.py: pairs that say the same share 0.56 to 1.0, others at most
# 0.39.
_ENOUGH = 0.45


async def of_reading(tx: Transaction, reading: ChunkReading) -> dict[str, list[str]]:
    """Return the links of each fact of a reading, in the transaction that stores it. The person is
    locked, so that two channels that are read at once find each other's facts."""
    channel = reading.range.channel
    people = sorted({each.person for each in reading.found if each.person is not None})
    for person in people:
        await log_people.hold(tx, person)
    if not people or not await log.has_another(tx, channel):
        return {}
    others = {person: await _others(tx, channel, person) for person in people}
    return {
        each.id: _alike(each.text, *others[each.person])
        for each in reading.found
        if each.person is not None
    }


async def find(tx: Transaction, channel: str, person: str, text: str) -> list[str]:
    return _alike(text, *await _others(tx, channel, person))


async def _others(tx: Transaction, channel: str, person: str) -> tuple[set[str], dict[str, str]]:
    """Return what a person is called, and their latest facts from other channels."""
    found = await memories.elsewhere(tx, KIND.name, person, channel, _COMPARED)
    return {await log.name_of(tx, person), person}, found


def _alike(text: str, names: set[str], others: Mapping[str, str]) -> list[str]:
    ids = list(others)
    return [ids[index] for index in alike(text, list(others.values()), names)]


def alike(text: str, others: Sequence[str], names: set[str]) -> list[int]:
    """Return the indexes of the others that say the same. Rare words count more, names not at all."""
    own = analyse.terms(" ".join(names))
    here = _terms(text).difference(own)
    there = [_terms(each) for each in others]
    candidates = [index for index, terms in enumerate(there) if len(here & terms) > 1]
    if not candidates:
        return []
    held = Counter(chain(here, *there))

    def weight(terms: frozenset[str]) -> float:
        return sum(math.log(1 + (len(others) + 1) / held[term]) for term in sorted(terms))

    whole = weight(here)

    def is_alike(terms: frozenset[str]) -> bool:
        return weight(here & terms) >= _ENOUGH * min(whole, weight(terms.difference(own)))

    return [index for index in candidates if is_alike(there[index])]


@lru_cache(maxsize=_KEPT)
def _terms(fact: str) -> frozenset[str]:
    return frozenset(analyse.query_terms(unlabelled(fact)))
