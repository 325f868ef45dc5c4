"""What is measured, and the scores computed from it. Shares are of one question's evidence; means are
over questions."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import field
from datetime import datetime
from statistics import fmean

from erstwhile.base.records import copied, dataclass

DEPTHS = (5, 10, 20, 50)


@dataclass(frozen=True, slots=True)
class BenchmarkTurn:
    """One message. `key` is its name in the data set; `session` its chat session."""

    key: str
    channel: str
    session: str
    role: str
    person: str
    text: str
    at: datetime


@dataclass(frozen=True, slots=True)
class BenchmarkQuestion:
    """`evidence` are the turns that hold the answer; `sessions` their sessions. `never_said`: nothing
    answers it, and that is the right answer."""

    key: str
    text: str
    answer: str
    category: str
    evidence: frozenset[str]
    sessions: frozenset[str] = frozenset()
    never_said: bool = False


@dataclass(frozen=True, slots=True)
class BenchmarkCase:
    """One conversation and its questions, asked in `channel` by `person` afterwards. `left_out`
    counts evidence that the file names but lacks."""

    name: str
    turns: tuple[BenchmarkTurn, ...]
    questions: tuple[BenchmarkQuestion, ...]
    asked_at: datetime
    channel: str
    person: str | None = None
    left_out: int = 0


@dataclass(frozen=True, slots=True)
class BenchmarkOptions:
    """Per conversation: `questions` to ask, and how many of them a model answers (`answer`)."""

    kinds: tuple[str, ...] = ("message",)
    budgets: tuple[int, ...] = (1000, 2000, 4000)
    conversations: int | None = None
    questions: int | None = None
    answer: int = 0


@dataclass(frozen=True, slots=True)
class ContextCoverage:
    """The share of a question's evidence in a context: by whole text, and by id."""

    text: float
    source: float
    tokens: int


@dataclass(frozen=True, slots=True)
class QuestionResult:
    """The result of one question. For each hit, best first: the turns it is or comes from.
    `relevant`: whether its contexts say that something bears on it."""

    question: BenchmarkQuestion
    found: tuple[frozenset[str], ...]
    found_all: tuple[frozenset[str], ...]
    sessions: tuple[str, ...]
    seen: Mapping[int, ContextCoverage]
    search_ms: float
    context_ms: tuple[float, ...]
    relevant: bool = True
    verdict: str = ""  # correct, incorrect or failed; "" if not answered


@dataclass(slots=True)
class BenchmarkRun:
    """Everything measured on one database, before it is summed up."""

    benchmark: str
    file: str
    database: str
    options: BenchmarkOptions
    conversations: int = 0
    turns: int = 0
    left_out: int = 0
    parked: int = 0
    ingest_seconds: float = 0.0
    settle_seconds: float = 0.0
    asked: list[QuestionResult] = field(default_factory=list)


# The report


@dataclass(frozen=True, slots=True)
class MeanScores:
    """Means over the questions of one category, or of all, by measure such as R@5."""

    questions: int
    values: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class ScoreTable:
    """`title` says what the values are."""

    title: str
    overall: MeanScores
    categories: Mapping[str, MeanScores]


@dataclass(frozen=True, slots=True)
class BenchmarkTimes:
    search_p50_ms: float
    search_p95_ms: float
    context_p50_ms: float
    context_p95_ms: float
    ingest_per_second: float
    settle_seconds: float


@dataclass(frozen=True, slots=True)
class BenchmarkReport:
    benchmark: str
    file: str
    database: str
    kinds: tuple[str, ...]
    conversations: int
    turns: int
    questions: int
    left_out: int
    parked: int
    tables: Mapping[str, ScoreTable]
    times: BenchmarkTimes


Values = Mapping[str, float]
_BY_SOURCES = "evidence recall, all kinds, a derived hit standing for its source messages"
_BY_SESSION = "session recall, the first k sessions among the hits"
_INSIDE = "evidence inside the context, whole text (source: by id)"
_SAY_SO = "contexts that say nothing is relevant"


def recall(evidence: AbstractSet[str], found: Sequence[AbstractSet[str]], depth: int) -> float:
    """Return the share of the evidence among the first `depth` hits."""
    reached = frozenset[str]().union(*found[:depth])
    return len(evidence & reached) / len(evidence)


def percentile(values: Sequence[float], percent: float) -> float:
    """Return a percentile by nearest rank: a measured value."""
    if not values:
        return 0.0
    ordered = sorted(values)
    return ordered[max(0, math.ceil(len(ordered) * percent / 100) - 1)]


