"""The arithmetic. All shares are of one question's evidence; all means are over questions, so that each counts the same."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from statistics import fmean

from erstwhile.benchmarks.model import DEPTHS, Asked, Group, Report, Run, Table, Times

Values = Mapping[str, float]


def recall(evidence: AbstractSet[str], found: Sequence[AbstractSet[str]], depth: int) -> float:
    """The share of the evidence among the first `depth` hits."""
    reached = frozenset[str]().union(*found[:depth])
    return len(evidence & reached) / len(evidence)


def percentile(values: Sequence[float], percent: float) -> float:
    """By nearest rank: a value that was really measured."""
    if not values:
        return 0.0
    ordered = sorted(values)
    return ordered[max(0, math.ceil(len(ordered) * percent / 100) - 1)]


def report(run: Run) -> Report:
    tables = {
        "recall": _table(_title(run), run.asked, lambda each: _recalls(each, each.found)),
        "recall_sources": _table(
            "evidence recall, all kinds, a derived hit standing for its source messages",
            run.asked,
            lambda each: _recalls(each, each.found_all) | _reach(each),
        ),
        "sessions": _table("session recall, the first k sessions among the hits", run.asked, _session_recalls),
        "context": _table("evidence inside the context, whole text (source: by id)", run.asked, _context),
        "answers": _table("answers judged correct", run.asked, _answer),
    }
    return Report(
        benchmark=run.benchmark,
        file=run.file,
        database=run.database,
        kinds=run.options.kinds,
        conversations=run.conversations,
        turns=run.turns,
        questions=len(run.asked),
        left_out=run.left_out,
        parked=run.parked,
        tables={name: table for name, table in tables.items() if table.overall.questions},
        times=_times(run),
    )


def _title(run: Run) -> str:
    return f"evidence recall, kinds {', '.join(run.options.kinds)}"


def _table(title: str, asked: Sequence[Asked], measured: Callable[[Asked], Values]) -> Table:
    """Questions for which nothing can be measured, such as those without known evidence, are left out."""
    values = [(each.question.category, found) for each in asked if (found := measured(each))]
    categories = dict.fromkeys(sorted(category for category, _ in values))
    return Table(
        title=title,
        overall=_group([found for _, found in values]),
        categories={name: _group([found for category, found in values if category == name]) for name in categories},
    )


def _group(values: Sequence[Values]) -> Group:
    names = values[0] if values else ()
    return Group(len(values), {name: fmean(each[name] for each in values) for name in names})


def _recalls(each: Asked, found: Sequence[AbstractSet[str]]) -> dict[str, float]:
    evidence = each.question.evidence
    return {f"R@{depth}": 100 * recall(evidence, found, depth) for depth in DEPTHS} if evidence else {}


def _reach(each: Asked) -> dict[str, float]:
    """How many turns the first ten hits stand for: what recall through sources is bought with."""
    if not each.question.evidence:
        return {}
    return {"turns in 10 hits": float(len(frozenset[str]().union(*each.found_all[:10])))}


def _session_recalls(each: Asked) -> Values:
    wanted, ranked = each.question.sessions, [{session} for session in each.sessions]
    return {f"R@{depth}": 100 * recall(wanted, ranked, depth) for depth in DEPTHS} if wanted else {}


def _context(each: Asked) -> Values:
    if not each.question.evidence:
        return {}
    shown: dict[str, float] = {}
    for budget, seen in each.seen.items():
        shown |= {f"{budget}": 100 * seen.text, f"{budget} source": 100 * seen.source}
    return shown


def _answer(each: Asked) -> Values:
    if not each.verdict:
        return {}
    return {"correct": 100.0 * (each.verdict == "correct"), "failed": 100.0 * (each.verdict == "failed")}


def _times(run: Run) -> Times:
    searches = [each.search_ms for each in run.asked]
    contexts = [ms for each in run.asked for ms in each.context_ms]
    return Times(
        search_p50_ms=percentile(searches, 50),
        search_p95_ms=percentile(searches, 95),
        context_p50_ms=percentile(contexts, 50),
        context_p95_ms=percentile(contexts, 95),
        ingest_per_second=run.turns / run.ingest_seconds if run.ingest_seconds else 0.0,
        settle_seconds=run.settle_seconds,
    )


def difference(one: Report, other: Report) -> dict[str, Table]:
    """Points of `other` over `one`, table by table, where both have the value."""
    return {name: _less(table, one.tables[name]) for name, table in other.tables.items() if name in one.tables}


def _less(table: Table, base: Table) -> Table:
    return Table(
        title=table.title,
        overall=_points(table.overall, base.overall),
        categories={
            name: _points(group, base.categories[name])
            for name, group in table.categories.items()
            if name in base.categories
        },
    )


def _points(group: Group, base: Group) -> Group:
    return Group(group.questions, {name: group.values[name] - base.values[name] for name in _shared(group, base)})


def _shared(one: Group, other: Group) -> Iterable[str]:
    return [name for name in one.values if name in other.values]
