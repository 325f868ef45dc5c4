"""The Discord bot."""

from __future__ import annotations

import asyncio
import os
from typing import TYPE_CHECKING, Annotated

import typer

from erstwhile.api.memory import Memory
from erstwhile.api.memory import open as open_memory
from erstwhile.base.errors import SettingsError
from erstwhile.cli import output
from erstwhile.cli.bots import (
    ChannelChoice,
    Listen,
    ListenAll,
    Past,
    choose_channels,
    format_titles,
    listen_to,
    listening_titles,
    run_until_stopped,
    set_log_level,
)
from erstwhile.cli.options import Database, LogLevel

if TYPE_CHECKING:
    from erstwhile.bots.bot import Bot
    from erstwhile.bots.discord import DiscordPlatform

_NO_TOKEN = (
    "Set DISCORD_TOKEN to your bot's token. Make a bot at https://discord.com/developers/applications (New Application, "
    "Bot, Reset Token) and turn on MESSAGE CONTENT INTENT there."
)


def discord(
    listen: Listen = None,
    listen_all: ListenAll = False,
    past: Past = False,
    api: Annotated[
        str | None, typer.Option(help="A proxy to use in place of https://discord.com/api/v10.", metavar="URL")
    ] = None,
    log_level: LogLevel = "info",
    database: Database = None,
) -> None:
    """Listen and answer on Discord, until interrupted. Needs DISCORD_TOKEN."""
    try:
        import erstwhile.bots.discord as _  # noqa: F401 - only whether it is there
    except ImportError as missing:
        raise SettingsError(f"The Discord bot needs {missing.name}: pip install 'erstwhile[discord]'.") from None
    token = os.environ.get("DISCORD_TOKEN", "").strip()
    if not token:
        raise SettingsError(_NO_TOKEN)
    set_log_level(log_level)
    asyncio.run(run_until_stopped(_run(database, token, api, choose_channels(listen, listen_all, past))))


async def _run(database: str | None, token: str, api: str | None, chosen: ChannelChoice) -> None:
    from erstwhile.bots.bot import Bot
    from erstwhile.bots.discord import DiscordPlatform

    async with open_memory(database, worker=True) as memory:
        platform = DiscordPlatform(token, api)
        bot = Bot(memory, platform)
        welcome = asyncio.create_task(_welcome(memory, platform, bot, chosen))
        try:
            await bot.run()
        finally:
            welcome.cancel()
            await asyncio.gather(welcome, return_exceptions=True)


async def _welcome(memory: Memory, platform: DiscordPlatform, bot: Bot, chosen: ChannelChoice) -> None:
    """Once connected: listens to what was named, and says what is listened to and what to do next."""
    servers, places = await platform.servers(), await platform.places()
    for place in places:
        if place in chosen and await listen_to(memory, place, past=chosen.past):
            await bot.listening_changed(place)
    for missing in chosen.missing(places):
        output.note(f"There is no channel {missing} that the bot can read.")
    anywhere = False
    for space, name in sorted(servers.items(), key=lambda each: each[1]):
        here = [place for place in places if place.space == space and place.parent is None]
        titles = await listening_titles(memory, here)
        anywhere = anywhere or bool(titles)
        output.note(f"In {name}, listening to {len(titles)} of {len(here)} channels{format_titles(titles)}.")
    output.note(f"Invite the bot to a server: {await platform.invitation()}")
    if not anywhere:
        output.note("Next: in a channel of yours, /memory on; then mention the bot, or try /privacy.")
