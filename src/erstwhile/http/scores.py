"""What a caller without an admin key sees of scores: ranks. A score tells how rare a word is in the whole space, also where
the caller may not look."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from erstwhile.base.page import Page
from erstwhile.requests.model import Explanation
from erstwhile.search.model import BrowsePage, Hit


def ranked(found: Any) -> Any:
    """Return the result of a verb with 1/rank, on its page, in place of scores."""
    if isinstance(found, Explanation):
        return _explained(found)
    if not (isinstance(found, list) and found and isinstance(found[0], Hit)):
        return found
    # A list that was not searched has no scores.
    hits = [
        replace(hit, score=_of(rank)) if hit.score else hit
        for rank, hit in enumerate(found, start=1)
    ]
    if isinstance(found, BrowsePage):
        return BrowsePage(hits, found.next, found.total, found.counts)
    return Page(hits, found.next, found.total) if isinstance(found, Page) else hits


def _explained(why: Explanation) -> Explanation:
    seen = tuple(
        replace(each, candidate=replace(each.candidate, score=_of(each.rank), parts={}))
        for each in why.seen
    )
    candidates = tuple(each.candidate for each in seen)
    return Explanation(replace(why.request, candidates=candidates), seen)


def _of(rank: int) -> float:
    return round(1 / rank, 6)
