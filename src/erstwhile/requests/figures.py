"""The figures of a report, each with its value, daily values and threshold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import attrgetter

from erstwhile.base.records import dataclass
from erstwhile.requests import recommendations as rules
from erstwhile.requests.model import STAGES, Recommendation, Report, share
from erstwhile.search.trace import PATHS

PATH_NAMES: Mapping[str, str] = {
    "summaries": "summaries",
    "words": "words",
    "trigram": "similar spelling",
    "meaning": "meaning",
    "recent": "recent messages",
}
_SPARKS = "▁▂▃▄▅▆▇█"


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure. `unit` is share or ms; `daily` has None for days without data."""

    name: str
    unit: str
    value: float | None
    daily: tuple[float | None, ...]
    threshold: float | None = None

    @property
    def passed(self) -> bool:
        return self.threshold is not None and self.value is not None and self.value > self.threshold


def shares(report: Report, advice: Sequence[Recommendation]) -> list[Figure]:
    limits = {each.metric: each.threshold for each in advice}

    def figure(name: str, count: str, value: float | None) -> Figure:
        days = tuple(day.counts.share(count) for day in report.daily)
        return Figure(name, "share", value, days, limits.get(name))

    failed = [each for each in report.errors.values() if each is not None]
    read = attrgetter(*(f"{stage}_errors" for stage in STAGES))
    counts = [day.counts for day in report.daily]
    errors = tuple(share(sum(read(each)), each.requests) for each in counts)
    return [
        figure("found something by words", "words", report.hit_rates["words"]),
        figure(rules.THIN, "thin", report.thin),
        figure(rules.FALLBACK, "fallback", report.fallback),
        figure("searched by meaning", "meaning", report.meaning),
        figure("search widened", "widened", report.widened),
        figure(rules.SUMMARIES, "summaries_only", report.summaries_only),
        figure(rules.TRUNCATED, "truncated", report.truncated),
        figure("nothing found or shown", "empty", report.empty),
        Figure("failed", "share", sum(failed) if failed else None, errors, limits.get("failed")),
    ]


def latencies(report: Report) -> list[Figure]:
    found = []
    for name in ("retrieval p50", "retrieval p95", "model p50", "model p95"):
        read = attrgetter(name.replace(" ", "."))
        found.append(Figure(name, "ms", read(report), tuple(map(read, report.daily))))
    return found


def hit_rates(report: Report) -> list[tuple[str, float | None]]:
    return [(PATH_NAMES[path], report.hit_rates[path]) for path in PATHS]


# In words


def shown(value: float | None, unit: str) -> str:
    if value is None:
        return "–"
    if unit == "share":
        return f"{value:.1%}".replace(".0%", "%") if value < 0.1 else f"{value:.0%}"
    if unit == "ms":
        return duration(value)
    if unit == "seconds":
        return duration(value * 1000)
    return f"{value:.1f}".removesuffix(".0") + f" {unit}"


def duration(ms: float) -> str:
    if ms >= 999.5:
        return f"{ms / 1000:.1f} s".replace(".0 s", " s")
    return f"{ms:.0f} ms" if ms >= 9.95 else f"{ms:.1f} ms"


def sparkline(values: Sequence[float | None], top: float | None = None) -> str:
    """Draw one character per day; a dot for days without data."""
    known = [value for value in values if value is not None]
    highest = max(known + ([top] if top else []), default=0)

    def spark(value: float) -> str:
        return _SPARKS[round(value / highest * (len(_SPARKS) - 1)) if highest else 0]

    return "".join("·" if value is None else spark(value) for value in values)
