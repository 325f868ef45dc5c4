"""Requests: how a question was answered, and what was missed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from erstwhile.base import ids
from erstwhile.base.clock import moment
from erstwhile.base.errors import NotFound
from erstwhile.base.page import DEFAULT
from erstwhile.base.system import open_private
from erstwhile.cli import output
from erstwhile.cli.options import Cursor, Days, Limit, Memory, find_id, group, reads
from erstwhile.cli.output import Result, TableRows
from erstwhile.requests.figures import (
    Figure,
    duration,
    hit_rates,
    latencies,
    shares,
    shown,
    sparkline,
)
from erstwhile.search.trace import RELEVANCE

if TYPE_CHECKING:
    from rich.console import Console

    from erstwhile.requests.model import (
        ExplainedCandidate,
        Explanation,
        Recommendation,
        Report,
        Request,
    )


_HITS = {
    "summaries": "{} in summaries",
    "words": "{} by words",
    "trigram": "{} by similar spelling",
    "meaning": "{} by meaning",
    "recent": "{} recent",
}


_RECENT = 100  # requests among which the last is looked for that was no trial of the dashboard

requests = group()
Named = Annotated[
    str, typer.Argument(metavar="REQUEST", help="A request's id, its first characters, or `last`.")
]
Channel = Annotated[str | None, "Only of this channel."]


@requests.command("list", reads=True)
async def list_requests(
    memory: Memory, channel: Channel = None, limit: Limit = DEFAULT, cursor: Cursor = None
) -> Result:
    """List the last requests, newest first."""
    found = await memory.requests.list(channel=channel, limit=limit, cursor=cursor)
    columns = "id, at (UTC), op, channel, found by, items, question"
    return found, TableRows(columns, map(_listed, found), "No request is recorded yet.")


def _listed(request: Request) -> tuple[object, ...]:
    return (
        ids.abbreviated(request.id),
        f"{request.at:%m-%d %H:%M}",
        request.op,
        request.title or request.channel or "",
        request.path if request.error_stage is None else f"failed: {request.error_stage}",
        request.items,
        ("missed: " if request.feedback is not None else "") + output.cut(request.query, 100),
    )


@requests.command("explain", reads=True)
async def explain(
    memory: Memory,
    request: Named,
    channel: Channel = None,
    limit: Annotated[int, typer.Option(min=1, max=1000, help="Candidates at most.")] = 20,
) -> Result:
    """Explain how a request was answered: every candidate, its score and its fate."""
    found = await memory.requests.explain(await _find(memory, request, channel))
    return found, lambda: _print(output.console(), found, limit)


@requests.command("feedback", reads=True)
async def feedback(
    memory: Memory,
    request: Named,
    note: Annotated[str, typer.Argument(help="What was missed.")] = "",
    channel: Channel = None,
) -> Result:
    """Mark a request as one where something was missed. A second time changes the note."""
    id = await _find(memory, request, channel)
    await memory.requests.feedback(id, note)
    return (await memory.requests.explain(id)).request, f"Feedback on {id} is stored."


@requests.command("recommendations", reads=True)
async def recommendations(memory: Memory, days: Days = 7) -> Result:
    """List the figures that have a threshold, and what to turn on when they pass it."""
    found = await memory.requests.recommendations(days=days)
    return found, lambda: _print_recommendations(found)


def _print_recommendations(found: Sequence[Recommendation]) -> None:
    for each in found:
        sign = "·" if each.passed is None else "✗" if each.passed else "✓"
        value, threshold = shown(each.value, each.unit), shown(each.threshold, each.unit)
        typer.echo(f"{sign} {each.metric}: {value} (threshold {threshold})")
        if each.passed:
            typer.echo(f"  {each.meaning}\n  → {each.action}")
    for action in sorted({each.action for each in found if each.passed is None}):
        output.note(action)


async def _find(memory: Memory, given: str, channel: str | None) -> str:
    if given != "last":
        return await find_id(memory, given) if given.startswith("req_") else given
    found = await memory.requests.list(channel=channel, limit=_RECENT)
    if not found:
        advice = "Ask something first: `erstwhile context CHANNEL QUESTION`."
        raise NotFound(f"No request is recorded yet. {advice}")
    return next((each.id for each in found if not each.trial), found[0].id)


def _print(console: Console, why: Explanation, limit: int) -> None:
    from rich.text import Text

    request = why.request
    whose = request.title or request.channel, request.person and f"asked by {request.person}"
    trial = "a trial" if request.trial else ""
    place = " · ".join(filter(None, [request.op, *whose, trial]))
    console.print(Text(f"{request.id}  {request.at:%Y-%m-%d %H:%M:%S} UTC  {place}", style="bold"))
    if request.query:
        console.print(Text(f"“{output.cut(request.query, 400)}”"))
    for line in _lines(request):
        console.print(Text(line))
    if request.feedback is not None:
        console.print(Text(f"Something was missed: {request.feedback}", style="yellow"))
    console.print()
    _print_candidates(console, why.seen, limit)
    _print_parts(console, request)


def _lines(request: Request) -> list[str]:
    hits = ", ".join(_HITS[path].format(count) for path, count in request.hits.items() if count)
    if not request.searched:
        looked = "Nothing was searched: there was no question, or the recipe has no search."
    else:
        where = f"scope {request.scope}"
        where += f", widened ({request.widened})" if request.widened else ""
        looked = f"Found by {request.path}{' (a fallback)' if request.fallback else ''}: {hits or 'no hits'}; {where}"
        questions = " ".join(f"“{each}”" for each in request.sub_questions)
        looked += f"; split into {questions}" if questions else ""
        looked += f"; time understood: “{request.when}”" if request.when else ""
    took = output.counted(request.items, "item") + (
        f", {request.tokens} of {request.budget} tokens" if request.budget else ""
    )
    took += ", the budget left out some of what was found" if request.truncated else ""
    times = f"retrieval {duration(request.retrieval_ms)}"
    if request.model_ms is not None:
        used = f"{request.input_tokens} tokens in ({request.cached_tokens} cached), {request.output_tokens} out"
        times += f", {request.model} {duration(request.model_ms)}, {used}"
    failed = [f"Failed at: {request.error_stage}"] if request.error_stage else []
    return [looked, f"{took}; {times}", *failed]


def _print_candidates(console: Console, seen: Sequence[ExplainedCandidate], limit: int) -> None:
    from rich.text import Text

    if not seen:
        console.print(Text("There were no candidates.", style="dim"))
        return
    columns = ("", "fate", "kind", "trust", "where", "score", "text, and what the score is made of")
    output.table(columns, [_row(each) for each in seen[:limit]])
    if len(seen) > limit:
        more = f"… and {len(seen) - limit} more: --limit {len(seen)} shows them"
        console.print(Text(more, style="dim"))


def _row(seen: ExplainedCandidate) -> tuple[object, ...]:
    each = seen.candidate
    place = f"{each.channel or ''}{f' #{each.seq}' if each.seq is not None else ''} {moment(each.at):%Y-%m-%d}".strip()
    made_of = " + ".join(
        f"{name} {value:.2f}" for name, value in each.parts.items() if value and name != RELEVANCE
    )
    made_of += f"; relevance {each.parts[RELEVANCE]:.3f}" if RELEVANCE in each.parts else ""
    made_of += f"; hop “{each.hop}”" if each.hop else ""
    text = output.cut(seen.text, 150) if seen.text is not None else "(gone since)"
    told = f"{text}\n{made_of}" if made_of else text
    return seen.rank, each.fate, each.kind, seen.trust, place, f"{each.score:.2f}", told


def _print_parts(console: Console, request: Request) -> None:
    """Print a bar for each part of the context, by its tokens; the budget is the whole width."""
    from rich.text import Text

    if not request.parts or not request.budget:
        return
    console.print(Text(f"\nThe context: {request.tokens} of {request.budget} tokens", style="bold"))
    for name, tokens in request.parts.items():
        _bar(console, f"{name:<9}", tokens / request.budget, f" {tokens}", width=40, least=1)


_LISTED = 30  # requests on the page


@reads
async def report(
    memory: Memory,
    days: Days = 7,
    html: Annotated[Path | None, "Write one page with plots here instead."] = None,
) -> Result:
    """Show how well the memory works: what was found, how fast, and at what cost."""
    asked = await memory.requests.list(limit=_LISTED) if html is not None else []
    made = await memory.requests.report(days=days)
    advice = await memory.requests.recommendations(days=days)
    if html is None:
        return made, lambda: _print_report(output.console(), made, advice)
    from erstwhile.requests.page import page

    try:
        with open_private(html, "w", encoding="utf-8") as file:
            file.write(page(made, advice, asked))
    except OSError as error:
        why = f"can't write {html}: {error.strerror}"
        raise typer.BadParameter(why, param_hint="--html") from None
    output.note(f"Written to {html}. Open it in a browser; it needs nothing else.")
    return made, lambda: None


def _print_report(console: Console, made: Report, advice: Sequence[Recommendation]) -> None:
    from rich.text import Text

    counted = ", ".join(f"{count} {op}" for op, count in made.by_op.items() if count)
    period = f"{made.since:%Y-%m-%d} to {made.until:%Y-%m-%d}, {made.days} days (UTC)"
    console.print(Text(f"{made.space}: {period}", style="bold"))
    console.print(output.counted(made.requests, "request") + (f": {counted}" if counted else ""))
    if not made.requests:
        return
    per_day = [float(day.counts.requests) for day in made.daily]
    console.print(f"by day  {sparkline(per_day)}  at most {max(per_day):.0f}\n")
    _figures(console, "share of requests", shares(made, advice))
    console.print(Text("found something by", style="bold"))
    for name, rate in hit_rates(made):
        _bar(console, f"{name:<17}", rate or 0, f" {shown(rate, 'share')}")
    console.print()
    _figures(console, "time", [each for each in latencies(made) if each.value is not None])
    _tokens(console, made)
    if (rate := made.structure_rate) is not None:
        console.print(f"summaries whose structure holds something: {shown(rate, 'share')}")
    console.print(f"requests where something was missed: {made.feedback}")
    passed = ", ".join(each.metric for each in advice if each.passed)
    if passed:
        more = "See: erstwhile requests recommendations"
        console.print(Text(f"Past its threshold: {passed}. {more}", style="yellow"))


def _bar(
    console: Console, name: str, share: float, after: str, width: int = 30, least: int = 0
) -> None:
    """Print a bar of `share` of the width."""
    from rich.text import Text

    bar = "█" * max(least, round(share * width))
    console.print(Text.assemble(name, (f"{bar:<{width}}", "cyan"), after))


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


def _tokens(console: Console, made: Report) -> None:
    from rich.text import Text

    if made.tokens_per_request is not None:
        console.print(f"context: {made.tokens_per_request:,.0f} tokens on average")
    if not made.spent:
        return
    console.print(Text("model tokens", style="bold"))
    most = max(each.tokens for each in made.spent) or 1
    for each in made.spent:
        failed = f", {each.failed:,} failed" if each.failed else ""
        told = f" {each.tokens:,} in {each.calls} calls{failed}, {each.cached_tokens:,} cached · {each.model}"
        if each.unborne:
            told += f", {each.unborne:,} memories left out: no message bears them out"
        _bar(console, f"{each.task:<11}", each.tokens / most, told)
    console.print(f"of these, making memories took {shown(made.memory_share, 'share')}\n")
