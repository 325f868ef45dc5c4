"""The Discord and the Slack bot."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Coroutine, Iterable
from contextlib import suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated

import typer

from erstwhile.api.memory import open as open_memory
from erstwhile.base.errors import SettingsError
from erstwhile.base.logs import to_stderr
from erstwhile.base.records import dataclass
from erstwhile.cli import output
from erstwhile.cli.options import Database, LogLevel

if TYPE_CHECKING:
    from erstwhile.api.memory import Memory
    from erstwhile.bots.bot import Bot
    from erstwhile.bots.discord import DiscordPlatform
    from erstwhile.bots.port import ChatPlace
    from erstwhile.bots.slack import SlackPlatform

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


async def listen_to(memory: Memory, place: ChatPlace, *, past: bool, whole_seconds: bool = False) -> bool:
    """Listen to a channel; return whether that changed anything. `whole_seconds`: the platform's times are."""
    before = next(
        (each for each in await memory.channels.listening(space=place.space) if each.channel == place.channel), None
    )
    if before is not None and before.on and not (past and before.since):
        return False
    now = datetime.now(UTC)
    since = "" if past else (now.replace(microsecond=0) if whole_seconds else now).isoformat()
    await memory.channels.listen(memory.channel(place.channel, place.space), since=since, title=place.title)
    return True


async def listening_titles(memory: Memory, places: Iterable[ChatPlace]) -> list[str]:
    """Return the titles of those of these channels that are listened to."""
    spaces = {place.space for place in places}
    on = {(space, each.channel) for space in spaces for each in await memory.channels.listening(space=space) if each.on}
    return sorted(f"#{place.title}" for place in places if (place.space, place.channel) in on)


def format_titles(titles: list[str]) -> str:
    return ": " + ", ".join(titles[:_SHOWN]) + (", …" if len(titles) > _SHOWN else "") if titles else ""


# Discord

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
    asyncio.run(run_until_stopped(_run_discord(database, token, api, choose_channels(listen, listen_all, past))))


async def _run_discord(database: str | None, token: str, api: str | None, chosen: ChannelChoice) -> None:
    from erstwhile.bots.bot import Bot
    from erstwhile.bots.discord import DiscordPlatform

    async with open_memory(database, worker=True) as memory:
        platform = DiscordPlatform(token, api)
        bot = Bot(memory, platform)
        welcome = asyncio.create_task(_welcome_discord(memory, platform, bot, chosen))
        try:
            await bot.run()
        finally:
            welcome.cancel()
            await asyncio.gather(welcome, return_exceptions=True)


async def _welcome_discord(memory: Memory, platform: DiscordPlatform, bot: Bot, chosen: ChannelChoice) -> None:
    """Once connected, listen to what was named, and say what to do next."""
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


# Slack

_TOKENS = {"SLACK_BOT_TOKEN": "xoxb-", "SLACK_APP_TOKEN": "xapp-"}
_WHERE = {
    "SLACK_BOT_TOKEN": "It is the Bot User OAuth Token, on the page of your app (https://api.slack.com/apps) under OAuth & Permissions.",
    "SLACK_APP_TOKEN": "It is an App-Level Token with the scope connections:write, on the page of your app under Basic Information.",
}


def slack(
    listen: Listen = None,
    listen_all: ListenAll = False,
    past: Past = False,
    api: Annotated[
        str | None, typer.Option(help="An address to use in place of https://slack.com/api/.", metavar="URL")
    ] = None,
    log_level: LogLevel = "info",
    database: Database = None,
) -> None:
    """Listen and answer on Slack, until interrupted. Needs SLACK_BOT_TOKEN and SLACK_APP_TOKEN."""
    try:
        from erstwhile.bots.slack import SlackPlatform
    except ImportError as missing:
        raise SettingsError(f"The Slack bot needs {missing.name}: pip install 'erstwhile[slack]'.") from None
    set_log_level(log_level)
    token, app_token = (_token(name) for name in _TOKENS)
    platform = SlackPlatform(token, app_token, api)
    asyncio.run(run_until_stopped(_run_slack(database, platform, choose_channels(listen, listen_all, past))))


def _token(name: str) -> str:
    given = os.environ.get(name, "").strip()
    if not given:
        raise SettingsError(f"Set {name}. {_WHERE[name]}")
    if not given.startswith(_TOKENS[name]):
        raise SettingsError(f"{name} begins with {_TOKENS[name]}; what is set is something else. {_WHERE[name]}")
    return given


async def _run_slack(database: str | None, platform: SlackPlatform, chosen: ChannelChoice) -> None:
    from erstwhile.bots.bot import Bot

    places = await platform.channels()
    async with open_memory(database, worker=True) as memory:
        for place in places:
            if place in chosen:
                await listen_to(memory, place, past=chosen.past)
        await _welcome_slack(memory, places, chosen)
        await Bot(memory, platform).run()


async def _welcome_slack(memory: Memory, places: list[ChatPlace], chosen: ChannelChoice) -> None:
    for missing in chosen.missing(places):
        output.note(f"The bot is in no channel {missing}. Say /invite there, with its name.")
    shared = [place for place in places if not place.direct]
    titles = await listening_titles(memory, shared)
    output.note(f"Listening to {len(titles)} of {len(shared)} channels that the bot is in{format_titles(titles)}.")
    if not titles:
        output.note("Next: in a channel of yours, /invite the bot and say /erstwhile memory on; then mention it.")
