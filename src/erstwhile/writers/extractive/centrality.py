"""How much each sentence shares with the others: the sum of the cosines of their vectors.

Scores are rounded, so that the last bit of a logarithm, which platforms disagree on, decides nothing.
"""

from __future__ import annotations

from collections.abc import Sequence

from erstwhile.text.similarity import Vector, cosine


def central(rows: Sequence[Vector]) -> list[float]:
    """Between 0 and 1: how close each is to all the others, the closest being 1."""
    total: Vector = {}
    for row in rows:
        for term, weight in row.items():
            total[term] = total.get(term, 0.0) + weight
    # The sum of cosines with every row is one product with the sum of the rows; less 1 for the row itself.
    sums = [max(0.0, cosine(row, total) - 1) if row else 0.0 for row in rows]
    top = max(sums, default=0.0)
    return [round(value / top, 6) if top else 0.0 for value in sums]
