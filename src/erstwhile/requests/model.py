from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime

from erstwhile.search.trace import Candidate

CONTEXT, ASK, SEARCH = OPS = ("context", "ask", "search")
RETRIEVAL, MODEL, LOG = STAGES = ("retrieval", "model", "log")
ONLY = ("complained", "failed", "truncated", "empty", "trial", "real")


@dataclass(frozen=True, slots=True)
class Request:
    """`searched`: something was looked for, which a recipe without a search doesn't do. `hits` is per path; `path` carried the result;
    `when` are the words of time understood; `truncated`: the budget dropped something that was found. `trial`: someone tried it
    out, and no figure counts it. `candidates`, `parts` (tokens per part of the context) and `reply` (the message that answered) are read by
    `why` alone, and empty in a list."""

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
    complaint: str | None = None
    candidates: tuple[Candidate, ...] = ()
    parts: Mapping[str, int] = field(default_factory=dict)
    trial: bool = False
    recipe: str = ""
    reply: str | None = None


@dataclass(frozen=True, slots=True)
class Which:
    """Of past requests: those older than the request `before`, whose question holds `words`, and of one kind (ONLY)."""

    channel: str | None = None
    person: str | None = None
    op: str | None = None
    words: str = ""
    only: str | None = None
    before: str | None = None


@dataclass(frozen=True, slots=True)
class Seen:
    """A candidate as it stood then, with what it says now; `text` is None when it has gone since."""

    rank: int
    candidate: Candidate
    text: str | None


@dataclass(frozen=True, slots=True)
class Explanation:
    request: Request
    seen: tuple[Seen, ...]


@dataclass(frozen=True, slots=True)
class Spent:
    """Tokens by who used them: `chat`, or a task of the memory's own (summarise, condense, extract, fold, …)."""

    task: str
    model: str
    calls: int
    input_tokens: int
    output_tokens: int
    cached_tokens: int

    @property
    def tokens(self) -> int:
        return self.input_tokens + self.output_tokens


@dataclass(frozen=True, slots=True)
class Latency:
    """Milliseconds; None when there was nothing to measure."""

    p50: float | None = None
    p95: float | None = None


@dataclass(frozen=True, slots=True)
class Counts:
    """Of a day or of the whole period. A search is counted over `queries`, truncation and tokens over `contexts`, the rest over all."""

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


@dataclass(frozen=True, slots=True)
class Day:
    """`missed` and `structured` are of this day what they are of the whole period in a Report; `spent` by whom, too."""

    day: date
    counts: Counts
    retrieval: Latency
    model: Latency
    whole: Latency
    complaints: int
    missed: int = 0
    structured: float | None = None
    spent: tuple[Spent, ...] = ()


@dataclass(frozen=True, slots=True)
class Report:
    """Shares are between 0 and 1, and None where there was nothing to take a share of. Days are UTC; the last one is today.

    `thin`: queries with fewer than 3 hits by words. `meaning`: queries that the semantic path was tried for. `missed`: queries that were
    complained about and that words and trigrams found next to nothing for. `structured`: summaries whose structure is not empty.
    `memory_share`: of all model tokens, those that went into making memories."""

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
    spent: tuple[Spent, ...]
    memory_share: float | None
    complaints: int
    missed: float | None
    structured: float | None
    daily: tuple[Day, ...]


@dataclass(frozen=True, slots=True)
class Recommendation:
    """`value` and `threshold` in `unit`: share, per week or seconds. `passed` is None when there is nothing, or too little, to go by;
    `action` says what to turn on when the threshold is passed."""

    metric: str
    threshold: float
    value: float | None
    passed: bool | None
    meaning: str
    action: str
    unit: str = "share"
