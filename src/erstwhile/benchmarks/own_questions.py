"""Measure recall on your own talk: questions with the messages that answer them, asked of a
space as it is."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from erstwhile.base import ids
from erstwhile.base.errors import InvalidInput, NotFound
from erstwhile.base.records import dataclass
from erstwhile.benchmarks import score
from erstwhile.benchmarks.run import contexts_of, one_line
from erstwhile.text import analyse

if TYPE_CHECKING:
    from erstwhile import Context, Hit, Memory
    from erstwhile.requests.model import ExplainedCandidate, Request


@dataclass(frozen=True, slots=True)
class OwnQuestion:
    """A question and its `evidence`: ids of messages, or quotes of them. `person` asks it in
    `channel`."""

    text: str
    evidence: tuple[str, ...]
    person: str | None = None
    channel: str | None = None
    category: str = "all questions"


@dataclass(frozen=True, slots=True)
class OwnReport:
    file: str
    space: str
    questions: int
    tables: Mapping[str, score.ScoreTable]
    misses: tuple[MissedEvidence, ...]
    context_misses: tuple[MissedInContext, ...] = ()


def read(file: Path) -> list[OwnQuestion]:
    """Read a file with a JSON object on each line."""
    found = []
    for number, line in enumerate(file.read_text("utf-8-sig").splitlines(), start=1):
        if line.strip():
            try:
                found.append(_question(json.loads(line)))
            except (ValueError, TypeError, KeyError, AttributeError):
                raise InvalidInput(
                    f'Line {number} of {file.name} is not a question. Expected is {{"question": "…", "evidence": ["…"]}}.'
                ) from None
    if not found:
        raise InvalidInput(f"{file.name} has no questions.")
    return found


def _question(given: Mapping[str, Any]) -> OwnQuestion:
    evidence = given["evidence"]
    named = (evidence,) if isinstance(evidence, str) else tuple(evidence)
    optional = {
        name: str(given[name]) for name in ("person", "channel", "category") if given.get(name)
    }
    if not named or not all(
        isinstance(each, str) and each.strip() for each in (*named, given["question"])
    ):
        raise ValueError
    return OwnQuestion(given["question"], named, **optional)


async def measure(
    memory: Memory, file: str, questions: Iterable[OwnQuestion], budgets: tuple[int, ...]
) -> OwnReport:
    """Ask the questions. Nothing is stored but a record of each, which reports leave out."""
    result = score.BenchmarkRun("file", file, "", score.BenchmarkOptions(budgets=budgets))
    misses: list[MissedEvidence] = []
    context_misses: list[MissedInContext] = []
    for question in questions:
        evidence = [await _find(memory, each) for each in question.evidence]
        asked, hits, contexts = await _ask(memory, question, evidence, budgets)
        result.asked.append(asked)
        by = question.text, question.person
        misses += await from_hits(memory, *by, evidence, hits)
        missing = {budget: _missing(made, evidence) for budget, made in contexts.items()}
        context_misses += await from_contexts(memory, *by, missing, contexts)
    tables = score.report(result).tables
    wanted = ("recall", "recall_sources", "context")
    shown = {name: tables[name] for name in wanted if name in tables}
    return OwnReport(
        file, memory.settings.space, len(result.asked), shown, tuple(misses), tuple(context_misses)
    )


async def _find(memory: Memory, given: str) -> StoredEvidence:
    """Find evidence by its id, or the message that has the quote."""
    try:
        ids.kind_of(given)
        stored = await memory.memories.get(given)
        return StoredEvidence(given, stored.id, stored.text, stored.channel)
    except NotFound:
        return StoredEvidence(given)
    except InvalidInput:
        quote = one_line(given).casefold()
        for hit in await memory.search(
            given[:QUOTED], kinds=["message"], limit=score.DEPTHS[-1], trial=True
        ):
            if quote in one_line(hit.text).casefold():
                return StoredEvidence(given, hit.id, hit.text, hit.channel)
        return StoredEvidence(given)


async def _ask(
    memory: Memory,
    question: OwnQuestion,
    evidence: Sequence[StoredEvidence],
    budgets: Sequence[int],
) -> tuple[score.QuestionResult, list[Hit], dict[int, Context]]:
    deep, started = score.DEPTHS[-1], time.perf_counter()
    asker = question.person
    how: Any = {"asker": asker, "limit": deep, "trial": True}
    hits = await memory.search(question.text, kinds=["message"], **how)
    search_ms = (time.perf_counter() - started) * 1000
    every = await memory.search(question.text, asker=asker, limit=deep, trial=True)
    channel = question.channel or next((each.channel for each in evidence if each.channel), "")
    chat, wanted = memory.channel(channel or "none"), budgets if channel else ()
    more = {"person": asker, "trial": True}
    contexts, context_ms = await contexts_of(chat, question.text, wanted, **more)
    seen = {budget: _seen(context, evidence) for budget, context in contexts.items()}
    keys = frozenset(each.id or each.given for each in evidence)
    result = score.QuestionResult(
        question=score.BenchmarkQuestion("", question.text, "", question.category, keys),
        found=tuple(frozenset((hit.id, *hit.sources)) for hit in hits),
        found_all=tuple(frozenset((hit.id, *hit.sources)) for hit in every),
        sessions=(),
        seen=seen or dict.fromkeys(budgets, score.ContextCoverage(0.0, 0.0, 0)),
        search_ms=search_ms,
        context_ms=context_ms,
    )
    return result, list(hits), contexts


def _seen(context: Context, evidence: Sequence[StoredEvidence]) -> score.ContextCoverage:
    """Return what was seen: a quote counts if it is in the text, what was named by its id if the message is."""
    there = {source.id for source in context.sources}
    inside = len(evidence) - len(_missing(context, evidence))
    named = [each.id in there for each in evidence]
    return score.ContextCoverage(inside / len(evidence), sum(named) / len(named), context.tokens)


def _missing(context: Context, evidence: Sequence[StoredEvidence]) -> list[StoredEvidence]:
    text = one_line(context.text).casefold()
    return [
        each
        for each in evidence
        if one_line(each.text if each.given == each.id else each.given).casefold() not in text
    ]


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
            reason = f"not among the first {score.DEPTHS[-1]}: {_why_unfound(asked, each)}"
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


def by_fate(seen: ExplainedCandidate) -> str:
    """Return why a candidate is not in a context."""
    return _FATES.get(seen.candidate.fate, seen.candidate.fate).format(seen.rank)


def _why_no_candidate(
    asked: str, evidence: StoredEvidence, request: Request, seen: Sequence[ExplainedCandidate]
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
    """Return whether `person` finds it by its own words, where it was said."""
    if person is None:
        return True
    hits = await memory.search(
        evidence.text[:QUOTED],
        asker=person,
        channel=evidence.channel or None,
        limit=score.DEPTHS[-1],
        trial=True,
    )
    return any(evidence.id in (hit.id, *hit.sources) for hit in hits)
