"""The Discord bot."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated

import typer

from erstwhile.base.errors import SettingsError
from erstwhile.base.logs import to_stderr
from erstwhile.cli import output
from erstwhile.cli.options import Database
from erstwhile.memory import Memory
from erstwhile.memory import open as open_memory

if TYPE_CHECKING:
    from erstwhile.platforms.bot import Bot
    from erstwhile.platforms.discord import DiscordPlatform
    from erstwhile.platforms.port import Place

_NO_TOKEN = (
    "Set DISCORD_TOKEN to your bot's token. Make a bot at https://discord.com/developers/applications (New Application, "
    "Bot, Reset Token) and turn on MESSAGE CONTENT INTENT there."
)


@dataclass(frozen=True, slots=True)
class _Wanted:
    """The channels to listen to from now on, or with what was said there before."""

    channels: frozenset[str]
    all: bool
    past: bool

    def __contains__(self, place: Place) -> bool:
        return place.channel in self.channels or (self.all and place.parent is None and not place.direct)


def discord(
    listen: Annotated[
        list[str] | None,
        typer.Option("--listen", metavar="CHANNEL_ID", help="Listen to this channel and its threads; again for more."),
    ] = None,
    listen_all: Annotated[bool, typer.Option("--listen-all", help="Listen to every channel the bot can read.")] = False,
    past: Annotated[bool, typer.Option("--past", help="Also take in what was said there before.")] = False,
    api: Annotated[
        str | None, typer.Option(help="A proxy to use in place of https://discord.com/api/v10.", metavar="URL")
    ] = None,
    log_level: Annotated[str, typer.Option(help="debug, info, warning or error.")] = "info",
    database: Database = None,
) -> None:
    """Listen and answer on Discord, until interrupted. Needs DISCORD_TOKEN."""
    try:
        import erstwhile.platforms.discord as _  # noqa: F401 - only whether it is there
    except ImportError as missing:
        raise SettingsError(f"The Discord bot needs {missing.name}: pip install 'erstwhile[discord]'.") from None
    token = os.environ.get("DISCORD_TOKEN", "").strip()
    if not token:
        raise SettingsError(_NO_TOKEN)
    if log_level not in ("debug", "info", "warning", "error"):
        raise SettingsError(f"There is no log level {log_level!r}: debug, info, warning or error.")
    to_stderr(log_level)
    wanted = _Wanted(frozenset(listen or ()), listen_all, past)
    asyncio.run(_run(database, token, api, wanted))


async def _run(database: str | None, token: str, api: str | None, wanted: _Wanted) -> None:
    from erstwhile.platforms.bot import Bot
    from erstwhile.platforms.discord import DiscordPlatform

    async with open_memory(database, worker=True) as memory:
        platform = DiscordPlatform(token, api)
        bot = Bot(memory, platform)
        running = asyncio.create_task(bot.run())
        _on_signal(running.cancel)
        welcome = asyncio.create_task(_welcome(memory, platform, bot, wanted))
        try:
            with suppress(asyncio.CancelledError):
                await running
        finally:
            welcome.cancel()
            await asyncio.gather(welcome, return_exceptions=True)
    output.note("Stopped.")


def _on_signal(stop: Callable[[], object]) -> None:
    if sys.platform != "win32":  # there Ctrl-C interrupts by itself
        for each in (signal.SIGINT, signal.SIGTERM):
            asyncio.get_running_loop().add_signal_handler(each, stop)


async def _welcome(memory: Memory, platform: DiscordPlatform, bot: Bot, wanted: _Wanted) -> None:
    """Once connected: listens to what was named, and says what is listened to and what to do next."""
    servers, places = await platform.servers(), await platform.places()
    for place in places:
        if place in wanted:
            await _listen(memory, bot, place, past=wanted.past)
    for missing in sorted(wanted.channels - {place.channel for place in places}):
        output.note(f"There is no channel {missing} that the bot can read.")
    heard = 0
    for space, name in sorted(servers.items(), key=lambda each: each[1]):
        here = [place for place in places if place.space == space and place.parent is None]
        on = {each.channel for each in await memory.listening(space=space) if each.on}
        titles = sorted(f"#{place.title}" for place in here if place.channel in on)
        heard += len(titles)
        listed = ": " + ", ".join(titles[:20]) + (", …" if len(titles) > 20 else "") if titles else ""
        output.note(f"In {name}, listening to {len(titles)} of {len(here)} channels{listed}.")
    output.note(f"Invite the bot to a server: {await platform.invitation()}")
    if not heard:
        output.note("Next: in a channel of yours, /memory on; then mention the bot, or try /privacy.")


async def _listen(memory: Memory, bot: Bot, place: Place, *, past: bool) -> None:
    """What someone chose before stays as it is, unless the past is wanted now."""
    chosen = {each.channel: each for each in await memory.listening(space=place.space)}
    before = chosen.get(place.channel)
    if before is not None and before.on and not (past and before.since):
        return
    since = "" if past else datetime.now(UTC).isoformat()
    await memory.listen(memory.channel(place.channel, place.space), since=since, title=place.title)
    await bot.heard_anew(place)
