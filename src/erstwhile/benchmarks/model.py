from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

DEPTHS = (5, 10, 20, 50)


@dataclass(frozen=True, slots=True)
class Turn:
    """Something said. `key` is its name in the data set; `session` the sitting it belongs to."""

    key: str
    channel: str
    session: str
    role: str
    person: str
    text: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Question:
    """`evidence` are the keys of the turns that hold the answer, `sessions` the sittings that do. Either may be unknown."""

    key: str
    text: str
    answer: str
    category: str
    evidence: frozenset[str]
    sessions: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Case:
    """One conversation and what is asked about it, in `channel`, by `person`, at a time after it. `left_out` counts what the file names
    as evidence but does not contain."""

    name: str
    turns: tuple[Turn, ...]
    questions: tuple[Question, ...]
    asked_at: datetime
    channel: str
    person: str | None = None
    left_out: int = 0


@dataclass(frozen=True, slots=True)
class Options:
    """`questions` and `answer` are of each conversation: how many are asked, and how many of those a model answers."""

    kinds: tuple[str, ...] = ("message",)
    budgets: tuple[int, ...] = (1000, 2000, 4000)
    conversations: int | None = None
    questions: int | None = None
    answer: int = 0


@dataclass(frozen=True, slots=True)
class Seen:
    """What of a question's evidence was in a context: shares of the turns by their whole text, and by their id among the sources."""

    text: float
    source: float
    tokens: int


@dataclass(frozen=True, slots=True)
class Asked:
    """What came back for one question. Of each hit, best first: the turns it is or stands for."""

    question: Question
    found: tuple[frozenset[str], ...]
    found_all: tuple[frozenset[str], ...]
    sessions: tuple[str, ...]
    seen: Mapping[int, Seen]
    search_ms: float
    context_ms: tuple[float, ...]
    verdict: str = ""  # correct, incorrect or failed, when it was answered


@dataclass(slots=True)
class Run:
    """Everything measured on one database, before it is counted up."""

    benchmark: str
    file: str
    database: str
    options: Options
    conversations: int = 0
    turns: int = 0
    left_out: int = 0
    parked: int = 0
    ingest_seconds: float = 0.0
    settle_seconds: float = 0.0
    asked: list[Asked] = field(default_factory=list)


# What is reported


@dataclass(frozen=True, slots=True)
class Group:
    """Means over the questions of one category, or of all: values by what was measured, such as R@5."""

    questions: int
    values: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Table:
    """`title` says what the values are."""

    title: str
    overall: Group
    categories: Mapping[str, Group]


@dataclass(frozen=True, slots=True)
class Times:
    search_p50_ms: float
    search_p95_ms: float
    context_p50_ms: float
    context_p95_ms: float
    ingest_per_second: float
    settle_seconds: float


@dataclass(frozen=True, slots=True)
class Report:
    benchmark: str
    file: str
    database: str
    kinds: tuple[str, ...]
    conversations: int
    turns: int
    questions: int
    left_out: int
    parked: int
    tables: Mapping[str, Table]
    times: Times
