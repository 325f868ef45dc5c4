"""Why evidence of one's own questions is missed, by search and in contexts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from erstwhile.base.records import dataclass
from erstwhile.benchmarks.model import DEPTHS
from erstwhile.text import analyse

if TYPE_CHECKING:
    from erstwhile import Context, Hit, Memory
    from erstwhile.requests.model import CandidateShown, Request

_ENOUGH = 10  # evidence that is not among so many hits is missed
QUOTED = 300  # characters of a quote that it is searched by
NOT_STORED = "not stored in this space"
NOT_RECORDED = "requests are not recorded, so nothing tells why"
_INVISIBLE = "not visible to {}"
_OTHERS = "others score higher"
_FATES = {  # as `requests explain` calls them
    "budget": "left out by the budget, at place {}",
    "below the floor": "left out by the floor, at place {}: it hardly bears on the question",
    "below the limit": f"at place {{}}: {_OTHERS}",
    "same source": "at place {}: two others of its source, or with its words, come first",
    "gone": "deleted since, but still in the index: `erstwhile spaces rebuild`",
}


@dataclass(frozen=True, slots=True)
class StoredEvidence:
    """Evidence as it is stored; without an id, if it is not."""

    given: str
    id: str = ""
    text: str = ""
    channel: str = ""


@dataclass(frozen=True, slots=True)
class MissedEvidence:
    """Evidence that is not among the first ten hits. `place`: where it is among the first fifty."""

    question: str
    evidence: str
    place: int | None
    reason: str


@dataclass(frozen=True, slots=True)
class MissedInContext:
    """Evidence that is not in the contexts of these budgets."""

    question: str
    evidence: str
    budgets: tuple[int, ...]
    reason: str


async def from_hits(
    memory: Memory,
    asked: str,
    person: str | None,
    evidence: Sequence[StoredEvidence],
    hits: Sequence[Hit],
) -> list[MissedEvidence]:
    """Return what is not among the first ten hits of a question that `person` asked."""
    places = {hit.id: place for place, hit in reversed(list(enumerate(hits, start=1)))}
    missed = []
    for each in evidence:
        place = places.get(each.id)
        if place is not None and place <= _ENOUGH:
            continue
        reason = f"at place {place}: {_OTHERS}"
        if not each.id:
            reason = NOT_STORED
        elif place is None and not await _is_visible(memory, each, person):
            reason = _INVISIBLE.format(person)
        elif place is None:
            reason = f"not among the first {DEPTHS[-1]}: {_why_unfound(asked, each)}"
        missed.append(MissedEvidence(asked, each.given, place, reason))
    return missed


async def from_contexts(
    memory: Memory,
    asked: str,
    person: str | None,
    missing: Mapping[int, Sequence[StoredEvidence]],
    contexts: Mapping[int, Context],
) -> list[MissedInContext]:
    """Return why evidence is `missing` from the context of a budget; budgets of one reason are put together."""
    found: dict[tuple[str, str], list[int]] = {}
    for budget, each in ((budget, each) for budget, lacking in missing.items() for each in lacking):
        reason = await _why_not_inside(memory, asked, person, each, contexts[budget])
        found.setdefault((each.given, reason), []).append(budget)
    return [
        MissedInContext(asked, given, tuple(budgets), reason)
        for (given, reason), budgets in found.items()
    ]


async def _why_not_inside(
    memory: Memory, asked: str, person: str | None, evidence: StoredEvidence, context: Context
) -> str:
    if not evidence.id:
        return NOT_STORED
    if evidence.id in {source.id for source in context.sources}:
        return "its message is there, but cut"
    if not context.request:
        return NOT_RECORDED
    why = await memory.requests.explain(context.request)
    for each in why.seen:
        if each.candidate.id == evidence.id:
            return by_fate(each)
    if not await _is_visible(memory, evidence, person):
        return _INVISIBLE.format(person)
    return _why_no_candidate(asked, evidence, why.request, why.seen)


def by_fate(seen: CandidateShown) -> str:
    """Return why a candidate is not in a context."""
    return _FATES.get(seen.candidate.fate, seen.candidate.fate).format(seen.rank)


def _why_no_candidate(
    asked: str, evidence: StoredEvidence, request: Request, seen: Sequence[CandidateShown]
) -> str:
    if not request.searched:
        return f"the recipe {request.recipe} searches nothing"
    if request.scope == "channel" and evidence.channel != request.channel:
        return f"in the channel {evidence.channel}, which was not searched"
    return f"not among the {len(seen)} candidates: {_why_unfound(asked, evidence)}"


def _why_unfound(asked: str, evidence: StoredEvidence) -> str:
    foreign = analyse.telling_terms(asked).isdisjoint(analyse.terms(evidence.text))
    return "it shares no word with the question" if foreign else _OTHERS


async def _is_visible(memory: Memory, evidence: StoredEvidence, person: str | None) -> bool:
    """Whether `person` finds it by its own words, where it was said."""
    if person is None:
        return True
    hits = await memory.search(
        evidence.text[:QUOTED],
        asker=person,
        channel=evidence.channel or None,
        limit=DEPTHS[-1],
        trial=True,
    )
    return any(evidence.id in (hit.id, *hit.sources) for hit in hits)
