"""Model cost by task and model: tokens, cached tokens and list price."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from decimal import Decimal
from functools import partial

from nicegui import html, ui
from nicegui.element import Element

from erstwhile.dashboard import parts
from erstwhile.dashboard.panel import Panel
from erstwhile.dashboard.parts import tag
from erstwhile.requests.model import Report, TokenUsage
from erstwhile.requests.plots import Drawing, Plot


def draw_chart(plot: Plot, *, large: bool = False) -> Element:
    made = tag("svg", "chart", role="img")
    redraw_chart(made, plot, large=large)
    return made


def redraw_chart(chart: Element, plot: Plot, *, large: bool = False) -> None:
    """Show other values in place."""
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
    """Name the series, where there are several."""
    if len(plot.series) > 1:
        with html.div().classes("row legend"):
            for each in plot.series:
                with html.span().classes("row"):
                    key = tag("span", "key", aria_hidden="true")
                    key.style["background"] = f"var(--{each.colour})"
                    html.span(each.name)


_HEADER = ("Task", "Model", "Calls", "Tokens in", "Cached", "Tokens out", "List price")


def shown(
    days: int, get: Callable[[], Awaitable[Report]], *, hidden: bool = False
) -> Callable[[], Awaitable[None]]:
    """Add a card that is filled after the page is shown, because reports and prices take a moment.
    `hidden`: there is no card as long as nothing was spent.

    Returns a function that fills it again.
    """
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
    html.p(
        f"{total(found)} {period}: {tokens:,} tokens in {calls:,} calls; {share} of what went in was cached."
    )
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
        usage = Usage(
            input_tokens=each.input_tokens,
            cache_read_tokens=min(each.cached_tokens, each.input_tokens) or None,
            output_tokens=each.output_tokens,
        )
        try:
            if provider in _OWN:
                raise LookupError(each.model)
            price = calc_price(
                usage, model_ref=name, provider_id=_SAME.get(provider, provider) or None
            )
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
