"""Recommendations: what to turn on when a figure passes its threshold."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from erstwhile.base.records import dataclass
from erstwhile.base.settings import Settings
from erstwhile.requests.model import CHAT, Recommendation, Report

ENOUGH = 20  # requests needed before a share is meaningful


THIN, FALLBACK, SUMMARIES = "fewer than 3 hits by words", "fallback used", "summaries alone"
TRUNCATED, NEEDED = "truncated by the budget", "meaning was needed"
FORGOT, LATENCY, COST = "feedback: it forgot", "p95 latency", "cost of making memories"


@dataclass(frozen=True, slots=True)
class _Rule:
    metric: str
    threshold: float
    value: Callable[[Report], float | None]
    meaning: str
    unit: str = "share"


def _weekly_feedback(report: Report) -> float:
    return report.feedback * 7 / report.days


def _p95_seconds(report: Report) -> float | None:
    return report.whole.p95 and report.whole.p95 / 1000


_RULES = (
    _Rule(THIN, 0.30, lambda r: r.thin, "Search by words finds too little."),
    _Rule(FALLBACK, 0.50, lambda r: r.fallback, "Search by words is no longer the main path."),
    _Rule(SUMMARIES, 0.20, lambda r: r.summaries_only, "Summaries say too little of it."),
    _Rule(TRUNCATED, 0.40, lambda r: r.truncated, "The budget is under pressure."),
    _Rule(NEEDED, 0.10, lambda r: r.missed, "Words alone don't recall enough."),
    _Rule(FORGOT, 3, _weekly_feedback, "People notice that it forgets.", "per week"),
    _Rule(LATENCY, 3, _p95_seconds, "Answers take too long.", "seconds"),
    _Rule(COST, 0.25, lambda r: r.memory_share, "Memories cost too much beside the talk."),
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
        action = " ".join(_action(rule.metric, report, settings)) if passed else ""
    judged = rule.metric, rule.threshold, value, passed, rule.meaning, action
    return Recommendation(*judged, rule.unit)


def _action(metric: str, report: Report, settings: Settings) -> Iterator[str]:
    """Say what to do about a figure that has passed its threshold."""
    by_meaning = "turn on search by meaning with ERSTWHILE_EMBEDDER=auto."
    if settings.embedder != "none":
        by_meaning = f"a better ERSTWHILE_EMBEDDER (now {settings.embedder}), or"
        by_meaning += " ERSTWHILE_EMBED=all, which also covers the messages themselves."
    if metric == THIN:
        yield "Look at a few with `erstwhile requests list`. If what was meant is there in other"
        yield f"words: {by_meaning} If summaries or facts are missing, `erstwhile doctor` says why"
        yield "and `erstwhile memories backfill` makes the facts."
    elif metric == FALLBACK:
        yield f"People ask in other words than they tell: {by_meaning}"
        yield "If the index may be incomplete, `erstwhile spaces rebuild` makes it anew."
    elif metric == SUMMARIES:
        yield "Summaries alone carry these answers. Facts say more per token: set ERSTWHILE_MODEL if"
        yield "there is no model yet, then `erstwhile memories backfill`."
        if settings.recipe != "full":
            yield "Use ERSTWHILE_RECIPE=full, which also shows the messages themselves."
    elif metric == TRUNCATED:
        yield f"Raise ERSTWHILE_BUDGET (now {settings.budget}), or lower ERSTWHILE_RECENT_MESSAGES"
        yield f"(now {settings.recent_messages}) so that more of it is left for what was found."
        if report.tokens_per_request:
            yield f"Contexts had {report.tokens_per_request:,.0f} tokens on average."
    elif metric == NEEDED:
        yield f"People missed what words can't find: {by_meaning}"
        yield "`erstwhile requests list` shows which."
    elif metric == FORGOT:
        yield "Go through them: `erstwhile requests list` marks each, `erstwhile requests explain"
        yield "REQUEST` shows what was left out, and why."
    elif metric == LATENCY:
        yield from _faster(report, settings)
    elif metric == COST:
        making = [each for each in report.spent if each.task != CHAT]
        dearest = max(making, key=lambda each: each.tokens).task if making else "summarise"
        yield f"Most of it is the task `{dearest}`. Give it a cheaper model in ERSTWHILE_MODELS, or"
        yield f"make memories less often: raise ERSTWHILE_CHUNK_SIZE (now {settings.chunk_size}) or"
        yield f"ERSTWHILE_BRIEF__THRESHOLD (now {settings.brief.threshold})."


def _faster(report: Report, settings: Settings) -> Iterator[str]:
    model, retrieval = report.model.p95 or 0, report.retrieval.p95 or 0
    if model <= retrieval:
        yield f"Retrieval takes most of it ({retrieval / 1000:.1f} s): check the database with"
        yield "`erstwhile doctor`, raise ERSTWHILE_POOL if many ask at once, or move to Postgres."
        return
    yield f"The model takes most of it ({model / 1000:.1f} s):"
    if settings.prompt_cache.retention == "off":
        yield "turn on caching with ERSTWHILE_PROMPT_CACHE__RETENTION=24h,"
    yield "choose a faster ERSTWHILE_CHAT_MODEL, or lower"
    yield f"ERSTWHILE_BUDGET (now {settings.budget})."
