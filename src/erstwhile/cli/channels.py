"""Channels: which there are, who may see them, and whether a bot listens."""

from __future__ import annotations

from typing import Annotated

import typer

from erstwhile.api.channels import MemoryCounts
from erstwhile.cli import output
from erstwhile.cli.options import Channel, Memory, group

channels = group()


@channels.command("list", reads=True)
async def list_channels(
    memory: Memory,
    matching: Annotated[str | None, "Only those with this in their name or title."] = None,
    limit: Annotated[int | None, typer.Option(min=1, max=1000, help="At most this many.")] = None,
) -> output.Result:
    """List the channels of a space, the one with the newest message first."""
    found = await memory.channels.list(matching=matching, order="recent", limit=limit)
    columns = "channel, title, messages=size, last=last_at, privacy"
    return found, output.TableRows.of(found, columns, "No channels.")


@channels.command("show", reads=True)
async def show(memory: Memory, channel: Channel) -> output.Result:
    """Show one channel: its size, its privacy, and how many memories were made from it."""
    found = await memory.channels.get(memory.channel(channel))
    made = found.made or MemoryCounts()
    rows = (
        ("channel", found.channel),
        ("title", found.title),
        ("privacy", found.privacy or ""),
        ("messages", f"{found.size:,}"),
        ("last message", f"{found.last_at:%Y-%m-%d %H:%M} UTC" if found.last_at else ""),
        ("summaries", f"{made.chunks:,}"),
        ("meta summaries", f"{made.metas:,}" + (f", {made.stale:,} stale" if made.stale else "")),
        ("facts", f"{made.facts:,}"),
        ("notes", f"{made.notes:,}"),
    )
    return found, output.TableRows("what, value", [row for row in rows if row[1]])


@channels.command("privacy")
async def set_privacy(
    memory: Memory,
    channel: Channel,
    privacy: Annotated[str, "open, private or direct."],
    person: Annotated[list[str] | None, "Someone in it; repeatable."] = None,
) -> output.Result:
    """Set whether a channel is open, private or direct, and who is in it."""
    members = person or []
    await memory.channels.set_privacy(memory.channel(channel), privacy, people=members)
    return {"channel": channel, "privacy": privacy, "people": members}, f"{channel} is {privacy}."


@channels.command("listen")
async def listen(
    memory: Memory,
    channel: Annotated[
        str | None, typer.Argument(help="The channel; without one, all are listed.")
    ] = None,
    off: Annotated[bool, "Stop listening."] = False,
    since: Annotated[str, "From this time on (default: from its beginning)."] = "",
) -> output.Result:
    """Set whether a bot listens to a channel, or list the channels it listens to."""
    if channel is not None:
        await memory.channels.listen(memory.channel(channel), not off, since=since)
    found = [each for each in await memory.channels.listening() if channel in (None, each.channel)]
    on = {True: "yes", False: "no", None: "as its channel"}
    rows = (
        (each.channel, each.title, on[each.on], each.since or "its beginning", each.by)
        for each in found
    )
    none = (
        "No channel was chosen. Say /memory on in one, or run `erstwhile channels listen CHANNEL`."
    )
    return found, output.TableRows("channel, title, listening, since, by", rows, none)
