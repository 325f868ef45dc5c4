"""Memories: list, show, change, make again and review them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated

import typer

from erstwhile.base import ids
from erstwhile.base.page import DEFAULT
from erstwhile.cli import output
from erstwhile.cli.everyday import InChannel, Kinds, Since, Trust, Until, Writer, split_kinds
from erstwhile.cli.options import By, Channel, Cursor, Id, Limit, Memory, editor, find_id, group
from erstwhile.cli.output import Result, TableRows
from erstwhile.index.flags import REASONS
from erstwhile.layers.notes.model import KINDS, TOPIC, Note
from erstwhile.layers.regenerate import WHAT
from erstwhile.layers.structured.model import TYPES
from erstwhile.memories.classify import CATEGORIES

if TYPE_CHECKING:
    from rich.tree import Tree

    from erstwhile.layers.structured.model import StructuredMemory
    from erstwhile.memories.history import Version
    from erstwhile.search.model import BrowsePage, Hit, Source


memories = group()
About = Annotated[str | None, "Only about this person."]


@memories.command("list", reads=True)
async def list_memories(
    memory: Memory,
    channel: InChannel = None,
    person: About = None,
    kinds: Kinds = None,
    limit: Limit = DEFAULT,
    cursor: Cursor = None,
) -> Result:
    """List memories, newest first. Messages are listed only if --kinds names them."""
    found = await memory.memories.list(
        channel=channel, person=person, kinds=split_kinds(kinds), cursor=cursor, limit=limit
    )
    return found, _hits(found, "No memories.")


@memories.command("browse", reads=True)
async def browse(
    memory: Memory,
    words: Annotated[
        str, typer.Argument(help="Words that it holds; without any, everything.")
    ] = "",
    channel: InChannel = None,
    person: About = None,
    kinds: Kinds = None,
    since: Since = None,
    until: Until = None,
    writer: Writer = None,
    trust: Trust = None,
    limit: Limit = DEFAULT,
    cursor: Cursor = None,
) -> Result:
    """List everything that holds the words, messages too, with counts by kind and more."""
    found = await memory.memories.browse(
        words,
        cursor=cursor,
        limit=limit,
        channel=channel,
        person=person,
        kinds=split_kinds(kinds),
        since=since,
        until=until,
        writer=writer,
        trust=trust,
    )
    data = {"hits": found, **vars(found)}
    return data, lambda: _print_browsed(found)


def _print_browsed(found: BrowsePage) -> None:
    output.print_result(found, _hits(found), json=False)
    output.note(f"{len(found)} of {found.total}")
    for name in ("kinds", "channels", "people", "writers", "months"):
        first = getattr(found.counts, name)[:8]
        counted = [
            f"{found.counts.names.get(each.value, each.value)} {each.count}" for each in first
        ]
        output.note(f"{name}: {', '.join(counted)}")


def _hits(hits: Iterable[Hit], empty: str = "") -> TableRows:
    cells = {
        "channel": lambda hit: hit.title or hit.channel,
        "text": lambda hit: output.cut(hit.text, 300),
    }
    return TableRows.of(hits, "id, kind, date=at, channel, text", empty, **cells)


@memories.command("show", reads=True)
async def show(memory: Memory, id: Id) -> Result:
    """Show one memory or message, with its direct sources."""
    found = await memory.memories.get(await find_id(memory, id))
    return found, lambda: output.console().print(_tree(found, whole=True))


@memories.command("sources", reads=True)
async def sources(memory: Memory, id: Id) -> Result:
    """Show where a memory comes from, down to its messages. An arrow marks the message it leans
    on."""
    whole = await find_id(memory, id)
    found = await memory.memories.sources(whole)
    hit = await memory.memories.get(whole)
    return found, lambda: output.console().print(_tree(found, leans_on=(hit.channel, hit.seq)))


def _tree(
    source: Source,
    into: Tree | None = None,
    *,
    whole: bool = False,
    leans_on: tuple[str, int | None] = ("", None),
) -> Tree:
    from rich.text import Text
    from rich.tree import Tree

    who = f"{source.speaker}: " if source.speaker else ""
    written = f" · {source.trust}" + (f" · written by {source.writer}" if source.writer else "")
    channel = source.title or source.channel
    place = f"{channel} #{source.seq}" if source.seq is not None else channel
    leans = source.kind == "message" and (source.channel, source.seq) == leans_on
    label = Text.assemble(
        ("→ " if leans else "", "bold green"),
        (f"{source.kind} {source.id if whole else ids.abbreviated(source.id)}", "bold"),
        f" {source.at:%Y-%m-%d %H:%M} {place}{written}\n",
        who,
        source.text,
    )
    node = into.add(label) if into is not None else Tree(label)
    for each in source.sources:
        _tree(each, node, leans_on=leans_on)
    if source.expired:
        node.add(Text(f"{source.expired} of its messages have expired", "dim"))
    return node


@memories.command("history", reads=True)
async def history(memory: Memory, id: Id) -> Result:
    """List the versions of a memory, with who wrote each and when; also of a deleted one."""
    found = await memory.memories.history(await find_id(memory, id))
    return found, TableRows.of(found, "version, action, by, at (UTC)=at, text")


@memories.command("edit", reads=True)
async def edit(
    memory: Memory, id: Id, text: Annotated[str, "The new text."], by: By = None
) -> Result:
    """Edit a memory. The new text stays until someone changes it."""
    whole = await find_id(memory, id)
    return _changed(whole, await memory.memories.edit(whole, text, by=editor(by)))


@memories.command("delete", reads=True)
async def delete(memory: Memory, id: Id, by: By = None) -> Result:
    """Delete a memory. It does not come back by itself; `restore` undoes it."""
    whole = await find_id(memory, id)
    return _changed(whole, await memory.memories.delete(whole, by=editor(by)))


@memories.command("restore", reads=True)
async def restore(memory: Memory, id: Id, by: By = None) -> Result:
    """Restore a deleted memory as it was."""
    whole = await find_id(memory, id)
    return _changed(whole, await memory.memories.restore(whole, by=editor(by)))


def _changed(id: str, version: Version) -> Result:
    return version, f"{id} {version.action} by {version.by}: version {version.version}."


@memories.command("flagged", reads=True)
async def flagged(
    memory: Memory,
    reason: Annotated[str | None, f"Only these: {', '.join(REASONS)}."] = None,
    reviewed: Annotated[bool, "Those that someone has reviewed."] = False,
    limit: Limit = DEFAULT,
    cursor: Cursor = None,
) -> Result:
    """List flagged memories: instructions, claims of authority, secrets, what could not be
    verified, contradictions."""
    found = await memory.memories.flagged(
        reason=reason, reviewed=reviewed, limit=limit, cursor=cursor
    )
    columns = "id, date=at, reasons, person, memory=text"
    return found, TableRows.of(found, columns, "Nothing is flagged.")


@memories.command("review", reads=True)
async def review(
    memory: Memory,
    id: Id,
    again: Annotated[bool, "Mark it as not reviewed."] = False,
    by: By = None,
) -> Result:
    """Review a flagged memory and keep it as it is."""
    whole, decision = await find_id(memory, id), "reopen" if again else "keep"
    count = await memory.memories.review(whole, by=editor(by), decision=decision)
    done = "is listed again" if again else "is kept as it is"
    return {"reviewed": count}, f"{whole} {done}."


@memories.command("regenerate", reads=True)
async def regenerate(
    memory: Memory,
    channel: Channel,
    first: Annotated[int, "The first message of the range."],
    last: Annotated[int, "Its last message."],
    what: Annotated[str, ", ".join(WHAT) + "."] = "chunk",
    overwrite: Annotated[bool, "Also what people edited or deleted."] = False,
) -> Result:
    """Make the memories of one range of messages again, now."""
    chat = memory.channel(channel)
    made = await memory.memories.regenerate(chat, first, last, what, overwrite=overwrite)
    done = f"{first}–{last} of {channel}: {len(made.replaced)} made again"
    if made.kept:
        done += f", {len(made.kept)} kept as people wrote them (--overwrite replaces them)"
    return made, f"{done}."


@memories.command("realign", reads=True)
async def realign(memory: Memory, channel: Channel) -> Result:
    """Make stale meta summaries again from the summaries below them."""
    count = await memory.memories.realign(memory.channel(channel))
    return {"realigned": count}, f"{count} made again."


@memories.command("backfill")
async def backfill(memory: Memory) -> Result:
    """Extract facts from chunks that have none yet. Safe to interrupt: it resumes."""
    with output.progress() as progress:
        bar = progress.add_task("Extracting facts", total=None)
        done = await memory.memories.backfill(
            progress=lambda done, total: progress.update(bar, completed=done, total=total)
        )
    counts = f"{done.processed} processed, {done.created} created, {done.skipped} skipped, {done.errors} errors."
    hint = "\n`erstwhile jobs list` shows the reasons; `erstwhile doctor` says what to do."
    return done, counts + (hint if done.errors else "")


# Facts and structured memories


@memories.command("facts", reads=True)
async def list_facts(
    memory: Memory,
    channel: Channel,
    category: Annotated[str | None, f"Only these: {', '.join(CATEGORIES)}."] = None,
    min_importance: Annotated[
        int | None, typer.Option(min=1, max=5, help="Only facts this important.")
    ] = None,
    limit: Limit = DEFAULT,
    cursor: Cursor = None,
) -> Result:
    """List the facts of a channel, with category, importance and links."""
    chat = memory.channel(channel)
    found = await memory.facts.list(
        chat, category=category, min_importance=min_importance, limit=limit, cursor=cursor
    )
    columns = "id, date=at, category, rank=importance, links, edited=edited_by, fact=text"
    return found, TableRows.of(
        found, columns, "No facts.", links=lambda each: len(each.links) or ""
    )


@memories.command("add")
async def add_fact(
    memory: Memory,
    channel: Channel,
    text: Annotated[str, "The fact."],
    person: Annotated[str | None, "The id of the person it is about."] = None,
    by: By = None,
) -> Result:
    """Add a fact by hand."""
    fact = await memory.facts.add(memory.channel(channel), text, by=editor(by), person=person)
    return fact, f"Added as {fact.id}."


@memories.command("structured", reads=True)
async def list_structured(
    memory: Memory,
    person: About = None,
    type: Annotated[str | None, f"Only these: {', '.join(TYPES)}."] = None,
    open: Annotated[bool, "Only todos that are not done."] = False,
    all: Annotated[bool, "Also those no longer valid."] = False,
    at: Annotated[str | None, "Those valid at this time (ISO, with a zone)."] = None,
    limit: Limit = DEFAULT,
    cursor: Cursor = None,
) -> Result:
    """List structured memories: facts, preferences, decisions, todos, entities."""
    valid = "all" if all else at or "now"
    found = await memory.facts.structured(
        person=person, type=type, valid=valid, open=open, limit=limit, cursor=cursor
    )
    cells = {
        "about": lambda each: each.person or each.subject,
        "valid": _valid,
        "sure": lambda each: f"{each.confidence:.1f}",
        "source": lambda each: f"{each.channel} #{each.seq}",
    }
    columns = "id, type, about, valid, sure, source, memory=text"
    return found, TableRows.of(found, columns, "No structured memories.", **cells)


def _valid(memory: StructuredMemory) -> str:
    until = f" to {memory.valid_to:%Y-%m-%d}" if memory.valid_to else ""
    return f"{memory.valid_from:%Y-%m-%d}{until}"


@memories.command("changes", reads=True)
async def list_changes(
    memory: Memory, person: About = None, limit: Limit = DEFAULT, cursor: Cursor = None
) -> Result:
    """List facts that changed, with old and new value."""
    found = await memory.facts.changes(person=person, limit=limit, cursor=cursor)
    rows = ((f"{each.at:%Y-%m-%d}", _side(each.before), _side(each.after)) for each in found)
    return found, TableRows("since, before, after", rows, "No changes.")


def _side(memory: StructuredMemory) -> str:
    return f"{memory.text}\n{memory.channel} #{memory.seq}, {memory.at:%Y-%m-%d}"


notes = group()


@notes.command("list", reads=True)
async def list_notes(
    memory: Memory,
    channel: Annotated[str | None, "Only of this channel."] = None,
    person: Annotated[str | None, "Only with this person."] = None,
    day: Annotated[str | None, "Only of this day, such as 2026-03-02."] = None,
    kind: Annotated[str | None, f"Only these: {', '.join(KINDS)}."] = None,
    limit: Limit = DEFAULT,
    cursor: Cursor = None,
) -> Result:
    """List the notes of conversations and the topics of the days, newest first."""
    found = await memory.notes.list(
        channel=channel, person=person, day=day, kind=kind, limit=limit, cursor=cursor
    )
    return found, TableRows("id, day, title, people, source, text", map(_row, found), "No notes.")


def _row(note: Note) -> tuple[object, ...]:
    title = f"{note.title}{' (draft)' if note.draft else ''}"
    messages = f"{note.channel} #{note.first_seq}–{note.last_seq}"
    source = f"{len(note.notes)} notes" if note.kind == TOPIC else messages
    return ids.abbreviated(note.id), note.day, title, ", ".join(note.people), source, note.text


@notes.command("nightly")
async def nightly(memory: Memory) -> Result:
    """Group the notes that have no topic yet into topics, now."""
    night = await memory.notes.nightly()
    return (
        night,
        f"{night.notes} notes grouped into {night.topics} topics; {night.people} people took part.",
    )
