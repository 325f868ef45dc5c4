"""Plots of what happened day by day. Colours are the page's own (CSS variables), so light and dark need no redrawing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from nicegui import html, ui

from erstwhile.requests.figures import shown

Shape = Literal["line", "bar"]
Value = float | None

_STEPS = (1, 2, 2.5, 5, 10)
# From which largest value on: what values are divided by, and what stands behind them.
_UNITS: dict[str, tuple[tuple[float, float, str], ...]] = {
    "share": ((0, 0.01, "%"),),
    "ms": ((1000, 1000, " s"), (0, 1, " ms")),
    "seconds": ((1, 1, " s"), (0, 0.001, " ms")),
    "count": ((10_000_000, 1_000_000, " M"), (10_000, 1000, " k"), (0, 1, "")),
}


@dataclass(frozen=True, slots=True)
class Series:
    """A value a day; None is a day with nothing to measure. `colour` is one of dashboard.css, without its dashes."""

    name: str
    values: Sequence[Value]
    colour: str = "accent"


@dataclass(frozen=True, slots=True)
class Plot:
    """`days` are written below the plot. `unit`: share, ms, seconds or count. `threshold` is drawn as a line of its own."""

    title: str
    days: Sequence[str]
    series: Sequence[Series]
    unit: str = "count"
    shape: Shape = "line"
    threshold: float | None = None
    stacked: bool = False

    @property
    def gist(self) -> str:
        """For whoever does not see it."""
        told = [f"{each.name} {_range(each, self.unit, whole=self.shape == 'bar')}" for each in self.series]
        limit = "" if self.threshold is None else f"; the threshold is {said(self.threshold, self.unit)}"
        period = f"{self.days[0]} to {self.days[-1]}" if self.days else "no days"
        return f"{self.title}, by day, {period}: {'; '.join(told)}{limit}."


def draw(plot: Plot, *, height: Literal["small", "large"] = "small") -> ui.echart:
    """As high from the beginning as it will be."""
    made = ui.echart(options(plot), renderer="svg").classes("chart").classes(height)
    made.props["role"] = "img"
    made.props["aria-label"] = plot.gist
    return made


def legend(plot: Plot) -> None:
    """One line names itself; several are told apart here."""
    if len(plot.series) == 1:
        return
    with html.div().classes("row legend"):
        for each in plot.series:
            colour = f"key-{each.colour}"
            with html.span().classes("row"):
                html.span().classes("key").classes(colour).props("aria-hidden=true")
                html.span(each.name)


def redraw(chart: ui.echart, plot: Plot) -> None:
    """The same plot with other values, in place."""
    chart.options.clear()
    chart.options.update(options(plot))
    chart.props["aria-label"] = plot.gist
    chart.update()


def options(plot: Plot) -> dict[str, Any]:
    top = _top(plot)
    divisor, suffix = _scale(top, plot.unit)
    ceiling, step = _nice(top / divisor, whole=plot.unit == "count" and divisor == 1)
    lines = "<br>".join(
        f'<span class="key key-{each.colour}"></span>{{a{at}}}: {{c{at}}}{suffix}'
        for at, each in enumerate(plot.series)
    )
    return {
        "animation": False,
        "textStyle": {"fontFamily": "inherit", "color": "var(--soft)"},
        "grid": {"left": 48, "right": 14, "top": 12, "bottom": 24},
        "tooltip": {
            "trigger": "axis",
            "confine": True,
            "formatter": "{b0}<br>" + lines,
            "backgroundColor": "var(--raised)",
            "borderColor": "var(--strong-line)",
            "textStyle": {"color": "var(--ink)", "fontSize": 12},
            "axisPointer": {"type": "line", "lineStyle": {"color": "var(--faint)"}},
        },
        "xAxis": {
            "type": "category",
            "data": list(plot.days),
            "boundaryGap": True,
            "axisTick": {"show": False},
            "axisLine": {"lineStyle": {"color": "var(--strong-line)"}},
            "axisLabel": {"color": "var(--faint)", "hideOverlap": True, "fontSize": 11},
        },
        "yAxis": {
            "type": "value",
            "min": 0,
            "max": ceiling,
            "interval": step,
            "splitLine": {"lineStyle": {"color": "var(--line)"}},
            "axisLabel": {"color": "var(--faint)", "fontSize": 11, "formatter": f"{{value}}{suffix}"},
        },
        "series": [_series(each, plot, divisor, first=at == 0) for at, each in enumerate(plot.series)],
    }


def said(value: Value, unit: str) -> str:
    """A value in words, as under the plots."""
    if unit == "count":
        return "–" if value is None else f"{value:,.0f}"
    return shown(value, unit)


def _series(series: Series, plot: Plot, divisor: float, *, first: bool) -> dict[str, Any]:
    colour, digits = f"var(--{series.colour})", 1 if divisor in (0.01, 1) else 2
    drawn: dict[str, Any] = {
        "type": plot.shape,
        "name": series.name,
        "data": [None if value is None else round(value / divisor, digits) for value in series.values],
        "itemStyle": {"color": colour},
        "emphasis": {"disabled": True},
    }
    if plot.shape == "line":
        drawn |= {
            "lineStyle": {"color": colour, "width": 2},
            "symbol": "circle",
            "symbolSize": 5,
            "connectNulls": False,
        }
    else:
        drawn |= {"barMaxWidth": 24, "barCategoryGap": "25%"}
    if plot.stacked:
        drawn["stack"] = "all"
    if first and plot.threshold is not None:
        drawn["markLine"] = _limit(plot.threshold, divisor)
    return drawn


def _limit(threshold: float, divisor: float) -> dict[str, Any]:
    return {
        "silent": True,
        "symbol": "none",
        "animation": False,
        "lineStyle": {"color": "var(--bad)", "type": "dashed", "width": 1.5},
        "label": {"show": False},
        "data": [{"yAxis": round(threshold / divisor, 3)}],
    }


def _top(plot: Plot) -> float:
    if plot.stacked:
        highest = max((sum(each.values[day] or 0 for each in plot.series) for day in range(len(plot.days))), default=0)
    else:
        highest = max((value for each in plot.series for value in each.values if value is not None), default=0)
    top = max(highest, (plot.threshold or 0) * 1.2)
    return min(top, 1.0) if plot.unit == "share" else top


def _scale(top: float, unit: str) -> tuple[float, str]:
    known = _UNITS.get(unit, _UNITS["count"])
    return next((divisor, suffix) for least, divisor, suffix in known if top >= least)


def _nice(top: float, *, whole: bool) -> tuple[float, float]:
    """The end of the axis and the step to it: two to four even steps to a round number that is not below `top`."""
    if top <= 0:
        return 1, 1
    size = 1.0
    while size > top:
        size /= 10
    while size * 10 <= top:
        size *= 10
    for step in (part * size / 10 for part in (*_STEPS, *(10 * part for part in _STEPS))):
        count = -(-round(top / step, 9) // 1)
        if count <= 4 and (not whole or step >= 1):
            return round(step * max(count, 1), 9), round(step, 9)
    return top, top


def _range(series: Series, unit: str, *, whole: bool) -> str:
    values = [value for value in series.values if value is not None]
    if not values:
        return "nothing measured"
    if whole:
        return f"{said(sum(values), unit)} in all, at most {said(max(values), unit)} on a day"
    low, high = said(min(values), unit), said(max(values), unit)
    return low if low == high else f"from {low} to {high}"
