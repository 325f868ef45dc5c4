"""What people do to memories by hand: facts, history, regenerate, realign, backfill."""

from __future__ import annotations

import getpass
from typing import Annotated

import typer

from erstwhile.api.memory import Memory
from erstwhile.cli import output
from erstwhile.cli.options import Database, Json, Space, with_memory
from erstwhile.index.flags import REASONS
from erstwhile.layers.backfill import Backfilled
from erstwhile.layers.facts.classify import CATEGORIES
from erstwhile.layers.regenerate import WHAT
from erstwhile.memories.history import Version

facts = typer.Typer(help="See and change the facts.", no_args_is_help=True, rich_markup_mode=None)

Id = Annotated[str, typer.Argument(help="The memory's id.")]
By = Annotated[str | None, typer.Option(help="Who does it (default: your user name).")]


def _who(by: str | None) -> str:
    if by is not None:
        return by
    try:
        return getpass.getuser()
    except (OSError, KeyError):  # a container's user may have no name
        raise typer.BadParameter("say who does it", param_hint="--by") from None


@facts.command("list")
def list_facts(
    channel: Annotated[str, typer.Argument(help="The conversation.")],
    category: Annotated[str | None, typer.Option(help=f"Only these: {', '.join(CATEGORIES)}.")] = None,
    min_importance: Annotated[int | None, typer.Option(min=1, max=5, help="Only those that matter this much.")] = None,
    database: Database = None,
    space: Space = None,
    json: Json = False,
) -> None:
    """List the facts of a conversation."""
    found = with_memory(
        lambda memory: memory.facts.list(memory.channel(channel), category=category, min_importance=min_importance),
        database,
        space,
    )
    if json:
        output.print_json(found)
    elif not found:
        output.note("No facts.")
    else:
        rows = [
            (
                each.id,
                f"{each.at:%Y-%m-%d}",
                each.person or "",
                each.category,
                each.importance,
                each.text,
                f"by {each.edited_by}" if each.edited_by else "",
                len(each.links) or "",
            )
            for each in found
        ]
        output.table(("id", "date", "person", "category", "importance", "fact", "hand", "links"), rows)


@facts.command("add")
def add_fact(
    channel: Annotated[str, typer.Argument(help="The conversation.")],
    text: Annotated[str, typer.Argument(help="The fact.")],
    person: Annotated[str | None, typer.Option(help="Whom it is about: an id of yours.")] = None,
    by: By = None,
    database: Database = None,
    space: Space = None,
    json: Json = False,
) -> None:
    """Add a fact that nobody said."""
    fact = with_memory(
        lambda memory: memory.facts.add(memory.channel(channel), text, by=_who(by), person=person), database, space
    )
    if json:
        output.print_json(fact)
    else:
        output.note(f"Added as {fact.id}.")


@facts.command("edit")
def edit_fact(
    id: Id,
    text: Annotated[str, typer.Argument(help="What it should say.")],
    by: By = None,
    database: Database = None,
    space: Space = None,
    json: Json = False,
) -> None:
    """Put your words in place of a fact's, or of a summary's."""
    version = with_memory(lambda memory: memory.memories.edit(id, text, by=_who(by)), database, space)
    _told(version, id, json)


@facts.command("delete")
def delete_fact(id: Id, by: By = None, database: Database = None, space: Space = None, json: Json = False) -> None:
    """Take a fact away, or a summary. It does not come back by itself."""
    version = with_memory(lambda memory: memory.memories.delete(id, by=_who(by)), database, space)
    _told(version, id, json)


def restore(id: Id, by: By = None, database: Database = None, space: Space = None, json: Json = False) -> None:
    """Bring back what someone deleted, as it was."""
    version = with_memory(lambda memory: memory.memories.restore(id, by=_who(by)), database, space)
    _told(version, id, json)


