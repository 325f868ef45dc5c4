"""The figures of a report by day: as plots, as a table and as CSV data."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import date
from operator import attrgetter
from typing import Literal

from erstwhile.base.records import dataclass
from erstwhile.requests import recommendations as rules
from erstwhile.requests.figures import PATH_NAMES, shown
from erstwhile.requests.model import CHAT, Recommendation, Report, ReportDay, memory_share, share
from erstwhile.requests.plots import Plot, Series, Value, say
from erstwhile.search.trace import PATHS

_PATH_COLOURS = {
    "summaries": "meta",
    "words": "chunk",
    "trigram": "note",
    "meaning": "fact",
    "recent": "message",
}
_STAGE_COLOURS = {"retrieval": "bad", "model": "told", "log": "note"}
_WEEK = 7
_DailyValue = Callable[[ReportDay], Value]


@dataclass(frozen=True, slots=True)
class Trend:
    """A figure with a threshold. `state` is its state in words, `kind` the badge."""

    advice: Recommendation
    plot: Plot
    state: str
    kind: str

    @property
    def value(self) -> str:
        return shown(self.advice.value, self.advice.unit)

    @property
    def threshold(self) -> str:
        return shown(self.advice.threshold, self.advice.unit)


def trends(report: Report, advice: Sequence[Recommendation]) -> list[Trend]:
    """Return a trend for each recommendation."""
    return [_trend(report, each) for each in advice]


def plots(report: Report) -> list[Plot]:
    """Return the figures of R7 that have no threshold."""

    def plot(
        title: str, series: Sequence[Series], unit: str, shape: Literal["line", "bar"] = "line"
    ) -> Plot:
        return Plot(title, _days(report), series, unit, shape)

    def one(title: str, name: str, value: _DailyValue, unit: str = "share") -> Plot:
        return plot(title, [_of(report, name, value)], unit)

    drawn = {path: colour for path, colour in _PATH_COLOURS.items() if path in PATHS}
    paths = []
    for path, colour in drawn.items():
        shares = [day.counts.share(path) for day in report.daily]
        paths.append(Series(PATH_NAMES[path], shares, colour))
    failed = []
    for stage, colour in _STAGE_COLOURS.items():
        failed.append(_of(report, stage, attrgetter(f"counts.{stage}_errors"), colour))
    requests = _of(report, "requests", attrgetter("counts.requests"))
    return [
        plot("Requests", [requests], "count", "bar"),
        plot("Found something, by path", paths, "share"),
        one("Search widened", "widened", lambda day: day.counts.share("widened")),
        one("Searched by meaning", "tried", lambda day: day.counts.share("meaning")),
        one("Nothing found or shown", "empty", lambda day: day.counts.share("empty")),
        one("Summaries with a structure", "not empty", attrgetter("structure_rate")),
        plot("Retrieval", _latency(report, "retrieval"), "ms"),
        plot("Model", _latency(report, "model"), "ms"),
        one("Tokens per context", "on average", lambda day: day.counts.share("tokens"), "count"),
        plot("Model tokens", _tokens(report), "count", "bar"),
        plot("Failed, by stage", failed, "count", "bar"),
    ]


def table(plots: Sequence[Plot]) -> tuple[list[str], list[list[str]]]:
    """Return a table for reading: a row for each day, newest first, and a column for each series of each plot."""
    header = ["Day", *(_column(plot, each) for plot in plots for each in plot.series)]
    count = len(plots[0].days) if plots else 0
    columns = [(each, plot.unit) for plot in plots for each in plot.series]
    rows = []
    for at in reversed(range(count)):
        values = (say(each.values[at], unit) for each, unit in columns)
        rows.append([f"{plots[0].days[at]:%m-%d}", *values])
    return header, rows


def sheet(
    report: Report, advice: Sequence[Recommendation]
) -> tuple[list[str], list[list[str | Value]]]:
    """Return the same for a spreadsheet: in numbers, oldest first."""
    drawn = [*(each.plot for each in trends(report, advice)), *plots(report)]
    columns = [(each, _column(plot, each), plot.unit) for plot in drawn for each in plot.series]
    header = ["day", *(f"{name} ({unit})" for _, name, unit in columns)]
    rows: list[list[str | Value]] = []
    for at, day in enumerate(report.daily):
        rows.append([day.day.isoformat(), *(_rounded(each.values[at]) for each, *_ in columns)])
    return header, rows


def _column(plot: Plot, series: Series) -> str:
    return plot.title if len(plot.series) == 1 else f"{plot.title}: {series.name}"


def _rounded(value: Value) -> Value:
    return None if value is None else round(value, 4)


def _of(report: Report, name: str, value: _DailyValue, colour: str = "accent") -> Series:
    return Series(name, [value(day) for day in report.daily], colour)


def _latency(report: Report, what: str) -> list[Series]:
    median = _of(report, "median", attrgetter(f"{what}.p50"), "chunk")
    return [median, _of(report, "95th percentile", attrgetter(f"{what}.p95"), "told")]


def _tokens(report: Report) -> list[Series]:
    def of(day: ReportDay, talk: bool) -> int:
        return sum(each.tokens for each in day.spent if (each.task == CHAT) is talk)

    making = _of(report, "making memories", lambda day: of(day, False), "meta")
    return [making, _of(report, "talk", lambda day: of(day, True), "chunk")]


_DAILY: Mapping[str, _DailyValue] = {
    rules.THIN: lambda day: day.counts.share("thin"),
    rules.FALLBACK: lambda day: day.counts.share("fallback"),
    rules.SUMMARIES: lambda day: day.counts.share("summaries_only"),
    rules.TRUNCATED: lambda day: day.counts.share("truncated"),
    rules.NEEDED: lambda day: share(day.missed, day.counts.queries),
    rules.LATENCY: lambda day: None if day.whole.p95 is None else day.whole.p95 / 1000,
    rules.COST: lambda day: memory_share(day.spent),
}


def _days(report: Report) -> list[date]:
    return [day.day for day in report.daily]


def _trend(report: Report, advice: Recommendation) -> Trend:
    unit = "count" if advice.unit == "per week" else advice.unit
    if advice.metric == rules.FORGOT:
        series = _feedback(report)
    else:
        series = _of(report, "share", _DAILY[advice.metric])
    states = {True: ("passed", "bad"), False: ("ok", "good"), None: ("too little to go by", "")}
    state, kind = states[advice.passed]
    title = advice.metric[0].upper() + advice.metric[1:]
    plot = Plot(title, _days(report), [series], unit, "line", advice.threshold)
    return Trend(advice, plot, state, kind)


def _feedback(report: Report) -> Series:
    """Sum the week that ends with each day, because the threshold is per week."""
    told = [day.feedback for day in report.daily]
    weeks = [sum(told[max(0, at - _WEEK + 1) : at + 1]) for at in range(len(told))]
    return Series("in the week up to then", weeks)
