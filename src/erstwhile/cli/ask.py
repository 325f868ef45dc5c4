"""Getting memory out: context, search, sources."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from erstwhile.cli import output
from erstwhile.cli.options import Database, Json, Space, with_memory
from erstwhile.recall.model import Source

if TYPE_CHECKING:
    from rich.tree import Tree


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
    database: Database = None,
    space: Space = None,
    json: Json = False,
) -> None:
    """Search messages, summaries and facts."""
    wanted = [kind.strip() for kind in kinds.split(",")] if kinds is not None else None
    hits = with_memory(
        lambda memory: memory.search(query, channel=channel, person=person, limit=limit, kinds=wanted), database, space
    )
    if json:
        output.print_json(hits)
    elif not hits:
        output.note("Nothing found.")
    else:
        rows = [(f"{hit.score:.1f}", hit.kind, f"{hit.at:%Y-%m-%d}", hit.channel, hit.text, hit.id) for hit in hits]
        output.table(("score", "kind", "date", "channel", "text", "id"), rows)


def sources(
    id: Annotated[str, typer.Argument(help="Any memory's id.")],
    database: Database = None,
    space: Space = None,
    json: Json = False,
) -> None:
    """Show where a memory comes from, down to its messages."""
    found = with_memory(lambda memory: memory.sources(id), database, space)
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