def flagged(
    reason: Annotated[str | None, typer.Option(help=f"Only these: {', '.join(REASONS)}.")] = None,
    reviewed: Annotated[bool, typer.Option("--reviewed", help="Those that someone has looked at.")] = False,
    limit: Annotated[int, typer.Option(min=1, max=500, help="At most this many.")] = 50,
    database: Database = None,
    space: Space = None,
    json: Json = False,
) -> None:
    """List memories that something speaks against: instructions, claims of authority, secrets, contradictions."""
    found = with_memory(
        lambda memory: memory.memories.flagged(reason=reason, reviewed=reviewed, limit=limit), database, space
    )
    if json:
        output.print_json(found)
    elif not found:
        output.note("Nothing is flagged.")
    else:
        rows = [
            (each.id, f"{each.at:%Y-%m-%d}", ", ".join(each.reasons), each.person or "", each.text) for each in found
        ]
        output.table(("id", "date", "reasons", "person", "memory"), rows)


def review(
    id: Id,
    again: Annotated[bool, typer.Option("--again", help="It is to be looked at again.")] = False,
    by: By = None,
    database: Database = None,
    space: Space = None,
    json: Json = False,
) -> None:
    """Say that you have looked at a flagged memory and keep it as it is."""
    decision = "reopen" if again else "keep"
    count = with_memory(lambda memory: memory.memories.review(id, by=_who(by), decision=decision), database, space)
    if json:
        output.print_json({"reviewed": count})
    else:
        output.note(f"{id} is listed again." if again else f"{id} is kept as it is.")


def _told(version: Version, id: str, json: bool) -> None:
    if json:
        output.print_json(version)
    else:
        output.note(f"{id} {version.action} by {version.by}: version {version.version}.")


def history(id: Id, database: Database = None, space: Space = None, json: Json = False) -> None:
    """Show what a memory has said so far, who wrote it and when."""
    found = with_memory(lambda memory: memory.memories.history(id), database, space)
    if json:
        output.print_json(found)
    else:
        rows = [(each.version, each.action, each.by, f"{each.at:%Y-%m-%d %H:%M}", each.text) for each in found]
        output.table(("version", "action", "by", "when (UTC)", "text"), rows)


def regenerate(
    channel: Annotated[str, typer.Argument(help="The conversation.")],
    first: Annotated[int, typer.Argument(help="The range's first message.")],
    last: Annotated[int, typer.Argument(help="Its last message.")],
    what: Annotated[str, typer.Option(help=f"{', '.join(WHAT)}.")] = "chunk",
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Also what people wrote or deleted.")] = False,
    database: Database = None,
    space: Space = None,
    json: Json = False,
) -> None:
    """Make one range again, now."""
    made = with_memory(
        lambda memory: memory.memories.regenerate(memory.channel(channel), first, last, what, overwrite=overwrite),
        database,
        space,
    )
    if json:
        output.print_json(made)
    else:
        kept = f", {len(made.kept)} left as people wrote them (--overwrite replaces them)" if made.kept else ""
        output.note(f"{first}–{last} of {channel}: {len(made.replaced)} made anew{kept}.")


def realign(
    channel: Annotated[str, typer.Argument(help="The conversation.")],
    database: Database = None,
    space: Space = None,
    json: Json = False,
) -> None:
    """Make the metas again that no longer say what is below them."""
    count = with_memory(lambda memory: memory.memories.realign(memory.channel(channel)), database, space)
    if json:
        output.print_json({"realigned": count})
    else:
        output.note(f"{count} made again.")


def backfill(database: Database = None, space: Space = None, json: Json = False) -> None:
    """Read every full chunk for facts that never was. Killed, it goes on where it was."""

    async def work(memory: Memory) -> Backfilled:
        with output.progress() as progress:
            bar = progress.add_task("Reading for facts", total=None)
            return await memory.memories.backfill(
                progress=lambda done, total: progress.update(bar, completed=done, total=total)
            )

    done = with_memory(work, database, space)
    if json:
        output.print_json(done)
    else:
        output.note(
            f"{done.processed} processed, {done.created} created, {done.skipped} skipped, {done.errors} errors."
        )
        if done.errors:
            output.note("`erstwhile jobs list` names the reasons; `erstwhile doctor` says what to do.")
