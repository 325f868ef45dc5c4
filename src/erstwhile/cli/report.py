"""The report: how well the memory works."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from erstwhile.cli import output
from erstwhile.cli.options import Days, reads
from erstwhile.requests.figures import Figure, hit_rates, latencies, shares, shown, sparkline

if TYPE_CHECKING:
    from rich.console import Console

    from erstwhile.api.memory import Memory
    from erstwhile.requests.model import Recommendation, Report

_BAR = 30
_LISTED = 30  # requests on the page


@reads
async def report(
    memory: Memory,
    days: Days = 7,
    html: Annotated[Path | None, typer.Option(help="Write one page with plots here instead.")] = None,
) -> output.Result:
    """Show how well the memory works: what was found, what was left out, how long it took, what it cost."""
    asked = await memory.requests.list(limit=_LISTED) if html is not None else []
    made, advice = await memory.requests.report(days=days), await memory.requests.recommendations(days=days)
    if html is None:
        return made, lambda: _print(output.console(), made, advice)
    from erstwhile.requests.page import page

    try:
        html.write_text(page(made, advice, asked), encoding="utf-8")
    except OSError as error:
        raise typer.BadParameter(f"can't write {html}: {error.strerror}", param_hint="--html") from None
    output.note(f"Written to {html}. Open it in a browser; it needs nothing else.")
    return made, lambda: None


def _print(console: Console, made: Report, advice: Sequence[Recommendation]) -> None:
    from rich.text import Text

    counted = ", ".join(f"{count} {op}" for op, count in made.by_op.items() if count)
    console.print(
        Text(f"{made.space}: {made.since:%Y-%m-%d} to {made.until:%Y-%m-%d}, {made.days} days (UTC)", style="bold")
    )
    console.print(f"{made.requests} requests" + (f": {counted}" if counted else ""))
    if not made.requests:
        return
    per_day = [float(day.counts.requests) for day in made.daily]
    console.print(f"by day  {sparkline(per_day)}  at most {max(per_day):.0f}\n")
    _figures(console, "share of requests", shares(made, advice))
    _bars(console, made)
    _figures(console, "time", [each for each in latencies(made) if each.value is not None])
    _tokens(console, made)
    if made.structured is not None:
        console.print(f"summaries whose structure holds something: {shown(made.structured, 'share')}")
    console.print(f"requests where something was missed: {made.complaints}")
    passed = [each.metric for each in advice if each.passed]
    if passed:
        console.print(
            Text(f"Past its threshold: {', '.join(passed)}. See: erstwhile requests recommendations", style="yellow")
        )


def _figures(console: Console, title: str, figures: Sequence[Figure]) -> None:
    from rich.table import Table
    from rich.text import Text

    if not figures:
        return
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in (title, "value", "threshold", "by day"):
        table.add_column(name, justify="right" if name in ("value", "threshold") else "left")
    for each in figures:
        value = Text(shown(each.value, each.unit), style="yellow" if each.passed else "")
        limit = shown(each.threshold, each.unit) if each.threshold is not None else ""
        top = 1.0 if each.unit == "share" else None
        table.add_row(Text(each.name), value, limit, sparkline(each.daily, top))
    console.print(table)
    console.print()


def _bars(console: Console, made: Report) -> None:
    from rich.text import Text

    console.print(Text("found something by", style="bold"))
    for name, rate in hit_rates(made):
        bar = "█" * round((rate or 0) * _BAR)
        console.print(Text.assemble(f"{name:<17}", (f"{bar:<{_BAR}}", "cyan"), f" {shown(rate, 'share')}"))
    console.print()


def _tokens(console: Console, made: Report) -> None:
    from rich.text import Text

    if made.tokens_per_request is not None:
        console.print(f"context: {made.tokens_per_request:,.0f} tokens on average")
    if not made.spent:
        return
    console.print(Text("model tokens", style="bold"))
    most = max(each.tokens for each in made.spent) or 1
    for each in made.spent:
        bar = "█" * round(each.tokens / most * _BAR)
        console.print(
            Text.assemble(
                f"{each.task:<11}",
                (f"{bar:<{_BAR}}", "cyan"),
                f" {each.tokens:,} in {each.calls} calls, {each.cached_tokens:,} cached · {each.model}",
            )
        )
    console.print(f"of these, making memories took {shown(made.memory_share, 'share')}\n")
