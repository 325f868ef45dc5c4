"""What the bots of all chat platforms have in common on the command line."""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import Coroutine, Iterable
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from erstwhile.base.errors import SettingsError
from erstwhile.base.logs import to_stderr
from erstwhile.cli import output
from erstwhile.memory import Memory

if TYPE_CHECKING:
    from erstwhile.bots.port import ChatPlace

_SHOWN = 20


@dataclass(frozen=True, slots=True)
class ChannelChoice:
    """The channels to listen to, by id or name, from now on or with what was said there before."""

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
        raise SettingsError(f"There is no log level {level!r}: debug, info, warning or error.")
    to_stderr(level)


async def run_until_stopped(work: Coroutine[None, None, None]) -> None:
    """Until it ends by itself, or SIGTERM or Ctrl-C ends it."""
    running = asyncio.ensure_future(work)
    if sys.platform != "win32":  # there Ctrl-C interrupts by itself
        for each in (signal.SIGINT, signal.SIGTERM):
            asyncio.get_running_loop().add_signal_handler(each, running.cancel)
    with suppress(asyncio.CancelledError):
        await running
    output.note("Stopped.")


async def listen_to(memory: Memory, place: ChatPlace, *, past: bool) -> bool:
    """What someone chose before stays as it is, unless the past is wanted now. Whether anything changed."""
    before = next((each for each in await memory.listening(space=place.space) if each.channel == place.channel), None)
    if before is not None and before.on and not (past and before.since):
        return False
    since = "" if past else datetime.now(UTC).isoformat()
    await memory.listen(memory.channel(place.channel, place.space), since=since, title=place.title)
    return True


async def listening_titles(memory: Memory, places: Iterable[ChatPlace]) -> list[str]:
    """What those of these channels are called that are listened to."""
    spaces = {place.space for place in places}
    on = {(space, each.channel) for space in spaces for each in await memory.listening(space=space) if each.on}
    return sorted(f"#{place.title}" for place in places if (place.space, place.channel) in on)


def format_titles(titles: list[str]) -> str:
    return ": " + ", ".join(titles[:_SHOWN]) + (", …" if len(titles) > _SHOWN else "") if titles else ""
