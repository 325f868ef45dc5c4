"""Facts of the same person, in other channels of the space, that tell of the same thing."""

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

_LOOKED_AT = 200  # the person's latest facts of other channels, compared word by word

# Of the weight of the shorter fact's words, how much the two must share. Measured on the pairs of
# tests/layers/test_fact_categories.py: those that tell of the same thing share 0.56 to 1.0, those that only touch at most 0.39.
_ENOUGH = 0.45
_LABEL = re.compile(r"^[^:：]{1,60}[:：]\s*")


async def linked(tx: Transaction, reading: FactReading) -> FactReading:
    """The reading with its links, in the transaction that keeps it: two channels read at once would else miss each other."""
    people = sorted({each.person for each in reading.found if each.person is not None})
    for person in people:
        await tx.first(queries.hold_person, person=person)
    if not people or await tx.first(queries.another_channel, channel=reading.range.channel) is None:
        return reading
    return replace(reading, found=tuple([await _linked(tx, reading.range.channel, each) for each in reading.found]))


async def _linked(tx: Transaction, channel: str, fact: FoundFact) -> FoundFact:
    if fact.person is None:
        return fact
    return replace(fact, links=tuple(await find(tx, channel, fact.person, fact.text)))


async def find(tx: Transaction, channel: str, person: str, text: str) -> list[str]:
    others = await memories.elsewhere(tx, KIND.name, person, channel, _LOOKED_AT)
    names = {await log.name_of(tx, person), person}
    return [others[index].id for index in alike(text, [each.text for each in others], names)]


def alike(text: str, others: Sequence[str], names: set[str]) -> list[int]:
    """Which of the others tell of the same thing: rare words count for more, the person's own names for nothing."""
    own = set(analyse.terms(" ".join(names)))
    here, *there = [set(analyse.query_terms(_said(each))) - own for each in (text, *others)]
    held = Counter(term for terms in (here, *there) for term in terms)

    def weight(terms: set[str]) -> float:
        return sum(math.log(1 + (len(others) + 1) / held[term]) for term in sorted(terms))

    return [
        index
        for index, terms in enumerate(there)
        if len(here & terms) > 1 and weight(here & terms) >= _ENOUGH * min(weight(here), weight(terms))
    ]


def _said(text: str) -> str:
    """Without the label in front, which names who said it and when."""
    return _LABEL.sub("", text, count=1)
