"""How likely it is that a document bears on the question.

A score says how a document stands among the others of one search; this estimate can be compared
between searches. The weights come from questions with and without an answer in our own invented
talk, in seven languages: `python -m bench.floor`, docs/decisions/0017-floor.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

Scores = NDArray[np.float64]

_CONSTANT, _COVERAGE, _COSINE = -6.55, 3.6, 7.0
_PLAIN = -5.3, 5.0  # constant and coverage, where there are no vectors


def estimate(weights: Mapping[str, float], held: Mapping[str, Any], counts: Scores, cosine: Scores | None) -> Scores:
    """Return the probability for each document. `weights`: how much each word of the question tells, also those that
    no document has; `counts`: how often each word in `held` is in a document, with a share of its neighbours'."""
    whole = sum(weights.values())
    telling = [weights.get(term, 0.0) for term in held]
    covered = np.zeros(counts.shape[1])
    if whole and held:
        covered = np.einsum("i,ij->j", telling, np.minimum(1.0, counts)) / whole
    return probability(covered, cosine)


def probability(covered: Scores, cosine: Scores | None) -> Scores:
    if cosine is None:
        odds = _PLAIN[0] + _PLAIN[1] * covered
    else:
        odds = _CONSTANT + _COVERAGE * covered + _COSINE * cosine
    return np.asarray(1 / (1 + np.exp(-odds)))
