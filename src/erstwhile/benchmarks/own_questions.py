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
from erstwhile.benchmarks.model import (
    DEPTHS,
    BenchmarkOptions,
    BenchmarkQuestion,
    BenchmarkRun,
    ContextCoverage,
    QuestionResult,
    ScoreTable,
)
from erstwhile.benchmarks.run import contexts_of, one_line
from erstwhile.text import analyse

if TYPE_CHECKING:
    from erstwhile import Context, Hit, Memory

_ENOUGH = 10  # evidence that is not among so many hits is missed
_QUOTED = 300  # characters of a quote that it is searched by


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
class MissedEvidence:
    """Evidence that is not among the first ten hits. `place`: where it is among the first fifty."""

    question: str
    evidence: str
    place: int | None
    reason: str


@dataclass(frozen=True, slots=True)
class OwnReport:
    file: str
    space: str
    questions: int
    tables: Mapping[str, ScoreTable]
    misses: tuple[MissedEvidence, ...]


@dataclass(frozen=True, slots=True)
class _FoundEvidence:
    """Evidence as it is stored; without an id, if it is not."""

    given: str
    id: str = ""
    text: str = ""
    channel: str = ""


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
    result = BenchmarkRun("file", file, "", BenchmarkOptions(budgets=budgets))
    misses: list[MissedEvidence] = []
    for question in questions:
        evidence = [await _find(memory, each) for each in question.evidence]
        asked, hits = await _ask(memory, question, evidence, budgets)
        result.asked.append(asked)
        misses += _missed(question, evidence, hits)
    tables = score.report(result).tables
    wanted = ("recall", "recall_sources", "context")
    shown = {name: tables[name] for name in wanted if name in tables}
    return OwnReport(file, memory.settings.space, len(result.asked), shown, tuple(misses))


async def _find(memory: Memory, given: str) -> _FoundEvidence:
    """Find evidence by its id, or the message that has the quote."""
    try:
        ids.kind_of(given)
        stored = await memory.memories.get(given)
        return _FoundEvidence(given, stored.id, stored.text, stored.channel)
    except NotFound:
        return _FoundEvidence(given)
    except InvalidInput:
        quote = one_line(given).casefold()
        for hit in await memory.search(
            given[:_QUOTED], kinds=["message"], limit=DEPTHS[-1], trial=True
        ):
            if quote in one_line(hit.text).casefold():
                return _FoundEvidence(given, hit.id, hit.text, hit.channel)
        return _FoundEvidence(given)


async def _ask(
    memory: Memory,
    question: OwnQuestion,
    evidence: Sequence[_FoundEvidence],
    budgets: Sequence[int],
) -> tuple[QuestionResult, list[Hit]]:
    deep, started = DEPTHS[-1], time.perf_counter()
    asker = question.person
    hits = await memory.search(
        question.text, asker=asker, kinds=["message"], limit=deep, trial=True
    )
    search_ms = (time.perf_counter() - started) * 1000
    every = await memory.search(question.text, asker=asker, limit=deep, trial=True)
    channel = question.channel or next((each.channel for each in evidence if each.channel), "")
    chat, wanted = memory.channel(channel or "none"), budgets if channel else ()
    more = {"person": asker, "trial": True}
    contexts, context_ms = await contexts_of(chat, question.text, wanted, **more)
    seen = {budget: _seen(context, evidence) for budget, context in contexts.items()}
    keys = frozenset(each.id or each.given for each in evidence)
    result = QuestionResult(
        question=BenchmarkQuestion("", question.text, "", question.category, keys),
        found=tuple(frozenset((hit.id, *hit.sources)) for hit in hits),
        found_all=tuple(frozenset((hit.id, *hit.sources)) for hit in every),
        sessions=(),
        seen=seen or dict.fromkeys(budgets, ContextCoverage(0.0, 0.0, 0)),
        search_ms=search_ms,
        context_ms=context_ms,
    )
    return result, list(hits)


def _seen(context: Context, evidence: Sequence[_FoundEvidence]) -> ContextCoverage:
    """A quote counts as seen if it is in the text, what was named by its id if the message is."""
    text = one_line(context.text).casefold()
    there = {source.id for source in context.sources}
    quoted = [
        one_line(each.text if each.given == each.id else each.given).casefold() in text
        for each in evidence
    ]
    named = [each.id in there for each in evidence]
    return ContextCoverage(sum(quoted) / len(quoted), sum(named) / len(named), context.tokens)


def _missed(
    question: OwnQuestion, evidence: Sequence[_FoundEvidence], hits: Sequence[Hit]
) -> list[MissedEvidence]:
    places = {hit.id: place for place, hit in reversed(list(enumerate(hits, start=1)))}
    missed = []
    for each in evidence:
        place = places.get(each.id)
        if place is not None and place <= _ENOUGH:
            continue
        reason = f"at place {place}: others score higher"
        if not each.id:
            reason = "not stored in this space"
        elif place is None:
            foreign = analyse.telling_terms(question.text).isdisjoint(analyse.terms(each.text))
            why = "it shares no word with the question" if foreign else "others score higher"
            reason = f"not among the first {DEPTHS[-1]}: {why}"
        missed.append(MissedEvidence(question.text, each.given, place, reason))
    return missed
