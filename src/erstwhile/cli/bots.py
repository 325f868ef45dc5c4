"""What the commands of all bots have in common."""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import Coroutine, Iterable
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated

import typer

from erstwhile.base.errors import SettingsError
from erstwhile.base.logs import to_stderr
from erstwhile.cli import output

if TYPE_CHECKING:
    from erstwhile.api.memory import Memory
    from erstwhile.bots.port import ChatPlace

_SHOWN = 20

Listen = Annotated[
    list[str] | None,
    typer.Option("--listen", metavar="CHANNEL", help="Listen to this channel, by name or id; repeatable."),
]
ListenAll = Annotated[bool, typer.Option("--listen-all", help="Listen to every channel the bot can read.")]
Past = Annotated[bool, typer.Option("--past", help="Also store earlier messages.")]


@dataclass(frozen=True, slots=True)
class ChannelChoice:
    """Channels to listen to, by id or name. `past`: with earlier messages."""

    names: frozenset[str]
    all: bool
    past: bool

    def __contains__(self, place: ChatPlace) -> bool:
        named = self.all or place.title in self.names
        return place.channel in self.names or (named and place.parent is None and not place.direct)

    def missing(self, places: Iterable[ChatPlace]) -> list[str]:
        return sorted(self.names - {name for place in places for name in (place.channel, place.title)})


def choose_channels(listen: list[str] | None, listen_all: bool, past: bool) -> ChannelChoice:
    return ChannelChoice(frozenset(name.lstrip("#") for name in listen or ()), listen_all, past)


def set_log_level(level: str) -> None:
    if level not in ("debug", "info", "warning", "error"):
        raise SettingsError(f"Unknown log level {level!r}. Use debug, info, warning or error.")
    to_stderr(level)


async def run_until_stopped(work: Coroutine[None, None, None]) -> None:
    """Run until it ends, or SIGTERM or Ctrl-C stops it."""
    running = asyncio.ensure_future(work)
    if sys.platform != "win32":  # there Ctrl-C interrupts by itself
        for each in (signal.SIGINT, signal.SIGTERM):
            asyncio.get_running_loop().add_signal_handler(each, running.cancel)
    with suppress(asyncio.CancelledError):
        await running
    output.note("Stopped.")


async def listen_to(memory: Memory, place: ChatPlace, *, past: bool) -> bool:
    """Listen to a channel; return whether anything changed. An earlier choice stays, unless the past is
    requested now."""
    before = next(
        (each for each in await memory.channels.listening(space=place.space) if each.channel == place.channel), None
    )
    if before is not None and before.on and not (past and before.since):
        return False
    since = "" if past else datetime.now(UTC).isoformat()
    await memory.channels.listen(memory.channel(place.channel, place.space), since=since, title=place.title)
    return True


async def listening_titles(memory: Memory, places: Iterable[ChatPlace]) -> list[str]:
    """Return the titles of those of these channels that are listened to."""
    spaces = {place.space for place in places}
    on = {(space, each.channel) for space in spaces for each in await memory.channels.listening(space=space) if each.on}
    return sorted(f"#{place.title}" for place in places if (place.space, place.channel) in on)


def format_titles(titles: list[str]) -> str:
    return ": " + ", ".join(titles[:_SHOWN]) + (", …" if len(titles) > _SHOWN else "") if titles else ""
