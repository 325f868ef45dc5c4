"""Memories: list, show, change, make again and review them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from erstwhile.base import ids
from erstwhile.cli import facts, output
from erstwhile.cli.everyday import InChannel, Kinds, Since, Until, Writer, split_kinds
from erstwhile.cli.options import By, Database, Id, Json, Space, editor, find_id, group, read_memory, with_memory
from erstwhile.index.flags import REASONS
from erstwhile.layers.regenerate import WHAT

if TYPE_CHECKING:
    from rich.tree import Tree

    from erstwhile.api.memory import Memory
    from erstwhile.layers.backfill import Backfilled
    from erstwhile.memories.history import Version
    from erstwhile.search.model import Hit, Source

T = TypeVar("T")

memories = group()
Person = Annotated[str | None, typer.Option(help="Only about this person.")]


def _of_one(
    id: str, work: Callable[[Memory, str], Awaitable[T]], database: str | None, space: str | None
) -> tuple[str, T]:
    """Do something to the memory that the id, or its first characters, names."""

    async def run(memory: Memory) -> tuple[str, T]:
        whole = await find_id(memory, id)
        return whole, await work(memory, whole)

    return read_memory(run, database, space)


@memories.command("list")
def list_memories(
    channel: InChannel = None,
    person: Person = None,
    kinds: Kinds = None,
    limit: Annotated[int, typer.Option(min=1, max=1000, help="At most this many.")] = 50,
    cursor: Annotated[str | None, typer.Option(help="Continue here, as printed with the page before.")] = None,
    database: Database = None,
    space: Space = None,
    json: Json = False,
) -> None:
    """List memories, newest first, of every kind but messages unless --kinds says otherwise."""
    narrowed: dict[str, Any] = {"channel": channel, "person": person, "kinds": split_kinds(kinds)}
    found = read_memory(
        lambda memory: memory.memories.list(cursor=cursor, limit=limit, **narrowed), database, space, channel
    )
    if found.next is not None:
        output.note(f"There are more: --cursor {found.next}")
    if json:
        output.print_json(found)
    elif not found:
        output.note("No memories.")
    else:
        _print_hits(found)


@memories.command("browse")
def browse(
    words: Annotated[str, typer.Argument(help="Words that it holds; without any, everything.")] = "",
    channel: InChannel = None,
    person: Person = None,
    kinds: Kinds = None,
    since: Since = None,
    until: Until = None,
    writer: Writer = None,
    offset: Annotated[int, typer.Option(min=0, help="How many of the first to skip.")] = 0,
    limit: Annotated[int, typer.Option(min=1, max=1000, help="At most this many.")] = 20,
    database: Database = None,
    space: Space = None,
    json: Json = False,
) -> None:
    """List everything that holds the words, messages too, and count it by kind, channel, person, writer and month."""
    narrowed: dict[str, Any] = {"channel": channel, "person": person, "kinds": split_kinds(kinds)}
    narrowed |= {"since": since, "until": until, "writer": writer}
    found = read_memory(
        lambda memory: memory.memories.browse(words, offset=offset, limit=limit, **narrowed), database, space, channel
    )
    if json:
        output.print_json(found)
        return
    if found.hits:
        _print_hits(found.hits)
    last = offset + len(found.hits)
    output.note(f"{offset + 1} to {last} of {found.total}" if found.hits else f"Nothing here, of {found.total}.")
    for name in ("kinds", "channels", "people", "writers", "months"):
        counted = [f"{found.names.get(each.value, each.value)} {each.count}" for each in getattr(found, name)[:8]]
        output.note(f"{name}: {', '.join(counted)}")


def _print_hits(hits: list[Hit]) -> None:
    rows = [
        (ids.abbreviated(hit.id), hit.kind, f"{hit.at:%Y-%m-%d}", hit.channel, output.cut(hit.text, 300))
        for hit in hits
    ]
    output.table(("id", "kind", "date", "channel", "text"), rows)


@memories.command("show")
def show(id: Id, database: Database = None, space: Space = None, json: Json = False) -> None:
    """Show one memory or message, with its direct sources."""
    _, found = _of_one(id, lambda memory, whole: memory.memories.get(whole), database, space)
    output.print_json(found) if json else output.console().print(_tree(found, whole=True))


@memories.command("sources")
def sources(id: Id, database: Database = None, space: Space = None, json: Json = False) -> None:
    """Show where a memory comes from, down to its messages."""
    _, found = _of_one(id, lambda memory, whole: memory.memories.sources(whole), database, space)
    output.print_json(found) if json else output.console().print(_tree(found))


def _tree(source: Source, into: Tree | None = None, *, whole: bool = False) -> Tree:
    from rich.text import Text
    from rich.tree import Tree

    who = f"{source.speaker}: " if source.speaker else ""
    written = f" · written by {source.writer}" if source.writer else ""
    place = f"{source.channel} #{source.seq}" if source.seq is not None else source.channel
    label = Text.assemble(
        (f"{source.kind} {source.id if whole else ids.abbreviated(source.id)}", "bold"),
        f" {source.at:%Y-%m-%d %H:%M} {place}{written}\n",
        who,
        source.text,
    )
    node = into.add(label) if into is not None else Tree(label)
    for each in source.sources:
        _tree(each, node)
    if source.expired:
        node.add(Text(f"{source.expired} of its messages have expired", "dim"))
    return node


@memories.command("history")
def history(id: Id, database: Database = None, space: Space = None, json: Json = False) -> None:
    """List the versions of a memory, with who wrote each and when; also of a deleted one."""
    _, found = _of_one(id, lambda memory, whole: memory.memories.history(whole), database, space)
    if json:
        output.print_json(found)
    else:
        rows = [(each.version, each.action, each.by, f"{each.at:%Y-%m-%d %H:%M}", each.text) for each in found]
        output.table(("version", "action", "by", "at (UTC)", "text"), rows)


@memories.command("edit")
def edit(
    id: Id,
    text: Annotated[str, typer.Argument(help="The new text.")],
    by: By = None,
    database: Database = None,
    space: Space = None,
    json: Json = False,
) -> None:
    """Edit a memory. The new text stays until someone changes it."""
    _print_version(
        _of_one(id, lambda memory, whole: memory.memories.edit(whole, text, by=editor(by)), database, space), json
    )


@memories.command("delete")
def delete(id: Id, by: By = None, database: Database = None, space: Space = None, json: Json = False) -> None:
    """Delete a memory. It does not come back by itself; `restore` undoes it."""
    _print_version(
        _of_one(id, lambda memory, whole: memory.memories.delete(whole, by=editor(by)), database, space), json
    )


@memories.command("restore")
def restore(id: Id, by: By = None, database: Database = None, space: Space = None, json: Json = False) -> None:
    """Restore a deleted memory as it was."""
    _print_version(
        _of_one(id, lambda memory, whole: memory.memories.restore(whole, by=editor(by)), database, space), json
    )


def _print_version(changed: tuple[str, Version], json: bool) -> None:
    id, version = changed
    if json:
        output.print_json(version)
    else:
        output.note(f"{id} {version.action} by {version.by}: version {version.version}.")


@memories.command("flagged")
def flagged(
    reason: Annotated[str | None, typer.Option(help=f"Only these: {', '.join(REASONS)}.")] = None,
    reviewed: Annotated[bool, typer.Option("--reviewed", help="Those that someone has reviewed.")] = False,
    limit: Annotated[int, typer.Option(min=1, max=500, help="At most this many.")] = 50,
    database: Database = None,
    space: Space = None,
    json: Json = False,
) -> None:
    """List flagged memories: instructions, claims of authority, secrets, contradictions."""
    found = read_memory(
        lambda memory: memory.memories.flagged(reason=reason, reviewed=reviewed, limit=limit), database, space
    )
    if json:
        output.print_json(found)
    elif not found:
        output.note("Nothing is flagged.")
    else:
        rows = [
            (ids.abbreviated(each.id), f"{each.at:%Y-%m-%d}", ", ".join(each.reasons), each.person or "", each.text)
            for each in found
        ]
        output.table(("id", "date", "reasons", "person", "memory"), rows)


@memories.command("review")
def review(
    id: Id,
    again: Annotated[bool, typer.Option("--again", help="Mark it as not reviewed.")] = False,
    by: By = None,
    database: Database = None,
    space: Space = None,
    json: Json = False,
) -> None:
    """Review a flagged memory and keep it as it is."""
    decision = "reopen" if again else "keep"
    whole, count = _of_one(
        id, lambda memory, whole: memory.memories.review(whole, by=editor(by), decision=decision), database, space
    )
    if json:
        output.print_json({"reviewed": count})
    else:
        output.note(f"{whole} is listed again." if again else f"{whole} is kept as it is.")


@memories.command("regenerate")
def regenerate(
    channel: Annotated[str, typer.Argument(help="The channel.")],
    first: Annotated[int, typer.Argument(help="The first message of the range.")],
    last: Annotated[int, typer.Argument(help="Its last message.")],
    what: Annotated[str, typer.Option(help=", ".join(WHAT) + ".")] = "chunk",
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Also what people edited or deleted.")] = False,
    database: Database = None,
    space: Space = None,
    json: Json = False,
) -> None:
    """Make the memories of one range of messages again, now."""
    made = read_memory(
        lambda memory: memory.memories.regenerate(memory.channel(channel), first, last, what, overwrite=overwrite),
        database,
        space,
        channel,
    )
    if json:
        output.print_json(made)
    else:
        kept = f", {len(made.kept)} kept as people wrote them (--overwrite replaces them)" if made.kept else ""
        output.note(f"{first}–{last} of {channel}: {len(made.replaced)} made again{kept}.")


@memories.command("realign")
def realign(
    channel: Annotated[str, typer.Argument(help="The channel.")],
    database: Database = None,
    space: Space = None,
    json: Json = False,
) -> None:
    """Make stale meta summaries again from the summaries below them."""
    count = read_memory(lambda memory: memory.memories.realign(memory.channel(channel)), database, space, channel)
    if json:
        output.print_json({"realigned": count})
    else:
        output.note(f"{count} made again.")


@memories.command("backfill")
def backfill(database: Database = None, space: Space = None, json: Json = False) -> None:
    """Extract facts from chunks that have none yet. Safe to interrupt: it resumes."""

    async def work(memory: Memory) -> Backfilled:
        with output.progress() as progress:
            bar = progress.add_task("Extracting facts", total=None)
            return await memory.memories.backfill(
                progress=lambda done, total: progress.update(bar, completed=done, total=total)
            )

    done = with_memory(work, database, space)
    if json:
        output.print_json(done)
        return
    output.note(f"{done.processed} processed, {done.created} created, {done.skipped} skipped, {done.errors} errors.")
    if done.errors:
        output.note("`erstwhile jobs list` shows the reasons; `erstwhile doctor` says what to do.")


memories.command("facts")(facts.list_facts)
memories.command("add")(facts.add_fact)
memories.command("structured")(facts.list_structured)
memories.command("changes")(facts.list_changes)
