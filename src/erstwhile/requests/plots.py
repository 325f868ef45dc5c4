"""Plots of daily values as a few SVG shapes, drawn in plain Python.

The report page writes the shapes as text, the dashboard makes an element of each. Colours are CSS
variables of the page, so light and dark need no redrawing. Pointing at a day shows its values.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from html import escape
from itertools import groupby
from typing import Literal

from erstwhile.base.records import dataclass
from erstwhile.requests.figures import shown

Value = float | None

_LEFT, _RIGHT, _TOP, _BOTTOM = 42, 8, 12, 22
_SIZES = {False: (320, 150), True: (440, 180)}  # by whether a plot is large
_STEPS = (1, 2, 2.5, 5, 10)
_DOTS = 31  # days up to which each value gets a dot
_YEARLESS = 300  # days from the first to the last that are told without a year
_STRIPS = 92  # strips with a tooltip; in longer periods a strip covers several days
# From which largest value on: what values are divided by, and the suffix of the result.
_UNITS: dict[str, tuple[tuple[float, float, str], ...]] = {
    "share": ((0, 0.01, "%"),),
    "ms": ((1000, 1000, " s"), (0, 1, " ms")),
    "seconds": ((1, 1, " s"), (0, 0.001, " ms")),
    "count": ((10_000_000, 1_000_000, " M"), (10_000, 1000, " k"), (0, 1, "")),
}


@dataclass(frozen=True, slots=True)
class Series:
    """One value per day; None where there was nothing to measure. `colour` names a CSS variable."""

    name: str
    values: Sequence[Value]
    colour: str = "accent"


@dataclass(frozen=True, slots=True)
class Plot:
    """`unit` is share, ms, seconds or count. Bars of several series are stacked."""

    title: str
    days: Sequence[date]
    series: Sequence[Series]
    unit: str = "count"
    shape: Literal["line", "bar"] = "line"
    threshold: float | None = None
    step: int = 1  # days per value
    dated: bool = False  # days are told by their year, too

    @property
    def gist(self) -> str:
        """Describe the plot for screen readers."""
        ranges = [f"{each.name} {self._range(each)}" for each in self.series]
        limit = period = ""
        if self.threshold is not None:
            limit = f"; the threshold is {say(self.threshold, self.unit)}"
        form, period = "%Y-%m-%d" if self.long else "%m-%d", "no days"
        if self.days:
            period = f"{self.days[0].strftime(form)} to {self.days[-1].strftime(form)}"
        steps = "by day" if self.step == 1 else f"every {self.step} days"
        return f"{self.title}, {steps}, {period}: {'; '.join(ranges)}{limit}."

    @property
    def long(self) -> bool:
        """Whether days have to be told by their year."""
        return self.dated or (bool(self.days) and (self.days[-1] - self.days[0]).days > _YEARLESS)

    @property
    def measured(self) -> bool:
        return any(value for each in self.series for value in each.values)

    def _range(self, series: Series) -> str:
        values = [value for value in series.values if value is not None]
        if not values:
            return "nothing measured"
        low, high = say(min(values), self.unit), say(max(values), self.unit)
        if self.shape == "bar":
            return f"{say(sum(values), self.unit)} in all, at most {high} on a day"
        return low if low == high else f"from {low} to {high}"


@dataclass(frozen=True, slots=True)
class Axis:
    """The vertical axis: from 0 to `ceiling` in two to four even steps, in units of `divisor`."""

    ceiling: float
    step: float
    divisor: float
    suffix: str

    @property
    def ticks(self) -> list[float]:
        return [round(self.step * n, 9) for n in range(round(self.ceiling / self.step) + 1)]

    def label(self, tick: float) -> str:
        return f"{tick:,g}{self.suffix}"


@dataclass(frozen=True, slots=True)
class Stroke:
    """`kind` is base, grid, bars, line, dots or limit; `path` is SVG path data."""

    kind: str
    path: str
    colour: str
    width: float


@dataclass(frozen=True, slots=True)
class Label:
    text: str
    x: float
    y: float
    anchor: str  # start, middle or end


@dataclass(frozen=True, slots=True)
class Strip:
    """The area of a day or a few, with the text of its tooltip."""

    x: float
    width: float
    text: str


def say(value: Value, unit: str) -> str:
    """Return a value in words."""
    if unit == "count":
        return "–" if value is None else f"{value:,.0f}"
    return shown(value, unit)


def axis(plot: Plot) -> Axis:
    """Choose an axis that ends at a round number and holds every value and the threshold."""
    top = max(_highest(plot), (plot.threshold or 0) * 1.2)
    top = min(top, 1.0) if plot.unit == "share" else top
    divisor, suffix = next((by, suffix) for least, by, suffix in _UNITS[plot.unit] if top >= least)
    return Axis(*_round(top / divisor, whole=plot.unit == "count"), divisor, suffix)


def _highest(plot: Plot) -> float:
    if plot.shape == "bar":
        days = range(len(plot.days))
        return max((sum(each.values[day] or 0 for each in plot.series) for day in days), default=0)
    return max((v for each in plot.series for v in each.values if v is not None), default=0)


def _round(top: float, *, whole: bool) -> tuple[float, float]:
    """Return the end of an axis, not below `top`, and the step to it."""
    if top <= 0:
        return 1, 1
    size = 1.0
    while size > top:
        size /= 10
    while size * 10 <= top:
        size *= 10
    for step in (part * size / 10 for part in (*_STEPS, *(10 * part for part in _STEPS))):
        count = -(-round(top / step, 9) // 1)
        if count <= 4 and (not whole or round(step, 9) % 1 == 0):
            return round(step * max(count, 1), 9), round(step, 9)
    return top, top


class Drawing:
    """A plot as strokes, labels and strips in a box of `width` by `height`."""

    def __init__(self, plot: Plot, *, large: bool = False) -> None:
        self._plot, self._axis = plot, axis(plot)
        self.width, self.height = _SIZES[large]
        self._count = max(1, len(plot.days))
        self._step = (self.width - _LEFT - _RIGHT) / self._count  # the width of a day
        self.top, self.depth = _TOP, self.height - _TOP - _BOTTOM

    @property
    def strokes(self) -> Iterator[Stroke]:
        across = f"H{self.width - _RIGHT}"
        ticks = [f"M{_LEFT},{self._y(tick):.1f}{across}" for tick in self._axis.ticks]
        yield Stroke("base", ticks[0], "strong-line", 1)
        yield Stroke("grid", "".join(ticks[1:]), "line", 1)
        yield from self._bars() if self._plot.shape == "bar" else self._lines()
        if self._plot.threshold is not None:
            y = self._y(self._plot.threshold / self._axis.divisor)
            yield Stroke("limit", f"M{_LEFT},{y:.1f}{across}", "bad", 1.5)

    @property
    def labels(self) -> Iterator[Label]:
        for tick in self._axis.ticks:
            yield Label(self._axis.label(tick), _LEFT - 6, self._y(tick) + 4, "end")
        days, last = self._plot.days, len(self._plot.days) - 1
        for day in sorted({0, last // 2, last}) if last >= 4 else range(last + 1):
            text = f"{days[day].day} {days[day]:{'%b %Y' if self._plot.long else '%b'}}"
            x, anchor = self._x(day), "middle"
            if last and day in (0, last):
                x, anchor = (_LEFT, "start") if day == 0 else (self.width - _RIGHT, "end")
            yield Label(text, x, self.height - 5, anchor)

    @property
    def strips(self) -> Iterator[Strip]:
        days = len(self._plot.days)
        size = -(-days // _STRIPS) or 1
        for first in range(0, days, size):
            covered = range(first, min(first + size, days))
            text = "\n".join(map(self._told, covered))
            yield Strip(_LEFT + first * self._step, len(covered) * self._step, text)

    def _told(self, day: int) -> str:
        plot = self._plot
        said = ((each.name, say(each.values[day], plot.unit)) for each in plot.series)
        values = ", ".join(f"{name} {value}" for name, value in said)
        last = f" to {plot.days[day] + timedelta(days=plot.step - 1)}" if plot.step > 1 else ""
        return f"{plot.days[day]}{last}: {values}"

    def _bars(self) -> Iterator[Stroke]:
        below = [0.0] * len(self._plot.days)
        width = max(1.0, min(24.0, self._step * 0.75))
        for each in self._plot.series:
            path = ""
            for day, value in enumerate(each.values):
                if value:
                    value /= self._axis.divisor
                    foot, top = self._y(below[day]), self._y(below[day] + value)
                    path += f"M{self._x(day):.1f},{foot:.1f}V{top:.1f}"
                    below[day] += value
            if path:
                yield Stroke("bars", path, each.colour, round(width, 1))

    def _lines(self) -> Iterator[Stroke]:
        """Draw lines. A day without a value is a gap, not a zero; a day between two gaps is a dot."""
        for each in self._plot.series:
            points: list[tuple[float, float] | None] = []
            for day, value in enumerate(each.values):
                y = None if value is None else self._y(value / self._axis.divisor)
                points.append(None if y is None else (self._x(day), y))
            runs = [list(run) for there, run in groupby(points, bool) if there]
            joined = ["L".join(f"{x:.1f},{y:.1f}" for x, y in run) for run in runs]  # type: ignore[misc]
            dotted = [run for run in runs if self._count <= _DOTS or len(run) == 1]
            dots = [f"M{x:.1f},{y:.1f}h0" for run in dotted for x, y in run]  # type: ignore[misc]
            if joined:
                yield Stroke("line", "M" + "M".join(joined), each.colour, 2)
            if dots:
                yield Stroke("dots", "".join(dots), each.colour, 5)

    def _x(self, day: int) -> float:
        return _LEFT + (day + 0.5) * self._step

    def _y(self, value: float) -> float:
        return _TOP + self.depth * (1 - min(value / self._axis.ceiling, 1.0))


def svg(plot: Plot) -> str:
    """Return the plot as markup, every text in it escaped."""
    drawing = Drawing(plot)
    paths = "".join(
        f'<path class="{each.kind}" d="{each.path}" stroke="var(--{each.colour})" stroke-width="{each.width}"/>'
        for each in drawing.strokes
    )
    labels = "".join(
        f'<text x="{each.x:.1f}" y="{each.y:.1f}" text-anchor="{each.anchor}">{escape(each.text)}</text>'
        for each in drawing.labels
    )
    strips = "".join(
        f'<rect class="strip" x="{each.x:.1f}" y="{drawing.top}" width="{each.width:.1f}" '
        f'height="{drawing.depth}"><title>{escape(each.text)}</title></rect>'
        for each in drawing.strips
    )
    head = f'class="chart" viewBox="0 0 {drawing.width} {drawing.height}" role="img"'
    return f'<svg {head} aria-label="{escape(plot.gist)}">{paths}{labels}{strips}</svg>'
