"""Report: the figures of a period against the thresholds of the recommendations, and what models cost."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import asdict
from decimal import Decimal
from functools import partial
from typing import Final

from nicegui import html, ui
from nicegui.element import Element
from starlette.requests import Request

from erstwhile.api.memory import Memory
from erstwhile.base.errors import InvalidInput
from erstwhile.dashboard import commands, parts
from erstwhile.dashboard.pages import downloads
from erstwhile.dashboard.pages.downloads import FileParts, download
from erstwhile.dashboard.panel import Panel
from erstwhile.dashboard.parts import tag
from erstwhile.dashboard.shell import page
from erstwhile.dashboard.viewer import Viewer
from erstwhile.requests import trends
from erstwhile.requests.figures import shown
from erstwhile.requests.model import Report, TokenUsage
from erstwhile.requests.plots import Drawing, Plot
from erstwhile.requests.trends import Trend


def draw_chart(plot: Plot, *, large: bool = False) -> Element:
    made = tag("svg", "chart", role="img")
    redraw_chart(made, plot, large=large)
    return made


def redraw_chart(chart: Element, plot: Plot, *, large: bool = False) -> None:
    drawing = Drawing(plot, large=large)
    chart.props["viewBox"] = f"0 0 {drawing.width} {drawing.height}"
    chart.props["aria-label"] = plot.gist
    with parts.redrawn(chart):
        for stroke in drawing.strokes:
            path = tag("path", stroke.kind, d=stroke.path, stroke=f"var(--{stroke.colour})")
            path.props["stroke-width"] = stroke.width
        for label in drawing.labels:
            x, y = round(label.x, 1), round(label.y, 1)
            tag("text", "", label.text, x=x, y=y, text_anchor=label.anchor)
        for strip in drawing.strips:
            x, width = round(strip.x, 1), round(strip.width, 1)
            with tag("rect", "strip", x=x, width=width, y=drawing.top, height=drawing.depth):
                tag("title", "", strip.text)


def legend(plot: Plot) -> None:
    if len(plot.series) > 1:
        with html.div().classes("row legend"):
            for each in plot.series:
                with html.span().classes("row"):
                    key = tag("span", "key", aria_hidden="true")
                    key.style["background"] = f"var(--{each.colour})"
                    html.span(each.name)


_HEADER = ("Task", "Model", "Calls", "Tokens in", "Cached", "Tokens out", "List price")


def cost_card(
    days: int, get: Callable[[], Awaitable[Report]], *, hidden: bool = False
) -> Callable[[], Awaitable[None]]:
    """Add a card that is filled later: prices take a moment. The result fills it again."""
    with parts.card("Model cost", "costs") as card, tag("div", "stack") as inside:
        parts.quiet("Adding up …")
    card.set_visibility(not hidden)
    panel = Panel[tuple[Sequence[TokenUsage], Sequence[Decimal | None]]](
        lambda found: _filled(days, *found), box=inside
    )

    async def fill() -> None:
        spent = (await get()).spent
        card.set_visibility(bool(spent) or not hidden)
        panel.show((spent, await asyncio.to_thread(dollars, spent) if spent else []))

    with card:
        ui.timer(0.05, fill, once=True)
    return fill


def _filled(days: int, spent: Sequence[TokenUsage], found: Sequence[Decimal | None]) -> None:
    period = f"in the last {days} days" if days > 1 else "today"
    if not spent:
        parts.quiet(f"No model was called {period}.")
        return
    taken = sum(each.input_tokens for each in spent)
    cached = sum(each.cached_tokens for each in spent)
    share = f"{cached / taken:.0%}" if taken else "none"
    calls, tokens = sum(each.calls for each in spent), sum(each.tokens for each in spent)
    used = f"{tokens:,} tokens in {calls:,} calls; {share} of what went in was cached"
    html.p(f"{total(found)} {period}: {used}.")
    rows = [
        (
            each.task,
            partial(parts.said, each.model),
            f"{each.calls:,}",
            f"{each.input_tokens:,}",
            f"{each.cached_tokens / each.input_tokens:.0%}" if each.input_tokens else "–",
            f"{each.output_tokens:,}",
            format_price(price),
        )
        for each, price in zip(spent, found, strict=True)
    ]
    with parts.scroll("Model cost"):
        parts.table(_HEADER, rows, numbers=_HEADER[2:])


_OWN = ("openai-compatible",)  # somebody's own server: what it costs is nobody's to list
_SAME = {"openai-responses": "openai", "openai-chat": "openai"}


def dollars(spent: Sequence[TokenUsage]) -> list[Decimal | None]:
    """Return the price of each; None where it is unknown. Slow at first: use a thread."""
    from genai_prices import Usage, calc_price

    found: list[Decimal | None] = []
    for each in spent:
        provider, _, name = each.model.rpartition(":")
        cached = min(each.cached_tokens, each.input_tokens) or None
        counts = {"input_tokens": each.input_tokens, "output_tokens": each.output_tokens}
        usage = Usage(cache_read_tokens=cached, **counts)
        try:
            if provider in _OWN:
                raise LookupError(each.model)
            provider = _SAME.get(provider, provider)
            price = calc_price(usage, model_ref=name, provider_id=provider or None)
            found.append(price.total_price)
        except (LookupError, ValueError):
            found.append(None)
    return found


def format_price(price: Decimal | None) -> str:
    if price is None:
        return "–"
    return "under $0.01" if 0 < price < Decimal("0.01") else f"${price:,.2f}"


def total(prices: Sequence[Decimal | None]) -> str:
    known = [each for each in prices if each is not None]
    if not known:
        return "No list price is known"
    rest = "" if len(known) == len(prices) else ", without the models that have none,"
    return f"{format_price(sum(known, Decimal(0)))} at list prices{rest}"


PERIODS: Final = (1, 7, 30, 90)
_CSV, _JSON = "/downloads/report.csv", "/downloads/report.json"


@page("/report")
async def report(viewer: Viewer) -> None:
    memory = await viewer.reading()
    days = _period(viewer.number("days", 7))
    made = await memory.requests.report(days=days)
    advice = await memory.requests.recommendations(days=days)
    about = "What was found and how, how long it took and what it cost."
    parts.title("Report", f"{about} Days are UTC; the last is today.")
    with html.div().classes("row between"):
        view = "table" if viewer.asked("view") == "table" else None
        periods(viewer, "/report", PERIODS, days, view=view)
        with html.div().classes("row"):
            other = ("Plots", None) if view else ("Table", "table")
            parts.link(other[0], viewer.url("/report", days=days, view=other[1]), "button")
            for path, label in ((_CSV, "CSV"), (_JSON, "JSON")):
                file = {"href": viewer.url(path, days=days), "download": True}
                parts.tag("a", "button", label, aria_label=f"Download as {label}", **file)
    if not made.requests and not made.spent:
        if days < PERIODS[-1]:
            period = f"in the last {days} days" if days > 1 else "today"
            with html.div().classes("empty"):
                html.p(
                    f"Nothing was asked of the memory {period}. Every search and every context is counted here."
                )
                url = viewer.url("/report", days=PERIODS[-1])
                parts.link(f"Look at {PERIODS[-1]} days", url, "button")
        else:
            parts.empty(
                "Nothing was asked of the memory yet. Every search and every context is recorded, and its figures "
                "stand here.",
                commands.example(viewer, 'search "what was decided"'),
            )
        return
    failed = sum(value or 0 for value in made.errors.values())
    tokens = made.tokens_per_request
    tiles = (
        ("Requests", f"{made.requests:,}"),
        ("Found by words", shown(made.hit_rates["words"], "share")),
        ("95% answered in", shown(made.whole.p95, "ms")),
        ("Tokens per context", "–" if tokens is None else f"{tokens:,.0f}"),
        ("Failed", shown(failed if made.requests else None, "share")),
        ("Structured summaries", shown(made.structure_rate, "share")),
    )
    with html.dl().classes("tiles"):
        for name, value in tiles:
            with html.div().classes("tile"):
                html.dt(name)
                parts.tag("dd", "figure", value, data_figure=name.lower())
    drawn = trends.trends(made, advice)
    passed = [each for each in drawn if each.advice.passed]
    drawn.sort(key=lambda each: not each.advice.passed)
    html.h2(f"Recommendations: {len(passed)} of {len(drawn)} figures passed their threshold")
    (_in_tables if viewer.asked("view") == "table" else _in_plots)(drawn, trends.plots(made))

    async def known() -> Report:
        return made

    cost_card(days, known)


def _period(days: int) -> int:
    if not 1 <= days <= PERIODS[-1] * 4:
        raise InvalidInput(f"A report covers from 1 to {PERIODS[-1] * 4} days.")
    return days


def periods(
    viewer: Viewer, path: str, choices: Sequence[int], days: int, *, view: str | None = None
) -> None:
    with html.nav().classes("row periods").props('aria-label="Period"'):
        for each in choices:
            label = {0: "All time", 1: "Today"}.get(each, f"{each} days")
            here = "true" if each == days else None
            parts.link(label, viewer.url(path, days=each, view=view), "button", here=here)


def _in_plots(drawn: Sequence[Trend], plots: Sequence[Plot]) -> None:
    with html.div().classes("plots"):
        for each in drawn:
            with parts.card("", "plot"):
                with html.div().classes("row between"):
                    html.h3(each.plot.title)
                    parts.badge(each.state, each.kind)
                with html.p().classes("row"):
                    html.strong(each.value)
                    with html.span().classes("quiet-text"):
                        html.span().classes("limit-key").props("aria-hidden=true")
                        html.span(f"threshold {each.threshold}")
                draw_chart(each.plot)
                if each.advice.passed:
                    parts.advice(f"{each.advice.meaning} {each.advice.action}", "advice")
                else:
                    quiet = each.advice.action or f"Above the line: {each.advice.meaning}"
                    parts.advice(quiet, "quiet-text advice")
    html.h2("Day by day")
    with html.div().classes("plots"):
        for plot in plots:
            with parts.card("", "plot"):
                html.h3(plot.title)
                draw_chart(plot)
                legend(plot)


def _in_tables(drawn: Sequence[Trend], plots: Sequence[Plot]) -> None:
    """Show the same as tables, in a view of its own: ninety days are many cells."""
    with parts.card():
        header = ("Figure", "Value", "Threshold", "State")
        rows = [(each.plot.title, each.value, each.threshold, each.state) for each in drawn]
        with parts.scroll("Figures and thresholds"):
            parts.table(header, rows, numbers=header[1:], heads=True)
        for each in drawn:
            if each.advice.passed:
                said = f"{each.plot.title}: {each.advice.meaning} {each.advice.action}"
                parts.advice(said, "advice")
    html.h2("Day by day")
    with parts.card(), parts.scroll("All figures by day"):
        heads, days = trends.table([*(each.plot for each in drawn), *plots])
        parts.table(heads, days, numbers=heads[1:], heads=True)


@download(_CSV)
async def as_csv(memory: Memory, request: Request) -> FileParts:
    days = _asked(request)
    made = await memory.requests.report(days=days)
    advice = await memory.requests.recommendations(days=days)
    written = downloads.csv_text(*trends.sheet(made, advice))
    return written, "text/csv; charset=utf-8", f"report-{made.until:%Y-%m-%d}.csv"


@download(_JSON)
async def as_json(memory: Memory, request: Request) -> FileParts:
    days = _asked(request)
    made = await memory.requests.report(days=days)
    advice = await memory.requests.recommendations(days=days)
    found = {"report": asdict(made), "advice": [asdict(each) for each in advice]}
    written = json.dumps(found, default=str, ensure_ascii=False, indent=1)
    return written, "application/json", f"report-{made.until:%Y-%m-%d}.json"


def _asked(request: Request) -> int:
    written = request.query_params.get("days", "7")
    if not written.isdecimal() or len(written) > 4:
        raise InvalidInput("`days` must be a number.")
    return _period(int(written))
