"""Leave out what hardly bears on the question: a context says rather less than noise."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from erstwhile.base.errors import InvalidInput
from erstwhile.search.model import TracedHits
from erstwhile.search.trace import FLOOR as BELOW_FLOOR
from erstwhile.search.trace import Candidate

DEFAULT: Final = 0.02  # see docs/decisions/0015-floor.md
_BESIDES: Final = 1.0  # of notes of the space, which are not estimated


def checked(floor: float | None) -> float:
    if floor is None:
        return DEFAULT
    if not 0 <= floor <= 1:
        raise InvalidInput("`floor` must be from 0 (leave nothing out) to 1.")
    return float(floor)


def withhold(found: TracedHits, floor: float) -> TracedHits:
    """Leave out hits below the floor. Notes of the space come only beside others."""
    hits = [hit for hit in found.hits if found.relevance.get(hit.id, _BESIDES) >= floor]
    if len(hits) == len(found.hits):
        return found
    hits = hits if any(hit.id in found.relevance for hit in hits) else []
    low = {id for id, estimate in found.relevance.items() if estimate < floor}
    seen = tuple(_withheld(each) if each.id in low else each for each in found.trace.candidates)
    return replace(found, hits=hits, trace=replace(found.trace, candidates=seen))


def best(found: TracedHits) -> float:
    """How likely it is at most that something found bears on the question."""
    return max((found.relevance.get(hit.id, 0.0) for hit in found.hits), default=0.0)


def _withheld(each: Candidate) -> Candidate:
    return Candidate(
        each.id, each.kind, each.channel, each.seq, each.at, each.score, each.parts, BELOW_FLOOR
    )
