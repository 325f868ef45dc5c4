"""Channels: which there are, who may see them, and whether a bot listens."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from erstwhile.cli import output
from erstwhile.cli.options import Database, Json, Space, group, read_memory, with_memory

if TYPE_CHECKING:
    from erstwhile.api.memory import Memory
    from erstwhile.log.listening import Listened

channels = group()
Name = Annotated[str, typer.Argument(metavar="CHANNEL", help="The channel.")]


@channels.command("list")
def list_channels(
    matching: Annotated[str | None, typer.Option(help="Only those with this in their name or title.")] = None,
    limit: Annotated[int | None, typer.Option(min=1, max=1000, help="At most this many.")] = None,
    database: Database = None,
    space: Space = None,
    json: Json = False,
) -> None:
    """List the channels of a space, the one with the newest message first."""
    found = read_memory(
        lambda memory: memory.channels.list(matching=matching, order="recent", limit=limit), database, space
    )
    if json:
        output.print_json(found)
    elif not found:
        output.note("No channels.")
    else:
        rows = [
            (
                each.channel,
                each.title,
                each.size,
                f"{each.last_at:%Y-%m-%d}" if each.last_at else "",
                each.privacy or "",
            )
            for each in found
        ]
        output.table(("channel", "title", "messages", "last", "privacy"), rows)


@channels.command("show")
def show(channel: Name, database: Database = None, space: Space = None, json: Json = False) -> None:
    """Show one channel: its size, its privacy, and how many memories were made from it."""
    found = read_memory(lambda memory: memory.channels.get(memory.channel(channel)), database, space, channel)
    if json:
        output.print_json(found)
        return
    shown = output.plain(found)
    made = shown.pop("made") or {}
    output.table(("what", "value"), [(name, "" if value is None else value) for name, value in (shown | made).items()])


@channels.command("privacy")
def set_privacy(
    channel: Name,
    privacy: Annotated[str, typer.Argument(help="open, private or direct.")],
    person: Annotated[list[str] | None, typer.Option("--person", help="Someone in it; repeatable.")] = None,
    database: Database = None,
    space: Space = None,
    json: Json = False,
) -> None:
    """Set whether a channel is open, private or direct, and who is in it."""
    members = person or []
    with_memory(
        lambda memory: memory.channels.set_privacy(memory.channel(channel), privacy, people=members), database, space
    )
    if json:
        output.print_json({"channel": channel, "privacy": privacy, "people": members})
    else:
        output.note(f"{channel} is {privacy}.")


@channels.command("listen")
def listen(
    channel: Annotated[str | None, typer.Argument(help="The channel; without one, all are listed.")] = None,
    off: Annotated[bool, typer.Option("--off", help="Stop listening.")] = False,
    since: Annotated[str, typer.Option("--since", help="From this time on (default: from its beginning).")] = "",
    database: Database = None,
    space: Space = None,
    json: Json = False,
) -> None:
    """Set whether a bot listens to a channel, or list the channels it listens to."""

    async def work(memory: Memory) -> list[Listened]:
        if channel is not None:
            await memory.channels.listen(memory.channel(channel), not off, since=since)
        return [each for each in await memory.channels.listening() if channel in (None, each.channel)]

    found = with_memory(work, database, space)
    if json:
        output.print_json(found)
    elif not found:
        output.note("No channel was chosen. Say /memory on in one, or run `erstwhile channels listen CHANNEL`.")
    else:
        rows = [(each.channel, each.title, _on(each.on), each.since or "its beginning", each.by) for each in found]
        output.table(("channel", "title", "listening", "since", "by"), rows)


def _on(chosen: bool | None) -> str:
    return {True: "yes", False: "no", None: "as its channel"}[chosen]
