"""Getting memory out: context, search, sources."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from erstwhile.cli import output
from erstwhile.cli.options import Database, Json, Space, with_memory
from erstwhile.search.model import Source

if TYPE_CHECKING:
    from rich.tree import Tree


Since = Annotated[str | None, typer.Option(help="Not before this day, such as 2026-03-01, or time.")]
Until = Annotated[str | None, typer.Option(help="Up to the end of this day, or before this time.")]
Writer = Annotated[
    str | None, typer.Option(help="Only memories with this writer's words: a model, a person, extractive.")
]


def context(
    channel: Annotated[str, typer.Argument(help="The conversation.")],
    query: Annotated[str, typer.Argument(help="What is being asked.")] = "",
    person: Annotated[str | None, typer.Option(help="Who asks.")] = None,
    budget: Annotated[int | None, typer.Option(help="Tokens at most.")] = None,
    recipe: Annotated[str | None, typer.Option(help="dual, brief, recall, person, community or full.")] = None,
    scope: Annotated[
        str | None, typer.Option(help="channel, or person: also what was said in the person's others.")
    ] = None,
    database: Database = None,
    space: Space = None,
    json: Json = False,
) -> None:
    """Show what a model would be handed for a question, with sources."""
    made = with_memory(
        lambda memory: memory.channel(channel).context(query, person=person, budget=budget, recipe=recipe, scope=scope),
        database,
        space,
    )
    if json:
        parts = [{"name": part.name, "tokens": part.tokens} for part in made.parts]
        shown = {"text": made.text, "tokens": made.tokens, "parts": parts, "sources": made.sources}
        output.print_json({**shown, "request": made.request})
        return
    typer.echo(made.text)
    parts_line = ", ".join(f"{part.name} {part.tokens}" for part in made.parts) or "nothing is remembered here yet"
    output.note(f"\n{made.tokens} tokens ({parts_line}), {len(made.sources)} sources")
    if made.request:
        output.note(f"How it came to be: erstwhile why {made.request}")


def search(
    query: Annotated[str, typer.Argument(help="What to look for.")],
    channel: Annotated[str | None, typer.Option(help="Only in this conversation.")] = None,
    person: Annotated[str | None, typer.Option(help="Only what this person said.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=1000, help="Hits at most.")] = 10,
    kinds: Annotated[str | None, typer.Option(help="Only these, for example message,fact.")] = None,
    since: Since = None,
    until: Until = None,
    writer: Writer = None,
    database: Database = None,
    space: Space = None,
    json: Json = False,
) -> None:
    """Search messages, summaries and facts."""
    narrowed: dict[str, Any] = {"channel": channel, "person": person, "kinds": _several(kinds)}
    narrowed |= {"since": since, "until": until, "writer": writer}
    hits = with_memory(lambda memory: memory.search(query, limit=limit, **narrowed), database, space)
    if json:
        output.print_json(hits)
    elif not hits:
        output.note("Nothing found.")
    else:
        rows = [(f"{hit.score:.1f}", hit.kind, f"{hit.at:%Y-%m-%d}", hit.channel, hit.text, hit.id) for hit in hits]
        output.table(("score", "kind", "date", "channel", "text", "id"), rows)


def browse(
    words: Annotated[str, typer.Argument(help="Words that it holds; without any, everything.")] = "",
    channel: Annotated[str | None, typer.Option(help="Only in this conversation.")] = None,
    person: Annotated[str | None, typer.Option(help="Only of this person.")] = None,
    kinds: Annotated[str | None, typer.Option(help="Only these, for example message,fact.")] = None,
    since: Since = None,
    until: Until = None,
    writer: Writer = None,
    offset: Annotated[int, typer.Option(min=0, help="Pass over as many of the first.")] = 0,
    limit: Annotated[int, typer.Option(min=1, max=1000, help="As many on the page.")] = 20,
    database: Database = None,
    space: Space = None,
    json: Json = False,
) -> None:
    """Look through everything that holds some words, page by page, with how much there is of what."""
    narrowed: dict[str, Any] = {"channel": channel, "person": person, "kinds": _several(kinds)}
    narrowed |= {"since": since, "until": until, "writer": writer}
    found = with_memory(
        lambda memory: memory.memories.browse(words, offset=offset, limit=limit, **narrowed), database, space
    )
    if json:
        output.print_json(found)
        return
    if found.hits:
        rows = [(hit.kind, f"{hit.at:%Y-%m-%d}", hit.channel, hit.text, hit.id) for hit in found.hits]
        output.table(("kind", "date", "channel", "text", "id"), rows)
    last = offset + len(found.hits)
    output.note(f"{offset + 1} to {last} of {found.total}" if found.hits else f"Nothing here, of {found.total}.")
    for name in ("kinds", "channels", "people", "writers", "months"):
        counted = [f"{found.names.get(each.value, each.value)} {each.count}" for each in getattr(found, name)[:8]]
        output.note(f"{name}: {', '.join(counted)}")


def _several(kinds: str | None) -> list[str] | None:
    return None if kinds is None else [kind.strip() for kind in kinds.split(",")]


def sources(
    id: Annotated[str, typer.Argument(help="Any memory's id.")],
    database: Database = None,
    space: Space = None,
    json: Json = False,
) -> None:
    """Show where a memory comes from, down to its messages."""
    found = with_memory(lambda memory: memory.memories.sources(id), database, space)
    if json:
        output.print_json(found)
    else:
        output.console().print(_tree(found))


def _tree(source: Source, into: Tree | None = None) -> Tree:
    from rich.text import Text
    from rich.tree import Tree

    who = f"{source.speaker}: " if source.speaker else ""
    written = f" · written by {source.writer}" if source.writer else ""
    place = f"{source.channel} #{source.seq}" if source.seq is not None else source.channel
    label = Text.assemble(
        (f"{source.kind} {source.id}", "bold"), f" {source.at:%Y-%m-%d %H:%M} {place}{written}\n", who, source.text
    )
    node = into.add(label) if into is not None else Tree(label)
    for each in source.sources:
        _tree(each, node)
    if source.expired:
        node.add(Text(f"{source.expired} of its messages have expired", "dim"))
    return node
