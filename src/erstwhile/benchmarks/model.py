from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from datetime import datetime

from erstwhile.base.records import dataclass

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
