"""Model cost by task and model: tokens, cached tokens and list price."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from decimal import Decimal

from nicegui import html, ui
from nicegui.element import Element

from erstwhile.dashboard import parts
from erstwhile.dashboard.figures import prices
from erstwhile.dashboard.panel import Panel
from erstwhile.requests.model import Report, Spent

_HEADER = ("Task", "Model", "Calls", "Tokens in", "Cached", "Tokens out", "List price")


def shown(days: int, get: Callable[[], Awaitable[Report]]) -> Callable[[], Awaitable[None]]:
    """A card that is filled after the page is shown, because reports and prices take a moment.

    Returns a function that fills it again.
    """
    with parts.card("Model cost", "costs") as card:
        inside: Element = html.div().classes("stack")
        with inside:
            parts.quiet("Adding up …")
    panel = Panel[tuple[Sequence[Spent], Sequence[Decimal | None]]](lambda found: _filled(days, *found), box=inside)

    async def fill() -> None:
        spent = (await get()).spent
        panel.show((spent, await asyncio.to_thread(prices.dollars, spent) if spent else []))

    with card:
        ui.timer(0.05, fill, once=True)
    return fill


def _filled(days: int, spent: Sequence[Spent], found: Sequence[Decimal | None]) -> None:
    if not spent:
        parts.quiet(f"No model was called in the last {days} days." if days > 1 else "No model was called today.")
        return
    taken, cached = sum(each.input_tokens for each in spent), sum(each.cached_tokens for each in spent)
    share = f"{cached / taken:.0%}" if taken else "none"
    calls, tokens = sum(each.calls for each in spent), sum(each.tokens for each in spent)
    period = f"in the last {days} days" if days > 1 else "today"
    html.p(f"{prices.total(found)} {period}: {tokens:,} tokens in {calls:,} calls; {share} of what went in was cached.")
    _table(spent, found)


def _table(spent: Sequence[Spent], found: Sequence[Decimal | None]) -> None:
    scroll: Element = html.div().classes("scroll").props('tabindex=0 role=region aria-label="Model cost"')
    with scroll, parts.table(*_HEADER, numbers=_HEADER[2:]):
        for each, price in zip(spent, found, strict=True):
            share = f"{each.cached_tokens / each.input_tokens:.0%}" if each.input_tokens else "–"
            numbers = (
                f"{each.calls:,}",
                f"{each.input_tokens:,}",
                share,
                f"{each.output_tokens:,}",
                prices.shown(price),
            )
            with html.tr():
                html.td(each.task)
                html.td(each.model).props("dir=auto")
                for words in numbers:
                    html.td(words).classes("number")
