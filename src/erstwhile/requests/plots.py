"""Plots as SVG, drawn in plain Python. Colours come from the page's style; a pointer on a day shows its figures."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from html import escape
from itertools import groupby

_WIDTH, _HEIGHT = 320, 150
_LEFT, _RIGHT, _TOP, _BOTTOM = 42, 8, 12, 22
_ACROSS, _DOWN = _WIDTH - _LEFT - _RIGHT, _HEIGHT - _TOP - _BOTTOM
_STEPS = (1, 2, 2.5, 5, 10)
_DOTS = 31  # days up to which each gets a dot

Say = Callable[[float], str]


@dataclass(frozen=True, slots=True)
class Series:
    """`colour` is one or two."""

    name: str
    values: Sequence[float | None]
    colour: str = "one"


@dataclass(frozen=True, slots=True)
class Axes:
    """`say` puts a value into words; `highest` is a top that makes no sense to go beyond, as 100%."""

    days: Sequence[date]
    say: Say
    threshold: float | None = None
    highest: float | None = None


def lines(series: Sequence[Series], axes: Axes, title: str) -> str:
    ticks = _ticks(_top(series, axes))
    drawn = [_ground(ticks, axes)]
    for each in series:
        points = [
            None if value is None else (_x(day, len(axes.days)), _y(value, ticks[-1]))
            for day, value in enumerate(each.values)
        ]
        for run in _runs(points):
            drawn.append(_line(run, each.colour))
            if len(axes.days) <= _DOTS or len(run) == 1:  # a day that stands alone makes no line
                drawn += [f'<circle class="dot {each.colour}" cx="{x:.1f}" cy="{y:.1f}" r="4"/>' for x, y in run]
    return _svg([*drawn, _limit(axes, ticks[-1]), *_hits(series, axes)], title)


def columns(series: Series, axes: Axes, title: str) -> str:
    """For counts: only whole numbers are marked."""
    ticks = [tick for tick in _ticks(_top([series], axes)) if tick % 1 == 0]
    width = max(1.0, min(24.0, _ACROSS / max(1, len(axes.days)) - 2))
    drawn = [_ground(ticks, axes)]
    for day, value in enumerate(series.values):
        if value:
            x, y = _x(day, len(axes.days)) - width / 2, _y(value, ticks[-1])
            drawn.append(_column(x, y, width))
    return _svg([*drawn, *_hits([series], axes)], title)


def _column(x: float, y: float, width: float) -> str:
    """Round at its end, straight where it stands."""
    foot, round_by = _TOP + _DOWN, min(4.0, width / 2, _TOP + _DOWN - y)
    return (
        f'<path class="column" d="M{x:.1f},{foot} V{y + round_by:.1f} Q{x:.1f},{y:.1f} {x + round_by:.1f},{y:.1f} '
        f'H{x + width - round_by:.1f} Q{x + width:.1f},{y:.1f} {x + width:.1f},{y + round_by:.1f} V{foot} Z"/>'
    )


def _line(run: Sequence[tuple[float, float]], colour: str) -> str:
    return f'<polyline class="line {colour}" points="{" ".join(f"{x:.1f},{y:.1f}" for x, y in run)}"/>'


def _runs(points: Sequence[tuple[float, float] | None]) -> list[list[tuple[float, float]]]:
    """A day with nothing to measure is a gap, not a zero."""
    grouped = (list(group) for there, group in groupby(points, key=lambda point: point is not None) if there)
    return [[point for point in group if point is not None] for group in grouped]


def _ground(ticks: Sequence[float], axes: Axes) -> str:
    drawn = []
    for tick in ticks:
        y = _y(tick, ticks[-1])
        drawn.append(
            f'<line class="{"grid" if tick else "base"}" x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>'
            f'<text x="{_LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{escape(axes.say(tick))}</text>'
        )
    last = len(axes.days) - 1
    marked = sorted({0, last // 2, last}) if last >= 4 else range(last + 1)
    for day in marked:
        anchor = "start" if day == 0 and last else "end" if day == last and last else "middle"
        x = _LEFT if anchor == "start" else _WIDTH - _RIGHT if anchor == "end" else _x(day, last + 1)
        drawn.append(f'<text x="{x:.1f}" y="{_HEIGHT - 5}" text-anchor="{anchor}">{_short(axes.days[day])}</text>')
    return "".join(drawn)


def _limit(axes: Axes, top: float) -> str:
    if axes.threshold is None or axes.threshold > top:
        return ""
    y = _y(axes.threshold, top)
    return f'<line class="limit" x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>'


def _hits(series: Sequence[Series], axes: Axes) -> list[str]:
    """A strip over each day, as wide as it can be, so that a pointer need not meet a dot."""
    width = _ACROSS / max(1, len(axes.days))
    drawn = []
    for day, when in enumerate(axes.days):
        values = [(each.name, each.values[day]) for each in series]
        told = ", ".join(f"{name} {axes.say(value) if value is not None else '–'}" for name, value in values)
        drawn.append(
            f'<rect class="hit" x="{_LEFT + day * width:.1f}" y="{_TOP}" width="{width:.1f}" height="{_DOWN}">'
            f"<title>{when:%Y-%m-%d}: {escape(told)}</title></rect>"
        )
    return drawn


def _svg(drawn: Sequence[str], title: str) -> str:
    return f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="{escape(title)}">{"".join(drawn)}</svg>'


def _x(day: int, days: int) -> float:
    return _LEFT + (day + 0.5) * _ACROSS / max(1, days)


def _y(value: float, top: float) -> float:
    return _TOP + _DOWN * (1 - min(value, top) / top)


def _top(series: Sequence[Series], axes: Axes) -> float:
    values = [value for each in series for value in each.values if value is not None]
    top = max([*values, (axes.threshold or 0) * 1.15, 0.0])
    return min(top, axes.highest) if axes.highest is not None else top


def _ticks(top: float) -> list[float]:
    """From 0 over two to four even steps to a round number that is not below `top`."""
    if top <= 0:
        return [0.0, 1.0]
    size = 10.0 ** (len(f"{top:.0f}") - 1) if top >= 1 else 10.0 ** -next(n for n in range(1, 12) if top * 10**n >= 1)
    for step in (part * size / 10 for part in (*_STEPS, *(10 * part for part in _STEPS))):
        count = -(-round(top / step, 9) // 1)
        if count <= 4:
            return [round(step * number, 9) for number in range(int(count) + 1)]
    return [0.0, top]


def _short(day: date) -> str:
    return f"{day.day} {day:%b}"
