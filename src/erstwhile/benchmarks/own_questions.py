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
from erstwhile.benchmarks import missed, score
from erstwhile.benchmarks.missed import QUOTED, MissedEvidence, MissedInContext, StoredEvidence
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

if TYPE_CHECKING:
    from erstwhile import Context, Hit, Memory


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
    tables: Mapping[str, ScoreTable]
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
    result = BenchmarkRun("file", file, "", BenchmarkOptions(budgets=budgets))
    misses: list[MissedEvidence] = []
    context_misses: list[MissedInContext] = []
    for question in questions:
        evidence = [await _find(memory, each) for each in question.evidence]
        asked, hits, contexts = await _ask(memory, question, evidence, budgets)
        result.asked.append(asked)
        by = question.text, question.person
        misses += await missed.from_hits(memory, *by, evidence, hits)
        missing = {budget: _missing(made, evidence) for budget, made in contexts.items()}
        context_misses += await missed.from_contexts(memory, *by, missing, contexts)
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
            given[:QUOTED], kinds=["message"], limit=DEPTHS[-1], trial=True
        ):
            if quote in one_line(hit.text).casefold():
                return StoredEvidence(given, hit.id, hit.text, hit.channel)
        return StoredEvidence(given)


async def _ask(
    memory: Memory,
    question: OwnQuestion,
    evidence: Sequence[StoredEvidence],
    budgets: Sequence[int],
) -> tuple[QuestionResult, list[Hit], dict[int, Context]]:
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
    return result, list(hits), contexts


def _seen(context: Context, evidence: Sequence[StoredEvidence]) -> ContextCoverage:
    """Return what was seen: a quote counts if it is in the text, what was named by its id if the message is."""
    there = {source.id for source in context.sources}
    inside = len(evidence) - len(_missing(context, evidence))
    named = [each.id in there for each in evidence]
    return ContextCoverage(inside / len(evidence), sum(named) / len(named), context.tokens)


def _missing(context: Context, evidence: Sequence[StoredEvidence]) -> list[StoredEvidence]:
    text = one_line(context.text).casefold()
    return [
        each
        for each in evidence
        if one_line(each.text if each.given == each.id else each.given).casefold() not in text
    ]
