"""How alike texts are by their words: TF-IDF vectors and their cosines."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from itertools import chain

Vector = dict[str, float]


def vectors(documents: Sequence[Sequence[str]]) -> list[Vector]:
    """Return one unit vector per document."""
    seen = Counter(chain.from_iterable(map(dict.fromkeys, documents)))
    rarity = {term: math.log(1 + len(documents) / number) for term, number in seen.items()}
    found: list[Vector] = []
    for terms in documents:
        weights = {term: rarity[term] for term in terms}
        if len(weights) < len(terms):  # some more than once
            counted = Counter(terms).items()
            weights = {term: (1 + math.log(number)) * rarity[term] for term, number in counted}
        length = math.sqrt(sum([weight * weight for weight in weights.values()]))
        found.append({term: weight / length for term, weight in weights.items()} if length else {})
    return found


def cosine(left: Vector, right: Vector) -> float:
    if len(right) < len(left):
        left, right = right, left
    return sum([left[term] * right[term] for term in left if term in right])


def central(rows: Sequence[Vector]) -> list[float]:
    """Return how close each vector is to all the others, from 0 to 1. Rounded, because platforms disagree on the last bit
    of a logarithm."""
    total: Vector = {}
    for row in rows:
        for term, weight in row.items():
            total[term] = total.get(term, 0.0) + weight
    # The sum of the cosines with all rows is the cosine with their sum; less 1 for the row itself.
    sums = [max(0.0, cosine(row, total) - 1) if row else 0.0 for row in rows]
    top = max(sums, default=0.0)
    return [round(value / top, 6) if top else 0.0 for value in sums]