def report(run: BenchmarkRun) -> BenchmarkReport:
    unsaid = [each for each in run.asked if each.question.never_said]
    others = [each for each in run.asked if unsaid and not each.question.never_said]
    kinds = ", ".join(run.options.kinds)
    measures: dict[str, tuple[str, Sequence[QuestionResult], Callable[[QuestionResult], Values]]]
    measures = {
        "recall": (f"evidence recall, kinds {kinds}", run.asked, _hit_recalls),
        "recall_sources": (_BY_SOURCES, run.asked, _source_recalls),
        "sessions": (_BY_SESSION, run.asked, _session_recalls),
        "context": (_INSIDE, run.asked, _context),
        "abstention": (f"questions about what was never said: {_SAY_SO}", unsaid, _silent),
        "silenced": (f"the other questions: {_SAY_SO}", others, _silent),
        "answers": ("answers judged correct", run.asked, _answer),
    }
    tables = {name: _table(*measure) for name, measure in measures.items()}
    tables = {name: table for name, table in tables.items() if table.overall.questions}
    counted = {"kinds": run.options.kinds, "questions": len(run.asked)}
    return copied(BenchmarkReport, run, **counted, tables=tables, times=_times(run))


def _table(
    title: str, asked: Sequence[QuestionResult], measured: Callable[[QuestionResult], Values]
) -> ScoreTable:
    """Build a table. Questions that cannot be measured are left out."""
    by_category: dict[str, list[Values]] = {}
    for each in asked:
        if found := measured(each):
            by_category.setdefault(each.question.category, []).append(found)
    overall = _group([found for values in by_category.values() for found in values])
    groups = {name: _group(values) for name, values in sorted(by_category.items())}
    return ScoreTable(title, overall, groups)


def _group(values: Sequence[Values]) -> MeanScores:
    names = values[0] if values else ()
    return MeanScores(len(values), {name: fmean(each[name] for each in values) for name in names})


def _recalls(wanted: AbstractSet[str], found: Sequence[AbstractSet[str]]) -> dict[str, float]:
    return {f"R@{depth}": 100 * recall(wanted, found, depth) for depth in DEPTHS if wanted}


def _hit_recalls(each: QuestionResult) -> Values:
    return _recalls(each.question.evidence, each.found)


def _source_recalls(each: QuestionResult) -> Values:
    """Also count the turns behind the first ten hits: the cost of recall through sources."""
    reached = frozenset[str]().union(*each.found_all[:10])
    found = _recalls(each.question.evidence, each.found_all)
    return {**found, "turns in 10 hits": float(len(reached))} if found else {}


def _session_recalls(each: QuestionResult) -> Values:
    return _recalls(each.question.sessions, [{session} for session in each.sessions])


def _context(each: QuestionResult) -> Values:
    if not each.question.evidence:
        return {}
    shown: dict[str, float] = {}
    for budget, seen in each.seen.items():
        shown |= {f"{budget}": 100 * seen.text, f"{budget} source": 100 * seen.source}
    return shown


def _silent(each: QuestionResult) -> Values:
    return {"nothing relevant": 100.0 * (not each.relevant)}


def _answer(each: QuestionResult) -> Values:
    verdicts = ("correct", "failed")
    return {name: 100.0 * (each.verdict == name) for name in verdicts if each.verdict}


def _times(run: BenchmarkRun) -> BenchmarkTimes:
    searches = [each.search_ms for each in run.asked]
    contexts = [ms for each in run.asked for ms in each.context_ms]
    return BenchmarkTimes(
        search_p50_ms=percentile(searches, 50),
        search_p95_ms=percentile(searches, 95),
        context_p50_ms=percentile(contexts, 50),
        context_p95_ms=percentile(contexts, 95),
        ingest_per_second=run.turns / run.ingest_seconds if run.ingest_seconds else 0.0,
        settle_seconds=run.settle_seconds,
    )


def difference(one: BenchmarkReport, other: BenchmarkReport) -> dict[str, ScoreTable]:
    """Return the points of `other` over `one` for values that both have."""
    found = {}
    for name, table in other.tables.items():
        if (base := one.tables.get(name)) is not None:
            shared = [each for each in table.categories if each in base.categories]
            both = ((each, table.categories[each], base.categories[each]) for each in shared)
            points = {name: _points(group, before) for name, group, before in both}
            found[name] = ScoreTable(table.title, _points(table.overall, base.overall), points)
    return found


def _points(group: MeanScores, base: MeanScores) -> MeanScores:
    shared = [name for name in group.values if name in base.values]
    points = {name: group.values[name] - base.values[name] for name in shared}
    return MeanScores(group.questions, points)
