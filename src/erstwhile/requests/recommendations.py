"""Recommendations: what to turn on when a figure passes its threshold."""

from __future__ import annotations

from collections.abc import Callable

from erstwhile.base.records import dataclass
from erstwhile.base.settings import Settings
from erstwhile.requests.model import Recommendation, Report, Spent

ENOUGH = 20  # requests needed before a share is meaningful


@dataclass(frozen=True, slots=True)
class _Rule:
    metric: str
    threshold: float
    unit: str
    value: Callable[[Report], float | None]
    meaning: str
    action: Callable[[Report, Settings], str]


def _words(_report: Report, settings: Settings) -> str:
    return (
        f"Look at a few with `erstwhile requests list`. If what was meant is there in other words: {_by_meaning(settings)} "
        "If summaries or facts are missing, `erstwhile doctor` says why and `erstwhile memories backfill` makes the facts."
    )


def _fallback(_report: Report, settings: Settings) -> str:
    return (
        f"People ask in other words than they tell: {_by_meaning(settings)} "
        "If the index may be incomplete, `erstwhile spaces rebuild` makes it anew."
    )


def _by_meaning(settings: Settings) -> str:
    if settings.embedder == "none":
        return "turn on search by meaning with ERSTWHILE_EMBEDDER=auto."
    return f"a better ERSTWHILE_EMBEDDER (now {settings.embedder}), or ERSTWHILE_EMBED=all, which also covers the messages themselves."


def _summaries_only(_report: Report, settings: Settings) -> str:
    recipe = (
        "" if settings.recipe == "full" else " Use ERSTWHILE_RECIPE=full, which also shows the messages themselves."
    )
    return (
        "Summaries alone carry these answers. Facts say more per token: set ERSTWHILE_MODEL if there is "
        f"no model yet, then `erstwhile memories backfill`.{recipe}"
    )


def _budget(report: Report, settings: Settings) -> str:
    used = f" Contexts had {report.tokens_per_request:,.0f} tokens on average." if report.tokens_per_request else ""
    return (
        f"Raise ERSTWHILE_BUDGET (now {settings.budget}), or lower ERSTWHILE_RECENT_MESSAGES (now {settings.recent_messages}) "
        f"so that more of it is left for what was found.{used}"
    )


def _meaning(_report: Report, settings: Settings) -> str:
    return f"People missed what words can't find: {_by_meaning(settings)} `erstwhile requests list` shows which."


def _forgot(_report: Report, _settings: Settings) -> str:
    return "Go through them: `erstwhile requests list` marks each, `erstwhile requests explain REQUEST` shows what was left out, and why."


def _slow(report: Report, settings: Settings) -> str:
    model, retrieval = report.model.p95 or 0, report.retrieval.p95 or 0
    if model > retrieval:
        off = settings.prompt_cache.retention == "off"
        cache = "turn on caching with ERSTWHILE_PROMPT_CACHE__RETENTION=24h, " if off else ""
        return (
            f"The model takes most of it ({model / 1000:.1f} s): {cache}choose a faster ERSTWHILE_CHAT_MODEL, or lower ERSTWHILE_BUDGET "
            f"(now {settings.budget})."
        )
    return (
        f"Retrieval takes most of it ({retrieval / 1000:.1f} s): check the database with `erstwhile doctor`, "
        "raise ERSTWHILE_POOL if many ask at once, or move to Postgres."
    )


def _cost(report: Report, settings: Settings) -> str:
    def tokens(each: Spent) -> int:
        return each.tokens

    dearest = max((each for each in report.spent if each.task != "chat"), key=tokens, default=None)
    task = dearest.task if dearest else "summarise"
    return (
        f"Most of it is the task `{task}`. Give it a cheaper model in ERSTWHILE_MODELS, or make memories less often: raise "
        f"ERSTWHILE_CHUNK_SIZE (now {settings.chunk_size}) or ERSTWHILE_BRIEF__THRESHOLD (now {settings.brief.threshold})."
    )


THIN, FALLBACK, SUMMARIES, TRUNCATED, NEEDED, FORGOT, LATENCY, COST = (
    "fewer than 3 hits by words",
    "fallback used",
    "summaries alone",
    "truncated by the budget",
    "meaning was needed",
    "complaints: it forgot",
    "p95 latency",
    "cost of making memories",
)

_RULES = (
    _Rule(THIN, 0.30, "share", lambda r: r.thin, "Search by words finds too little.", _words),
    _Rule(FALLBACK, 0.50, "share", lambda r: r.fallback, "Search by words is no longer the main path.", _fallback),
    _Rule(SUMMARIES, 0.20, "share", lambda r: r.summaries_only, "Summaries say too little of it.", _summaries_only),
    _Rule(TRUNCATED, 0.40, "share", lambda r: r.truncated, "The budget is under pressure.", _budget),
    _Rule(NEEDED, 0.10, "share", lambda r: r.missed, "Words alone don't recall enough.", _meaning),
    _Rule(FORGOT, 3, "per week", lambda r: r.complaints * 7 / r.days, "People notice that it forgets.", _forgot),
    _Rule(LATENCY, 3, "seconds", lambda r: r.whole.p95 and r.whole.p95 / 1000, "Answers take too long.", _slow),
    _Rule(COST, 0.25, "share", lambda r: r.memory_share, "Memories cost too much beside the talk.", _cost),
)


def recommend(report: Report, settings: Settings) -> list[Recommendation]:
    return [_judged(rule, report, settings) for rule in _RULES]


def _judged(rule: _Rule, report: Report, settings: Settings) -> Recommendation:
    value = rule.value(report)
    if report.requests < ENOUGH:
        passed, action = None, f"Not enough data: {report.requests} requests, {ENOUGH} are needed."
    elif value is None:
        passed, action = None, "Nothing to measure in this period."
    else:
        passed = value > rule.threshold
        action = rule.action(report, settings) if passed else ""
    return Recommendation(rule.metric, rule.threshold, value, passed, rule.meaning, action, rule.unit)
