"""It forgot: looking into what was asked and what became of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from erstwhile.api.memory import Memory
from erstwhile.base.clock import moment
from erstwhile.base.errors import NotFound
from erstwhile.cli import output
from erstwhile.cli.options import Database, Json, Space, with_memory
from erstwhile.requests.figures import duration
from erstwhile.requests.model import Explanation, Request, Seen

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

_STYLES = {"kept": "green", "shown already": "green", "gone": "dim"}
_BAR = 40
_HITS = {
    "summaries": "{} summaries",
    "words": "{} by words",
    "trigram": "{} by similar spelling",
    "meaning": "{} by meaning",
    "recent": "{} recent messages",
}


def why(
    request: Annotated[str | None, typer.Argument(help="A request's id: req_….")] = None,
    last: Annotated[bool, typer.Option("--last", help="The last request.")] = False,
    list_them: Annotated[bool, typer.Option("--list", help="List the last requests instead.")] = False,
    forgot: Annotated[
        str | None, typer.Option(help="Mark the request as one where something was forgotten, with a note.")
    ] = None,
    channel: Annotated[str | None, typer.Option(help="With --last and --list: only of this conversation.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=1000, help="Requests, or candidates, at most.")] = 20,
    database: Database = None,
    space: Space = None,
    json: Json = False,
) -> None:
    """Show how a request's answer came to be: every candidate, its score, and why it was kept or not."""
    if (request is not None) + last + list_them != 1:
        raise typer.BadParameter("name one request, or use --last or --list")
    if list_them and forgot is not None:
        raise typer.BadParameter("--forgot needs a request, or --last")

    async def listed(memory: Memory) -> list[Request]:
        return await memory.requests.list(channel=channel, limit=limit)

    async def told(memory: Memory) -> Explanation:
        id = request or (await _last(memory, channel)).id
        if forgot is not None:
            await memory.requests.feedback(id, forgot)
        return await memory.requests.explain(id)

    if list_them:
        requests = with_memory(listed, database, space)
        output.print_json(requests) if json else _print_list(requests)
        return
    found = with_memory(told, database, space)
    if json:
        output.print_json(found)
    else:
        _print(output.console(), found, limit)


async def _last(memory: Memory, channel: str | None) -> Request:
    found = await memory.requests.list(channel=channel, limit=1)
    if not found:
        raise NotFound("Nothing is on record here yet. Ask something first: `erstwhile context CHANNEL QUESTION`.")
    return found[0]


def _print_list(requests: Sequence[Request]) -> None:
    if not requests:
        output.note("Nothing is on record here yet.")
        return
    from rich.text import Text

    table = _table(("request", "at (UTC)", "op", "channel", "found by", "items", "question"), right=("items",))
    for each in requests:
        found = each.path if each.error_stage is None else f"failed: {each.error_stage}"
        question = Text(_short(each.query, 200))
        if each.complaint is not None:
            question = Text.assemble(("forgot ", "yellow"), question)
        cells = (each.id, f"{each.at:%Y-%m-%d %H:%M}", each.op, each.channel or "", found, str(each.items))
        table.add_row(*map(Text, cells), _one_line(question))
    output.console().print(table)


def _table(columns: Sequence[str], right: Sequence[str]) -> Table:
    """All but the last column keep their width; the last takes what is left."""
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in columns[:-1]:
        table.add_column(name, no_wrap=True, justify="right" if name in right else "left")
    table.add_column(columns[-1])
    return table


def _one_line(text: Text) -> Text:
    text.no_wrap, text.overflow = True, "ellipsis"
    return text


def _print(console: Console, why: Explanation, limit: int) -> None:
    from rich.text import Text

    request = why.request
    whose = [request.channel, request.person and f"asked by {request.person}", "a trial" if request.trial else ""]
    place = " · ".join(filter(None, [request.op, *whose]))
    console.print(Text(f"{request.id}  {request.at:%Y-%m-%d %H:%M:%S} UTC  {place}", style="bold"))
    if request.query:
        console.print(Text(f"“{_short(request.query, 400)}”"))
    for line in _lines(request):
        console.print(Text(line))
    if request.complaint is not None:
        console.print(Text(f"Marked as forgotten: {request.complaint}", style="yellow"))
    console.print()
    _print_candidates(console, why.seen, limit)
    _print_parts(console, request)


def _lines(request: Request) -> list[str]:
    hits = ", ".join(_HITS[path].format(count) for path, count in request.hits.items() if count)
    if not request.searched:
        looked = "Nothing was searched: there was no question, or the recipe has no search."
    else:
        where = f"scope {request.scope}" + (f", widened ({request.widened})" if request.widened else "")
        looked = f"Found by {request.path}{' (a fallback)' if request.fallback else ''}: {hits or 'no hits'}; {where}"
        looked += f"; time understood: “{request.when}”" if request.when else ""
    took = f"{request.items} items" + (f", {request.tokens} of {request.budget} tokens" if request.budget else "")
    took += ", the budget dropped some of what was found" if request.truncated else ""
    times = f"retrieval {duration(request.retrieval_ms)}"
    if request.model_ms is not None:
        used = f"{request.input_tokens} tokens in ({request.cached_tokens} cached), {request.output_tokens} out"
        times += f", {request.model} {duration(request.model_ms)}, {used}"
    failed = [f"Failed at: {request.error_stage}"] if request.error_stage else []
    return [looked, f"{took}; {times}", *failed]


def _print_candidates(console: Console, seen: Sequence[Seen], limit: int) -> None:
    from rich.text import Text

    if not seen:
        console.print(Text("There were no candidates.", style="dim"))
        return
    table = _table(("", "fate", "kind", "where", "score", "text, and what the score is made of"), right=("", "score"))
    for each in seen[:limit]:
        table.add_row(*_row(each))
    console.print(table)
    if len(seen) > limit:
        console.print(Text(f"… and {len(seen) - limit} more: --limit {len(seen)} shows them", style="dim"))


def _row(seen: Seen) -> list[Text]:
    from rich.text import Text

    each = seen.candidate
    place = f"{each.channel or ''}{f' #{each.seq}' if each.seq is not None else ''} {moment(each.at):%Y-%m-%d}".strip()
    made_of = " + ".join(f"{name} {value:.2f}" for name, value in each.parts.items() if value)
    text = (_short(seen.text, 300), "") if seen.text is not None else ("gone since", "italic")
    fate = Text(each.fate, style=_STYLES.get(each.fate, "yellow"))
    told = _one_line(Text.assemble(text, (f"\n{made_of}" if made_of else "", "dim")))
    return [Text(str(seen.rank)), fate, Text(each.kind), Text(place), Text(f"{each.score:.2f}"), told]


def _print_parts(console: Console, request: Request) -> None:
    """A bar for each part of the context, by its tokens; the budget is the whole width."""
    from rich.text import Text

    if not request.parts or not request.budget:
        return
    console.print(Text(f"\nThe context: {request.tokens} of {request.budget} tokens", style="bold"))
    for name, tokens in request.parts.items():
        bar = "█" * max(1, round(tokens / request.budget * _BAR))
        console.print(Text.assemble(f"{name:<9}", (f"{bar:<{_BAR}}", "cyan"), f" {tokens}"))


def _short(text: str, length: int) -> str:
    line = " ".join(text.split())
    return line if len(line) <= length else line[: length - 1] + "…"
