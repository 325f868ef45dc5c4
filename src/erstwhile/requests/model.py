from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from datetime import date, datetime

from erstwhile.base.records import dataclass
from erstwhile.search.trace import Candidate

CONTEXT, ASK, SEARCH = OPS = ("context", "ask", "search")
RETRIEVAL, MODEL, LOG = STAGES = ("retrieval", "model", "log")
CHAT = "chat"  # the task of answering; every other task makes memories
ONLY = ("feedback", "failed", "truncated", "empty", "trial", "real")


@dataclass(frozen=True, slots=True)
class Request:
    """A recorded request. `searched`: a search was made. `hits` is per path; `path` is the one that
    gave the result; `when` are the recognised time expressions; `truncated`: the budget cut
    something that was found. A `trial` is not counted in reports. `candidates`, `parts` (tokens per
    part of the context), `reply` (the message that answered) and `sub_questions` (that a model
    split it into) are only filled by `explain`. `title` is that of its channel, "" without one."""

    id: str
    at: datetime
    op: str
    channel: str | None = None
    person: str | None = None
    query: str = ""
    searched: bool = False
    hits: Mapping[str, int] = field(default_factory=dict)
    path: str = "none"
    fallback: bool = False
    scope: str = "channel"
    widened: str = ""
    when: str = ""
    items: int = 0
    tokens: int = 0
    budget: int | None = None
    truncated: bool = False
    retrieval_ms: float = 0.0
    model_ms: float | None = None
    model: str | None = None
    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    error_stage: str | None = None
    feedback: str | None = None
    candidates: tuple[Candidate, ...] = ()
    parts: Mapping[str, int] = field(default_factory=dict)
    trial: bool = False
    recipe: str = ""
    reply: str | None = None
    sub_questions: tuple[str, ...] = ()
    title: str = ""


@dataclass(frozen=True, slots=True)
class RequestFilter:
    """Requests older than `before`, with `words` in the question, and of one kind (ONLY)."""

    channel: str | None = None
    person: str | None = None
    op: str | None = None
    words: str = ""
    only: str | None = None
    before: str | None = None


@dataclass(frozen=True, slots=True)
class ExplainedCandidate:
    """A candidate as it was then, with its current `text`, or None if it no longer exists,
    and its trust tier."""

    rank: int
    candidate: Candidate
    text: str | None
    trust: str = "unknown"


@dataclass(frozen=True, slots=True)
class Explanation:
    request: Request
    seen: tuple[ExplainedCandidate, ...]


@dataclass(frozen=True, slots=True)
class TokenUsage:
    """Token usage of `chat` or of a memory task (summarise, condense, extract, fold, …).
    `failed` of the calls gave nothing; `unborne` memories were left out, because no message
    bears them out."""

    task: str
    model: str
    calls: int
    input_tokens: int
    output_tokens: int
    cached_tokens: int
    failed: int = 0
    unborne: int = 0

    @property
    def tokens(self) -> int:
        return self.input_tokens + self.output_tokens


@dataclass(frozen=True, slots=True)
class Latency:
    """Milliseconds; None when there was nothing to measure."""

    p50: float | None = None
    p95: float | None = None


@dataclass(frozen=True, slots=True)
class RequestCounts:
    """Counts of a day or of the whole period. Searches are counted over `queries`, truncation and
    tokens over `contexts`, the rest over all requests."""

    requests: int = 0
    queries: int = 0
    contexts: int = 0
    summaries: int = 0
    words: int = 0
    trigram: int = 0
    meaning: int = 0
    recent: int = 0
    thin: int = 0
    fallback: int = 0
    widened: int = 0
    summaries_only: int = 0
    truncated: int = 0
    empty: int = 0
    tokens: int = 0
    retrieval_errors: int = 0
    model_errors: int = 0
    log_errors: int = 0

    def share(self, name: str) -> float | None:
        """Return a count as a share of what it is counted over."""
        of_context = name in ("truncated", "tokens")
        of_request = name == "empty" or name.endswith("_errors")
        whole = self.contexts if of_context else self.requests if of_request else self.queries
        return share(getattr(self, name), whole)


def share(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def memory_share(spent: Sequence[TokenUsage]) -> float | None:
    """Return the share of model tokens used for making memories."""
    made = sum(each.tokens for each in spent if each.task != CHAT)
    return share(made, sum(each.tokens for each in spent))


@dataclass(frozen=True, slots=True)
class ReportDay:
    """The figures of one day, as in a Report."""

    day: date
    counts: RequestCounts
    retrieval: Latency
    model: Latency
    whole: Latency
    feedback: int
    missed: int = 0
    structure_rate: float | None = None
    spent: tuple[TokenUsage, ...] = ()


@dataclass(frozen=True, slots=True)
class Report:
    """A report. Shares are between 0 and 1, or None without data. Days are UTC; the last one is
    today.

    `thin`: queries with fewer than 3 hits by words. `meaning`: queries that used semantic search.
    `missed`: queries with feedback for which words and trigrams found almost nothing.
    `structure_rate`: chunks from which a memory with a type was made. `memory_share`: the share of
    model tokens used for making memories."""

    space: str
    since: datetime
    until: datetime
    days: int
    requests: int
    queries: int
    by_op: Mapping[str, int]
    hit_rates: Mapping[str, float | None]
    thin: float | None
    fallback: float | None
    widened: float | None
    meaning: float | None
    summaries_only: float | None
    truncated: float | None
    empty: float | None
    retrieval: Latency
    model: Latency
    whole: Latency
    errors: Mapping[str, float | None]
    tokens_per_request: float | None
    spent: tuple[TokenUsage, ...]
    memory_share: float | None
    feedback: int
    missed: float | None
    structure_rate: float | None
    daily: tuple[ReportDay, ...]


@dataclass(frozen=True, slots=True)
class Recommendation:
    """A recommendation. `value` and `threshold` are in `unit`: share, per week or seconds. `passed`
    is None without enough data; `action` says what to turn on if the threshold is passed."""

    metric: str
    threshold: float
    value: float | None
    passed: bool | None
    meaning: str
    action: str
    unit: str = "share"
