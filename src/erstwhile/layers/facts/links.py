"""Link facts of a person that say the same in different channels of the space."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from erstwhile.layers.facts.model import KIND, FactReading, FoundFact
from erstwhile.layers.facts.store import queries
from erstwhile.log import store as log
from erstwhile.memories import store as memories
from erstwhile.storage import Transaction
from erstwhile.text import analyse

_COMPARED = 200  # latest facts of the person from other channels

# The share of the shorter fact's weight that two facts must have in common. Measured on the pairs
# of tests/layers/test_fact_categories.py: pairs that say the same share 0.56 to 1.0, others at most
# 0.39.
_ENOUGH = 0.45
_LABEL = re.compile(r"^[^:：]{1,60}[:：]\s*")


async def linked(tx: Transaction, reading: FactReading) -> FactReading:
    """Add the links to a reading, in the transaction that stores it. The person is locked, so that
    two channels that are read at once find each other's facts."""
    people = sorted({each.person for each in reading.found if each.person is not None})
    for person in people:
        await tx.first(queries.hold_person, person=person)
    if not people or await tx.first(queries.another_channel, channel=reading.range.channel) is None:
        return reading
    found = [await _linked(tx, reading.range.channel, each) for each in reading.found]
    return replace(reading, found=tuple(found))


async def _linked(tx: Transaction, channel: str, fact: FoundFact) -> FoundFact:
    if fact.person is None:
        return fact
    return replace(fact, links=tuple(await find(tx, channel, fact.person, fact.text)))


async def find(tx: Transaction, channel: str, person: str, text: str) -> list[str]:
    others = await memories.elsewhere(tx, KIND.name, person, channel, _COMPARED)
    names = {await log.name_of(tx, person), person}
    return [others[index].id for index in alike(text, [each.text for each in others], names)]


def alike(text: str, others: Sequence[str], names: set[str]) -> list[int]:
    """Return the indexes of the others that say the same. Rare words count more, names not at all."""
    own = set(analyse.terms(" ".join(names)))
    here, *there = [set(analyse.query_terms(_said(each))) - own for each in (text, *others)]
    held = Counter(term for terms in (here, *there) for term in terms)

    def weight(terms: set[str]) -> float:
        return sum(math.log(1 + (len(others) + 1) / held[term]) for term in sorted(terms))

    def is_alike(terms: set[str]) -> bool:
        shared, shorter = here & terms, min(weight(here), weight(terms))
        return len(shared) > 1 and weight(shared) >= _ENOUGH * shorter

    return [index for index, terms in enumerate(there) if is_alike(terms)]


def _said(text: str) -> str:
    """Remove the label in front, which names who said it and when."""
    return _LABEL.sub("", text, count=1)
